// The espalier command. `reproduce`, `serve`, `compare`, `report` and `ensemble` run in separate programs
// (reproduce_main.cc, serve_main.cc, compare_main.cc, ensemble_main.cc), so that this one needs neither
// research/ nor server/ nor ensembles and is built sooner. Tested in command_line_test.sh.
#include "apps/command.h"

int main(int argc, char** argv) {
  using namespace espalier::apps;
  static constexpr AddVerb kVerbs[] = {add_train,    add_tag,   add_eval,      add_cv,      add_compare,
                                       add_report,   add_tune,  add_check,     add_convert, add_import,
                                       add_decode,   add_synth, add_classes,   add_inspect, add_explain,
                                       add_ensemble, add_serve, add_reproduce, add_help,    add_version};
  return run_command(argc, argv, kVerbs);
}

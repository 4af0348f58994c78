// The program behind `espalier reproduce`, which starts it with its own command line (reproduce.cc): the
// experiments of the papers. It is a separate program so that the command can be built and installed without
// research/. Tested in reproduce_test.sh.
#include "apps/command.h"
#include "apps/verbs/reproduce_run.h"

int main(int argc, char** argv) {
  static constexpr espalier::apps::AddVerb kVerbs[] = {espalier::apps::add_reproduce_run};
  return espalier::apps::run_command(argc, argv, kVerbs);
}

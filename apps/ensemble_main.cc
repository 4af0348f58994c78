// The program behind `espalier ensemble`, which starts it with its own command line (ensemble.cc). It is a
// separate program so that the command is built sooner. Tested in ensemble_test.sh.
#include "apps/command.h"
#include "apps/verbs/ensemble.h"

namespace espalier::apps {

std::vector<Expert> expert_files(const std::vector<std::string>& paths) {
  std::vector<Expert> experts;
  for (const std::string& path : paths) experts.push_back(Expert::file(path));
  return experts;
}

Status check_probabilities(const ExpertFlags& flags, const Ensemble& ensemble, const std::string& path) {
  const bool wanted = ensemble.info().probabilities;
  if (wanted && !flags.probabilities)
    return Error{path + ": the ensemble was learned with --probabilities, which is needed here, too"};
  if (!wanted && flags.probabilities)
    return Error{path + ": the ensemble was learned without --probabilities and cannot use them"};
  return {};
}

namespace {

void add_verbs(CLI::App& app, Action& action) {
  add_ensemble_verbs(app, action, {learn_ensemble, apply_ensemble, report_on_ensemble});
}

}  // namespace
}  // namespace espalier::apps

int main(int argc, char** argv) {
  using namespace espalier::apps;
  static constexpr AddVerb kVerbs[] = {add_verbs};
  return run_command(argc, argv, kVerbs);
}

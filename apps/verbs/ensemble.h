// The options of `espalier ensemble`, which two programs parse: the command, for its help and for errors on
// the command line, and then the program that does the work (ensemble_main.cc). Tested in ensemble_test.sh.
#pragma once

#include <string>
#include <vector>

#include "apps/command.h"
#include "apps/options.h"
#include "espalier/public/ensemble.h"

namespace CLI {
class App;
}

namespace espalier::apps {

struct ExpertFlags {
  ReadingFlags
      reading;  ///< of the gold file, and of experts' files unless their names end in .jsonl or .conllu
  std::string column;       ///< of the label in experts' files
  std::string labels_only;  ///< layout of files with labels only; empty: detected
  std::string missing = "error";
  bool probabilities = false;
  std::string probability_column;  ///< empty: the column after the label
  size_t nbest = 1;

  void add_to(CLI::App& verb);
  /// The gold file, or the text that the experts labelled.
  Files reference(const std::string& path) const;
  ExpertFiles files() const;
};

struct EnsembleLearnFlags {
  std::string gold, model;
  std::vector<std::string> experts;
  EnsembleOptions options;  ///< but for what ExpertFlags has
  bool no_calibration = false;
  ExpertFlags reading;
  OutputFlags output;
};

struct EnsembleApplyFlags {
  std::vector<std::string> experts;
  std::string model, input, output = "-", to;
  bool confidence = false, any_sequence = false;
  ExpertFlags reading;
  bool quiet = false;
};

struct EnsembleReportFlags {
  std::string gold, model;
  std::vector<std::string> experts;
  bool bounds = false, any_sequence = false;
  double rho = 0.1;
  uint64_t seed = 1;
  ExpertFlags reading;
  OutputFlags output;
};

/// What each of the three verbs does.
struct EnsembleActions {
  Outcome (*learn)(const EnsembleLearnFlags&);
  Outcome (*apply)(const EnsembleApplyFlags&);
  Outcome (*report)(const EnsembleReportFlags&);
};
/// Adds the group of verbs with their options and help.
void add_ensemble_verbs(CLI::App& app, Action& action, const EnsembleActions& actions);

/// Defined in the program that does the work.
Outcome learn_ensemble(const EnsembleLearnFlags& flags);
Outcome apply_ensemble(const EnsembleApplyFlags& flags);
Outcome report_on_ensemble(const EnsembleReportFlags& flags);

/// Files of predictions and model files, as experts.
std::vector<Expert> expert_files(const std::vector<std::string>& paths);

/// An error unless --probabilities was given exactly if the ensemble needs them.
Status check_probabilities(const ExpertFlags& flags, const Ensemble& ensemble, const std::string& path);

}  // namespace espalier::apps

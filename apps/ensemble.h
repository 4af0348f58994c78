// Options that the three verbs below `ensemble` share: which experts, and how their files are read.
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
  ReadingFlags reading;     ///< of the gold file, and of experts unless their names say otherwise
  std::string column;       ///< of the label in experts' files
  std::string labels_only;  ///< layout of files of labels alone; empty: found out
  std::string missing = "error";
  bool probabilities = false;
  std::string probability_column;  ///< empty: the one after the label
  size_t nbest = 1;

  void add_to(CLI::App& verb);
  /// The gold file, or the text that the experts labelled.
  Files reference(const std::string& path) const;
  ExpertFiles files() const;
};

/// Files of predictions and model files, as experts.
std::vector<Expert> expert_files(const std::vector<std::string>& paths);

/// Whether --probabilities was given exactly where the ensemble wants them.
Status check_probabilities(const ExpertFlags& flags, const Ensemble& ensemble, const std::string& path);

void add_ensemble_learn(CLI::App& group, Action& action);
void add_ensemble_apply(CLI::App& group, Action& action);
void add_ensemble_report(CLI::App& group, Action& action);

}  // namespace espalier::apps

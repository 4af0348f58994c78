// Options that the three verbs of `espalier ensemble` share: the experts, and how their files are read.
// Tested in ensemble_test.sh.
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

/// The arguments GOLD and EXPERT...
void add_gold_and_experts(CLI::App& verb, std::string& gold, std::vector<std::string>& experts);
void add_experts(CLI::App& verb, std::vector<std::string>& experts);

/// Files of predictions and model files, as experts.
std::vector<Expert> expert_files(const std::vector<std::string>& paths);

/// An error unless --probabilities was given exactly if the ensemble needs them.
Status check_probabilities(const ExpertFlags& flags, const Ensemble& ensemble, const std::string& path);

void add_ensemble_learn(CLI::App& group, Action& action);
void add_ensemble_apply(CLI::App& group, Action& action);
void add_ensemble_report(CLI::App& group, Action& action);

}  // namespace espalier::apps

// What the three verbs below `ensemble` share: experts named on the command line, opened and aligned.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/command.h"
#include "apps/options.h"
#include "espalier/ensemble/experts/aligned_experts.h"
#include "espalier/ensemble/model.h"
#include "espalier/model/model.h"

namespace CLI {
class App;
}

namespace espalier::apps {

/// How experts' files are read.
struct ExpertFlags {
  ReadingFlags reading;     ///< of the gold file, and of experts unless their names say otherwise
  std::string column;       ///< of the label in experts' files
  std::string labels_only;  ///< layout of files of labels alone; empty: found out
  std::string missing = "error";
  bool probabilities = false;
  std::string probability_column;  ///< empty: the one after the label
  size_t nbest = 1;

  void add_to(CLI::App& verb);
};

/// Streams over gold (or the input) and experts. Models given as experts are held here.
struct OpenExperts {
  std::vector<std::unique_ptr<model::Model>> models;
  std::unique_ptr<ensemble::AlignedExperts> aligned;
  data::ReadOptions reference_reading;
  ensemble::LabelLayout reference_layout = ensemble::LabelLayout::kWithTokens;
};

/// `reference`: the gold file (has_gold), or the text to be labelled; empty: the first expert that is a file.
Result<OpenExperts> open_experts(const std::string& reference, bool has_gold,
                                 const std::vector<std::string>& experts, const ExpertFlags& flags,
                                 data::LabelSet& labels);

/// Has the experts' probabilities read where the model wants them; an error where it does and they are not
/// given, or the other way round.
Status ask_probabilities(const ExpertFlags& flags, const ensemble::EnsembleModel& model,
                         const std::string& path, ensemble::AlignedExperts& aligned);

void add_ensemble_learn(CLI::App& group, Action& action);
void add_ensemble_apply(CLI::App& group, Action& action);
void add_ensemble_report(CLI::App& group, Action& action);

}  // namespace espalier::apps

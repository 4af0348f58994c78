// A model run over labelled data, and scored.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/constraint_flags.h"
#include "apps/search_flags.h"
#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/predictor.h"
#include "espalier/eval/scores.h"
#include "espalier/tasks/structures/roles.h"

namespace espalier::apps {

/// What a model that decides several columns of labels gets right.
struct JointScores {
  std::vector<eval::TaggingScores> others;  ///< of the columns before the last, in order
  std::vector<size_t> cells;                ///< all columns, from 0; the last is that of Evaluation::scores
  uint64_t labels = 0, right_labels = 0;    ///< in all columns together
  uint64_t tokens = 0, right_tokens = 0;    ///< whose labels are all known, and right
  uint64_t sequences = 0, right_sequences = 0;

  bool any() const { return !others.empty(); }
  double label_accuracy() const;  ///< percent
  double token_accuracy() const;
  double sequence_accuracy() const;
  void merge(const JointScores& other);
  std::string table(const eval::TaggingScores& last) const;
  nlohmann::ordered_json to_json(const eval::TaggingScores& last) const;
};

/// What is evaluated beyond the labels of tokens.
struct EvaluationTask {
  std::string task = "label";
  /// Constraints that predictions are held against, whether or not they were decoded under them; may be
  /// null.
  const constrain::Constraints* check = nullptr;
};

struct Evaluation {
  eval::TaggingScores scores;
  JointScores joint;
  std::optional<tasks::RoleScores> roles;  ///< task roles
  std::optional<size_t> legal;             ///< sequences that break no constraint, where some are checked
  size_t checked = 0;                      ///< against these
  ConstraintTally tally;
  SearchTally searches;
  size_t tokens = 0;   ///< all that were labelled, those without a gold label too
  double seconds = 0;  ///< reading, predicting and counting

  void merge(const Evaluation& other);
  double legal_share() const {
    return checked > 0 && legal ? 100 * static_cast<double>(*legal) / static_cast<double>(checked) : 0;
  }
  double tokens_per_second() const { return seconds > 0 ? static_cast<double>(tokens) / seconds : 0; }
};

/// Predicts every sequence of the files and adds it to `evaluation`. Files without labels are an error.
Status evaluate(const data::Predictor& predictor, const std::vector<std::string>& files,
                const data::ReadOptions& reading, const data::PredictOptions& options, const Workers& workers,
                const Monitor& monitor, Evaluation& evaluation, const EvaluationTask& task = {});

/// Scores files whose last two columns are the gold and the predicted label.
Status evaluate_columns(const std::vector<std::string>& files, const std::string& encoding,
                        Evaluation& evaluation);

/// The scores of roles and of checked constraints, for reading; empty where there are none.
std::string task_report(const Evaluation& evaluation);
/// The scores with seconds and tokens_per_second beside them.
nlohmann::ordered_json evaluation_json(const Evaluation& evaluation);

}  // namespace espalier::apps

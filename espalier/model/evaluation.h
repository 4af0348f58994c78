// Scores of a predictor on labelled data.
//
// Call evaluate() for each source; the scores of several are merged. The pipeline does the work, so time and
// memory are those of tagging; counting is done in input order. Does not test significance
// (eval/significance.h). Tested in espalier/api/evaluate_test.cc and apps/tests/verbs_test.sh.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/base/text/json.h"
#include "espalier/constrain/rules.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/formats/source.h"
#include "espalier/data/input_map.h"
#include "espalier/data/predictor.h"
#include "espalier/eval/attachment.h"
#include "espalier/eval/rouge.h"
#include "espalier/eval/scores.h"
#include "espalier/model/joint_scores.h"
#include "espalier/tasks/structures/roles.h"

namespace espalier::model {

/// How decoding under constraints ended, counted over sequences.
struct ConstraintTally {
  size_t constrained = 0, approximate = 0, infeasible = 0, out_of_time = 0, none_in_time = 0;
  std::string example;  ///< constraints that cannot all be satisfied, from the first infeasible sequence

  void add(const data::Prediction& prediction);
  void merge(const ConstraintTally& other);
  size_t exact() const { return constrained - approximate - infeasible - out_of_time - none_in_time; }
  Json to_json() const;
};

/// How searches ended, counted over sequences.
struct SearchTally {
  std::array<size_t, 3> ended{};  ///< by SearchEnd

  void add(const data::Prediction& prediction) {
    if (prediction.search_end) ++ended[static_cast<size_t>(*prediction.search_end)];
  }
  void merge(const SearchTally& other) {
    for (size_t i = 0; i < ended.size(); ++i) ended[i] += other.ended[i];
  }
  size_t sequences() const { return ended[0] + ended[1] + ended[2]; }
  Json to_json() const;
};

struct EvaluationOptions {
  std::string task = "label";
  data::PredictOptions predict;
  /// Constraints that predictions are checked against, whether or not they were decoded under them; null:
  /// none.
  const constrain::Constraints* check = nullptr;
  const data::InputMap* map = nullptr;  ///< as in PipelineOptions
  std::function<void(const Error&)> on_bad_sequence =
      {};                             ///< as in PipelineOptions; such sequences do not count
  const SectionFile* file = nullptr;  ///< as in PipelineOptions
  /// Called for each sequence that counts, in input order, with the name of its source. Gold labels of a
  /// cluster are "_"; heads are given for trees alone. May be empty.
  std::function<void(std::string_view source, const data::Sequence& sequence,
                     const data::Prediction& prediction, std::span<const std::string_view> gold,
                     std::span<const std::string_view> predicted, std::span<const uint32_t> gold_heads)>
      on_sequence = {};
  std::string rouge_stemmer = {};  ///< task summary: language of stems, or none
  std::vector<std::string> rouge_stopwords = {};
};

struct Evaluation {
  eval::TaggingScores scores;
  JointScores joint;
  std::optional<tasks::RoleScores> roles;       ///< task roles
  std::optional<eval::AttachmentScores> trees;  ///< task parse
  std::optional<eval::RougeScores> summaries;   ///< task summary
  std::optional<size_t> legal;  ///< sequences that break no constraint, if constraints are checked
  size_t checked = 0;           ///< sequences that were checked
  ConstraintTally tally;
  SearchTally searches;
  std::map<std::string, size_t, std::less<>> unknown;  ///< gold labels that the model does not have: tokens
  size_t tokens = 0;   ///< all that were labelled, including those without a gold label
  double seconds = 0;  ///< reading, predicting and counting

  void merge(const Evaluation& other);
  double precision() const { return roles ? roles->precision() : scores.precision(); }
  double recall() const { return roles ? roles->recall() : scores.recall(); }
  double f1() const { return roles ? roles->f1() : scores.f1(); }
  double legal_share() const {
    return checked > 0 && legal ? 100 * static_cast<double>(*legal) / static_cast<double>(checked) : 0;
  }
  double tokens_per_second() const { return seconds > 0 ? static_cast<double>(tokens) / seconds : 0; }
  /// Everything, the most important scores first.
  Json to_json() const;
  /// As text: the scores of the task, then conlleval's table with confusions and calibration.
  std::string report() const;
};

/// Predicts every sequence of the source and adds it to `evaluation`. Sequences without labels are an error.
Status evaluate(const data::Predictor& predictor, const data::Source& source,
                const data::ReadOptions& reading, const EvaluationOptions& options, const Workers& workers,
                const Monitor& monitor, Evaluation& evaluation);

/// Scores a file whose last two columns are the gold and the predicted label. Of `how`, encoding, separator
/// and comment sign count.
Status evaluate_columns(const std::string& file, const data::ReadOptions& how, Evaluation& evaluation);

}  // namespace espalier::model

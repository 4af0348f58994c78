// What a report is made from: the sentences of the test data, and what each model made of them.
//
// gather_runs tags the data once per model and keeps everything in memory. Tested in report_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/label_scheme.h"
#include "espalier/eval/attachment.h"
#include "espalier/eval/scores.h"
#include "espalier/eval/significance.h"
#include "espalier/public/report.h"

namespace espalier::report {

using Texts = std::vector<std::string>;

struct Sentence {
  std::string file;
  std::vector<uint64_t> lines;  ///< of each token
  Texts words, gold;
  std::vector<uint32_t> gold_heads = {};  ///< task parse
  std::string cluster = {};               ///< task summary: its line
};

/// One model on the test data; vectors are by sentence. Statistics of a parser count words with the right
/// head and relation.
struct Run {
  std::string name;
  ModelInfo info;
  size_t model_bytes = 0;
  std::vector<Texts> labels;
  std::vector<std::vector<float>> probability;  ///< of each label; empty if the model has none
  std::vector<eval::SequenceStatistics> statistics;
  Scores scores;
  std::string training_log;
  std::vector<std::vector<uint32_t>> heads;  ///< task parse
  eval::AttachmentScores attachments;        ///< task parse

  bool has_probabilities() const { return !probability.empty(); }
};

struct Runs {
  std::vector<Sentence> sentences;
  std::vector<Run> runs;
  data::Scheme scheme = data::Scheme::kNone;  ///< of the gold labels
  size_t tokens = 0;

  bool trees() const { return runs.front().info.answers == AnswerKind::kTrees; }
  bool summaries() const { return runs.front().info.answers == AnswerKind::kSummaries; }
  bool spans() const { return scheme != data::Scheme::kNone; }
  eval::Metric metric() const { return spans() ? eval::Metric::kF1 : eval::Metric::kAccuracy; }
  std::string measure() const { return spans() ? "F1" : "accuracy"; }
};

Result<Runs> gather_runs(const Data& test, const std::vector<ReportModel>& models,
                         const ReportOptions& options);

/// Views of texts, for functions that take those.
std::vector<std::string_view> views_of(const Texts& texts);

}  // namespace espalier::report

// Predictions as text: rows with columns added, JSON lines, or one JSON object per sequence.
//
// Make a TagFormatter once, then call append() from any thread. Tested in apps/tests/verbs_test.sh and
// espalier/api/stream_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/formats/writer.h"
#include "espalier/data/predictor.h"
#include "espalier/model/model.h"
#include "espalier/tasks/structures/json_tasks.h"

namespace espalier::model {

/// "exact", "approximate", "out of steps".
std::string_view search_end_name(data::SearchEnd end);

/// What is written besides the predicted labels.
struct TagLayout {
  bool json = false;
  bool nbest = false;
  bool confidence = false;
  bool marginals = false;
  bool why = false;
};

/// The column of the word, from 0, in the model's data; 0 if rows have no cells.
size_t word_column(const ModelHeader& about);

/// The number, from 1, of a label column in the model's data; its number among the label columns if labels
/// are not cells.
size_t label_column_number(const ModelHeader& about, size_t column);

/// Turns predictions into text. Immutable; any number of threads may call append.
///
/// As rows: the prediction is added to the row as the last column. `confidence` adds a column with the
/// probability of the label and, if labels form spans, one with the probability of the span on its first
/// token (`_` on all others). `marginals` adds one column `label:probability` per label, most probable first;
/// formats other than columns have one field for all of them. With `nbest`, every labelling is a separate
/// block that begins with
/// `# n-best 1 score 12.5 probability 0.93`.
///
/// Models that predict several columns of labels add them in the order of decision; parsers add the head,
/// then the relation.
///
/// As JSON: one object per sequence with tokens (if there are cells), labels, score, and what else was asked
/// for.
class TagFormatter {
 public:
  static Result<TagFormatter> make(const Model& model, const data::ReadOptions& in, data::Format out,
                                   const TagLayout& layout);
  /// A model of a pipeline, and where CoNLL-U has its labels.
  struct Stage {
    std::string name;
    std::optional<size_t> conllu_column;  ///< none: MISC has them under the name
  };
  /// For a pipeline that ends with this model; `pipeline` has the labels of all its models, `stages`, as
  /// label columns. Writes columns, CoNLL-U or JSON, from columns or CoNLL-U.
  static Result<TagFormatter> make_for_pipeline(const Model& last, const data::Predictor& pipeline,
                                                const std::vector<Stage>& stages, const data::ReadOptions& in,
                                                data::Format out, const TagLayout& layout);

  void append(const data::Sequence& sequence, const data::Prediction& prediction, std::string& out) const;

 private:
  TagFormatter(const Model& model, data::Writer writer, data::Format out, const TagLayout& layout);
  void set_other_labels(const data::Predictor& predictor, std::vector<size_t> cells);

  void append_rows(const data::Sequence& sequence, const data::Prediction& prediction,
                   std::string& out) const;
  void append_json(const data::Sequence& sequence, const data::Prediction& prediction,
                   std::string& out) const;
  void append_labelling_json(const data::Labelling& labelling, std::string& out) const;
  void append_reasons(const data::Prediction& prediction, size_t row, std::string& out) const;
  void append_effect_json(const data::ConstraintEffect& effect, std::string& out) const;
  void append_marginals_json(const data::Prediction& prediction, std::string& out) const;

  data::Writer writer_;
  std::optional<tasks::JsonTask> json_task_;  ///< lines of this task, instead of rows
  TagLayout layout_;
  std::vector<std::string_view> labels_;  ///< by number
  std::vector<std::string_view> extra_names_;
  std::vector<std::string> marginal_names_;  ///< the text that some of `extra_names_` point into
  bool spans_;                               ///< labels form spans
  bool marginals_apart_;                     ///< marginals: one column per label
  size_t word_;                              ///< the cell that JSON shows as the token
  std::vector<std::vector<std::string_view>> other_labels_;  ///< joint models: of the columns before the last
  bool trees_ = false;                                       ///< predictions have heads …
  bool unlabelled_ = false;          ///< … and no relations: the label column is the head
  std::vector<size_t> other_cells_;  ///< joint models: the cells of these columns
  /// Pipelines in CoNLL-U: the label columns that go to MISC instead, before the other extra fields.
  std::vector<size_t> misc_columns_;
  std::vector<std::string> misc_names_;  ///< the text that the first of `extra_names_` point into
};

}  // namespace espalier::model

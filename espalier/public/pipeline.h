// Pipeline: several models, one after the other, each reading the labels of those before it as columns.
//
//   es::Pipeline pipeline = es::Pipeline::open({"tagger.model", "chunks.model"}).value();
//   es::Tagged tagged = pipeline.tag_words({"The", "cat", "slept"}).value();
//   use(tagged[0].other_labels[0], tagged[0].label);                     // DT, B-NP
//
// A row begins with the cells of the input; every model appends its label. The columns that a model's
// features use are counted as in its training data, its own label left out: a chunker that was trained on
// word, tag, chunk reads the word and the labels of a tagger before it. So models that were trained on
// columns of one file fit together in the order of their label columns. A column that no model provides is an
// error when the pipeline is made. Options (probabilities, constraints, forced labels …) are about the last
// model; the others find their best labelling. A pipeline costs as much as its models together. Models of
// attributes, and of several label columns, cannot be part of one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/public/tagger.h"

#pragma GCC visibility push(default)
namespace espalier {

/// One model of a pipeline.
struct PipelineStage {
  std::string name;  ///< for messages, and for those who show its labels
  Tagger tagger;
};

/// Immutable, cheap to copy, safe to use from any number of threads.
class Pipeline {
 public:
  /// An error if a model needs a column that the models before it do not provide.
  static Result<Pipeline> make(std::vector<PipelineStage> stages);
  /// Opens model files. Stages are named after them, without folder and ending.
  static Result<Pipeline> open(const std::vector<std::string>& paths);

  const std::vector<PipelineStage>& stages() const;
  /// The model that options are about, and whose labels are Token::label.
  const Tagger& last() const { return stages().back().tagger; }
  /// Cells per token that tag_rows expects: the columns of the first model's data up to the last that its
  /// features use.
  size_t columns() const;
  /// Whether the first model's features use nothing but the word; columns() is then 1.
  bool words_only() const;

  /// Token::label is the label of the last model, Token::other_labels are those of the models before it, in
  /// order.
  Result<Tagged> tag_rows(const std::vector<std::vector<std::string>>& rows,
                          const TagOptions& options = {}) const;
  Result<Tagged> tag_words(const std::vector<std::string>& words, const TagOptions& options = {}) const;
  Result<Tagged> tag(const SequenceBuilder& sequence, const TagOptions& options = {}) const;
  Result<std::vector<TaggedSentence>> tag_text(std::string_view utf8, TextSplit split = TextSplit::words,
                                               const TagOptions& options = {}) const;
  /// Why the last model chose its labels; `forced` are labels of it, as in Tagger::explain.
  Result<std::vector<Explanation>> explain(const SequenceBuilder& sequence, const DecodeOptions& options = {},
                                           const std::vector<std::string>& forced = {}) const;

  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  explicit Pipeline(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// As for a tagger (espalier/public/tagger.h). Rows are written with the labels of all models, in order, as
/// further columns; JSON has those of the models before the last as "others". CoNLL-U has the labels of a
/// model that was trained on CoNLL-U in its column, those of the others in MISC as NAME=LABEL. Output is
/// columns, CoNLL-U or JSON; forced columns are not supported.
Status check_options(const Pipeline& pipeline, const StreamOptions& options);
Result<StreamReport> tag_stream(const Pipeline& pipeline, const std::vector<Source>& sources,
                                const Sink& sink, const StreamOptions& options = {});

}  // namespace espalier
#pragma GCC visibility pop

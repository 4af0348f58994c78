// Tagger, a trained model: tag one sequence, a batch or a stream, explain labels, inspect weights, save.
//
//   es::Tagger tagger = es::Tagger::open("chunks.model").value();
//   es::Tagged tagged = tagger.tag_words({"Anna", "flew"}).value();
//   for (const es::Token& token : tagged) use(token.label, token.probability);
//
// An open model is immutable, cheap to copy (copies share it) and safe to use from any number of threads at
// once. Opening checks the whole file and takes milliseconds. train() makes models (espalier/public/train.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/public/corpus.h"
#include "espalier/public/outcome.h"
#include "espalier/public/progress.h"
#include "espalier/public/result.h"
#include "espalier/public/text.h"

#pragma GCC visibility push(default)
namespace espalier {

/// The value of probabilities that were not asked for: not a number, test with std::isnan.
inline constexpr double kNotAsked = std::numeric_limits<double>::quiet_NaN();

/// Constraints on labellings: text in the constraint language (docs/constraints.md), and the word lists it
/// names. Immutable, cheap to copy. Give the same object to every call: the model then compiles it once.
class Constraints {
 public:
  /// Reads a file and the lists it names, which are in the same folder. Checks the syntax; labels are checked
  /// when a model uses the constraints.
  static Result<Constraints> read(const std::string& path);
  /// The same from memory. `lists`: the contents of each list that the text names, by name. Error messages
  /// call the text `name`.
  static Result<Constraints> parse(std::string text, std::map<std::string, std::string> lists = {},
                                   std::string name = "constraints");
  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  explicit Constraints(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// How labellings are found. The defaults suit most programs.
struct DecodeOptions {
  /// Obey these constraints; not set: those that the model was trained with, if any.
  std::optional<Constraints> constraints = {};
  bool unconstrained = false;  ///< obey no constraints, not even those of the training
  bool strict = false;     ///< a sequence that cannot satisfy the constraints, or not in time, is an error
  bool why = false;        ///< report which constraint changed which token (Tagged::changes)
  double time_limit = 10;  ///< seconds per sequence, under constraints
  /// auto, viterbi or posterior (the most probable label of each token); under constraints viterbi, ilp or
  /// beam; for models that are searches (searn, laso …) greedy, beam or best-first.
  std::string decoder = "auto";
  size_t beam = 0;  ///< width of the beam; 0: as in training, or 16 under constraints
};

/// What to compute besides the labels, and how.
struct TagOptions {
  /// Compute probabilities of labels and spans. Not set: yes for single sequences and n-best lists if the
  /// model has probabilities, no for batches and streams.
  std::optional<bool> confidence = {};
  bool marginals = false;  ///< compute the probability of every label at every token
  size_t nbest = 1;        ///< return this many labellings, best first
  /// For single sequences: the label that each token must get, or "_" if the model decides. Empty: none is
  /// forced.
  std::vector<std::string> forced = {};
  DecodeOptions decode = {};
  int threads = 0;  ///< for batches and streams; 0: all cores
};

/// The prediction for one token.
struct Token {
  std::string label;
  double probability = kNotAsked;         ///< of the label
  std::vector<std::string> other_labels;  ///< task joint: the labels of the columns before the last
  std::optional<size_t> head = {};        ///< task parse: the number of its head, from 1; 0: it is the root
};

/// Tokens [first, last) that belong together, such as a noun phrase.
struct Span {
  std::string type;
  size_t first = 0, last = 0;
  double probability = kNotAsked;  ///< of exactly this span
};

/// One labelling of an n-best list.
struct Labelling {
  std::vector<std::string> labels;
  double score = 0;                ///< the model's score, higher is better; comparable within one sequence
  double probability = kNotAsked;  ///< of the whole labelling
  std::vector<size_t> heads = {};  ///< task parse: of each token, as in Token
};

/// A token whose label constraints changed, and the constraints responsible.
struct Change {
  size_t token = 0;
  std::string before;  ///< its label without constraints
  /// Constraints by name, each with the amount by which the score would rise without it.
  std::vector<std::pair<std::string, double>> rules;
};

/// The prediction for one sequence: its tokens in order, and what else was asked for.
class Tagged {
 public:
  size_t size() const { return tokens_.size(); }
  const Token& operator[](size_t token) const { return tokens_[token]; }
  std::vector<Token>::const_iterator begin() const { return tokens_.begin(); }
  std::vector<Token>::const_iterator end() const { return tokens_.end(); }

  std::vector<std::string> labels() const;
  /// The spans that the labels form; empty if labels do not form spans.
  const std::vector<Span>& spans() const { return spans_; }
  /// The n-best list, best first; the first is this labelling. One unless TagOptions::nbest asks for more.
  const std::vector<Labelling>& alternatives() const { return alternatives_; }
  /// Score and probability of this labelling.
  double score() const { return alternatives_.empty() ? 0 : alternatives_.front().score; }
  double probability() const { return alternatives_.empty() ? kNotAsked : alternatives_.front().probability; }
  /// The probability of each label (in the order of Tagger::labels()) at each token, row by row; empty unless
  /// asked for.
  const std::vector<float>& marginals() const { return marginals_; }
  Outcome outcome() const { return outcome_; }
  /// If the outcome is kInfeasible: constraints that cannot all be satisfied in this sequence.
  const std::vector<std::string>& clash() const { return clash_; }
  /// Tokens that constraints changed; empty unless DecodeOptions::why asks for them.
  const std::vector<Change>& changes() const { return changes_; }
  double price_of_rules() const { return price_; }  ///< score without constraints minus score with them

 private:
  friend struct TaggedBuilder;
  std::vector<Token> tokens_;
  std::vector<Span> spans_;
  std::vector<Labelling> alternatives_;
  std::vector<float> marginals_;
  Outcome outcome_ = Outcome::kExact;
  std::vector<std::string> clash_;
  std::vector<Change> changes_;
  double price_ = 0;
};

/// A sentence of raw text and its prediction: token i of `text` has label `tagged[i]`.
struct TaggedSentence {
  TextSentence text;
  Tagged tagged;
};

/// The labels of many sequences, one after the other.
struct LabelNumbers {
  std::vector<uint16_t> labels;  ///< of all tokens, as positions in Tagger::labels()
  std::vector<size_t> ends;      ///< per sequence: the number of tokens up to and including it
};

/// What a feature adds to the score of the chosen label and of the runner-up.
struct Reason {
  std::string feature;
  double weight = 0;
  double runner_up_weight = 0;
};
/// Why a token got its label: the features that decide between it and the second best label, the runner-up.
struct Explanation {
  size_t token = 0;
  std::string label, runner_up;
  double margin = 0;  ///< score of the best labelling minus that of the best one with the runner-up here;
                      ///< negative: constraints or forced labels decided
  std::vector<Reason> reasons;               ///< by the difference of the two weights, largest first
  size_t column = 0;                         ///< task joint: which column of labels, from 0
  std::string decision, runner_up_decision;  ///< if decisions are about several tokens: what was decided
};

/// What a model answers with.
enum class AnswerKind {
  kLabels,    ///< a label for each token
  kChoices,   ///< a value for each candidate or variable of a line of JSON: tasks roles and variables
  kTrees,     ///< a head and a relation for each token: task parse
  kSummaries  ///< which tokens are in the summary of a cluster: task summary
};

/// What a model stores about itself and its training.
struct ModelInfo {
  std::string task, learner;
  AnswerKind answers = AnswerKind::kLabels;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< of the learner, by name
  uint64_t seed = 1;
  size_t training_sequences = 0, training_tokens = 0;
  std::string format, label_column;             ///< of the training data, as in ReadOptions
  std::string feature_template, template_name;  ///< as in TrainOptions; empty: default features
  size_t columns = 0;                           ///< cells per row, label included; 0: tokens have attributes
  std::vector<size_t> feature_columns;          ///< counted from 0, the word first
  std::vector<std::vector<std::string>>
      labels;  ///< per label column; the last is the one that Token::label is about
  std::vector<size_t>
      label_columns;              ///< the numbers of these columns, from 1; empty if tokens have attributes
  bool has_probabilities = true;  ///< false for searches, which have scores only
  bool constrained = false;       ///< it was trained with constraints and obeys them
};

struct InspectOptions {
  size_t top = 10;         ///< how many features and transitions to list
  std::string label = {};  ///< list only weights of this label; empty: all
};
/// The size of a model and its largest weights.
struct Inspection {
  struct Feature {
    std::string feature, label;
    double weight = 0;
    size_t column = 0;  ///< task joint: the column of the label, from 0
  };
  struct Transition {
    std::string from, to;
    double weight = 0;
  };
  size_t features = 0, weights = 0;
  int weight_bits = 32;                 ///< bits per stored weight
  bool names = true;                    ///< the model has the names of its features
  std::vector<Feature> strongest;       ///< largest absolute weight first
  std::vector<Transition> transitions;  ///< largest absolute weight first
  std::string about_weights;   ///< if the model has several classifiers: which one the weights belong to
  std::string no_transitions;  ///< why `transitions` is empty
  std::string no_features;     ///< why `strongest` is empty
  std::string details = "{}";  ///< figures specific to this kind of model, as a JSON object
};

/// A trained model. Immutable, cheap to copy, safe to use from any number of threads.
class Tagger {
 public:
  /// Opens a model file. A missing, damaged or too old file is an error.
  static Result<Tagger> open(const std::string& path);
  /// The same from memory; error messages call the model `name`.
  static Result<Tagger> from_bytes(std::vector<std::byte> bytes, std::string name = "model");
  /// Writes the model file. If it fails, an existing file is left unchanged.
  Status save(const std::string& path) const;
  /// The bytes that save() writes.
  std::vector<std::byte> bytes() const;

  /// Tags one sequence of words. An error if the model's features use further columns: call tag_rows.
  Result<Tagged> tag_words(const std::vector<std::string>& words, const TagOptions& options = {}) const;
  /// Tags one sequence of rows: the cells of the training data in the same order, with or without the label,
  /// or only those that features use.
  Result<Tagged> tag_rows(const std::vector<std::vector<std::string>>& rows,
                          const TagOptions& options = {}) const;
  /// Tags one sequence for a model that was trained on attributes.
  Result<Tagged> tag_attributes(const std::vector<std::vector<Attribute>>& attributes,
                                const TagOptions& options = {}) const;
  /// The same for a sequence of cells or attributes that was built token by token; its labels have no effect.
  Result<Tagged> tag(const SequenceBuilder& sequence, const TagOptions& options = {}) const;
  /// The labels of one built sequence, as positions in labels(): what tag() costs without probabilities,
  /// spans and texts.
  Result<std::vector<uint16_t>> label(const SequenceBuilder& sequence,
                                      const DecodeOptions& options = {}) const;
  /// Splits raw text into sentences and words (split_text) and tags each. An error if the model's features
  /// use further columns.
  Result<std::vector<TaggedSentence>> tag_text(std::string_view utf8, TextSplit split = TextSplit::words,
                                               const TagOptions& options = {}) const;
  /// Tags all sequences, on several threads; the results are in the order of the input. Files are read like
  /// the model's training data, except where their format, encoding or folds are set.
  Result<std::vector<Tagged>> tag_batch(const Data& data, const TagOptions& options = {}) const;
  /// The same, labels only and as numbers: faster, and a few bytes per token.
  Result<LabelNumbers> label_batch(const Data& data, const TagOptions& options = {}) const;

  /// Why each token gets its label, per token in order. Searches need feature names for it. `forced` is as in
  /// TagOptions: what is explained is then the labelling with these labels. The runner-up of a forced token
  /// is the label that the model would choose without any forced label.
  Result<std::vector<Explanation>> explain_rows(const std::vector<std::vector<std::string>>& rows,
                                                const DecodeOptions& options = {},
                                                const std::vector<std::string>& forced = {}) const;
  Result<std::vector<Explanation>> explain_words(const std::vector<std::string>& words,
                                                 const DecodeOptions& options = {},
                                                 const std::vector<std::string>& forced = {}) const;
  Result<std::vector<Explanation>> explain(const SequenceBuilder& sequence, const DecodeOptions& options = {},
                                           const std::vector<std::string>& forced = {}) const;
  const ModelInfo& info() const;
  /// The labels that tokens can get.
  const std::vector<std::string>& labels() const { return info().labels.back(); }
  /// The largest weights. An error if the model has no such label.
  Result<Inspection> inspect(const InspectOptions& options = {}) const;
  /// The same model without feature names: smaller, the same predictions, but inspect and explain cannot name
  /// features.
  Result<Tagger> without_names() const;

  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  friend struct TaggerBuilder;
  explicit Tagger(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// How tag_stream reads, tags and writes.
struct StreamOptions {
  TagOptions tag = {};
  /// As in ReadOptions; empty: as the name of the file says, otherwise that of the training data. A model
  /// reads every format that holds the cells (or the attributes) that it looks at.
  std::string input_format = {};
  std::optional<TextSplit> text = {};        ///< the input is raw text, split like this
  std::string separator = {}, comment = {};  ///< as in ReadOptions; empty: those of the training data
  std::string output_format = {};            ///< empty: that of the input; json: one JSON object
  std::string encoding = {};                 ///< of the input; empty: that of the training data
  int forced_column =
      0;  ///< column of labels that tokens must get, from 1, or from the end if negative; 0: none
  std::function<bool(const Progress&)> on_progress = {};  ///< return false to stop early
  const std::atomic<bool>* stop = nullptr;                ///< set to true to stop early
  /// Called, in input order, for each sequence that cannot be read or tagged; it is left out, and tagging
  /// goes on. Not set: the first one is an error.
  std::function<void(const Error& error)> on_bad_sequence = {};
};

/// How decoding under constraints ended: numbers of sequences, see Outcome.
struct Outcomes {
  size_t exact = 0, approximate = 0, infeasible = 0, out_of_time = 0;
  std::string example;      ///< constraints that cannot all be satisfied, from the first infeasible sequence
  size_t none_in_time = 0;  ///< not among those that are out of time
  size_t total() const { return exact + approximate + infeasible + out_of_time + none_in_time; }
};
/// How searches ended: numbers of sequences; all 0 for models that are not searches.
struct Searches {
  size_t exact = 0;         ///< no labelling has a higher score
  size_t approximate = 0;   ///< the search pruned
  size_t out_of_steps = 0;  ///< best-first search gave up; a breadth-first one found the labelling
  size_t total() const { return exact + approximate + out_of_steps; }
};
/// What tag_stream did.
struct StreamReport {
  size_t sequences = 0, tokens = 0;
  size_t bad_sequences = 0;  ///< left out, see StreamOptions::on_bad_sequence
  /// Sequences of cells with blanks between and no label: if all are like this, the input may be raw text that
  /// was taken for columns.
  size_t like_text = 0;
  double seconds = 0;
  bool interrupted = false;           ///< by on_progress or stop: an output file is left unchanged
  Outcomes rules;                     ///< how decoding under constraints ended
  Searches searches;                  ///< how searches ended
  std::string how_rules_are_decoded;  ///< in words; empty without constraints
};

/// An error if options contradict each other or do not fit the model. Reads no text.
Status check_options(const Tagger& tagger, const StreamOptions& options);
/// Tags text from a source and writes it to a sink, in the order of the input. Uses several threads and a
/// fixed amount of memory. When input pauses (a pipe, a terminal), everything read so far is answered at
/// once.
Result<StreamReport> tag_stream(const Tagger& tagger, const Source& source, const Sink& sink,
                                const StreamOptions& options = {});
/// The same for several sources, one after the other, each read by its own name. If the output is one JSON
/// object, it is complete and valid even if there is an error, which it then names ("errors").
Result<StreamReport> tag_stream(const Tagger& tagger, const std::vector<Source>& sources, const Sink& sink,
                                const StreamOptions& options = {});
/// How explain_stream reads and writes.
struct ExplainOptions {
  DecodeOptions decode = {};
  size_t top = 5;                           ///< reasons listed per token
  size_t sequence = 0;                      ///< explain only this sequence, counted from 1; 0: all
  std::string input_format = {};            ///< empty: as the source's name says, otherwise as in training
  std::string encoding = {};                ///< of the input; empty: that of the training data
  bool json = false;                        ///< one JSON object instead of text
  bool colour = false;                      ///< text: labels in the colours of terminals (ANSI)
  int threads = 0;                          ///< 0: all cores
  const std::atomic<bool>* stop = nullptr;  ///< set to true to stop, which is an error
};
/// An error if the options contradict each other or do not fit the model.
Status check_options(const Tagger& tagger, const ExplainOptions& options);
/// Explains the labels of all sequences of a source, as text or as one JSON object. Memory does not grow with
/// the input.
Status explain_stream(const Tagger& tagger, const Source& source, const Sink& sink,
                      const ExplainOptions& options = {});

}  // namespace espalier
#pragma GCC visibility pop

// A trained model, and everything one can ask of a prediction.
//
//   es::Tagger tagger = es::Tagger::open("chunks.model").value();
//   for (const es::Token& token : tagger.tag_words({"Anna", "flew"}).value()) use(token.label,
//   token.probability);
//
// An open model is immutable, cheap to copy (copies share it) and safe to use from any number of threads at
// once.
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

#pragma GCC visibility push(default)
namespace espalier {

inline constexpr double kNotAsked = std::numeric_limits<double>::quiet_NaN();

/// Rules that labellings keep to: a text in the constraint language, with the lists it names.
class Constraints {
 public:
  /// Reads a file and the lists it names, which lie next to it. The syntax is checked.
  static Result<Constraints> read(const std::string& path);
  /// `lists`: contents of the files that the text names.
  static Result<Constraints> parse(std::string text, std::map<std::string, std::string> lists = {},
                                   std::string name = "constraints");
  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  explicit Constraints(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// How labellings are found. Each field is left alone in the common case.
struct DecodeOptions {
  /// Rules to keep to; not set: those that the model was trained with.
  std::optional<Constraints> constraints = {};
  bool unconstrained = false;  ///< keep to no rules, not even to those of the training
  bool strict = false;         ///< a sequence that cannot satisfy the rules is an error
  bool why = false;            ///< say which rule changed which token (Tagged::changes)
  double time_limit = 10;      ///< seconds that one sequence may take
  /// auto, viterbi, posterior; under rules also ilp and beam; searches: greedy, beam, best-first.
  std::string decoder = "auto";
  size_t beam = 0;  ///< 0: that of the training, or 16 under rules
};

/// What is wanted of a prediction beyond its labels.
struct TagOptions {
  /// Probabilities of labels and spans. Not set: for single sequences where the model has probabilities.
  std::optional<bool> confidence = {};
  bool marginals = false;  ///< the probability of every label at every token
  size_t nbest = 1;        ///< this many labellings, best first
  /// One label per token that the token must get, or "_" where the model decides; single sequences only.
  std::vector<std::string> forced = {};
  DecodeOptions decode = {};
  int threads = 0;  ///< for batches and streams; 0: every core
};

struct Token {
  std::string label;
  double probability = kNotAsked;  ///< that the label is right
  std::vector<std::string>
      other_labels;  ///< of models that decide several columns: the columns before the last
};

/// Tokens [first, last) that belong together, such as a noun phrase.
struct Span {
  std::string type;
  size_t first = 0, last = 0;
  double probability = kNotAsked;  ///< that exactly this span is there
};

/// One labelling of an n-best list.
struct Labelling {
  std::vector<std::string> labels;
  double score = 0;
  double probability = kNotAsked;
};

/// A token that rules changed, and what each rule responsible costs: by how much the score would rise without
/// it.
struct Change {
  size_t token = 0;
  std::string before;
  std::vector<std::pair<std::string, double>> rules;
};

/// The answer for one sequence.
class Tagged {
 public:
  size_t size() const { return tokens_.size(); }
  const Token& operator[](size_t token) const { return tokens_[token]; }
  std::vector<Token>::const_iterator begin() const { return tokens_.begin(); }
  std::vector<Token>::const_iterator end() const { return tokens_.end(); }

  std::vector<std::string> labels() const;
  /// Where labels are a span scheme.
  const std::vector<Span>& spans() const { return spans_; }
  /// Best first; the first is this labelling. One unless more were asked for.
  const std::vector<Labelling>& alternatives() const { return alternatives_; }
  double score() const { return alternatives_.empty() ? 0 : alternatives_.front().score; }
  double probability() const { return alternatives_.empty() ? kNotAsked : alternatives_.front().probability; }
  /// size() × the model's labels, row by row; empty unless asked for.
  const std::vector<float>& marginals() const { return marginals_; }
  Outcome outcome() const { return outcome_; }
  /// Where infeasible: rules that cannot hold together here.
  const std::vector<std::string>& clash() const { return clash_; }
  const std::vector<Change>& changes() const { return changes_; }
  double price_of_rules() const { return price_; }  ///< score without rules minus score under them

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

/// What a feature adds to the score of the label chosen, and of the runner-up.
struct Reason {
  std::string feature;
  double weight = 0;
  double runner_up_weight = 0;
};
/// Why a token got its label.
struct Explanation {
  size_t token = 0;
  std::string label, runner_up;
  double margin = 0;  ///< score of the best labelling minus that of the best one with the runner-up here
  std::vector<Reason> reasons;               ///< by difference, largest first
  size_t column = 0;                         ///< which column of labels, from 0
  std::string decision, runner_up_decision;  ///< where a decision is about several tokens: what was decided
};

/// What a model knows about itself.
struct ModelInfo {
  std::string task, learner;
  std::vector<std::pair<std::string, std::string>> parameters;
  uint64_t seed = 1;
  size_t training_sequences = 0, training_tokens = 0;
  std::string format, label_column, feature_template, template_name;
  size_t columns = 0;                            ///< cells per row, label included; 0: rows have attributes
  std::vector<size_t> feature_columns;           ///< from 0; the first is the word
  std::vector<std::vector<std::string>> labels;  ///< by column of labels
  std::vector<size_t> label_columns;             ///< the numbers of these columns, from 1; empty where there are none
  bool has_probabilities = true;                 ///< searches have scores alone
  bool constrained = false;                      ///< it was trained with rules and keeps to them
};

struct InspectOptions {
  size_t top = 10;    ///< how many features and transitions
  std::string label = {};  ///< only what speaks about this label; empty: all
};
struct Inspection {
  struct Feature {
    std::string feature, label;
    double weight = 0;
    size_t column = 0;
  };
  struct Transition {
    std::string from, to;
    double weight = 0;
  };
  size_t features = 0, weights = 0;
  int weight_bits = 32;
  bool names = true;  ///< the model holds the names of its features
  std::vector<Feature> strongest;
  std::vector<Transition> transitions;
  std::string about_weights;   ///< which of several classifiers they belong to; empty: they are all there is
  std::string no_transitions;  ///< why there are none
  std::string no_features;     ///< why `strongest` is empty
  std::string details = "{}";  ///< what only this kind of model has to say, as a JSON object
};

class Tagger {
 public:
  static Result<Tagger> open(const std::string& path);
  static Result<Tagger> from_bytes(std::vector<std::byte> bytes, std::string name = "model");
  /// Writes the model beside its place and renames it.
  Status save(const std::string& path) const;
  /// What save() writes.
  std::vector<std::byte> bytes() const;

  /// A row per word; models that look at further columns want tag_rows.
  Result<Tagged> tag_words(const std::vector<std::string>& words, const TagOptions& options = {}) const;
  /// Cells in the order of the training data, with or without the label.
  Result<Tagged> tag_rows(const std::vector<std::vector<std::string>>& rows,
                          const TagOptions& options = {}) const;
  Result<Tagged> tag_attributes(const std::vector<std::vector<Attribute>>& attributes,
                                const TagOptions& options = {}) const;
  /// All sequences on all cores, in order.
  Result<std::vector<Tagged>> tag_batch(const Data& data, const TagOptions& options = {}) const;

  Result<std::vector<Explanation>> explain_rows(const std::vector<std::vector<std::string>>& rows,
                                                const DecodeOptions& options = {}) const;
  Result<std::vector<Explanation>> explain_words(const std::vector<std::string>& words,
                                                 const DecodeOptions& options = {}) const;
  const ModelInfo& info() const;
  const std::vector<std::string>& labels() const { return info().labels.back(); }
  Result<Inspection> inspect(const InspectOptions& options = {}) const;
  /// Smaller, the same predictions, nothing to inspect or explain.
  Result<Tagger> without_names() const;

  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  friend struct TaggerBuilder;
  explicit Tagger(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// How a stream of text is labelled, and what it looks like afterwards.
struct StreamOptions {
  TagOptions tag = {};
  std::string input_format = {};   ///< empty: that of the training data
  std::string output_format = {};  ///< empty: that of the input; json: one JSON object for everything
  std::string encoding = {};       ///< of the input; empty: that of the training data
  int forced_column = 0;      ///< column (from 1, or from the end) of labels that are given; 0: none
  std::function<bool(const Progress&)> on_progress = {};  ///< false ends the work
  const std::atomic<bool>* stop = nullptr;           ///< true ends the work
};

/// How many sequences ended how.
struct Outcomes {
  size_t exact = 0, approximate = 0, infeasible = 0, out_of_time = 0;
  std::string example;  ///< rules that clash, of the first infeasible sequence
  size_t total() const { return exact + approximate + infeasible + out_of_time; }
};
/// How many searches ended how; all 0 for models that are none.
struct Searches {
  size_t exact = 0, approximate = 0, out_of_steps = 0;
  size_t total() const { return exact + approximate + out_of_steps; }
};
struct StreamReport {
  size_t sequences = 0, tokens = 0;
  double seconds = 0;
  bool interrupted = false;  ///< by the caller: a file behind the sink stays as it was
  Outcomes rules;            ///< under constraints
  Searches searches;
  std::string how_rules_are_decoded;  ///< in words; empty without rules
};

/// An error where options contradict each other or do not fit the model; found before any text is read.
Status check_options(const Tagger& tagger, const StreamOptions& options);
/// Labels text from a source into a sink: all cores, in order, constant memory; answers as soon as input
/// pauses.
Result<StreamReport> tag_stream(const Tagger& tagger, const Source& source, const Sink& sink,
                                const StreamOptions& options = {});
struct ExplainOptions {
  DecodeOptions decode = {};
  size_t top = 5;       ///< reasons per token
  size_t sequence = 0;  ///< only this one, from 1; 0: all
  bool json = false;    ///< one JSON object instead of text
  int threads = 0;      ///< 0: every core
  const std::atomic<bool>* stop = nullptr;  ///< true ends the work
};
/// Explains the labels of everything in a source, as text or as one JSON object.
Status explain_stream(const Tagger& tagger, const Source& source, const Sink& sink,
                      const ExplainOptions& options = {});

}  // namespace espalier
#pragma GCC visibility pop

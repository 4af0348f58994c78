// Evaluation: scores of a model on labelled data, cross-validation, and tuning the thresholds of a cascade.
//
//   es::Scores scores = es::evaluate(tagger, es::Corpus::read("test.txt").value()).value();
//   std::cout << scores.report();
//
// Scoring costs as much time as tagging the data. It does not test significance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/public/tagger.h"
#include "espalier/public/train.h"

#pragma GCC visibility push(default)
namespace espalier {

/// Scores of one label, or of one span type if labels form spans (B-NP, I-NP, O and the like).
struct LabelScores {
  std::string label;
  size_t gold = 0, predicted = 0, right = 0;  ///< counts
  double precision = 0, recall = 0, f1 = 0;   ///< percent
};
/// How often tokens with one label were given another.
struct Confusion {
  std::string gold, predicted;
  size_t count = 0;
};

/// All scores are percentages. Precision, recall and F1 count spans as conlleval does if labels form spans,
/// arguments for the task roles, and tokens otherwise.
struct Scores {
  size_t sequences = 0, tokens = 0;  ///< tokens without a gold label are not counted
  double accuracy = 0, sequence_accuracy = 0, precision = 0, recall = 0, f1 = 0;
  std::vector<LabelScores> by_label;
  std::vector<Confusion> confusions;  ///< most frequent first, at most 100
  std::optional<double>
      legal_percent;  ///< percent of sequences that break no constraint, if constraints were checked
  Outcomes rules;     ///< how decoding under constraints ended
  Searches searches;  ///< how searches ended
  /// Gold labels that the model has never seen, and on how many tokens; each of these counts as an error.
  std::vector<std::pair<std::string, size_t>> unknown_labels;
  std::string how_rules_are_decoded;          ///< in words; empty without constraints
  double seconds = 0, tokens_per_second = 0;  ///< for reading, tagging and counting

  std::string report() const;  ///< as text: conlleval's table, confusions, calibration, scores of the task
  std::string json() const;    ///< all scores, as one JSON object

  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  friend struct ScoresBuilder;
  std::shared_ptr<const State> state_;
};

/// One sequence that was scored.
struct ScoredSequence {
  std::string file;                ///< where it came from, or the name of what is in memory
  std::vector<uint64_t> lines;     ///< of each token, from 1; 0: unknown
  std::vector<std::string> words;  ///< of each token the first cell that features use, or its first attribute
  std::vector<std::string> gold, predicted;  ///< one label per token; "_": not known
  std::vector<float> probability;            ///< of the predicted labels; empty without calibration
  /// Task parse: the heads of each token, from 1; 0: the root. Labels are relations.
  std::vector<uint32_t> gold_heads = {}, heads = {};
  /// Task summary: the line of JSON that the cluster was read from. Labels say which tokens are "in" the
  /// summary; gold labels are "_".
  std::string cluster = {};
};

struct EvaluateOptions {
  DecodeOptions decode = {};
  bool calibration = false;  ///< also measure how well probabilities match accuracy; takes longer
  std::optional<Constraints> check_rules;  ///< count sequences that obey these, without decoding under them;
                                           ///< not set: those decoded under
  std::string rouge_stemmer = {};          ///< task summary: words with the same stem are the same; "porter",
                                           ///< "english", "french" …; empty: no stems
  std::vector<std::string> rouge_stopwords = {};          ///< task summary: words that do not count
  int threads = 0;                                        ///< 0: all cores
  std::function<bool(const Progress&)> on_progress = {};  ///< return false to stop, which is an error
  const std::atomic<bool>* stop = nullptr;                ///< set to true to stop, which is an error
  /// Called for each sequence that cannot be read or labelled; it does not count, and scoring goes on. Not
  /// set: the first one is an error.
  std::function<void(const Error& error)> on_bad_sequence = {};
  /// Called for each sequence that counts, in the order of the data, on the calling thread.
  std::function<void(const ScoredSequence& sequence)> on_sequence = {};
};

/// An error if options contradict each other or do not fit the model. Reads no data.
Status check_options(const Tagger& tagger, const EvaluateOptions& options);
/// Tags labelled data and scores the labels. Files are read like the model's training data, except where
/// their names say otherwise (see ReadOptions::format), or format, encoding, separator, comment or folds are
/// set.
Result<Scores> evaluate(const Tagger& tagger, const Data& test, const EvaluateOptions& options = {});
/// Scores labels in memory. `gold` and `predicted` must have the same numbers of sequences and tokens.
Result<Scores> evaluate_labels(const std::vector<std::vector<std::string>>& gold,
                               const std::vector<std::vector<std::string>>& predicted);
/// Scores column files whose last two columns are the gold label and the predicted label.
Result<Scores> evaluate_columns(const std::vector<std::string>& paths, const std::string& encoding = "utf-8");
/// The same with a separator or a comment sign, too; other options are not used.
Result<Scores> evaluate_columns(const std::vector<std::string>& paths, const ReadOptions& reading);

/// The scores of each fold, and of all folds together.
struct CrossValidation {
  struct Fold {
    int fold = 0;                  ///< its number in the data, or from 0
    size_t number = 1, total = 1;  ///< it is fold `number` (from 1) of `total`
    double train_seconds = 0;
    Scores scores;  ///< on this fold, after training on the others
  };
  std::vector<Fold> folds;
  Scores pooled;           ///< scores of all predictions together
  bool own_folds = false;  ///< the folds given in the data were used
  /// Mean and sample standard deviation over the folds of a field of Scores: mean(&Scores::f1).
  double mean(double Scores::*measure) const;
  double deviation(double Scores::*measure) const;
};
/// For each fold: trains on the other folds and scores on this one. `k` is the number of folds, drawn with
/// options.seed; 0: the folds given in the data, or ten if it has none. `on_fold` is called after each fold
/// and may return false to stop, which is an error. Reads the data into memory once.
Result<CrossValidation> cross_validate(const Data& data, const TrainOptions& options = {}, int k = 0,
                                       const std::function<bool(const CrossValidation::Fold&)>& on_fold = {},
                                       const std::optional<Sink>& predictions = {});

/// A token whose gold label is contradicted by a model that was trained without it. Such labels are often
/// wrong.
struct Suspicion {
  std::string file;
  uint64_t line = 0;
  size_t sequence = 0, token = 0;  ///< both from 0
  std::string word, gold, predicted;
  double probability = 0;  ///< of the predicted label
};
/// Cross-validates like cross_validate() and returns the tokens that got another label than their gold label,
/// the surest first, at most `most`. The learner must have probabilities.
Result<std::vector<Suspicion>> find_suspicious(const Data& data, const TrainOptions& options = {}, int k = 0,
                                               size_t most = 100);

/// How tune() chooses the thresholds of a cascade.
struct TuneOptions {
  std::vector<double> filter_loss = {0.0005};  ///< share of correct labels each level may prune; the last
                                               ///< number is used for all further levels
  double budget = 0;  ///< at least 1: label n-grams kept per position, instead of filter_loss; 0: not used
  int threads = 0;    ///< 0: all cores
  std::function<bool(const Progress&)> on_progress = {};  ///< return false to stop, which is an error
  const std::atomic<bool>* stop = nullptr;                ///< set to true to stop, which is an error
};
/// A cascade with new thresholds, and what each level now does.
struct Tuned {
  struct Level {
    int order = 1;                       ///< labels in an n-gram of this level
    double alpha_before = 0, alpha = 0;  ///< the threshold before and now
    double filter_loss = 0;              ///< share of correct labels lost
    double efficiency_loss = 0;          ///< share of n-grams kept
    double alive = 0;                    ///< n-grams kept per position
  };
  explicit Tuned(Tagger with_new_thresholds) : tagger(std::move(with_new_thresholds)) {}
  Tagger tagger;
  size_t sequences = 0;
  std::vector<Level> levels;
  std::string plot;  ///< share of n-grams kept against filter loss, one line per level, as SVG; empty if
                     ///< there is nothing to draw
};
/// An error if a value is out of range.
Status check_options(const TuneOptions& options);
/// Chooses the thresholds of a cascade again, on labelled data. Weights do not change. Other models are an
/// error.
Result<Tuned> tune(const Tagger& cascade, const Data& dev, const TuneOptions& options = {});

}  // namespace espalier
#pragma GCC visibility pop

// Ensembles: combine the labels of several experts (programs, models or people) by learning which of them to
// trust where.
//
//   es::Ensemble votes = es::Ensemble::learn(gold, {answers_of_a, answers_of_b, answers_of_c}).value();
//   es::Combined labels = votes.combine({a, b, c}).value();
//
// Learning needs a few hundred labelled sequences and finds weights per expert and position, label or span.
// It never changes the experts. These are answers in memory, files of predictions, or models, in any mixture.
// Combining costs O(tokens × experts).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "espalier/public/corpus.h"
#include "espalier/public/progress.h"
#include "espalier/public/result.h"
#include "espalier/public/tagger.h"

#pragma GCC visibility push(default)
namespace espalier {

/// One expert's labels of one sequence: one per token, "_" if it abstains there; empty if it abstains
/// altogether.
using Labels = std::vector<std::string>;

/// One expert's labels of every sequence of the gold data or text, in the same order.
struct Answers {
  Answers() = default;
  Answers(std::vector<Labels> answers, std::string expert = {})  // NOLINT(google-explicit-constructor)
      : name(std::move(expert)), labels(std::move(answers)) {}
  std::string name = {};  ///< in reports and messages; empty: "expert 1", "expert 2" …
  std::vector<Labels> labels = {};
  std::vector<std::vector<double>> probabilities =
      {};  ///< of its labels, 0 to 1, in the same shape; empty: unknown
};

/// A source of labels: answers in memory, a file, or a model. Cheap to copy. Errors are reported when it is
/// used.
class Expert {
 public:
  Expert(Answers answers);                                     // NOLINT(google-explicit-constructor)
  Expert(std::vector<Labels> answers, std::string name = {});  // NOLINT(google-explicit-constructor)
  /// A model that labels the gold data or the text while that is read, under the constraints it was trained
  /// with.
  Expert(const Tagger& tagger, std::string name = "model")  // NOLINT(google-explicit-constructor)
      : Expert(model(tagger.bytes(), std::move(name))) {}
  /// A file of predictions in any format, or a model file. Predictions are read while they are used.
  static Expert file(std::string path);
  /// The bytes of a model (Tagger::bytes).
  static Expert model(std::vector<std::byte> bytes, std::string name = "model");

  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  explicit Expert(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// How experts' files are read. Fields left empty: like the gold data or the text.
struct ExpertFiles {
  std::string format = {};  ///< as in ReadOptions; file names that imply a format override it
  std::string encoding = {};
  std::string separator = {}, comment = {};  ///< as in ReadOptions; empty: those of the gold data or text
  std::string label_column = {};             ///< as in ReadOptions; empty: the last column (CoNLL-U: upos)
  /// For column files (including the gold data) with labels and no words: "rows" is one label per line with a
  /// blank line between sequences; "lines" is one sequence per line, with an optional name before a tab.
  /// Empty: rows if a file has one column.
  std::string labels_only = {};
  std::string probability_column = {};  ///< like label_column; empty: the column after the label
  size_t nbest = 1;  ///< labellings per sequence, best first; each rank counts as a separate expert
};

/// How an ensemble is learned. The defaults choose method and parameters on held-out data.
struct EnsembleOptions {
  std::string method = "auto";     ///< one of ensemble_methods(), or auto: the best of them on held-out data
  std::string substructures = {};  ///< what weights are about: positions, classes, tokens, ngrams:2, spans or
                                   ///< dimensions:|; empty: chosen from the data
  std::optional<double> beta = {};  ///< factor by which an error multiplies a weight, between 0 and 1; not
                                    ///< set: chosen on held-out data
  double delta = 0.05;    ///< confidence of the bound that selects among the online learners' distributions
  double epsilon = 0;     ///< method fpl: perturbations are up to 1/epsilon; 0: 0.5 / (experts × places)
  double loss_bound = 1;  ///< the largest possible loss of a sequence
  int rounds = 100;       ///< methods espboost and sle: boosting rounds
  bool normalised_exponent = false;  ///< an error counts 1/length in the exponent of beta instead of 1
  bool learn_switch = false;         ///< give short sequences to the best expert if that is better
  bool calibrate = true;             ///< fit confidences to how often the vote is right
  bool any_sequence = false;         ///< allow label sequences that break their scheme
  std::string form = {};             ///< method espboost: sum (the default) or product of votes
  std::string align = "auto";        ///< align outputs of unequal length: yes, no or auto
  std::string automaton = {};        ///< an OpenFst file with the allowed paths through the experts
  std::string missing = "error";     ///< if an expert lacks a sequence: error, spread (its weight goes to the
                                     ///< others) or leave-out (skip the sequence)
  bool probabilities = false;        ///< method espboost: weigh votes by the experts' probabilities
  size_t memory_megabytes = 8;       ///< votes beyond this size are kept in a temporary file
  ExpertFiles files = {};
  uint64_t seed = 1;
  int threads = 0;                                        ///< 0: all cores
  std::function<bool(const Progress&)> on_progress = {};  ///< return false to stop, which is an error
  const std::atomic<bool>* stop = nullptr;                ///< set to true to stop, which is an error

  /// An error if the options are wrong for any data. Reads no data.
  Status check() const;
};

/// The combined answer for one sequence.
struct Combined {
  Labels labels;                   ///< "_" if all experts abstain
  std::vector<double> confidence;  ///< per token: probability that the label is right
  double sequence_confidence = 0;  ///< probability that all labels are right
};

/// What an ensemble stores about itself.
struct EnsembleInfo {
  std::string method, substructures, scheme;
  double beta = 0;  ///< 0: the method has none
  std::vector<std::string> experts, labels;
  size_t best_expert = 0;      ///< its index, on the data that was learned from
  bool aligned = false;        ///< outputs of unequal length are aligned
  bool probabilities = false;  ///< it needs the experts' probabilities
  size_t switch_length = 0;    ///< shorter sequences are given to the best expert; 0: none
  size_t training_sequences = 0, training_tokens = 0;
  std::string summary;  ///< how it was learned, in a sentence
};

/// How learning went. Not stored with the ensemble: empty after open().
struct EnsembleLearning {
  struct Candidate {
    std::string method;
    double beta = 0;       ///< 0: the method has none
    double error = 0;      ///< on held-out sequences, 0 to 1
    double deviation = 0;  ///< standard deviation of the error over the folds
    std::string failure;   ///< why learning failed; empty: it did not
  };
  std::vector<Candidate> candidates;  ///< what was compared; empty if there was no choice
  size_t left_out = 0;                ///< sequences skipped because an expert lacks them
  /// On held-out sequences; not set: not measured. Edit distances are per sequence, if outputs are aligned.
  std::optional<double> error, best_expert_error, edit_distance, best_expert_edit_distance;
  std::vector<std::string> notes;  ///< messages for the user
};

/// How apply() reads, combines and writes.
struct ApplyOptions {
  /// The text that the experts labelled; not set: the tokens come from the first expert that is not a model.
  std::optional<Data> text = {};
  std::string output_format = {};  ///< columns, conllu, jsonl …; empty: that of the text
  bool confidence = false;         ///< also write the probability of each label and of the sequence
  bool any_sequence = false;       ///< allow label sequences that break their scheme
  std::string missing = "error";   ///< as in EnsembleOptions
  ExpertFiles files = {};
  int threads = 0;                                        ///< for experts that are models; 0: all cores
  std::function<bool(const Progress&)> on_progress = {};  ///< return false to stop, which is an error
  const std::atomic<bool>* stop = nullptr;                ///< set to true to stop, which is an error

  /// An error if the options are wrong for any ensemble and data. Reads no data.
  Status check() const;
};
/// How much apply() wrote.
struct Applied {
  size_t sequences = 0, tokens = 0;
};

/// What report() measures.
struct EnsembleReportOptions {
  bool bounds = false;        ///< also compute the bounds of the paper; needs the data that was learned from
  double margin = 0.1;        ///< margin in two of the bounds, above 0 and at most 1
  bool any_sequence = false;  ///< allow label sequences that break their scheme
  std::string missing = "error";  ///< as in EnsembleOptions
  ExpertFiles files = {};
  uint64_t seed = 1;                                      ///< of the bootstrap test
  int threads = 0;                                        ///< for experts that are models; 0: all cores
  std::function<bool(const Progress&)> on_progress = {};  ///< return false to stop, which is an error
  const std::atomic<bool>* stop = nullptr;                ///< set to true to stop, which is an error

  /// An error if the options are wrong for any ensemble and data. Reads no data.
  Status check() const;
};

/// How good an ensemble and each of its experts are, measured on labelled data.
struct EnsembleReport {
  struct Quality {
    double accuracy = 0, sequence_accuracy = 0, f1 = 0;  ///< in percent
    double error = 0;                                    ///< mean share of wrong tokens per sequence, 0 to 1
    double edit_distance = 0, exact = 0;  ///< after removing gaps: edits per sequence; percent of sequences
  };
  struct OnLabel {
    size_t tokens = 0;
    double accuracy = 0;  ///< in percent
  };
  struct OfExpert {
    std::string name;
    Quality quality;
    double weight = 0;              ///< its share of the weight where it votes, 0 to 1
    double worth = 0;               ///< error of the ensemble without it minus error with it
    size_t silent_sequences = 0;    ///< sequences that it does not label
    std::vector<double> agreement;  ///< with each expert, percent of the tokens that both label
    std::vector<double> by_place;   ///< accuracy in percent, in the order of `places`
    std::vector<OnLabel> by_label;  ///< in the order of `labels`
  };
  struct Bound {
    std::string name, meaning;
    double bound = 0, measured = 0;  ///< the guaranteed value, and the value on this data
  };
  size_t sequences = 0, tokens = 0;
  bool aligned = false;        ///< outputs were aligned: a token is a column of the alignment
  bool chunked = false;        ///< labels form spans: F1 counts spans
  Quality ensemble, majority;  ///< of the ensemble, and of a majority vote
  double calibration_error = 0, sequence_calibration_error = 0;  ///< expected calibration error, 0 to 1
  size_t best_expert = 0;                                        ///< its index, on this data
  /// The ensemble minus the best expert: difference in points of F1 (or accuracy), its 95 % interval, and the
  /// p value of a bootstrap test.
  double difference = 0, difference_low = 0, difference_high = 0, p_value = 1;
  std::vector<std::string> places;  ///< names of the position classes: first, second … last
  std::vector<std::string> labels;  ///< gold labels
  std::vector<OfExpert> experts;
  std::vector<Bound> bounds;
};

/// A learned combination of experts. Immutable, cheap to copy, safe to use from any number of threads.
class Ensemble {
 public:
  /// Learns from labelled data, a corpus or one file, and the experts' labels of it. Stopping early is an
  /// error.
  static Result<Ensemble> learn(const Data& gold, const std::vector<Expert>& experts,
                                const EnsembleOptions& options = {});
  static Result<Ensemble> open(const std::string& path);
  /// The same from memory; error messages call the ensemble `name`.
  static Result<Ensemble> from_bytes(std::vector<std::byte> bytes, std::string name = "ensemble");
  /// Writes a file. If it fails, an existing file is left unchanged.
  Status save(const std::string& path) const;
  /// The bytes that save() writes.
  std::vector<std::byte> bytes() const;

  /// Combines one sequence. `answers`: one per expert, in the order of learn(); the weight of an empty one
  /// goes to the others. `probabilities`: those of the answers, if info().probabilities. `number`: the
  /// sequence's number from 0, which seeds the random draws of the method rand. O(tokens × experts).
  Result<Combined> combine(const std::vector<Labels>& answers,
                           const std::vector<std::vector<double>>& probabilities = {},
                           size_t number = 0) const;
  /// Combines the experts' labels of a text of any length and writes it to a sink. Memory does not grow with
  /// the text.
  Result<Applied> apply(const std::vector<Expert>& experts, const Sink& sink,
                        const ApplyOptions& options = {}) const;
  /// Measures the ensemble and each expert on labelled data. O(tokens × experts²).
  Result<EnsembleReport> report(const Data& gold, const std::vector<Expert>& experts,
                                const EnsembleReportOptions& options = {}) const;

  const EnsembleInfo& info() const;
  const EnsembleLearning& learning() const;
  const std::vector<std::string>& experts() const { return info().experts; }
  const std::string& method() const { return info().method; }
  /// Messages for the user about how learning went.
  const std::vector<std::string>& notes() const { return learning().notes; }

  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  friend struct EnsembleBuilder;
  explicit Ensemble(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// A method of combining, for help texts.
struct MethodInfo {
  std::string name, summary;
};
/// All methods, in the order of the help text.
std::vector<MethodInfo> ensemble_methods();

}  // namespace espalier
#pragma GCC visibility pop

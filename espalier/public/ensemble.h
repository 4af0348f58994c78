// Ensembles of anything that labels: programs, models or people, combined by whom to trust where.
//
//   es::Ensemble votes = es::Ensemble::learn(gold, {answers_of_a, answers_of_b, answers_of_c}).value();
//   es::Combined labels = votes.combine({a, b, c}).value();
//
// From a few hundred labelled sequences it learns weights by expert and place, label or span; the experts
// themselves stay outside. Experts are answers in memory, files of predictions, or models, in any mixture.
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

/// What one expert says about one sequence: a label per token, "_" where it says nothing; empty: no answer at
/// all.
using Labels = std::vector<std::string>;

/// What one expert says about every sequence of the gold data, in the same order.
struct Answers {
  Answers() = default;
  Answers(std::vector<Labels> answers, std::string expert = {})  // NOLINT(google-explicit-constructor)
      : name(std::move(expert)), labels(std::move(answers)) {}
  std::string name = {};  ///< for reports; empty: "expert 1" …
  std::vector<Labels> labels = {};
  std::vector<std::vector<double>> probabilities = {};  ///< how sure it is, 0 to 1; empty: it does not say
};

/// Someone who labels: answers in memory, a file, or a model. A value, cheap to copy.
class Expert {
 public:
  Expert(Answers answers);                                     // NOLINT(google-explicit-constructor)
  Expert(std::vector<Labels> answers, std::string name = {});  // NOLINT(google-explicit-constructor)
  /// The model labels the gold data, or the text, while that is read, under the constraints it was trained
  /// with.
  Expert(const Tagger& tagger, std::string name = "model")  // NOLINT(google-explicit-constructor)
      : Expert(model(tagger.bytes(), std::move(name))) {}
  /// A file of predictions in any format, or a model file. Read as it is needed, never held in memory.
  static Expert file(std::string path);
  /// The bytes of a model (Tagger::bytes). Bytes that are not a model are reported when the expert is used.
  static Expert model(std::vector<std::byte> bytes, std::string name = "model");

  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  explicit Expert(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// How experts' files are read. Empty: as the gold data or the text is.
struct ExpertFiles {
  std::string format = {};  ///< names such as a.jsonl or a.conllu take precedence
  std::string encoding = {};
  std::string label_column = {};  ///< from 1, or from the end; empty: the last (CoNLL-U: upos)
  /// Column files, the gold data included, that hold labels and no words: "rows" (one label per line, blank
  /// lines between sequences) or "lines" (one sequence per line; text before a tab is its name). Empty: rows
  /// where a file has one column.
  std::string labels_only = {};
  std::string probability_column = {};  ///< as label_column; empty: the one after the label
  size_t nbest = 1;  ///< labellings of each sequence, best first; each rank is an expert of its own
};

struct EnsembleOptions {
  std::string method = "auto";     ///< one of ensemble_methods(); auto: the best of them on held-out data
  std::string substructures = {};  ///< positions, classes, tokens, ngrams:2, spans, dimensions:|; empty: auto
  std::optional<double> beta = {};  ///< what an error leaves of a weight; not set: chosen on held-out data
  double delta = 0.05;              ///< of the bound that picks distributions
  double epsilon = 0;     ///< perturbations of fpl are up to 1/epsilon; 0: 0.5 / (experts × places)
  double loss_bound = 1;  ///< the largest loss of a sequence
  int rounds = 100;       ///< of espboost and sle
  bool normalised_exponent = false;  ///< an error counts 1/length in the exponent of beta, not 1
  bool learn_switch = false;         ///< leave short sequences to the best expert where that is better
  bool calibrate = true;             ///< learn how often the vote is right, for confidences
  bool any_sequence = false;         ///< do not keep labels to their scheme when measuring
  std::string form = {};          ///< espboost under an automaton or a scheme: sum (the default) or product
  std::string align = "auto";     ///< outputs of unequal length side by side: yes, no, auto
  std::string automaton = {};     ///< an OpenFst file of the paths through experts that are allowed
  std::string missing = "error";  ///< sequences an expert does not have: error, spread, leave-out
  bool probabilities = false;     ///< experts' probabilities count; with the method espboost
  size_t memory_megabytes = 8;    ///< votes beyond this are kept in a temporary file
  ExpertFiles files = {};
  uint64_t seed = 1;
  int threads = 0;                                        ///< 0: every core
  std::function<bool(const Progress&)> on_progress = {};  ///< false ends the work
  const std::atomic<bool>* stop = nullptr;                ///< true ends the work

  /// What is wrong with the options whatever the data.
  Status check() const;
};

/// The combined answer for one sequence.
struct Combined {
  Labels labels;                   ///< "_" where no expert says anything
  std::vector<double> confidence;  ///< per token: the probability that the label is right
  double sequence_confidence = 0;  ///< that all of them are
};

/// What an ensemble knows about itself.
struct EnsembleInfo {
  std::string method, substructures, scheme;
  double beta = 0;  ///< 0: the method has none
  std::vector<std::string> experts, labels;
  size_t best_expert = 0;      ///< on the data it was learned from
  bool aligned = false;        ///< outputs of unequal length are put side by side
  bool probabilities = false;  ///< it wants experts' probabilities
  size_t switch_length = 0;    ///< shorter sequences are left to the best expert; 0: none
  size_t training_sequences = 0, training_tokens = 0;
  std::string summary;  ///< how learning went, in a sentence
};

/// How learning went. Not stored with the ensemble: empty after open().
struct EnsembleLearning {
  struct Candidate {
    std::string method;
    double beta = 0;       ///< 0: the method has none
    double error = 0;      ///< on held-out sequences, 0 to 1
    double deviation = 0;  ///< over the folds
    std::string failure;   ///< why it could not learn
  };
  std::vector<Candidate> candidates;  ///< where there was a choice
  size_t left_out = 0;                ///< sequences that an expert does not have
  /// On sequences that were held out; not set: not measured.
  std::optional<double> error, best_expert_error, edit_distance, best_expert_edit_distance;
  std::vector<std::string> notes;  ///< what is worth knowing, in words
};

/// What is combined, and how it is written.
struct ApplyOptions {
  /// The text that the experts labelled; not set: the tokens of the first expert that is not a model.
  std::optional<Data> text = {};
  std::string output_format = {};  ///< columns, conllu, jsonl …; empty: that of the text
  bool confidence = false;         ///< probabilities next to each label, and of the whole sequence
  bool any_sequence = false;       ///< do not keep labels to their scheme
  std::string missing = "error";
  ExpertFiles files = {};
  int threads = 0;                                        ///< for experts that are models
  std::function<bool(const Progress&)> on_progress = {};  ///< false ends the work
  const std::atomic<bool>* stop = nullptr;                ///< true ends the work

  /// What is wrong with the options whatever the ensemble and the data.
  Status check() const;
};
struct Applied {
  size_t sequences = 0, tokens = 0;
};

struct EnsembleReportOptions {
  bool bounds = false;        ///< the guarantees of the paper; give the data that was learned from
  double margin = 0.1;        ///< in two of them, above 0, at most 1
  bool any_sequence = false;  ///< do not keep labels to their scheme
  std::string missing = "error";
  ExpertFiles files = {};
  uint64_t seed = 1;                                      ///< of the bootstrap
  int threads = 0;                                        ///< for experts that are models
  std::function<bool(const Progress&)> on_progress = {};  ///< false ends the work
  const std::atomic<bool>* stop = nullptr;                ///< true ends the work

  /// What is wrong with the options whatever the ensemble and the data.
  Status check() const;
};

/// What an ensemble and each of its experts are worth, measured on labelled data.
struct EnsembleReport {
  struct Quality {
    double accuracy = 0, sequence_accuracy = 0, f1 = 0;  ///< in percent
    double error = 0;                                    ///< mean share of wrong tokens per sequence, 0 to 1
    double edit_distance = 0, exact = 0;  ///< per sequence, and percent of sequences, without gaps
  };
  struct OnLabel {
    size_t tokens = 0;
    double accuracy = 0;  ///< in percent
  };
  struct OfExpert {
    std::string name;
    Quality quality;
    double weight = 0;  ///< its part of the weight where it votes, 0 to 1
    double worth = 0;   ///< error of the ensemble without it minus error with it
    size_t silent_sequences = 0;
    std::vector<double> agreement;  ///< with each expert, percent of the tokens about which both speak
    std::vector<double> by_place;   ///< accuracy in percent, in the order of `places`
    std::vector<OnLabel> by_label;  ///< in the order of `labels`
  };
  struct Bound {
    std::string name, meaning;
    double bound = 0, measured = 0;
  };
  size_t sequences = 0, tokens = 0;
  bool aligned = false;  ///< tokens are columns of outputs put side by side
  bool chunked = false;  ///< labels are a span scheme: F1 counts chunks
  Quality ensemble, majority;
  double calibration_error = 0, sequence_calibration_error = 0;
  size_t best_expert = 0;  ///< on this data
  /// Ensemble against the best expert: points of F1 (or accuracy), their 95 % interval, and how likely
  /// chance is.
  double difference = 0, difference_low = 0, difference_high = 0, p_value = 1;
  std::vector<std::string> places;  ///< first, second … last
  std::vector<std::string> labels;
  std::vector<OfExpert> experts;
  std::vector<Bound> bounds;
};

/// A learned combination of experts. Immutable, cheap to copy, safe to use from any number of threads.
class Ensemble {
 public:
  /// Experts answer the sequences of `gold`, which is a corpus or one file.
  static Result<Ensemble> learn(const Data& gold, const std::vector<Expert>& experts,
                                const EnsembleOptions& options = {});
  static Result<Ensemble> open(const std::string& path);
  static Result<Ensemble> from_bytes(std::vector<std::byte> bytes, std::string name = "ensemble");
  Status save(const std::string& path) const;
  std::vector<std::byte> bytes() const;

  /// One answer per expert, in the order of learn(); an empty one leaves its weight to the others. `number`
  /// keys the random draws of the method rand, from 0. O(tokens × experts).
  Result<Combined> combine(const std::vector<Labels>& answers,
                           const std::vector<std::vector<double>>& probabilities = {},
                           size_t number = 0) const;
  /// Combines what experts say about a text of any length into a sink, in constant memory.
  Result<Applied> apply(const std::vector<Expert>& experts, const Sink& sink,
                        const ApplyOptions& options = {}) const;
  Result<EnsembleReport> report(const Data& gold, const std::vector<Expert>& experts,
                                const EnsembleReportOptions& options = {}) const;

  const EnsembleInfo& info() const;
  const EnsembleLearning& learning() const;
  const std::vector<std::string>& experts() const { return info().experts; }
  const std::string& method() const { return info().method; }
  /// What is worth knowing about how learning went, in words.
  const std::vector<std::string>& notes() const { return learning().notes; }

  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  friend struct EnsembleBuilder;
  explicit Ensemble(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

struct MethodInfo {
  std::string name, summary;
};
std::vector<MethodInfo> ensemble_methods();

}  // namespace espalier
#pragma GCC visibility pop

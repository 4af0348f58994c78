// Ensembles of anything that labels: programs, models or people, combined by whom to trust where.
//
//   es::Ensemble votes = es::Ensemble::learn(gold, {answers_of_a, answers_of_b, answers_of_c}).value();
//   es::Combined labels = votes.combine({a, b, c}).value();
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "espalier/public/corpus.h"
#include "espalier/public/progress.h"
#include "espalier/public/result.h"

namespace espalier {

/// What one expert says about one sequence: a label per token, "_" where it says nothing; empty: no answer at
/// all.
using Labels = std::vector<std::string>;

/// What one expert says about every sequence of the gold data, in the same order.
struct Answers {
  Answers() = default;
  Answers(std::vector<Labels> answers, std::string expert = {})  // NOLINT(google-explicit-constructor)
      : name(std::move(expert)), labels(std::move(answers)) {}
  std::string name;  ///< for reports; empty: "expert 1" …
  std::vector<Labels> labels;
  std::vector<std::vector<double>> probabilities;  ///< how sure it is; empty: it does not say
};

struct EnsembleOptions {
  std::string method = "auto";  ///< one of ensemble_methods(); auto: the best of them on held-out data
  std::string substructures;  ///< positions, classes, tokens, ngrams:2, spans, dimensions:|; empty: found out
  std::optional<double> beta;  ///< what an error leaves of a weight; not set: tried out on held-out data
  double delta = 0.05, epsilon = 0, loss_bound = 1;
  int rounds = 100;  ///< of espboost and sle
  bool normalised_exponent = false, learn_switch = false, calibrate = true, any_sequence = false;
  std::string form;               ///< espboost under an automaton or a scheme: sum or product
  std::string align = "auto";     ///< outputs of unequal length side by side: yes, no, auto
  std::string automaton;          ///< a file of paths through experts that are allowed
  std::string missing = "error";  ///< sequences an expert does not have: error, spread, leave-out
  uint64_t seed = 1;
  int threads = 0;
  std::function<bool(const Progress&)> on_progress;
  const std::atomic<bool>* stop = nullptr;
};

/// The combined answer for one sequence.
struct Combined {
  Labels labels;
  std::vector<double> confidence;  ///< per token: the probability that the label is right
  double sequence_confidence = 0;  ///< that all of them are
};

/// What each expert is worth, measured on labelled data.
struct EnsembleReport {
  struct Expert {
    std::string name;
    double accuracy = 0, f1 = 0, weight = 0;
    double worth = 0;  ///< loss of the ensemble without it minus loss with it
  };
  size_t sequences = 0, tokens = 0;
  double accuracy = 0, f1 = 0, majority_accuracy = 0;
  std::vector<Expert> experts;
};

/// Immutable, cheap to copy, safe from any thread.
class Ensemble {
 public:
  static Result<Ensemble> learn(const Corpus& gold, const std::vector<Answers>& experts,
                                const EnsembleOptions& options = {});
  static Result<Ensemble> open(const std::string& path);
  static Result<Ensemble> from_bytes(std::vector<std::byte> bytes, std::string name = "ensemble");
  Status save(const std::string& path) const;
  std::vector<std::byte> bytes() const;

  /// One answer per expert, in the order of learn().
  Result<Combined> combine(const std::vector<Labels>& answers,
                           const std::vector<std::vector<double>>& probabilities = {}) const;
  Result<EnsembleReport> report(const Corpus& gold, const std::vector<Answers>& experts) const;
  const std::vector<std::string>& experts() const;
  const std::string& method() const;
  /// How learning went, in words: what was chosen and why.
  const std::vector<std::string>& notes() const;

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

// How good a model is: scores on labelled data, cross-validation, and the thresholds of a cascade.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/public/tagger.h"
#include "espalier/public/train.h"

#pragma GCC visibility push(default)
namespace espalier {

/// Percentages throughout. Precision, recall and F1 count chunks as conlleval does where labels are B-NP I-NP
/// O and the like, arguments for roles, tokens otherwise.
struct LabelScores {
  std::string label;
  size_t gold = 0, predicted = 0, right = 0;
  double precision = 0, recall = 0, f1 = 0;
};
struct Confusion {
  std::string gold, predicted;
  size_t count = 0;
};

struct Scores {
  size_t sequences = 0, tokens = 0;  ///< whose gold label is known
  double accuracy = 0, sequence_accuracy = 0, precision = 0, recall = 0, f1 = 0;
  std::vector<LabelScores> by_label;
  std::vector<Confusion> confusions;    ///< most frequent first
  std::optional<double> legal_percent;  ///< sequences that break no rule, where some were checked
  Outcomes rules;
  Searches searches;
  std::string how_rules_are_decoded;  ///< in words; empty without rules
  double seconds = 0, tokens_per_second = 0;

  std::string report() const;  ///< for people: conlleval's table, confusions, calibration, what the task adds
  std::string json() const;    ///< everything, as one JSON object

  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  friend struct ScoresBuilder;
  std::shared_ptr<const State> state_;
};

struct EvaluateOptions {
  DecodeOptions decode = {};
  bool calibration = false;  ///< also ask how far probabilities can be trusted; takes longer
  std::optional<Constraints>
      check_rules;  ///< count sequences that break none of these, without keeping to them
  int threads = 0;
  std::function<bool(const Progress&)> on_progress = {};
  const std::atomic<bool>* stop = nullptr;
};

/// An error where options contradict each other or do not fit the model; found before any data is read.
Status check_options(const Tagger& tagger, const EvaluateOptions& options);
/// Files are read as the model's training data was, unless their options say otherwise.
Result<Scores> evaluate(const Tagger& tagger, const Data& test, const EvaluateOptions& options = {});
/// Scores labels that come from elsewhere. Both have the same sequences.
Result<Scores> evaluate_labels(const std::vector<std::vector<std::string>>& gold,
                               const std::vector<std::vector<std::string>>& predicted);
/// Scores files whose last two columns are the gold and the predicted label.
Result<Scores> evaluate_columns(const std::vector<std::string>& paths, const std::string& encoding = "utf-8");

struct CrossValidation {
  struct Fold {
    int fold = 0;                  ///< its name: its number in the data, or from 0
    size_t number = 1, total = 1;  ///< which of how many this is, from 1
    double train_seconds = 0;
    Scores scores;
  };
  std::vector<Fold> folds;
  Scores pooled;           ///< of all predictions together
  bool own_folds = false;  ///< the data's own folds were used
  /// Mean and standard deviation (n - 1) over folds of a field of Scores.
  double mean(double Scores::*measure) const;
  double deviation(double Scores::*measure) const;
};
/// Trains on all folds but one and scores on that one, for each. `k` 0: the data's own folds, or ten.
/// `on_fold` hears of each fold when it is done and ends the work by returning false.
Result<CrossValidation> cross_validate(const Data& data, const TrainOptions& options = {}, int k = 0,
                                       const std::function<bool(const CrossValidation::Fold&)>& on_fold = {});

/// Thresholds of a cascade, chosen again on labelled data.
struct TuneOptions {
  std::vector<double> filter_loss = {0.0005};  ///< per level; the last one holds for all further levels
  double budget = 0;  ///< above 0: label n-grams left per position, instead of filter_loss
  int threads = 0;
  std::function<bool(const Progress&)> on_progress = {};
  const std::atomic<bool>* stop = nullptr;
};
struct Tuned {
  struct Level {
    int order = 1;
    double alpha_before = 0, alpha = 0, filter_loss = 0, efficiency_loss = 0, alive = 0;
  };
  explicit Tuned(Tagger with_new_thresholds) : tagger(std::move(with_new_thresholds)) {}
  Tagger tagger;
  size_t sequences = 0;
  std::vector<Level> levels;
  std::string plot;  ///< what each level leaves alive against what it loses, as SVG
};
Status check_options(const TuneOptions& options);
Result<Tuned> tune(const Tagger& cascade, const Data& dev, const TuneOptions& options = {});

}  // namespace espalier
#pragma GCC visibility pop

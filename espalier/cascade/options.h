// The options of a cascade, and the reports and weights that training returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "espalier/cascade/losses.h"
#include "espalier/cascade/threshold.h"
#include "espalier/cascade/weights.h"

namespace espalier::cascade {

/// Higher orders and more levels are refused.
inline constexpr size_t kMostOrder = 5;
inline constexpr size_t kMostLevels = 8;

/// The loss and the measure of the levels before the last.
enum class Filter {
  kCascade,     ///< the convex filter loss, max-marginals (structured prediction cascades)
  kPerceptron,  ///< the structured perceptron, max-marginals
  kCrf,         ///< log loss, posterior probabilities
  kDictionary,  ///< none: a known word keeps the labels it was seen with, a new word all
};

/// The default of `train` for Options::loss_in_use if no filter loss is given.
inline constexpr double kUsualLossInUse = 0.006;

struct Options {
  std::vector<size_t> orders = {1, 2, 3};  ///< of the levels; each at least that of the one before
  Filter filter = Filter::kCascade;
  std::optional<Filter> first_filter;  ///< of the first level, where it is another
  Unit unit = Unit::kCliques;
  LossUnit loss_unit = LossUnit::kPositions;
  /// ε: the filter loss allowed per level, beyond that of earlier levels; the last entry holds for all
  /// further levels.
  std::vector<double> filter_loss = {0.0005};
  /// Above 0: the filter loss allowed in use for the last filter, if that has order 2 or more and this is
  /// more than in training. The last level then learns with more alternatives than it sees in use: those
  /// dropped in use hardly ever win, but learning with them is better.
  double loss_in_use = 0;
  bool insist = false;  ///< an ε that cannot be met is an error; otherwise the nearest is used, with a note
  /// Limit for the training lattices of a level: thresholds that leave more arcs in total are not used.
  size_t most_arcs = size_t{1} << 27;
  double budget = 0;  ///< above 0: items each filter leaves alive per position, in place of filter_loss
  std::vector<double> train_alphas = {0.25, 0.5};
  /// Passes with log loss at the beginning of a learned filter. Equation 8 demands that the whole gold
  /// labelling score above the threshold by its length. Long sequences rarely do, so from zero weights every
  /// one of them causes an update, however near it is.
  int warm_up = 4;
  int filter_passes = 3;                ///< at most; the trade-off on held-out data says when to stop
  bool adaptive_filters = true;         ///< AdaGrad in place of equation 9's plain steps
  double filter_rate = 0.1;             ///< η; 0, with plain steps and λ above 0: Pegasos's 1/(λ·t)
  double threshold_prior_length = 100;  ///< PriorMean::positions of learned filters
  double filter_lambda = 0;             ///< λ
  size_t filter_batch = 4;
  size_t folds = 3;  ///< of the jackknife
  /// Learned filters take few passes, and nothing is tried out: `warm_up` passes with log loss, then
  /// `filter_passes` with the filter loss of the first of train_alphas; later levels begin with the state
  /// weights of the level before, and take half of the former and none of the latter. The filter in use is
  /// the mean of those of the folds. Otherwise all filters begin with 0, the best α and number of passes are
  /// chosen on held-out data, and the filter in use is learned once more, from all data.
  bool quick_filters = false;
  bool quantiles = false;  ///< features for the rating of a state at the level before
  size_t edge_order = 2;   ///< edge features have weights for label n-grams up to this order
  uint32_t full_rows_from = 0;
  /// Which state features are words (kDictionary); one entry per feature.
  std::vector<uint8_t> word_feature;

  Loss last = Loss::kLog;
  int passes = 6;  ///< of the last level; 0: filters alone are wanted
  size_t batch = 8;
  double rate = 0.2;
  double l2 = 1;
  double dropout = 0;    ///< of the last level
  double filter_l2 = 1;  ///< of crf filters, and of the log loss that learned ones begin with
  double average_from = 0.2;
  bool calibrate = true;  ///< fit a temperature if the scores of the last level are not log probabilities
  bool check_rounding = false;      ///< measure the effect of 16-bit weights
  std::vector<float> label_weight;  ///< by gold label; empty: 1 each
  uint64_t seed = 1;
};

/// The report on a level.
struct LevelReport {
  size_t order = 1;
  double states = 0, arcs = 0;  ///< of its lattices, per position of the training data, truth put back
  double alive = 0;             ///< items its filter leaves, per position
  double alpha = 0, train_alpha = 0;
  double lattice_alpha = 0;  ///< α by which the lattices the next level learned from were thinned
  double filter_loss = 0;    ///< on held-out data, beyond what the levels before lost; a share
  double efficiency = 1;     ///< L_e on held-out data
  int passes = 0;
  double seconds = 0;
};

/// A level of a trained cascade. All but the last filter.
struct Level {
  LevelWeights weights;
  Measure measure = Measure::kMaxMarginal;
  Unit unit = Unit::kCliques;
  double alpha = 0;
  LevelReport report;
};

/// The labels with which each word feature was seen, and how often.
struct Dictionary {
  std::vector<uint32_t> begin;  ///< per state feature; empty: no dictionary
  std::vector<data::Label> label;
  std::vector<uint32_t> count;
  bool empty() const { return begin.empty(); }
};

/// A trained cascade, before it is packed into a model file.
struct Cascade {
  Layout layout;
  std::vector<Level> levels;
  Dictionary dictionary;
  LossUnit loss_unit = LossUnit::kPositions;
  bool quantiles = true;
  double temperature = 1;
  /// Share of training labels that 16-bit weights would change at the last level.
  double changed_by_rounding = 1;
  std::vector<std::string> notes;
};

}  // namespace espalier::cascade

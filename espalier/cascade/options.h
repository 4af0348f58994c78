// What can be set about a cascade, and what training it reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "espalier/cascade/losses.h"
#include "espalier/cascade/threshold.h"
#include "espalier/cascade/weights.h"

namespace espalier::cascade {

/// More labels a gram, or more levels, are refused.
inline constexpr size_t kMostOrder = 5;
inline constexpr size_t kMostLevels = 8;

/// What the levels before the last one learn from, and how they judge.
enum class Filter {
  kCascade,     ///< the convex filter loss, max-marginals (structured prediction cascades)
  kPerceptron,  ///< the structured perceptron, max-marginals
  kCrf,         ///< log loss, posterior probabilities
  kDictionary,  ///< nothing: a word keeps the labels it was seen with, a new word all
};

/// What `train` takes for Options::loss_in_use where nobody names a filter loss.
inline constexpr double kUsualLossInUse = 0.006;

struct Options {
  std::vector<size_t> orders = {1, 2, 3};  ///< of the levels; each at least that of the one before
  Filter filter = Filter::kCascade;
  std::optional<Filter> first_filter;  ///< of the first level, where it is another
  Unit unit = Unit::kCliques;
  LossUnit loss_unit = LossUnit::kPositions;
  /// ε: what each level may lose beyond those before it; the last entry holds for all further levels.
  std::vector<double> filter_loss = {0.0005};
  /// Above 0: what the last filter, where of order 2 or more, may lose in use, if that is more than in
  /// training. The last level then learns against more rivals than it meets later on: those that are dropped
  /// in use hardly ever win, but without them it learns worse.
  double loss_in_use = 0;
  bool insist = false;  ///< an ε that cannot be met is an error; otherwise the nearest is taken and noted
  /// Room for the training lattices of a level: thresholds that leave more arcs in all are not taken.
  size_t most_arcs = size_t{1} << 27;
  double budget = 0;  ///< above 0: items each filter leaves alive per position, in place of filter_loss
  std::vector<double> train_alphas = {0.25, 0.5};
  /// Passes of log loss a learned filter begins with. Equation 8 asks that the truth as a whole stand above
  /// the threshold by its length; long sequences hardly ever do, and from zero weights they go on growing at
  /// every one of them without telling near misses from far ones.
  int warm_up = 4;
  int filter_passes = 3;         ///< at most; the trade-off on held-out data says when to stop
  bool adaptive_filters = true;  ///< AdaGrad in place of equation 9's plain steps
  double filter_rate = 0.1;      ///< η
  double usual_length = 100;     ///< UsualMean::positions of learned filters
  double filter_lambda = 0;      ///< λ
  size_t filter_batch = 4;
  size_t folds = 3;        ///< of the jackknife
  bool quantiles = false;  ///< indicators of where states stood at the level before
  size_t edge_order = 2;   ///< edge features speak about label n-grams up to this order
  uint32_t full_rows_from = 0;
  /// Which state features are words (kDictionary); one entry a feature.
  std::vector<uint8_t> word_feature;

  Loss last = Loss::kLog;
  int passes = 6;  ///< of the last level; 0: filters alone are wanted
  size_t batch = 8;
  double rate = 0.2;
  double l2 = 1;
  double dropout = 0;    ///< of the last level
  double filter_l2 = 1;  ///< of crf filters, and of the log loss that learned ones begin with
  double average_from = 0.2;
  bool calibrate = true;            ///< fit a temperature where the last level's scores are no probabilities
  bool check_rounding = false;      ///< find out what 16-bit weights would change
  std::vector<float> label_weight;  ///< by gold label; empty: 1 each
  uint64_t seed = 1;
};

/// What there is to know about a level.
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

/// The labels each word feature was seen with, and how often.
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

// What a filter keeps, and the choice of its threshold.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/cascade/max_pass.h"
#include "espalier/cascade/trellis.h"

namespace espalier::cascade {

/// How a filter rates states and arcs.
enum class Measure {
  kMaxMarginal,  ///< against the mean-max threshold of equation 6
  kProbability,  ///< posterior probability against α itself
};

/// Ratings of the states and arcs of a lattice. An item is kept if and only if
///   rating(c) ≥ α.
/// For max-marginals, with r(c) = θ* − θ*(c) and r̄ its mean over the items,
///   θ*(c) ≥ t(α) = α·θ* + (1 − α)·mean θ*  ⟺  r(c) ≤ (1 − α)·r̄  ⟺  1 − r(c)/r̄ ≥ α,
/// so rating(c) = 1 − r(c)/r̄: 1 on the best path, 0 at the mean. It depends neither on α nor on the scale of
/// the weights, so quantiles of ratings are comparable too. (If all items are equal, all are rated 1.) With
/// kProbability, the rating is the probability.
struct Ratings {
  std::vector<float> state;  ///< per state
  std::vector<float> arc;    ///< per arc
};

/// The rating of an item by its regret. Rounding may leave a regret a little below 0.
inline float rating_of(double regret, double mean) {
  return mean <= 0 || regret <= 0 ? 1.0f : static_cast<float>(1 - regret / mean);
}

struct RatingScratch {
  MaxPass pass;
  double mean_regret = 0;  ///< kMaxMarginal: of the last sequence, not smoothed
};

/// Ratings of a scored lattice without dead ends; the mean is over the unit's items. Afterwards
/// scratch.pass.path() is the best path.
void find_ratings(const chain::Lattice& lattice, Measure measure, Unit unit, const PriorMean& prior,
                  RatingScratch& scratch, Ratings& out);

/// The same for a level of order 1: per label of each position, T×K in `out`; node is T×S.
void find_unigram_ratings(const float* node, size_t positions, size_t labels, size_t stride, Measure measure,
                          const PriorMean& prior, RatingScratch& scratch, std::vector<float>& out);

/// Keeps what is rated α or more, and always the best path.
chain::KeepMasks keep_from(const chain::Lattice& lattice, const Ratings& ratings, Unit unit, double alpha,
                           std::span<const uint32_t> best_path);

/// For each position, the rating of the gold item; kAbsent if the lattice does not contain it.
inline constexpr float kAbsent = std::numeric_limits<float>::infinity();
void truth_ratings(const Trellis& trellis, const Ratings& ratings, Unit unit,
                   std::span<const data::Label> gold, std::vector<float>& out);

/// What the filter loss counts.
enum class LossUnit {
  kPositions,  ///< positions whose gold item was dropped
  kSequences,  ///< sequences in which any gold item was dropped
};

/// Filter loss and items left alive as functions of α, collected over sequences: both sides of equation 7 at
/// every point of a grid. Only what a level drops itself counts as its loss (what was dropped before is
/// kAbsent).
class TradeOff {
 public:
  TradeOff(Measure measure, LossUnit unit);

  /// `items`: the ratings of all items of a sequence. `truth`: as returned by truth_ratings.
  void add(std::span<const float> items, std::span<const float> truth);
  void merge(const TradeOff& other);

  struct Point {
    double alpha = 0;
    double filter_loss = 0;  ///< share of positions or sequences
    double efficiency = 1;   ///< L_e: the share of items left alive
    double alive = 0;        ///< items left alive, per position
  };
  /// One point per grid point, α ascending; the filter loss rises, the efficiency falls.
  std::vector<Point> curve() const;
  /// The last point whose filter loss is at most ε, or null. The best path is kept at every point.
  static const Point* best_within(std::span<const Point> curve, double filter_loss);
  /// The first point that leaves at most `alive` items per position, or null.
  static const Point* best_alive(std::span<const Point> curve, double alive);

 private:
  size_t points_that_keep(float rating) const;

  std::vector<double> grid_;
  size_t even_from_;  ///< from this point on, points are evenly spaced …
  double even_step_;  ///< … by this; 0: none are
  LossUnit unit_;
  std::vector<uint64_t> kept_,
      lost_;  ///< by the last grid point that keeps the item (the truth); 0: none does
  uint64_t positions_ = 0, sequences_ = 0, items_ = 0;
};

/// The point of a level's curve (levels count from 1) with the fewest items alive within a filter loss; if
/// the budget is above 0, the one with the least filter loss within the budget. If there is none, or if it
/// leaves more than `room` items alive, an error that names the nearest.
Result<TradeOff::Point> choose_point(std::span<const TradeOff::Point> curve, size_t level, double filter_loss,
                                     double budget, double room = std::numeric_limits<double>::infinity());

/// An α for max-marginals at which everything is kept.
inline constexpr double kKeepAll = -1e30;
/// Where the authors' grid begins. Lower thresholds keep items farther below the mean than the best item is
/// above it; they are only for filter losses that no other threshold meets.
inline constexpr double kLeastUsualAlpha = -1;

/// kKeepAll, 30 points from −16 up to −1, evenly spaced in the logarithm, and 201 over [−1, 1), as the
/// authors took them; for probabilities 0, which keeps everything, and 200 points up to 1 that are evenly
/// spaced in the logarithm from 10⁻⁸.
std::vector<double> alpha_grid(Measure measure);
/// The part of a curve that is on the authors' grid.
std::span<const TradeOff::Point> usual_part(std::span<const TradeOff::Point> curve);

}  // namespace espalier::cascade

#include "espalier/cascade/threshold.h"

#include <algorithm>
#include <cmath>

#include "espalier/base/array.h"
#include "espalier/chain/kernels.h"
#include "espalier/chain/lattice/lattice_marginals.h"
#include "espalier/linear/row_sums.h"

namespace espalier::cascade {

using chain::Lattice;
using data::Label;

void find_ratings(const Lattice& lattice, Measure measure, Unit unit, const PriorMean& prior,
                  RatingScratch& scratch, Ratings& out) {
  MaxPass& pass = scratch.pass;
  pass.run(lattice);
  out.state.resize(lattice.states());
  out.arc.resize(lattice.arcs());
  if (measure == Measure::kProbability) {
    const chain::SumMarginals marginals = chain::sum_marginals(lattice);
    std::transform(marginals.state.begin(), marginals.state.end(), out.state.begin(),
                   [](double p) { return static_cast<float>(p); });
    std::transform(marginals.arc.begin(), marginals.arc.end(), out.arc.begin(),
                   [](double p) { return static_cast<float>(p); });
    return;
  }
  // Regrets are computed first, in the same arrays; float is precise enough.
  double state_sum = 0, arc_sum = 0, first_sum = 0;
  const size_t first_end = lattice.states_at(0).last;
  for (size_t s = 0; s < lattice.states(); ++s) {
    const double regret = std::max(0.0, pass.best() - pass.state(s));
    out.state[s] = static_cast<float>(regret);
    state_sum += regret;
    if (s < first_end) first_sum += regret;
    const Range arcs = lattice.arcs_into(s);
    for (size_t a = arcs.first; a < arcs.last; ++a) {
      const double arc_regret = std::max(0.0, pass.best() - pass.arc(lattice, a, s));
      out.arc[a] = static_cast<float>(arc_regret);
      arc_sum += arc_regret;
    }
  }
  scratch.mean_regret = unit == Unit::kStates
                            ? state_sum / static_cast<double>(lattice.states())
                            : (first_sum + arc_sum) / static_cast<double>(first_end + lattice.arcs());
  const double mean = prior.smoothed(scratch.mean_regret, lattice.positions());
  for (float& x : out.state) x = rating_of(x, mean);
  for (float& x : out.arc) x = rating_of(x, mean);
}

void find_unigram_ratings(const float* node, size_t positions, size_t K, size_t S, Measure measure,
                          const PriorMean& prior, RatingScratch& scratch, std::vector<float>& out) {
  out.resize(positions * K);
  if (measure == Measure::kProbability) {
    AlignedVector<float> row(S, 0.0f);
    for (size_t t = 0; t < positions; ++t) {
      std::copy_n(node + t * S, K, row.begin());
      chain::softmax(row.data(), K);
      std::copy_n(row.begin(), K, out.begin() + static_cast<ptrdiff_t>(t * K));
    }
    return;
  }
  double sum = 0;
  for (size_t t = 0; t < positions; ++t) {
    const float* row = node + t * S;
    const float best = *std::max_element(row, row + K);
    float lane[linear::kLanes] = {};  // summed as linear::find_bests sums them
    for (size_t j = 0; j < K; ++j) {
      out[t * K + j] = best - row[j];
      lane[j % linear::kLanes] += best - row[j];
    }
    sum += linear::sum_of_lanes(lane);
  }
  scratch.mean_regret = sum / static_cast<double>(std::max<size_t>(1, positions * K));
  const double mean = prior.smoothed(scratch.mean_regret, positions);
  const float share = mean <= 0 ? 0.0f : static_cast<float>(1 / mean);
  for (float& x : out) x = 1 - x * share;
}

chain::KeepMasks keep_from(const Lattice& lattice, const Ratings& ratings, Unit unit, double alpha,
                           std::span<const uint32_t> best_path) {
  chain::KeepMasks keep;
  const size_t first_end = lattice.states_at(0).last;
  keep.states.resize(lattice.states());
  for (size_t s = 0; s < lattice.states(); ++s)
    keep.states[s] = (unit == Unit::kCliques && s >= first_end) || ratings.state[s] >= alpha;
  keep.arcs.resize(lattice.arcs(), 1);
  if (unit == Unit::kCliques)
    for (size_t a = 0; a < lattice.arcs(); ++a) keep.arcs[a] = ratings.arc[a] >= alpha;
  const std::vector<uint32_t> arcs = arcs_of_path(lattice, best_path);
  for (size_t t = 0; t < best_path.size(); ++t) {
    keep.states[best_path[t]] = 1;
    if (t > 0) keep.arcs[arcs[t]] = 1;
  }
  return keep;
}

void truth_ratings(const Trellis& trellis, const Ratings& ratings, Unit unit, std::span<const Label> gold,
                   std::vector<float>& out) {
  const Lattice& lattice = trellis.lattice;
  // A state of position t is the gold state if it and the states before it, along any arcs, have the gold
  // labels as far back as its gram reaches.
  const auto stands_for_truth = [&](size_t state, size_t t) {
    for (size_t back = 0; back < trellis.gram_length; ++back) {
      if (lattice.label(state) != gold[t - back]) return false;
      if (t == back) return true;
      if (back + 1 < trellis.gram_length) state = lattice.source(lattice.arcs_into(state).first);
    }
    return true;
  };
  out.assign(gold.size(), kAbsent);
  for (size_t t = 0; t < gold.size(); ++t) {
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      if (lattice.label(s) != gold[t] || !stands_for_truth(s, t)) continue;
      if (unit == Unit::kStates || t == 0) {
        out[t] = ratings.state[s];
        break;
      }
      const Range arcs = lattice.arcs_into(s);
      for (size_t a = arcs.first; a < arcs.last; ++a)
        if (stands_for_truth(lattice.source(a), t - 1)) out[t] = ratings.arc[a];
      break;
    }
  }
}

std::vector<double> alpha_grid(Measure measure) {
  std::vector<double> grid;
  constexpr int kPoints = 201, kLowPoints = 30;
  if (measure == Measure::kMaxMarginal) {
    grid.push_back(kKeepAll);
    for (int i = kLowPoints; i > 0; --i)
      grid.push_back(kLeastUsualAlpha * std::pow(16.0, static_cast<double>(i) / kLowPoints));
  }
  for (int i = 0; i < kPoints; ++i) {
    if (measure == Measure::kMaxMarginal) {
      grid.push_back(kLeastUsualAlpha + 2.0 * i / kPoints);
    } else {
      grid.push_back(i == 0 ? 0 : std::pow(10.0, -8 + 8.0 * (i - 1) / (kPoints - 1)));
    }
  }
  return grid;
}

std::span<const TradeOff::Point> usual_part(std::span<const TradeOff::Point> curve) {
  while (curve.size() > 1 && curve.front().alpha < kLeastUsualAlpha) curve = curve.subspan(1);
  return curve;
}

TradeOff::TradeOff(Measure measure, LossUnit unit)
    : grid_(alpha_grid(measure)),
      even_from_(static_cast<size_t>(std::lower_bound(grid_.begin(), grid_.end(), kLeastUsualAlpha) -
                                     grid_.begin())),
      even_step_(measure == Measure::kMaxMarginal ? grid_[even_from_ + 1] - grid_[even_from_] : 0),
      unit_(unit),
      kept_(grid_.size() + 1, 0),
      lost_(grid_.size() + 1, 0) {}

size_t TradeOff::points_that_keep(float rating) const {
  const double x = static_cast<double>(rating);
  if (even_step_ == 0 || x < kLeastUsualAlpha)
    return static_cast<size_t>(std::upper_bound(grid_.begin(), grid_.end(), x) - grid_.begin());
  const double steps = (x - kLeastUsualAlpha) / even_step_;
  size_t point = steps >= static_cast<double>(grid_.size() - even_from_)
                     ? grid_.size() - 1
                     : even_from_ + static_cast<size_t>(steps);
  while (point + 1 < grid_.size() && grid_[point + 1] <= x) ++point;  // rounding
  while (grid_[point] > x) --point;
  return point + 1;
}

void TradeOff::add(std::span<const float> items, std::span<const float> truth) {
  for (const float x : items) ++kept_[points_that_keep(x)];
  items_ += items.size();
  positions_ += truth.size();
  ++sequences_;
  if (unit_ == LossUnit::kPositions) {
    for (const float x : truth)
      if (x != kAbsent) ++lost_[points_that_keep(x)];
    return;
  }
  // A sequence whose gold labelling was lost before cannot be lost again.
  if (truth.empty() || std::find(truth.begin(), truth.end(), kAbsent) != truth.end()) return;
  ++lost_[points_that_keep(*std::min_element(truth.begin(), truth.end()))];
}

void TradeOff::merge(const TradeOff& other) {
  for (size_t i = 0; i < kept_.size(); ++i) {
    kept_[i] += other.kept_[i];
    lost_[i] += other.lost_[i];
  }
  positions_ += other.positions_;
  sequences_ += other.sequences_;
  items_ += other.items_;
}

std::vector<TradeOff::Point> TradeOff::curve() const {
  std::vector<Point> points;
  const double of =
      static_cast<double>(std::max<uint64_t>(1, unit_ == LossUnit::kPositions ? positions_ : sequences_));
  uint64_t dropped = 0, lost = 0;
  for (size_t i = 0; i < grid_.size(); ++i) {
    // Point i drops what only earlier points keep.
    dropped += kept_[i];
    lost += lost_[i];
    const double alive = static_cast<double>(items_ - dropped);
    points.push_back({grid_[i], static_cast<double>(lost) / of,
                      alive / static_cast<double>(std::max<uint64_t>(1, items_)),
                      alive / static_cast<double>(std::max<uint64_t>(1, positions_))});
  }
  return points;
}

const TradeOff::Point* TradeOff::best_within(std::span<const Point> curve, double filter_loss) {
  const Point* best = nullptr;
  for (const Point& point : curve)
    if (point.filter_loss <= filter_loss) best = &point;
  return best;
}

const TradeOff::Point* TradeOff::best_alive(std::span<const Point> curve, double alive) {
  for (const Point& point : curve)
    if (point.alive <= alive) return &point;
  return nullptr;
}

Result<TradeOff::Point> choose_point(std::span<const TradeOff::Point> curve, size_t level, double filter_loss,
                                     double budget, double room) {
  if (budget > 0) {
    if (const TradeOff::Point* point = TradeOff::best_alive(curve, std::min(budget, room))) return *point;
    return fail("level {}: a budget of {:g} cannot be met; the least is {:.2f} alive per position", level,
                budget, curve.back().alive);
  }
  const TradeOff::Point* const point = TradeOff::best_within(curve, filter_loss);
  if (point != nullptr && point->alive <= room) return *point;
  const TradeOff::Point* nearest = TradeOff::best_alive(curve, room);
  if (nearest == nullptr) nearest = &curve.back();
  const std::string why =
      point == nullptr
          ? ""
          : fmt::format(" (it would leave {:.2f} alive per position, and there is room for {:.2f})",
                        point->alive, room);
  return fail(
      "level {}: a filter loss of {:g} cannot be met{}; the nearest is {:.6f}, with {:.2f} alive per "
      "position",
      level, filter_loss, why, nearest->filter_loss, nearest->alive);
}

}  // namespace espalier::cascade

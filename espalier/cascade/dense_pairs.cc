#include "espalier/cascade/dense_pairs.h"

#include <algorithm>

#include "espalier/linear/rows.h"

// Highway needs foreach_target.h first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "espalier/cascade/dense_pairs.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace espalier::cascade::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, linear::kLanes>;

// Below every score, and such that the sum of a few of them is finite.
constexpr float kVeryLow = -1e30f;

/// forward[t][j] = own[t][j] + max over alive i of (forward[t−1][i] + row[i][j]), less the largest of t.
void Forward(const AliveLabels& alive, const DensePairWeights& weights, const float* HWY_RESTRICT own,
             float* HWY_RESTRICT forward) {
  const Floats d;
  const size_t T = alive.positions(), S = weights.stride, N = hn::Lanes(d);
  for (size_t t = 0; t < T; ++t) {
    float* const here = forward + t * S;
    const float* const before = here - S;
    auto top = hn::Set(d, kVeryLow);
    for (size_t c = 0; c < S; c += N) {
      auto best = t == 0 ? hn::Zero(d) : hn::Set(d, 2 * kVeryLow);
      if (t > 0)
        for (uint32_t s = alive.begin[t - 1]; s < alive.begin[t]; ++s) {
          const size_t i = alive.label[s];
          best = hn::Max(best, hn::Add(hn::Set(d, before[i]), hn::Load(d, weights.row.data() + i * S + c)));
        }
      best = hn::Add(best, hn::Load(d, own + t * S + c));
      hn::Store(best, d, here + c);
      top = hn::Max(top, best);
    }
    top = hn::MaxOfLanes(d, top);
    for (size_t c = 0; c < S; c += N) hn::Store(hn::Sub(hn::Load(d, here + c), top), d, here + c);
  }
}

/// backward[t−1][i] = max over alive j of (row[i][j] + own[t][j] + backward[t][j]), less best[t], such that
/// the largest forward + backward of every position is 0; very low where i is not alive. Returns the sum of
/// the regrets of all pairs, and of the labels of the first position.
double Backward(const AliveLabels& alive, const DensePairWeights& weights, const float* HWY_RESTRICT own,
                const float* HWY_RESTRICT forward, float* HWY_RESTRICT backward, float* HWY_RESTRICT best) {
  const Floats d;
  const size_t T = alive.positions(), S = weights.stride, N = hn::Lanes(d);
  const auto low = hn::Set(d, kVeryLow);
  HWY_ALIGN float behind[DensePairWeights::kMostLabels];
  double regrets = 0;
  for (size_t c = 0; c < S; c += N) hn::Store(low, d, backward + (T - 1) * S + c);
  for (uint32_t s = alive.begin[T - 1]; s < alive.begin[T]; ++s) backward[(T - 1) * S + alive.label[s]] = 0;
  for (size_t t = T - 1; t > 0; --t) {
    for (size_t c = 0; c < S; c += N) {
      hn::Store(hn::Add(hn::Load(d, own + t * S + c), hn::Load(d, backward + t * S + c)), d, behind + c);
      hn::Store(low, d, backward + (t - 1) * S + c);
    }
    float most = 2 * kVeryLow;
    double of_labels = 0;
    auto sum = hn::Zero(d);
    for (uint32_t s = alive.begin[t - 1]; s < alive.begin[t]; ++s) {
      const size_t i = alive.label[s];
      auto top = hn::Set(d, 2 * kVeryLow);
      for (size_t c = 0; c < S; c += N) {
        const auto after = hn::Load(d, behind + c);
        const auto through = hn::Add(hn::Load(d, weights.row.data() + i * S + c), after);
        top = hn::Max(top, through);
        sum = hn::Add(sum, hn::IfThenElseZero(hn::Gt(after, hn::Set(d, kVeryLow / 2)), through));
      }
      const float from_here = hn::GetLane(hn::MaxOfLanes(d, top));
      backward[(t - 1) * S + i] = from_here;
      most = std::max(most, forward[(t - 1) * S + i] + from_here);
      of_labels += forward[(t - 1) * S + i];
    }
    best[t] = most;
    for (uint32_t s = alive.begin[t - 1]; s < alive.begin[t]; ++s)
      backward[(t - 1) * S + alive.label[s]] -= most;
    const double sources = alive.begin[t] - alive.begin[t - 1], targets = alive.begin[t + 1] - alive.begin[t];
    regrets += sources * targets * most - targets * of_labels - hn::GetLane(hn::SumOfLanes(d, sum));
  }
  for (uint32_t s = 0; s < alive.begin[1]; ++s) regrets -= forward[alive.label[s]] + backward[alive.label[s]];
  return regrets;
}

}  // namespace espalier::cascade::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier::cascade {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

using data::Label;

namespace {
constexpr float kLow = -1e30f;
// Regrets below this are rounding: such pairs are on a path as good as the best.
constexpr double kLeastLimit = 1e-3;
}  // namespace

DensePairWeights::DensePairWeights(const PairWeights& weights)
    : labels(weights.labels),
      stride(linear::padded(labels)),
      row(labels * stride, kLow),
      first(weights.first),
      last(weights.last) {
  ESPALIER_CHECK(labels <= kMostLabels);
  for (size_t i = 0; i < labels; ++i)
    for (size_t j = 0; j < labels; ++j) row[i * stride + j] = weights.weight[j * labels + i];
}

void DensePairs::spread(const AliveLabels& alive, std::span<const float> node,
                        const DensePairWeights& weights) {
  const size_t T = alive.positions(), S = weights.stride;
  own_.assign(T * S, kLow);
  for (size_t t = 0; t < T; ++t)
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s) own_[t * S + alive.label[s]] = node[s];
  for (uint32_t s = 0; s < alive.begin[1]; ++s) own_[alive.label[s]] += weights.first[alive.label[s]];
  for (uint32_t s = alive.begin[T - 1]; s < alive.begin[T]; ++s)
    own_[(T - 1) * S + alive.label[s]] += weights.last[alive.label[s]];
}

void DensePairs::choose(const AliveLabels& alive, float limit) {
  const size_t T = alive.positions(), S = own_.size() / T;
  chosen_.begin.assign(1, 0);
  chosen_.label.clear();
  for (size_t t = 0; t < T; ++t) {
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s) {
      const size_t at = t * S + alive.label[s];
      if (forward_[at] + backward_[at] >= -limit) chosen_.label.push_back(alive.label[s]);
    }
    chosen_.begin.push_back(static_cast<uint32_t>(chosen_.label.size()));
  }
}

void DensePairs::list(const DensePairWeights& weights, float limit, KeptPairs& kept) {
  const size_t T = chosen_.positions(), S = weights.stride;
  place_.clear();
  source_.clear();
  for (size_t t = 0; t < T; ++t)
    for (uint32_t s = chosen_.begin[t]; s < chosen_.begin[t + 1]; ++s) {
      place_.push_back(static_cast<uint32_t>(source_.size()));
      if (t == 0) {
        source_.push_back(0);
        continue;
      }
      const size_t j = chosen_.label[s];
      const float behind = own_[t * S + j] + backward_[t * S + j], least = best_[t] - limit;
      for (uint32_t before = chosen_.begin[t - 1]; before < chosen_.begin[t]; ++before) {
        const size_t i = chosen_.label[before];
        if (forward_[(t - 1) * S + i] + (weights.row[i * S + j] + behind) >= least) source_.push_back(before);
      }
    }
  place_.push_back(static_cast<uint32_t>(source_.size()));
  kept.clear();
}

/// Leaves out what is on no path; false if nothing is left.
bool DensePairs::drop_unconnected(KeptPairs& kept) {
  const size_t T = chosen_.positions(), labels = chosen_.label.size();
  keep_pair_.assign(source_.size(), 1);
  keep_label_.assign(labels, 0);
  for (uint32_t s = 0; s < chosen_.begin[1]; ++s) keep_label_[s] = 1;
  for (uint32_t s = chosen_.begin[1]; s < labels; ++s)
    for (uint32_t p = place_[s]; p < place_[s + 1]; ++p) {
      keep_pair_[p] = keep_label_[source_[p]];
      keep_label_[s] |= keep_pair_[p];
    }
  // From the end: a label stays if a pair that stays begins with it.
  number_.assign(labels, 0);  // whether that is so
  for (uint32_t s = static_cast<uint32_t>(labels); s-- > 0;) {
    if (s < chosen_.begin[T - 1]) keep_label_[s] &= static_cast<uint8_t>(number_[s]);
    if (s < chosen_.begin[1]) continue;
    for (uint32_t p = place_[s]; p < place_[s + 1]; ++p) {
      keep_pair_[p] &= keep_label_[s];
      number_[source_[p]] |= keep_pair_[p];
    }
  }
  for (size_t t = 0; t < T; ++t) {
    for (uint32_t s = chosen_.begin[t]; s < chosen_.begin[t + 1]; ++s) {
      if (!keep_label_[s]) continue;
      number_[s] = static_cast<uint32_t>(kept.place.size());
      kept.alive.label.push_back(chosen_.label[s]);
      kept.place.push_back(static_cast<uint32_t>(kept.source.size()));
      if (t == 0) {
        kept.source.push_back(0);
        continue;
      }
      for (uint32_t p = place_[s]; p < place_[s + 1]; ++p) {
        if (!keep_pair_[p]) continue;
        const uint32_t source = number_[source_[p]];
        kept.source.push_back(source);
        kept.triples += kept.place[source + 1] - kept.place[source];
      }
    }
    if (kept.alive.label.size() == kept.alive.begin.back()) return false;
    kept.alive.begin.push_back(static_cast<uint32_t>(kept.alive.label.size()));
  }
  kept.place.push_back(static_cast<uint32_t>(kept.source.size()));
  return true;
}

bool DensePairs::filter(const AliveLabels& alive, std::span<const float> node,
                        const DensePairWeights& weights, const PriorMean& prior, double alpha,
                        KeptPairs& kept) {
  const size_t T = alive.positions(), S = weights.stride;
  ESPALIER_CHECK(T > 0 && weights.labels > 0 && node.size() == alive.label.size());
  spread(alive, node, weights);
  forward_.resize(T * S);
  backward_.resize(T * S);
  best_.resize(T);
  HWY_DYNAMIC_DISPATCH(Forward)(alive, weights, own_.data(), forward_.data());
  const double regrets = HWY_DYNAMIC_DISPATCH(Backward)(alive, weights, own_.data(), forward_.data(),
                                                        backward_.data(), best_.data());
  size_t items = alive.begin[1];
  for (size_t t = 1; t < T; ++t)
    items += size_t{alive.begin[t] - alive.begin[t - 1]} * (alive.begin[t + 1] - alive.begin[t]);
  // A rating is 1 − regret / mean: α or more means a regret of (1 − α) · mean or less.
  const double mean = prior.smoothed(std::max(0.0, regrets / static_cast<double>(items)), T);
  const float limit = static_cast<float>(std::clamp((1 - alpha) * mean, kLeastLimit, 1e20));
  choose(alive, limit);
  list(weights, limit, kept);
  return drop_unconnected(kept);
}

}  // namespace espalier::cascade
#endif

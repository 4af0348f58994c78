// viterbi() of kernels.h; tested in kernels_test.cc.
#include <algorithm>
#include <limits>

#include "espalier/base/unroll.h"
#include "espalier/chain/kernels.h"
#include "espalier/chain/stop_kernels.h"

// Highway needs foreach_target.h first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "espalier/chain/kernels_viterbi.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace espalier::chain::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, 8>;
using Ints = hn::CappedTag<int32_t, 8>;

/// One max-plus step for N vectors of target labels: out[j] = max_i from[i] + trans[i][j]; with kWho, arg[j]
/// is the first such i.
template <size_t N, bool kWho>
HWY_INLINE void MaxPlus(const float* HWY_RESTRICT from, const float* HWY_RESTRICT trans, size_t labels,
                        size_t stride, float* HWY_RESTRICT out, uint16_t* HWY_RESTRICT arg) {
  const Floats d;
  const Ints di;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Floats> best[N];
  hn::Vec<Ints> who[N];
  const auto first = hn::Set(d, from[0]);
  ESPALIER_UNROLL
  for (size_t v = 0; v < N; ++v) {
    best[v] = hn::Add(first, hn::LoadU(d, trans + v * lanes));
    who[v] = hn::Zero(di);
  }
  for (size_t i = 1; i < labels; ++i) {
    const auto score = hn::Set(d, from[i]);
    const auto label = hn::Set(di, static_cast<int32_t>(i));
    ESPALIER_UNROLL
    for (size_t v = 0; v < N; ++v) {
      const auto candidate = hn::Add(score, hn::LoadU(d, trans + i * stride + v * lanes));
      if constexpr (kWho) {
        const auto better = hn::Gt(candidate, best[v]);
        who[v] = hn::IfThenElse(hn::RebindMask(di, better), label, who[v]);
      }
      best[v] = hn::Max(candidate, best[v]);
    }
  }
  alignas(64) int32_t labels_out[8];
  ESPALIER_UNROLL
  for (size_t v = 0; v < N; ++v) {
    hn::StoreU(best[v], d, out + v * lanes);
    if constexpr (kWho) {
      hn::Store(who[v], di, labels_out);
      for (size_t k = 0; k < lanes; ++k) arg[v * lanes + k] = static_cast<uint16_t>(labels_out[k]);
    }
  }
}

template <bool kWho>
void MaxPlusStep(const float* from, const float* trans, size_t labels, size_t stride, float* out,
                 uint16_t* arg) {
  const size_t lanes = hn::Lanes(Floats());
  const auto at = [&](size_t j) { return kWho ? arg + j : nullptr; };
  size_t j = 0;
  for (; j + 4 * lanes <= stride; j += 4 * lanes)
    MaxPlus<4, kWho>(from, trans + j, labels, stride, out + j, at(j));
  if (j + 3 * lanes <= stride) {
    MaxPlus<3, kWho>(from, trans + j, labels, stride, out + j, at(j));
    j += 3 * lanes;
  }
  for (; j + 2 * lanes <= stride; j += 2 * lanes)
    MaxPlus<2, kWho>(from, trans + j, labels, stride, out + j, at(j));
  for (; j < stride; j += lanes) MaxPlus<1, kWho>(from, trans + j, labels, stride, out + j, at(j));
}

/// The first i with the largest from[i] + into[i]: the label that a max-plus step came from.
size_t BestBefore(const float* HWY_RESTRICT from, const float* HWY_RESTRICT into, size_t stride) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const auto sum = [&](size_t i) { return hn::Add(hn::LoadU(d, from + i), hn::LoadU(d, into + i)); };
  auto top = sum(0);
  for (size_t i = lanes; i < stride; i += lanes) top = hn::Max(top, sum(i));
  top = hn::MaxOfLanes(d, top);
  for (size_t i = 0; i < stride; i += lanes)
    if (const auto at = hn::FindFirstTrue(d, hn::Eq(sum(i), top)); at >= 0)
      return i + static_cast<size_t>(at);
  return 0;
}

/// With kWho, steps note where the best score of each label came from; without, the scores of all positions
/// are kept, and the way back looks it up for one label per position, which takes far less time.
template <bool kWho>
HWY_INLINE double FindBest(const ChainScores& s, const float* trans_into, ChainScratch& scratch,
                           uint16_t* best) {
  const Floats d;
  const size_t T = s.length, K = s.labels, S = s.stride, lanes = hn::Lanes(d);
  scratch.delta.resize((kWho ? 2 : T) * S);
  if (kWho) scratch.back.resize(T * S);
  float* const delta = scratch.delta.data();
  const auto scores_at = [&](size_t t) { return delta + (kWho ? t % 2 : t) * S; };
  std::copy(s.node, s.node + S, delta);
  // On long sequences scores are sums of thousands of terms. Every few positions the part common to all
  // labels is subtracted and kept in double, so that float is precise enough for the differences.
  constexpr size_t kRescaleEvery = 32;
  double taken_out = 0;
  for (size_t t = 1; t < T; ++t) {
    if (StopKernels::wanted(K)) {
      std::fill(best, best + T, uint16_t{0});
      return kMinusInfinity;
    }
    float* const previous = scores_at(t - 1);
    float* const current = scores_at(t);
    if (t % kRescaleEvery == 0) {
      const float top = *std::max_element(previous, previous + K);
      if (top > -std::numeric_limits<float>::infinity()) {
        for (size_t j = 0; j < K; ++j) previous[j] -= top;
        taken_out += top;
      }
    }
    MaxPlusStep<kWho>(previous, s.transitions_into(t), K, S, current,
                      kWho ? scratch.back.data() + t * S : nullptr);
    const float* node = s.node + t * S;
    for (size_t j = 0; j < S; j += lanes)
      hn::StoreU(hn::Add(hn::LoadU(d, current + j), hn::LoadU(d, node + j)), d, current + j);
  }
  const float* const last = scores_at(T - 1);
  const float* const top = std::max_element(last, last + K);
  size_t label = static_cast<size_t>(top - last);
  for (size_t t = T; t-- > 0;) {
    best[t] = static_cast<uint16_t>(label);
    if (t == 0) break;
    label = kWho ? scratch.back[t * S + label] : BestBefore(scores_at(t - 1), trans_into + label * S, S);
  }
  return taken_out + *top;
}

double Viterbi(const ChainScores& s, const float* trans_into, ChainScratch& scratch, uint16_t* best) {
  // The scores of all positions take twice the memory of ways back, which matters where a sequence is long.
  constexpr size_t kMostKept = size_t{1} << 18;
  if (trans_into != nullptr && s.edge == nullptr && s.length * s.stride <= kMostKept)
    return FindBest<false>(s, trans_into, scratch, best);
  return FindBest<true>(s, nullptr, scratch, best);
}

}  // namespace espalier::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier::chain {

HWY_EXPORT(Viterbi);

double viterbi(const ChainScores& scores, ChainScratch& scratch, uint16_t* best, const float* trans_into) {
  if (scores.length == 0) return 0;
  return HWY_DYNAMIC_DISPATCH(Viterbi)(scores, trans_into, scratch, best);
}

}  // namespace espalier::chain
#endif

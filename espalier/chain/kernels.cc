#include "espalier/chain/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/base/unroll.h"
#include "espalier/chain/lost_labels.h"
#include "espalier/chain/stop_kernels.h"

// Highway needs foreach_target.h first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "espalier/chain/kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace espalier::chain::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, 8>;

/// Matrices of more rows than this are taken in parts. Their rows are megabytes apart at last, too many pages
/// to walk down for each column; and a float that takes up thousands of terms one by one is off by 1e-4 where
/// they are alike, which ForwardBackward would take for an underflow.
constexpr size_t kRowsTogether = 256;

/// out[j] = Σ_i from[i] · matrix[i][j] over `labels` values of i, for N vectors of j; where there is `more`,
/// the sum is added to out[j].
template <size_t N>
HWY_INLINE void MulSum(const float* HWY_RESTRICT from, const float* HWY_RESTRICT matrix, size_t labels,
                       size_t stride, bool more, float* HWY_RESTRICT out) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Floats> sum[N];
  ESPALIER_UNROLL
  for (size_t v = 0; v < N; ++v) sum[v] = hn::Zero(d);
  for (size_t i = 0; i < labels; ++i) {
    const auto x = hn::Set(d, from[i]);
    ESPALIER_UNROLL
    for (size_t v = 0; v < N; ++v)
      sum[v] = hn::MulAdd(x, hn::LoadU(d, matrix + i * stride + v * lanes), sum[v]);
  }
  if (more) ESPALIER_UNROLL
  for (size_t v = 0; v < N; ++v) sum[v] = hn::Add(sum[v], hn::LoadU(d, out + v * lanes));
  ESPALIER_UNROLL
  for (size_t v = 0; v < N; ++v) hn::StoreU(sum[v], d, out + v * lanes);
}

void MulSumStep(const float* from, const float* matrix, size_t labels, size_t stride, float* out) {
  const size_t lanes = hn::Lanes(Floats());
  for (size_t first = 0; first < labels; first += kRowsTogether) {
    const size_t n = std::min(labels - first, kRowsTogether);
    const float *const some = from + first, *const rows = matrix + first * stride;
    const bool more = first > 0;
    size_t j = 0;
    for (; j + 4 * lanes <= stride; j += 4 * lanes) MulSum<4>(some, rows + j, n, stride, more, out + j);
    if (j + 3 * lanes <= stride) {
      MulSum<3>(some, rows + j, n, stride, more, out + j);
      j += 3 * lanes;
    }
    if (j + 2 * lanes <= stride) {
      MulSum<2>(some, rows + j, n, stride, more, out + j);
      j += 2 * lanes;
    }
    for (; j < stride; j += lanes) MulSum<1>(some, rows + j, n, stride, more, out + j);
  }
}

/// out[j] = a[j]·b[j]; returns the sum.
float ProductSum(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, size_t stride,
                 float* HWY_RESTRICT out) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  auto total = hn::Zero(d);
  for (size_t first = 0; first < stride; first += kRowsTogether * lanes) {
    auto sum = hn::Zero(d);
    const size_t last = std::min(stride, first + kRowsTogether * lanes);
    for (size_t j = first; j < last; j += lanes) {
      const auto product = hn::Mul(hn::LoadU(d, a + j), hn::LoadU(d, b + j));
      hn::StoreU(product, d, out + j);
      sum = hn::Add(sum, product);
    }
    total = hn::Add(total, sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, total));
}

void Scale(float* x, size_t stride, float factor) {
  const Floats d;
  const auto f = hn::Set(d, factor);
  for (size_t j = 0; j < stride; j += hn::Lanes(d)) hn::StoreU(hn::Mul(hn::LoadU(d, x + j), f), d, x + j);
}

float MaxOf(const float* x, size_t stride) {
  const Floats d;
  auto top = hn::LoadU(d, x);
  for (size_t j = hn::Lanes(d); j < stride; j += hn::Lanes(d)) top = hn::Max(top, hn::LoadU(d, x + j));
  return hn::GetLane(hn::MaxOfLanes(d, top));
}

/// out[j] = exp(x[j] − offset). Arguments below −87 give 0 (and −∞ too, which Exp itself does not promise).
void ExpOf(const float* x, size_t stride, float offset, float* out) {
  const Floats d;
  const auto lowest = hn::Set(d, -kLostBeyond);
  for (size_t j = 0; j < stride; j += hn::Lanes(d)) {
    const auto argument = hn::Sub(hn::LoadU(d, x + j), hn::Set(d, offset));
    const auto clipped = hn::Max(argument, lowest);
    hn::StoreU(hn::IfThenElseZero(hn::Ge(argument, lowest), hn::Exp(d, clipped)), d, out + j);
  }
}

/// pairs[i][j] += matrix[i][j] · Σ_{t ≥ 1} alpha[t−1][i] · beta[t][j]: the expected number of transitions,
/// the sums over t held in registers.
template <size_t N>
HWY_INLINE void PairSums(const float* alpha, const float* beta, const float* matrix, size_t T, size_t K,
                         size_t S, size_t j, float* pairs) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < K; ++i) {
    hn::Vec<Floats> sum[N];
    ESPALIER_UNROLL
    for (size_t v = 0; v < N; ++v) sum[v] = hn::Zero(d);
    for (size_t t = 1; t < T; ++t) {
      const auto a = hn::Set(d, alpha[(t - 1) * S + i]);
      ESPALIER_UNROLL
      for (size_t v = 0; v < N; ++v)
        sum[v] = hn::MulAdd(a, hn::LoadU(d, beta + t * S + j + v * lanes), sum[v]);
    }
    ESPALIER_UNROLL
    for (size_t v = 0; v < N; ++v) {
      const size_t at = i * S + j + v * lanes;
      hn::StoreU(hn::MulAdd(sum[v], hn::LoadU(d, matrix + at), hn::LoadU(d, pairs + at)), d, pairs + at);
    }
  }
}

/// Forward and backward in scaled probabilities. With ψ_t = exp(node_t − m_t) and M = exp(trans − o):
///   α_t ∝ ψ_t ∘ (Mᵀ α_{t−1}), scaled by 1/z_t to sum to 1, so that log Z = Σ log z_t + m_t + o;
///   b_t = ψ_t ∘ β_t,  β_{t−1} = M b_t / z_t  (β_{T−1} = 1), which makes α_t ∘ β_t the marginal at once and
///   P(y_{t−1} = i, y_t = j) = α_{t−1}[i] M[i][j] b_t[j] / z_t.
/// The scratch's beta holds b_t / z_t. Returns NaN, with nothing added to `pairs`, if a position's sum
/// underflowed, if a label may have been lost (lost_labels.h), or if forward and backward disagree: Σ_j
/// α_t[j]·β_t[j] must be 1, and is not if labels that matter later were too unlikely at first for a float.
/// The caller then falls back to log space.
double ForwardBackward(const ChainScores& s, const TransitionPotentials& p, ChainScratch& scratch,
                       float* marginals, float* pairs, float* edge_marginals) {
  const size_t T = s.length, K = s.labels, S = s.stride;
  scratch.potentials.resize(T * S);
  scratch.alpha.resize(T * S);
  scratch.beta.resize(T * S);
  scratch.delta.resize(2 * S);
  float* psi = scratch.potentials.data();
  float* alpha = scratch.alpha.data();
  float* beta = scratch.beta.data();
  float* message = scratch.delta.data();
  const bool own_edges = s.edge != nullptr;
  if (own_edges) scratch.edge_potentials.resize(T * K * S);
  double log_z = 0;
  float spread = own_edges ? 0 : p.spread;
  thread_local AlignedVector<float> inverse_z;
  inverse_z.resize(T);
  for (size_t t = 0; t < T; ++t) {
    if (StopKernels::wanted(K)) return 0;
    const float* node = s.node + t * S;
    const float top = MaxOf(node, S);
    if (!(std::abs(top) < std::numeric_limits<float>::infinity()))
      return std::numeric_limits<double>::quiet_NaN();
    ExpOf(node, S, top, psi + t * S);
    log_z += top;
    float z;
    if (t == 0) {
      z = 0;
      for (size_t j = 0; j < S; ++j) z += psi[j];
      std::copy(psi, psi + S, alpha);
    } else {
      const float* matrix = p.forward.data();
      float offset = p.offset;
      if (own_edges) {
        float* mine = scratch.edge_potentials.data() + t * K * S;
        const float* raw = s.transitions_into(t);
        offset = -std::numeric_limits<float>::infinity();
        for (size_t i = 0; i < K; ++i)
          for (size_t j = 0; j < K; ++j) offset = std::max(offset, raw[i * S + j]);
        if (!(std::abs(offset) < std::numeric_limits<float>::infinity()))
          return std::numeric_limits<double>::quiet_NaN();
        spread = std::max(spread, spread_of(raw, K, S, offset));
        ExpOf(raw, K * S, offset, mine);
        matrix = mine;
      }
      log_z += offset;
      MulSumStep(alpha + (t - 1) * S, matrix, K, S, message);
      z = ProductSum(message, psi + t * S, S, alpha + t * S);
    }
    if (!(z > 1e-30f && z < 1e30f)) return std::numeric_limits<double>::quiet_NaN();
    log_z += std::log(static_cast<double>(z));
    inverse_z[t] = 1 / z;
    Scale(alpha + t * S, S, inverse_z[t]);
  }
  if (loses_labels(s, spread)) return std::numeric_limits<double>::quiet_NaN();
  constexpr float kDisagreement = 1e-4f;
  float* b_message = message + S;  // β_t
  std::fill(b_message, b_message + S, 1.0f);
  for (size_t t = T; t-- > 0;) {
    if (StopKernels::wanted(K)) return 0;
    const float sum_of_marginals =
        ProductSum(alpha + t * S, b_message, S, marginals == nullptr ? message : marginals + t * S);
    if (!(std::abs(sum_of_marginals - 1) < kDisagreement)) return std::numeric_limits<double>::quiet_NaN();
    ProductSum(psi + t * S, b_message, S, beta + t * S);
    Scale(beta + t * S, S, inverse_z[t]);
    if (t == 0) break;
    if (own_edges) {
      const float* matrix = scratch.edge_potentials.data() + t * K * S;
      for (size_t i = 0; i < K; ++i) {
        float sum = 0;
        for (size_t j = 0; j < K; ++j) {
          const float term = matrix[i * S + j] * beta[t * S + j];
          sum += term;
          if (edge_marginals != nullptr) edge_marginals[(t * K + i) * S + j] = alpha[(t - 1) * S + i] * term;
        }
        b_message[i] = sum;
      }
    } else {
      MulSumStep(beta + t * S, p.backward.data(), K, S, b_message);
    }
  }
  if (pairs != nullptr && own_edges) {
    for (size_t t = 1; t < T; ++t)
      for (size_t i = 0; i < K; ++i)
        for (size_t j = 0; j < K; ++j)
          pairs[i * S + j] +=
              alpha[(t - 1) * S + i] * scratch.edge_potentials[(t * K + i) * S + j] * beta[t * S + j];
  } else if (pairs != nullptr) {
    const size_t lanes = hn::Lanes(Floats());
    size_t j = 0;
    for (; j + 4 * lanes <= S && !StopKernels::wanted(K); j += 4 * lanes)
      PairSums<4>(alpha, beta, p.forward.data(), T, K, S, j, pairs);
    for (; j + 2 * lanes <= S; j += 2 * lanes) PairSums<2>(alpha, beta, p.forward.data(), T, K, S, j, pairs);
    for (; j < S; j += lanes) PairSums<1>(alpha, beta, p.forward.data(), T, K, S, j, pairs);
  }
  return log_z;
}

float Softmax(float* x, size_t n) {
  const size_t padded_n = round_up(n, 8);
  for (size_t j = n; j < padded_n; ++j) x[j] = -std::numeric_limits<float>::infinity();
  const float top = MaxOf(x, padded_n);
  ExpOf(x, padded_n, top, x);
  float sum = 0;
  for (size_t j = 0; j < n; ++j) sum += x[j];
  Scale(x, padded_n, 1 / sum);
  return top + std::log(sum);
}

void ExpInto(const float* x, size_t n, float offset, float* out) { ExpOf(x, n, offset, out); }

}  // namespace espalier::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier::chain {

HWY_EXPORT(ForwardBackward);
HWY_EXPORT(Softmax);
HWY_EXPORT(ExpInto);

double forward_backward(const ChainScores& scores, const TransitionPotentials& potentials,
                        ChainScratch& scratch, float* marginals, float* pairs, float* edge_marginals) {
  if (scores.length == 0) return 0;
  const double log_z =
      HWY_DYNAMIC_DISPATCH(ForwardBackward)(scores, potentials, scratch, marginals, pairs, edge_marginals);
  if (!std::isnan(log_z)) return log_z;
  return forward_backward_plain(scores, marginals, pairs, edge_marginals);
}

float softmax(float* x, size_t n) { return HWY_DYNAMIC_DISPATCH(Softmax)(x, n); }

void TransitionPotentials::assign(const float* trans, size_t label_count, size_t row_stride) {
  labels = label_count;
  stride = row_stride;
  offset = -std::numeric_limits<float>::infinity();
  for (size_t i = 0; i < labels; ++i)
    for (size_t j = 0; j < labels; ++j) offset = std::max(offset, trans[i * stride + j]);
  // With 8,000 labels, each of these takes a tenth of a second.
  const auto stopped = [&] { return StopKernels::wanted(labels); };
  if (stopped()) return;
  spread = spread_of(trans, labels, stride, offset);
  if (stopped()) return;
  forward.resize(labels * stride);
  if (stopped()) return;
  backward.assign(labels * stride, 0.0f);
  if (stopped()) return;
  HWY_DYNAMIC_DISPATCH(ExpInto)(trans, labels * stride, offset, forward.data());
  for (size_t i = 0; i < labels; ++i) std::fill_n(&forward[i * stride + labels], stride - labels, 0.0f);
  constexpr size_t kTile = 32;  // rows of it fit into the cache in both directions
  for (size_t first = 0; first < labels && !stopped(); first += kTile)
    for (size_t j = 0; j < labels; ++j)
      for (size_t i = first; i < std::min(labels, first + kTile); ++i)
        backward[j * stride + i] = forward[i * stride + j];
}

}  // namespace espalier::chain
#endif

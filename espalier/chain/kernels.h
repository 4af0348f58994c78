// The two kernels of first-order chains, viterbi() and forward_backward(). Much of the time of tagging and of
// training a chain is spent here, so they use vector instructions and assume that every label is possible at
// every position. Pruned states, higher orders and n-best lists are in lattice/lattice.h.
//
// Shapes, with T positions, K labels and S = K rounded up to a whole number of vectors:
//   node  T×S    score of label j at position t, −∞ in the padding lanes
//   trans K×S    score of label j after label i, the same at every position
//   edge  T×K×S  (or null) scores that replace trans between t−1 and t (t ≥ 1), if observations score pairs
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "espalier/base/array.h"

namespace espalier::chain {

/// Minus infinity, the score of an impossible label or labelling, in float (scores) and double (sums).
inline constexpr float kImpossible = -std::numeric_limits<float>::infinity();
inline constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

struct ChainScores {
  size_t length = 0;  ///< T
  size_t labels = 0;  ///< K
  size_t stride = 0;  ///< S
  const float* node = nullptr;
  const float* trans = nullptr;
  const float* edge = nullptr;

  const float* transitions_into(size_t t) const {
    return edge == nullptr ? trans : edge + t * labels * stride;
  }
};

/// Buffers of the two kernels, reused from sequence to sequence; one per thread.
struct ChainScratch {
  AlignedVector<float> delta;       ///< 2×S, or T×S
  AlignedVector<uint16_t> back;     ///< T×S
  AlignedVector<float> potentials;  ///< T×S: exp of node scores
  AlignedVector<float> alpha;       ///< T×S, each row sums to 1
  AlignedVector<float> beta;        ///< T×S, potentials · backward messages
  AlignedVector<float> edge_potentials;
};

/// exp of the transition scores. Computed once and shared by all sequences scored with the same weights.
struct TransitionPotentials {
  size_t labels = 0, stride = 0;
  float offset = 0;               ///< what was subtracted before exp
  float spread = 0;               ///< the largest score less the smallest finite one
  AlignedVector<float> forward;   ///< K×S: exp(trans[i][j] − offset)
  AlignedVector<float> backward;  ///< its transpose
  void assign(const float* trans, size_t label_count, size_t row_stride);
};

/// The best labelling and its score (equation: max over y of Σ_t node[t][y_t] + trans[y_{t−1}][y_t]). Ties go
/// to the lower label. O(T·K²). Back pointers take 16 bits each. Returns −∞ if every labelling scores −∞.
///
/// trans_into: null, or `trans` with rows and columns changed over (K×S, trans_into[j][i] = trans[i][j], any
/// finite number or −∞ in the padding), with which it takes less time and gives the same.
double viterbi(const ChainScores& scores, ChainScratch& scratch, uint16_t* best,
               const float* trans_into = nullptr);
double viterbi_plain(const ChainScores& scores, uint16_t* best);

/// log Z and posterior probabilities.
///   marginals T×S: P(y_t = j); may be null.
///   pairs K×S: += P(y_{t−1} = i, y_t = j) summed over t; may be null. With edge scores, `edge_marginals`
///   (T×K×S) gets each position's own instead, where it is not null.
/// Works on probabilities scaled to sum to 1 at each position; if these under- or overflow (scores hundreds
/// apart), it falls back to log space.
double forward_backward(const ChainScores& scores, const TransitionPotentials& potentials,
                        ChainScratch& scratch, float* marginals, float* pairs,
                        float* edge_marginals = nullptr);
double forward_backward_plain(const ChainScores& scores, float* marginals, float* pairs,
                              float* edge_marginals = nullptr);

/// In place: x[j] = exp(x[j] − max x) / Σ for j < n; padding to a whole vector becomes 0. Returns log Σ exp
/// x.
float softmax(float* x, size_t n);

}  // namespace espalier::chain

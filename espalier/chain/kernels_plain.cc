// Part of kernels.h: the same results computed directly, in double and log space. The reference for the fast
// kernels in tests, and the fallback of forward_backward when scaled probabilities underflow. Tested in
// kernels_test.cc.
#include <cmath>
#include <limits>
#include <vector>

#include "espalier/chain/kernels.h"
#include "espalier/chain/stop_kernels.h"

namespace espalier::chain {

namespace {
double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kMinusInfinity ? a : a + std::log1p(std::exp(b - a));
}
}  // namespace

double viterbi_plain(const ChainScores& s, uint16_t* best) {
  const size_t T = s.length, K = s.labels;
  if (T == 0) return 0;
  std::vector<double> delta(T * K, kMinusInfinity);
  std::vector<uint16_t> back(T * K, 0);
  for (size_t j = 0; j < K; ++j) delta[j] = s.node[j];
  for (size_t t = 1; t < T; ++t) {
    const float* trans = s.transitions_into(t);
    for (size_t j = 0; j < K; ++j) {
      for (size_t i = 0; i < K; ++i) {
        const double score = delta[(t - 1) * K + i] + trans[i * s.stride + j];
        if (score > delta[t * K + j]) {
          delta[t * K + j] = score;
          back[t * K + j] = static_cast<uint16_t>(i);
        }
      }
      delta[t * K + j] += s.node[t * s.stride + j];
    }
  }
  uint16_t label = 0;
  for (uint16_t j = 1; j < K; ++j)
    if (delta[(T - 1) * K + j] > delta[(T - 1) * K + label]) label = j;
  const double score = delta[(T - 1) * K + label];
  for (size_t t = T; t-- > 0;) {
    best[t] = label;
    label = back[t * K + label];
  }
  return score;
}

double forward_backward_plain(const ChainScores& s, float* marginals, float* pairs, float* edge_marginals) {
  const size_t T = s.length, K = s.labels, S = s.stride;
  if (T == 0) return 0;
  std::vector<double> alpha(T * K, kMinusInfinity), beta(T * K, kMinusInfinity);
  for (size_t j = 0; j < K; ++j) alpha[j] = s.node[j];
  for (size_t t = 1; t < T; ++t) {
    const float* trans = s.transitions_into(t);
    for (size_t j = 0; j < K && !StopKernels::wanted(K); ++j) {
      double& a = alpha[t * K + j];
      for (size_t i = 0; i < K; ++i) a = log_add(a, alpha[(t - 1) * K + i] + trans[i * S + j]);
      a += s.node[t * S + j];
    }
  }
  for (size_t j = 0; j < K; ++j) beta[(T - 1) * K + j] = 0;
  for (size_t t = T - 1; t > 0; --t) {
    const float* trans = s.transitions_into(t);
    for (size_t i = 0; i < K && !StopKernels::wanted(K); ++i)
      for (size_t j = 0; j < K; ++j)
        beta[(t - 1) * K + i] =
            log_add(beta[(t - 1) * K + i], beta[t * K + j] + trans[i * S + j] + s.node[t * S + j]);
  }
  double log_z = kMinusInfinity;
  for (size_t j = 0; j < K; ++j) log_z = log_add(log_z, alpha[(T - 1) * K + j]);
  for (size_t t = 0; t < T; ++t) {
    if (marginals != nullptr)
      for (size_t j = 0; j < S; ++j)
        marginals[t * S + j] =
            j < K ? static_cast<float>(std::exp(alpha[t * K + j] + beta[t * K + j] - log_z)) : 0.0f;
    if (t == 0 || (pairs == nullptr && edge_marginals == nullptr)) continue;
    const float* trans = s.transitions_into(t);
    for (size_t i = 0; i < K && !StopKernels::wanted(K); ++i) {
      for (size_t j = 0; j < K; ++j) {
        const float p = static_cast<float>(std::exp(alpha[(t - 1) * K + i] + trans[i * S + j] +
                                                    s.node[t * S + j] + beta[t * K + j] - log_z));
        if (pairs != nullptr) pairs[i * S + j] += p;
        if (edge_marginals != nullptr) edge_marginals[(t * K + i) * S + j] = p;
      }
    }
  }
  return log_z;
}

}  // namespace espalier::chain

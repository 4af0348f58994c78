// For tests: chains with random scores, and every result by enumerating all labellings.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/random.h"
#include "espalier/chain/kernels.h"
#include "espalier/linear/rows.h"

namespace espalier::chain {

/// Scores laid out as the kernels need them: padding lanes of nodes −∞, of transitions 0, of edges −∞.
struct RandomChain {
  size_t T, K, S;
  AlignedVector<float> node, trans, edge;

  RandomChain(uint64_t seed, size_t length, size_t labels, float spread, bool with_edges = false)
      : T(length), K(labels), S(linear::padded(labels)) {
    Random random(seed);
    const auto draw = [&] { return spread * static_cast<float>(random.gaussian()); };
    node.assign(T * S, kImpossible);
    trans.assign(K * S, 0.0f);
    for (size_t t = 0; t < T; ++t)
      for (size_t j = 0; j < K; ++j) node[t * S + j] = draw();
    for (size_t i = 0; i < K; ++i)
      for (size_t j = 0; j < K; ++j) trans[i * S + j] = draw();
    if (!with_edges) return;
    edge.assign(T * K * S, kImpossible);
    for (size_t t = 1; t < T; ++t)
      for (size_t i = 0; i < K; ++i)
        for (size_t j = 0; j < K; ++j) edge[(t * K + i) * S + j] = trans[i * S + j] + draw();
  }

  ChainScores view() const {
    return {T, K, S, node.data(), trans.data(), edge.empty() ? nullptr : edge.data()};
  }
  TransitionPotentials potentials() const {
    TransitionPotentials p;
    p.assign(trans.data(), K, S);
    return p;
  }
  double score(const std::vector<uint16_t>& y) const {
    double sum = 0;
    for (size_t t = 0; t < T; ++t) {
      sum += static_cast<double>(node[t * S + y[t]]);
      if (t > 0) sum += static_cast<double>(view().transitions_into(t)[y[t - 1] * S + y[t]]);
    }
    return sum;
  }
  /// Calls visit(labelling) for all K^T of them, in the order that counts the last position fastest.
  template <typename Visit>
  void for_each_labelling(Visit&& visit) const {
    std::vector<uint16_t> y(T, 0);
    while (true) {
      visit(y);
      size_t t = T;
      while (t > 0 && ++y[t - 1] == K) y[--t] = 0;
      if (t == 0) return;
    }
  }
};

/// log Z and all marginals by summing over every labelling.
struct BruteForce {
  double log_z = 0, best = -std::numeric_limits<double>::infinity();
  std::vector<double> marginals;       ///< T×S
  std::vector<double> edge_marginals;  ///< T×K×S
  explicit BruteForce(const RandomChain& c)
      : marginals(c.T * c.S, 0.0), edge_marginals(c.T * c.K * c.S, 0.0) {
    c.for_each_labelling([&](const std::vector<uint16_t>& y) { best = std::max(best, c.score(y)); });
    double sum = 0;
    c.for_each_labelling([&](const std::vector<uint16_t>& y) {
      const double p = std::exp(c.score(y) - best);
      sum += p;
      for (size_t t = 0; t < c.T; ++t) {
        marginals[t * c.S + y[t]] += p;
        if (t > 0) edge_marginals[(t * c.K + y[t - 1]) * c.S + y[t]] += p;
      }
    });
    for (double& m : marginals) m /= sum;
    for (double& m : edge_marginals) m /= sum;
    log_z = best + std::log(sum);
  }
};

}  // namespace espalier::chain

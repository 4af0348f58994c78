// The fast kernels of chains against their plain twins, on scores made of the input's bytes.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "espalier/chain/kernels.h"
#include "espalier/linear/rows.h"

namespace {

using namespace espalier;
using namespace espalier::chain;

[[noreturn]] void differ(const char* what, double fast, double plain) {
  std::fprintf(stderr, "%s: %.9g, the plain kernel %.9g\n", what, fast, plain);
  std::abort();
}

void expect_near(const char* what, double fast, double plain, double tolerance) {
  if (fast == plain) return;
  if (!(std::abs(fast - plain) <= tolerance)) differ(what, fast, plain);
}

struct Scores {
  size_t T, K, S;
  AlignedVector<float> node, trans, edge;
};

/// Bytes are scores in steps of a quarter; 255 at a node is minus infinity, unless that leaves no label.
Scores scores_of(const uint8_t* data, size_t size) {
  Scores s;
  s.T = 1 + data[0] % 12;
  s.K = 1 + data[1] % 20;
  s.S = linear::padded(s.K);
  const float step = data[2] % 4 == 3 ? 20.0f : 0.25f;  // far apart: probabilities underflow
  size_t at = 3;
  const auto next = [&]() -> uint8_t { return data[3 + at++ % (size - 3)]; };
  const auto score = [&] { return step * static_cast<float>(static_cast<int8_t>(next())); };
  s.node.assign(s.T * s.S, kImpossible);
  s.trans.assign(s.K * s.S, 0.0f);
  for (size_t t = 0; t < s.T; ++t)
    for (size_t j = 0; j < s.K; ++j) {
      const uint8_t byte = next();
      s.node[t * s.S + j] =
          byte == 255 && j > 0 ? kImpossible : step * static_cast<float>(static_cast<int8_t>(byte));
    }
  for (size_t i = 0; i < s.K; ++i)
    for (size_t j = 0; j < s.K; ++j) s.trans[i * s.S + j] = score();
  if (data[2] % 2 == 1) {
    s.edge.assign(s.T * s.K * s.S, kImpossible);
    for (size_t t = 1; t < s.T; ++t)
      for (size_t i = 0; i < s.K; ++i)
        for (size_t j = 0; j < s.K; ++j) s.edge[(t * s.K + i) * s.S + j] = score();
  }
  return s;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  const Scores s = scores_of(data, size);
  const ChainScores view{
      s.T, s.K, s.S, s.node.data(), s.trans.data(), s.edge.empty() ? nullptr : s.edge.data()};
  ChainScratch scratch;
  std::vector<uint16_t> best(s.T), best_plain(s.T);
  const double score = viterbi(view, scratch, best.data());
  const double score_plain = viterbi_plain(view, best_plain.data());
  // Scores are multiples of a quarter below 2^24: their sums are exact.
  if (score != score_plain) differ("viterbi", score, score_plain);
  for (size_t t = 0; t < s.T; ++t)
    if (best[t] != best_plain[t]) differ("label", best[t], best_plain[t]);

  TransitionPotentials potentials;
  potentials.assign(s.trans.data(), s.K, s.S);
  AlignedVector<float> marginals(s.T * s.S, 0.0f), marginals_plain(s.T * s.S, 0.0f), pairs(s.K * s.S, 0.0f),
      pairs_plain(s.K * s.S, 0.0f), edges(s.edge.size(), 0.0f), edges_plain(s.edge.size(), 0.0f);
  const double log_z = forward_backward(view, potentials, scratch, marginals.data(), pairs.data(),
                                        s.edge.empty() ? nullptr : edges.data());
  const double log_z_plain = forward_backward_plain(view, marginals_plain.data(), pairs_plain.data(),
                                                    s.edge.empty() ? nullptr : edges_plain.data());
  const double length = static_cast<double>(s.T);
  expect_near("log Z", log_z, log_z_plain, 1e-4 * std::max(1.0, std::abs(log_z_plain)));
  for (size_t t = 0; t < s.T; ++t)
    for (size_t j = 0; j < s.K; ++j)
      expect_near("marginal", marginals[t * s.S + j], marginals_plain[t * s.S + j], 2e-3);
  for (size_t i = 0; i < s.K; ++i)
    for (size_t j = 0; j < s.K; ++j)
      expect_near("pair", pairs[i * s.S + j], pairs_plain[i * s.S + j], 2e-3 * length);
  for (size_t i = 0; i < edges.size(); ++i) expect_near("edge", edges[i], edges_plain[i], 2e-3);
  return 0;
}

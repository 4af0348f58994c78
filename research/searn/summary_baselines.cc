#include "research/searn/summary_baselines.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier::research {
namespace {

std::vector<uint32_t> first_that_fit(const tasks::SummaryInput& input, const std::vector<uint32_t>& order) {
  std::vector<uint32_t> out;
  size_t words = 0;
  for (const uint32_t p : order) {
    if (words + input.pieces[p].size() > input.limit) continue;
    words += input.pieces[p].size();
    out.push_back(p);
  }
  return out;
}

}  // namespace

std::vector<uint32_t> lead_summary(const tasks::SummaryInput& input, const tasks::Cluster& cluster) {
  std::vector<uint32_t> order(input.pieces.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return cluster.sentences[input.pieces[a].sentence].number <
           cluster.sentences[input.pieces[b].sentence].number;
  });
  return first_that_fit(input, order);
}

std::vector<uint32_t> random_summary(const tasks::SummaryInput& input, Random random) {
  std::vector<uint32_t> order(input.pieces.size());
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span<uint32_t>(order));
  return first_that_fit(input, order);
}

std::vector<uint32_t> coverage_summary(const tasks::SummaryInput& input) {
  float least = 1;
  for (const tasks::PairStatistics& pair : input.pairs) least = std::min(least, pair.spread);
  std::vector<uint8_t> covered(input.pairs.size(), 0), chosen(input.pieces.size(), 0);
  const auto gain = [&](uint32_t p) {
    double sum = 0;
    std::vector<uint32_t> own;  // a pair counts once
    for (uint32_t w = input.pieces[p].first; w + 1 < input.pieces[p].last; ++w) {
      const uint32_t pair = input.words[w].pair;
      if (covered[pair] != 0 || std::find(own.begin(), own.end(), pair) != own.end()) continue;
      own.push_back(pair);
      sum += std::max(0.0f, input.pairs[pair].spread - least);
    }
    return sum;
  };
  std::vector<uint32_t> out;
  size_t words = 0;
  while (true) {
    uint32_t best = tasks::kNoPiece;
    double most = -1;
    for (uint32_t p = 0; p < input.pieces.size(); ++p) {
      if (chosen[p] != 0 || words + input.pieces[p].size() > input.limit) continue;
      const double per_word = gain(p) / input.pieces[p].size();
      if (per_word > most) {
        most = per_word;
        best = p;
      }
    }
    if (best == tasks::kNoPiece) return out;
    chosen[best] = 1;
    words += input.pieces[best].size();
    out.push_back(best);
    for (uint32_t w = input.pieces[best].first; w + 1 < input.pieces[best].last; ++w)
      covered[input.words[w].pair] = 1;
  }
}

double paired_p_value(const std::vector<double>& first, const std::vector<double>& second, Random random) {
  ESPALIER_CHECK(first.size() == second.size());
  constexpr int kSamples = 10000;
  double difference = 0;
  for (size_t i = 0; i < first.size(); ++i) difference += first[i] - second[i];
  int as_large = 1;
  for (int s = 0; s < kSamples; ++s) {
    double sum = 0;
    for (size_t i = 0; i < first.size(); ++i)
      sum += (random.next() >> 63 != 0 ? 1 : -1) * (first[i] - second[i]);
    as_large += std::abs(sum) >= std::abs(difference) - 1e-12;
  }
  return static_cast<double>(as_large) / (kSamples + 1);
}

}  // namespace espalier::research

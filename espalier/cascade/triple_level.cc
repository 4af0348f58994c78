#include "espalier/cascade/triple_level.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numbers>

namespace espalier::cascade {

using data::Label;

TripleWeights::TripleWeights(const GramTable& grams, std::span<const float> gram)
    : labels(grams.labels()),
      triple(labels * labels * labels),
      pair(labels * labels),
      second(labels * labels),
      last_triple(labels * labels),
      last_pair(labels),
      first_pair(labels),
      first(labels),
      alone(labels) {
  ESPALIER_CHECK(labels <= kMostLabels);
  const size_t K = labels;
  const auto weight = [&](uint32_t number) { return number < gram.size() ? gram[number] : 0.0f; };
  const uint32_t starts = grams.find(grams.start(), grams.start());
  for (uint32_t j = 0; j < K; ++j) {
    const uint32_t start_j = grams.find(grams.start(), j);
    last_pair[j] = weight(grams.find(j, grams.end()));
    first_pair[j] = weight(start_j);
    first[j] = weight(grams.find(starts, j));
    alone[j] = weight(grams.find(start_j, grams.end()));
    for (uint32_t i = 0; i < K; ++i) {
      const uint32_t i_j = grams.find(i, j);
      pair[j * K + i] = weight(i_j);
      second[j * K + i] = weight(grams.find(grams.find(grams.start(), i), j));
      last_triple[j * K + i] = weight(grams.find(i_j, grams.end()));
    }
  }
  // Few triples of all that are possible occur.
  for (uint32_t e = 0; e < grams.entries().size(); ++e) {
    const GramTable::Entry triple_end = grams.entries()[e];
    if (triple_end.prefix < grams.single() || triple_end.last >= K) continue;
    const GramTable::Entry pair_end = grams.entry(triple_end.prefix);
    if (pair_end.prefix >= K || pair_end.last >= K) continue;
    triple[(triple_end.last * K + pair_end.last) * K + pair_end.prefix] =
        weight(static_cast<uint32_t>(grams.single()) + e);
  }
}

double TripleLevel::decode(const KeptPairs& pairs, std::span<const float> node, const TripleWeights& weights,
                           std::vector<Label>& labels) {
  const AliveLabels& alive = pairs.alive;
  const std::span<const uint32_t> place = pairs.place, source = pairs.source;
  const size_t T = alive.positions(), K = weights.labels, all = source.size();
  best_.resize(all);
  back_.resize(all);
  from_.resize(all);
  for (size_t t = 0; t < T; ++t)
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s) {
      const Label j = alive.label[s];
      for (uint32_t p = place[s]; p < place[s + 1]; ++p) {
        if (t == 0) {
          float score = node[s] + weights.first_pair[j];
          score += weights.first[j];
          if (T == 1) score = score + weights.last_pair[j] + weights.alone[j];
          best_[p] = 0.0 + score;
          continue;
        }
        const uint32_t before = source[p];
        const Label i = alive.label[before];
        from_[p] = i;
        float score = node[s] + weights.pair[j * K + i];
        if (t + 1 == T) score = score + weights.last_pair[j] + weights.last_triple[j * K + i];
        uint32_t top = place[before];
        double most = best_[top];
        if (t == 1) {
          most += weights.second[j * K + i];
        } else {
          const float* const row = weights.triple.data() + (j * K + i) * K;
          most += row[from_[top]];
          for (uint32_t q = top + 1; q < place[before + 1]; ++q) {
            const double through = best_[q] + row[from_[q]];
            if (through <= most) continue;
            most = through;
            top = q;
          }
        }
        best_[p] = most + score;
        back_[p] = top;
      }
    }
  const auto end = best_.begin() + place[alive.begin[T - 1]];
  auto p = static_cast<uint32_t>(std::max_element(end, best_.end()) - best_.begin());
  const double score = best_[p];
  labels.resize(T);
  // The label of a pair is that of the state it leads to; going back, it is the source of the next pair.
  uint32_t state = alive.begin[T - 1];
  while (place[state + 1] <= p) ++state;
  for (size_t t = T; t-- > 0;) {
    labels[t] = alive.label[state];
    if (t == 0) break;
    state = source[p];
    p = back_[p];
  }
  return score;
}

double TripleLevel::score_of(const KeptPairs& pairs, std::span<const float> node,
                             const TripleWeights& weights, std::span<const Label> labels) const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const AliveLabels& alive = pairs.alive;
  const size_t T = labels.size(), K = weights.labels;
  double sum = 0;
  uint32_t before = 0;
  for (size_t t = 0; t < T; ++t) {
    const Label j = labels[t];
    uint32_t s = alive.begin[t];
    while (s < alive.begin[t + 1] && alive.label[s] != j) ++s;
    if (s == alive.begin[t + 1]) return kNone;
    float score = node[s];
    if (t == 0) {
      score = score + weights.first_pair[j] + weights.first[j];
      if (T == 1) score = score + weights.last_pair[j] + weights.alone[j];
    } else {
      const auto from = pairs.source.begin() + pairs.place[s], to = pairs.source.begin() + pairs.place[s + 1];
      if (std::find(from, to, before) == to) return kNone;
      const Label i = labels[t - 1];
      score += weights.pair[j * K + i];
      if (t + 1 == T) score = score + weights.last_pair[j] + weights.last_triple[j * K + i];
      sum += t == 1 ? weights.second[j * K + i] : weights.triple[(j * K + i) * K + labels[t - 2]];
    }
    sum += score;
    before = s;
  }
  return sum;
}

bool TripleLevel::find_shares(const KeptPairs& pairs, const TripleWeights& weights, double temperature,
                              double least, std::vector<BestShare>& out) {
  constexpr double kNegligible = 40, kTooMany = 1e100;  // e⁻⁴⁰ is 10⁻¹⁷
  const AliveLabels& alive = pairs.alive;
  const std::span<const uint32_t> place = pairs.place;
  const uint32_t T = static_cast<uint32_t>(alive.positions());
  const size_t K = weights.labels;
  const double factor = 1 / (temperature * std::numbers::ln2);
  // At least e^(−gap/temperature): 2^(n + r) with 0 ≤ r < 1 is at most 2ⁿ·(1 + r), whose bits are n and r.
  const auto share_of = [&](double gap) {
    const double exponent = gap * factor;
    if (exponent > kNegligible) return 0.0;
    return std::bit_cast<double>(static_cast<uint64_t>((1023 - exponent) * 0x1p52));
  };
  sum_.resize(best_.size());
  out.clear();
  uint32_t first = 0;
  const auto end_stretch = [&](uint32_t t, double sum) {
    if (!(1 >= least * sum)) return false;
    if (sum > 1) out.push_back({first, t, 1 / sum});
    first = t;
    return true;
  };
  for (uint32_t t = 0; t < T; ++t) {
    const uint32_t begin = place[alive.begin[t]], end = place[alive.begin[t + 1]];
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s)
      for (uint32_t p = place[s]; p < place[s + 1]; ++p) {
        if (t == 0) {
          sum_[p] = 1;
          continue;
        }
        const uint32_t before = pairs.source[p], top = back_[p];
        if (place[before] + 1 == place[before + 1]) {
          sum_[p] = sum_[top];
          continue;
        }
        const float* const row = weights.triple.data() + (alive.label[s] * K + from_[p]) * K;
        const double most = best_[top] + row[from_[top]];
        double sum = 0;
        for (uint32_t q = place[before]; q < place[before + 1]; ++q)
          sum += sum_[q] * share_of(most - (best_[q] + row[from_[q]]));
        if (sum > kTooMany) return false;
        sum_[p] = sum;
      }
    if (end != begin + 1 || t + 1 == T) continue;
    if (!end_stretch(t, sum_[begin])) return false;
    sum_[begin] = 1;
  }
  const uint32_t last = place[alive.begin[T - 1]];
  const double best = *std::max_element(best_.begin() + last, best_.end());
  double sum = 0;
  for (size_t p = last; p < best_.size(); ++p) sum += sum_[p] * share_of(best - best_[p]);
  return end_stretch(T - 1, sum);
}

void TripleLevel::find_ways_back(const KeptPairs& pairs, const TripleWeights& weights, double temperature,
                                 chain::WaysBack& out) const {
  const AliveLabels& alive = pairs.alive;
  const std::span<const uint32_t> place = pairs.place;
  const size_t T = alive.positions(), K = weights.labels;
  chain::WaySums sums(temperature, out);
  for (size_t t = 0; t < T; ++t) {
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s)
      for (uint32_t p = place[s]; p < place[s + 1]; ++p) {
        if (t == 0) {
          sums.add_first(alive.label[s]);
          continue;
        }
        sums.start(alive.label[s]);
        const uint32_t before = pairs.source[p], top = back_[p];
        if (place[before] + 1 == place[before + 1]) {
          sums.add(top, 0);
        } else {
          const float* const row = weights.triple.data() + (alive.label[s] * K + from_[p]) * K;
          const double most = best_[top] + row[from_[top]];
          for (uint32_t q = place[before]; q < place[before + 1]; ++q)
            sums.add(q, most - (best_[q] + row[from_[q]]));
        }
        sums.finish();
      }
    sums.end_position();
  }
  const uint32_t last = place[alive.begin[T - 1]];
  const double best = *std::max_element(best_.begin() + last, best_.end());
  std::vector<double> below;
  for (size_t p = last; p < best_.size(); ++p) below.push_back(best - best_[p]);
  sums.end(below);
}

}  // namespace espalier::cascade

#include "espalier/cascade/pair_level.h"

#include <algorithm>
#include <cmath>

#include "espalier/cascade/threshold.h"

namespace espalier::cascade {

using data::Label;

PairWeights::PairWeights(const GramTable& grams, std::span<const float> gram)
    : labels(grams.labels()), weight(labels * labels), first(labels), last(labels) {
  const auto weight_of = [&](uint32_t prefix, uint32_t symbol) {
    const uint32_t found = grams.find(prefix, symbol);
    return found < gram.size() ? gram[found] : 0.0f;
  };
  for (uint32_t j = 0; j < labels; ++j) {
    for (uint32_t i = 0; i < labels; ++i) weight[j * labels + i] = weight_of(i, j);
    first[j] = weight_of(grams.start(), j);
    last[j] = weight_of(j, grams.end());
  }
}

void PairLevel::score(std::span<const float> node, const PairWeights& weights) {
  const AliveLabels& alive = *alive_;
  const size_t T = alive.positions();
  arc_begin_.assign(T + 1, 0);
  for (size_t t = 1; t < T; ++t)
    arc_begin_[t + 1] =
        arc_begin_[t] + size_t{alive.begin[t] - alive.begin[t - 1]} * (alive.begin[t + 1] - alive.begin[t]);
  arc_.resize(arc_begin_[T]);
  state_.resize(alive.label.size());
  float* arc = arc_.data();
  for (size_t t = 0; t < T; ++t)
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s) {
      const Label label = alive.label[s];
      float score = node[s];
      if (t == 0) score += weights.first[label];
      if (t + 1 == T) score += weights.last[label];
      state_[s] = score;
      if (t == 0) continue;
      const float* const row = weights.weight.data() + label * weights.labels;
      for (uint32_t source = alive.begin[t - 1]; source < alive.begin[t]; ++source)
        *arc++ = row[alive.label[source]];
    }
}

/// Forward and backward best scores, and the best path; ties as in MaxPass.
void PairLevel::find_best() {
  const AliveLabels& alive = *alive_;
  const size_t T = alive.positions(), states = alive.label.size();
  forward_.resize(states);
  beta_.resize(states);
  const float* arc = arc_.data();
  for (uint32_t s = 0; s < alive.begin[1]; ++s) forward_[s] = 0.0 + state_[s];
  for (size_t t = 1; t < T; ++t) {
    const double* const before = forward_.data() + alive.begin[t - 1];
    const size_t sources = alive.begin[t] - alive.begin[t - 1];
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s, arc += sources) {
      double top = before[0] + arc[0];
      for (size_t i = 1; i < sources; ++i) top = std::max(top, before[i] + arc[i]);
      forward_[s] = top + state_[s];
    }
  }
  path_.resize(T);
  const auto last = forward_.begin() + alive.begin[T - 1];
  auto state = static_cast<uint32_t>(std::max_element(last, forward_.end()) - forward_.begin());
  for (size_t t = T; t-- > 0;) {
    path_[t] = state;
    if (t == 0) break;
    const double* const before = forward_.data() + alive.begin[t - 1];
    const size_t sources = alive.begin[t] - alive.begin[t - 1];
    const float* const into = arc_.data() + arc_begin_[t] + (state - alive.begin[t]) * sources;
    size_t best = 0;
    for (size_t i = 1; i < sources; ++i)
      if (before[i] + into[i] > before[best] + into[best]) best = i;
    state = alive.begin[t - 1] + static_cast<uint32_t>(best);
  }
  std::fill(beta_.begin() + alive.begin[T - 1], beta_.end(), 0.0);
  for (size_t t = T - 1; t > 0; --t) {
    double* const behind = beta_.data() + alive.begin[t - 1];
    const size_t sources = alive.begin[t] - alive.begin[t - 1];
    std::fill(behind, behind + sources, chain::kMinusInfinity);
    const float* into = arc_.data() + arc_begin_[t];
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s, into += sources) {
      const double here = beta_[s] + state_[s];
      for (size_t i = 0; i < sources; ++i) behind[i] = std::max(behind[i], here + into[i]);
    }
  }
}

void PairLevel::keep(const PriorMean& prior, double alpha) {
  const AliveLabels& alive = *alive_;
  const size_t T = alive.positions(), first_end = alive.begin[1];
  const double best = forward_[path_[T - 1]];
  // Regrets take the place of arc scores. Their sum is taken in the order of the arcs, as find_ratings takes
  // it.
  double arc_sum = 0, first_sum = 0;
  for (size_t s = 0; s < first_end; ++s) first_sum += std::max(0.0, best - (forward_[s] + beta_[s]));
  float* arc = arc_.data();
  for (size_t t = 1; t < T; ++t) {
    const double* const before = forward_.data() + alive.begin[t - 1];
    const size_t sources = alive.begin[t] - alive.begin[t - 1];
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s, arc += sources)
      for (size_t i = 0; i < sources; ++i) {
        const double through = before[i] + arc[i] + state_[s] + beta_[s];
        const double regret = std::max(0.0, best - through);
        arc[i] = static_cast<float>(regret);
        arc_sum += regret;
      }
  }
  const double mean = prior.smoothed((first_sum + arc_sum) / static_cast<double>(first_end + arc_.size()), T);
  // Most regrets are so far from the threshold that no division is needed: a rating is 1 − regret / mean,
  // rounded to a float, which moves it by less than 10⁻⁷ of what it is.
  const double limit = (1 - alpha) * mean, margin = mean * 1e-6 * std::max(1.0, std::abs(alpha));
  const auto kept = [&](float regret) -> uint8_t {
    if (mean > 0 && regret < limit - margin) return 1;
    if (mean > 0 && regret > limit + margin && regret > 0) return 0;
    return rating_of(regret, mean) >= alpha;
  };
  keep_arc_.resize(arc_.size());
  for (size_t a = 0; a < arc_.size(); ++a) keep_arc_[a] = kept(arc_[a]);
  keep_state_.assign(alive.label.size(), 1);
  for (size_t s = 0; s < first_end; ++s)
    keep_state_[s] = kept(static_cast<float>(std::max(0.0, best - (forward_[s] + beta_[s]))));
  keep_state_[path_[0]] = 1;
  for (size_t t = 1; t < T; ++t) {
    const size_t sources = alive.begin[t] - alive.begin[t - 1];
    keep_arc_[arc_begin_[t] + (path_[t] - alive.begin[t]) * sources + (path_[t - 1] - alive.begin[t - 1])] =
        1;
  }
}

/// As chain::drop_unconnected; also counts what is left.
void PairLevel::drop_unconnected() {
  const AliveLabels& alive = *alive_;
  const size_t T = alive.positions();
  uint8_t* arc = keep_arc_.data();
  for (size_t t = 1; t < T; ++t) {
    const uint8_t* const before = keep_state_.data() + alive.begin[t - 1];
    const size_t sources = alive.begin[t] - alive.begin[t - 1];
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s, arc += sources) {
      uint8_t reached = 0;
      for (size_t i = 0; i < sources; ++i) {
        arc[i] &= before[i];
        reached |= arc[i];
      }
      keep_state_[s] = reached;
    }
  }
  leads_on_.assign(alive.label.size(), 0);
  for (size_t t = T; t-- > 0;) {
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s) {
      if (t + 1 < T) keep_state_[s] &= leads_on_[s];
      if (t == 0) continue;
      const size_t sources = alive.begin[t] - alive.begin[t - 1];
      uint8_t* const into = keep_arc_.data() + arc_begin_[t] + (s - alive.begin[t]) * sources;
      uint8_t* const on = leads_on_.data() + alive.begin[t - 1];
      for (size_t i = 0; i < sources; ++i) {
        into[i] &= keep_state_[s];
        on[i] |= into[i];
      }
    }
  }
}

void PairLevel::list(KeptPairs& kept) {
  const AliveLabels& alive = *alive_;
  kept.clear();
  number_.resize(alive.label.size());
  const uint8_t* into = keep_arc_.data();
  for (size_t t = 0; t < alive.positions(); ++t) {
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s) {
      number_[s] = static_cast<uint32_t>(kept.place.size());
      if (keep_state_[s]) {
        kept.alive.label.push_back(alive.label[s]);
        kept.place.push_back(static_cast<uint32_t>(kept.source.size()));
        if (t == 0) kept.source.push_back(0);
      }
      if (t == 0) continue;
      for (uint32_t source = alive.begin[t - 1]; source < alive.begin[t]; ++source, ++into)
        if (*into) kept.source.push_back(number_[source]);
    }
    kept.alive.begin.push_back(static_cast<uint32_t>(kept.alive.label.size()));
  }
  kept.place.push_back(static_cast<uint32_t>(kept.source.size()));
  for (size_t p = kept.place[kept.alive.begin[1]]; p < kept.source.size(); ++p)
    kept.triples += kept.place[kept.source[p] + 1] - kept.place[kept.source[p]];
}

void PairLevel::filter(const AliveLabels& alive, std::span<const float> node, const PairWeights& weights,
                       const PriorMean& prior, double alpha, KeptPairs& kept) {
  alive_ = &alive;
  score(node, weights);
  find_best();
  keep(prior, alpha);
  drop_unconnected();
  list(kept);
}

Trellis grown(const KeptPairs& pairs, const GramTable& grams) {
  const AliveLabels& alive = pairs.alive;
  Trellis trellis;
  trellis.gram_length = 2;
  chain::LatticeBuilder builder;
  const size_t states = pairs.source.size();
  builder.reserve(states, pairs.triples);
  trellis.state_grams.resize(states);
  trellis.arc_gram.resize(pairs.triples);
  trellis.rating.assign(states, kNoRating);
  uint32_t* gram = trellis.arc_gram.data();
  for (size_t t = 0; t < alive.positions(); ++t) {
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s) {
      const Label label = alive.label[s];
      for (uint32_t p = pairs.place[s]; p < pairs.place[s + 1]; ++p) {
        builder.add_state(label, 0);
        if (t == 0) {
          trellis.state_grams[p] = grams.find(grams.start(), label);
          continue;
        }
        const uint32_t source = pairs.source[p];
        trellis.state_grams[p] = grams.find(alive.label[source], label);
        const uint32_t from = pairs.place[source], to = pairs.place[source + 1];
        builder.add_arcs(from, to - from);
        for (uint32_t before = from; before < to; ++before)
          *gram++ = grams.find(trellis.state_grams[before], label);
      }
    }
    builder.end_position();
  }
  trellis.lattice = builder.finish();
  find_border_grams(trellis, grams);
  return trellis;
}

}  // namespace espalier::cascade

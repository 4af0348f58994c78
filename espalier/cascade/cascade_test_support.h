// For tests: random trellises, and scores of labellings by the formula.
#pragma once

#include <vector>

#include "espalier/base/random.h"
#include "espalier/cascade/training/stages.h"
#include "espalier/cascade/weights.h"

namespace espalier::cascade {

/// Some labels of each position, at least one; the same for the same random numbers.
inline AliveLabels random_alive(size_t positions, size_t labels, double share, Random& random) {
  AliveLabels alive;
  for (size_t t = 0; t < positions; ++t) {
    const size_t sure = random.below(labels);
    for (size_t j = 0; j < labels; ++j)
      if (j == sure || random.uniform() < share) alive.label.push_back(static_cast<data::Label>(j));
    alive.begin.push_back(static_cast<uint32_t>(alive.label.size()));
  }
  alive.rating.assign(alive.label.size(), kNoRating);
  return alive;
}

/// A random model of an order over random node scores, and its scored trellis.
struct RandomLevel {
  size_t order, labels, positions;
  GramTable grams;
  std::vector<float> node;  ///< T×K
  std::vector<float> gram;
  std::array<float, kQuantiles> quantile{};
  QuantileCuts cuts{};
  AliveLabels alive;
  Trellis trellis;

  LevelView view() const { return {order, gram, quantile, &cuts, 1}; }

  /// Scores the trellis of these weights.
  void score() {
    GramValues values;
    score_trellis(
        view(), node.data(), labels, [](size_t, GramValues&) {}, values, trellis);
  }

  /// The node scores of the labels alive.
  std::vector<float> alive_node() const {
    std::vector<float> scores;
    for (size_t t = 0; t < positions; ++t)
      for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s)
        scores.push_back(node[t * labels + alive.label[s]]);
    return scores;
  }

  /// The formula of weights.h.
  double score_of(const std::vector<data::Label>& y) const {
    double score = 0;
    std::vector<uint32_t> symbols(order, grams.start());
    symbols.insert(symbols.end(), y.begin(), y.end());
    symbols.push_back(grams.end());
    const size_t T = y.size();
    for (size_t t = 0; t <= T; ++t) {
      if (t < T) score += node[t * labels + y[t]];
      for (size_t j = 2; j <= order; ++j) {
        const size_t last = t + order;
        uint32_t id = symbols[last + 1 - j];
        for (size_t i = last + 2 - j; i <= last; ++i) id = grams.find(id, symbols[i]);
        if (id != kNoGram) score += gram[id];
      }
    }
    return score;
  }

  /// Every labelling of what is alive.
  std::vector<std::vector<data::Label>> labellings() const {
    std::vector<std::vector<data::Label>> all{{}};
    for (size_t t = 0; t < positions; ++t) {
      std::vector<std::vector<data::Label>> longer;
      for (const auto& y : all)
        for (uint32_t i = alive.begin[t]; i < alive.begin[t + 1]; ++i) {
          longer.push_back(y);
          longer.back().push_back(alive.label[i]);
        }
      all = std::move(longer);
    }
    return all;
  }
};

inline RandomLevel random_level(size_t order, size_t positions, size_t labels, Random& random) {
  RandomLevel level{order, labels, positions, GramTable(labels), {}, {}, {}, {}, {}, {}};
  level.alive = random_alive(positions, labels, 0.6, random);
  level.trellis = make_trellis(level.alive, level.grams);
  add_missing_grams(level.trellis, level.grams);
  while (level.trellis.gram_length < trellis_length(order)) {
    level.trellis = grow(level.trellis, {}, level.grams);
    add_missing_grams(level.trellis, level.grams);
  }
  for (size_t i = 0; i < positions * labels; ++i)
    level.node.push_back(static_cast<float>(2 * random.gaussian()));
  for (size_t i = 0; i < level.grams.size(); ++i) level.gram.push_back(static_cast<float>(random.gaussian()));
  level.score();
  return level;
}

}  // namespace espalier::cascade

// For tests: random lattices, and all their paths by enumeration.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/chain/lattice/lattice.h"

namespace espalier::chain {

struct RandomLatticeOptions {
  size_t positions = 4;
  size_t max_states = 4;  ///< at a position; labels ascend from 0 with gaps
  double arc_share = 0.7;
  bool coarse = false;  ///< scores from {0, 1}: many ties
};

inline Lattice random_lattice(const RandomLatticeOptions& options, Random& random) {
  const auto score = [&] {
    return options.coarse ? static_cast<float>(random.below(2)) : static_cast<float>(2 * random.gaussian());
  };
  LatticeBuilder builder;
  Range before{0, 0};
  for (size_t t = 0; t < options.positions; ++t) {
    const size_t count = 1 + random.below(options.max_states);
    uint32_t state = 0;
    for (size_t j = 0; j < count; ++j) {
      state = builder.add_state(static_cast<data::Label>(2 * j + random.below(2)), score());
      for (size_t source = before.first; source < before.last; ++source)
        if (random.uniform() < options.arc_share) builder.add_arc(static_cast<uint32_t>(source), score());
    }
    builder.end_position();
    before = {state + 1 - count, size_t{state} + 1};
  }
  return builder.finish();
}

struct BruteForcePath {
  double score;
  std::vector<uint32_t> states;
};

/// Every path, best first; equal scores by the states from the last position to the first.
inline std::vector<BruteForcePath> all_paths(const Lattice& lattice) {
  std::vector<BruteForcePath> paths{{0, {}}};
  for (size_t t = 0; t < lattice.positions(); ++t) {
    std::vector<BruteForcePath> longer;
    const Range states = lattice.states_at(t);
    for (const BruteForcePath& path : paths)
      for (size_t s = states.first; s < states.last; ++s) {
        const auto extend = [&](double arc_score) {
          longer.push_back({path.score + arc_score + lattice.state_score(s), path.states});
          longer.back().states.push_back(static_cast<uint32_t>(s));
        };
        if (t == 0) extend(0);
        const Range arcs = lattice.arcs_into(s);
        for (size_t a = arcs.first; a < arcs.last; ++a)
          if (lattice.source(a) == path.states.back()) extend(lattice.arc_score(a));
      }
    paths = std::move(longer);
  }
  std::sort(paths.begin(), paths.end(), [](const BruteForcePath& a, const BruteForcePath& b) {
    if (a.score != b.score) return a.score > b.score;
    return std::lexicographical_compare(a.states.rbegin(), a.states.rend(), b.states.rbegin(),
                                        b.states.rend());
  });
  return paths;
}

/// The arc between two states. Precondition: there is one.
inline size_t arc_between(const Lattice& lattice, uint32_t source, uint32_t target) {
  size_t arc = lattice.arcs_into(target).first;
  while (lattice.source(arc) != source) ++arc;
  return arc;
}

/// Two positions of two states each, without any arc.
inline Lattice disconnected_lattice() {
  LatticeBuilder builder;
  for (int t = 0; t < 2; ++t) {
    builder.add_state(0, 1.0f);
    builder.add_state(1, 2.0f);
    builder.end_position();
  }
  return builder.finish();
}

/// A single position with these scores.
inline Lattice single_position(const std::vector<float>& scores) {
  LatticeBuilder builder;
  for (size_t j = 0; j < scores.size(); ++j) builder.add_state(static_cast<data::Label>(j), scores[j]);
  builder.end_position();
  return builder.finish();
}

/// Calls check(lattice) for many random lattices of different shapes, some without a path.
template <typename Check>
void for_random_lattices(uint64_t seed, bool coarse, Check check) {
  const Random root(seed);
  for (uint64_t i = 0; i < 150; ++i) {
    Random random = root.split(i);
    RandomLatticeOptions options;
    options.positions = 1 + random.below(6);
    options.max_states = 1 + random.below(5);
    options.arc_share = 0.3 + 0.7 * random.uniform();
    options.coarse = coarse;
    check(random_lattice(options, random));
  }
}

}  // namespace espalier::chain

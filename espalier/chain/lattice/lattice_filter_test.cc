#include "espalier/chain/lattice/lattice_filter.h"

#include <gtest/gtest.h>

#include "espalier/chain/lattice/lattice_test_support.h"

namespace espalier::chain {
namespace {

KeepMasks random_masks(const Lattice& lattice, Random& random) {
  return KeepMasks::where(
      lattice, [&](uint32_t) { return random.below(4) > 0; }, [&](uint32_t) { return random.below(4) > 0; });
}

std::vector<std::vector<uint32_t>> paths_in_old_numbers(const FilteredLattice& filtered) {
  std::vector<std::vector<uint32_t>> result;
  for (const BruteForcePath& path : all_paths(filtered.lattice)) {
    result.emplace_back();
    for (const uint32_t s : path.states) result.back().push_back(filtered.old_state[s]);
  }
  std::sort(result.begin(), result.end());
  return result;
}

TEST(Filter, LeavesExactlyThePathsOfKeptParts) {
  Random random(41);
  size_t nothing_left = 0;
  for_random_lattices(42, false, [&](const Lattice& lattice) {
    const KeepMasks keep = random_masks(lattice, random);
    const FilteredLattice filtered = filter(lattice, keep, BestPath::kAsMasked);
    std::vector<std::vector<uint32_t>> wanted;
    for (const BruteForcePath& path : all_paths(lattice)) {
      bool kept = true;
      for (size_t t = 0; t < path.states.size(); ++t) {
        kept = kept && keep.states[path.states[t]];
        if (t > 0) kept = kept && keep.arcs[arc_between(lattice, path.states[t - 1], path.states[t])];
      }
      if (kept) wanted.push_back(path.states);
    }
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(paths_in_old_numbers(filtered), wanted);
    EXPECT_EQ(filtered.outcome, wanted.empty() ? Outcome::kInfeasible : Outcome::kExact);
    EXPECT_EQ(filtered.lattice.positions(), lattice.positions());
    nothing_left += wanted.empty();
    for (size_t a = 0; a < filtered.lattice.arcs(); ++a) {
      EXPECT_EQ(filtered.lattice.arc_score(a), lattice.arc_score(filtered.old_arc[a]));
      EXPECT_EQ(filtered.old_state[filtered.lattice.source(a)], lattice.source(filtered.old_arc[a]));
    }
    // No dead ends: every part that is left is on a path.
    std::vector<uint8_t> on_path(filtered.lattice.states(), 0);
    for (const BruteForcePath& path : all_paths(filtered.lattice))
      for (const uint32_t s : path.states) on_path[s] = 1;
    EXPECT_EQ(std::count(on_path.begin(), on_path.end(), 1), static_cast<ptrdiff_t>(on_path.size()));
  });
  EXPECT_GT(nothing_left, 0u);
}

TEST(Filter, KeepsTheBestPathWhateverTheMasksSay) {
  for_random_lattices(43, false, [](const Lattice& lattice) {
    const KeepMasks nothing = KeepMasks::where(
        lattice, [](uint32_t) { return false; }, [](uint32_t) { return false; });
    const LatticePath best = viterbi(lattice);
    const FilteredLattice filtered = filter(lattice, nothing);
    EXPECT_EQ(filtered.outcome, best.outcome);
    EXPECT_EQ(filtered.old_state, best.states);
    EXPECT_EQ(filter(lattice, nothing, BestPath::kAsMasked).outcome, Outcome::kInfeasible);
  });
}

TEST(Filter, WithoutMasksDropsDeadEndsAndNothingElse) {
  for_random_lattices(44, false, [](const Lattice& lattice) {
    const FilteredLattice once = drop_dead_ends(lattice);
    EXPECT_EQ(all_paths(once.lattice).size(), all_paths(lattice).size());
    EXPECT_EQ(drop_dead_ends(once.lattice).lattice, once.lattice);
  });
  EXPECT_EQ(drop_dead_ends(disconnected_lattice()).lattice.states(), 0u);
  EXPECT_EQ(drop_dead_ends(Lattice()).outcome, Outcome::kExact);
}

TEST(Filter, AtTheBestMaxMarginalLeavesTheBestPath) {
  // The values along the best path equal its score only up to rounding; the guard makes this safe.
  for_random_lattices(45, false, [](const Lattice& lattice) {
    const MaxMarginals marginals = max_marginals(lattice);
    if (marginals.outcome != Outcome::kExact) return;
    const auto keep = KeepMasks::where(
        lattice, [&](uint32_t s) { return marginals.state[s] >= marginals.best; },
        [&](uint32_t a) { return marginals.arc[a] >= marginals.best; });
    EXPECT_EQ(viterbi(filter(lattice, keep).lattice).score, viterbi(lattice).score);
  });
}

}  // namespace
}  // namespace espalier::chain

#include "espalier/cascade/trellis.h"

#include <gtest/gtest.h>

#include <set>

#include "espalier/cascade/cascade_test_support.h"
#include "espalier/cascade/max_pass.h"
#include "espalier/chain/lattice/lattice_test_support.h"

namespace espalier::cascade {
namespace {

using data::Label;

template <typename Check>
void for_random_levels(Check check) {
  const Random root(11);
  for (uint64_t i = 0; i < 60; ++i) {
    Random random = root.split(i);
    const size_t order = 2 + random.below(4);
    check(random_level(order, 1 + random.below(5), 1 + random.below(3), random));
  }
}

TEST(Trellis, HoldsEveryLabellingOnceWithTheScoreOfTheFormula) {
  for_random_levels([](const RandomLevel& level) {
    std::set<std::vector<Label>> seen;
    for (const chain::BruteForcePath& path : chain::all_paths(level.trellis.lattice)) {
      const std::vector<Label> y = chain::path_labels(level.trellis.lattice, path.states);
      EXPECT_TRUE(seen.insert(y).second);
      EXPECT_NEAR(path.score, level.score_of(y), 1e-4);
    }
    EXPECT_EQ(seen.size(), level.labellings().size());
  });
}

TEST(Trellis, MaxMarginalsOfEveryOrderAreThoseOfAllLabellings) {
  for_random_levels([](const RandomLevel& level) {
    const chain::Lattice& lattice = level.trellis.lattice;
    MaxPass pass;
    pass.run(lattice);
    const size_t m = level.trellis.gram_length;
    // The labels a state stands for, and the best labelling that has them there.
    const auto labels_of = [&](size_t state, size_t t) {
      std::vector<Label> gram;
      for (size_t back = 0; back < m && back <= t; ++back) {
        gram.insert(gram.begin(), lattice.label(state));
        if (back < t) state = lattice.source(lattice.arcs_into(state).first);
      }
      return gram;
    };
    const auto best_with = [&](const std::vector<Label>& gram, size_t t) {
      double best = chain::kMinusInfinity;
      for (const auto& y : level.labellings())
        if (std::equal(gram.rbegin(), gram.rend(), y.rend() - static_cast<ptrdiff_t>(t) - 1))
          best = std::max(best, level.score_of(y));
      return best;
    };
    for (size_t t = 0; t < level.positions; ++t)
      for (size_t s = lattice.states_at(t).first; s < lattice.states_at(t).last; ++s) {
        EXPECT_NEAR(pass.state(s), best_with(labels_of(s, t), t), 1e-4);
        for (size_t a = lattice.arcs_into(s).first; a < lattice.arcs_into(s).last; ++a) {
          std::vector<Label> clique = labels_of(lattice.source(a), t - 1);
          clique.push_back(lattice.label(s));
          EXPECT_NEAR(pass.arc(lattice, a, s), best_with(clique, t), 1e-4);
        }
      }
  });
}

TEST(Trellis, GrowsToTheCliquesOfWhichEveryPartIsAlive) {
  // Equation 5: after some pairs are dropped, the states of the next order are the pairs left, and its arcs
  // the triples of which both pairs are.
  const Random root(12);
  for (uint64_t i = 0; i < 100; ++i) {
    Random random = root.split(i);
    RandomLevel level = random_level(2, 2 + random.below(4), 3, random);
    const chain::Lattice& lattice = level.trellis.lattice;
    MaxPass pass;
    pass.run(lattice);
    chain::KeepMasks keep = chain::KeepMasks::where(
        lattice, [](uint32_t) { return true; }, [&](uint32_t) { return random.uniform() < 0.5; });
    const std::vector<uint32_t> arcs = arcs_of_path(lattice, pass.path());
    for (size_t t = 1; t < arcs.size(); ++t) keep.arcs[arcs[t]] = 1;
    const Thinned thinned = thin(level.trellis, keep, {});
    std::set<std::vector<Label>> before, after;
    for (const auto& path : chain::all_paths(thinned.trellis.lattice))
      before.insert(chain::path_labels(thinned.trellis.lattice, path.states));
    const Trellis grown = grow(thinned.trellis, {}, level.grams);
    EXPECT_EQ(grown.lattice.states(), lattice.positions() == 0 ? 0
                                                               : thinned.trellis.lattice.states_at(0).last +
                                                                     thinned.trellis.lattice.arcs());
    EXPECT_EQ(grown.lattice.arcs(), arcs_when_grown(thinned.trellis));
    const auto all = [](uint32_t) { return true; };
    const Growth plan = plan_growth(thinned.trellis);
    const Growth of_masks =
        plan_growth(thinned.trellis, chain::KeepMasks::where(thinned.trellis.lattice, all, all));
    EXPECT_EQ(plan.place, of_masks.place);
    EXPECT_EQ(plan.arcs, of_masks.arcs);
    for (const auto& path : chain::all_paths(grown.lattice))
      after.insert(chain::path_labels(grown.lattice, path.states));
    EXPECT_EQ(before, after);
  }
}

TEST(Trellis, FindsAPathByItsLabels) {
  for_random_levels([](const RandomLevel& level) {
    for (const auto& y : level.labellings()) {
      const std::vector<uint32_t> path = find_path(level.trellis, y);
      EXPECT_EQ(chain::path_labels(level.trellis.lattice, path), y);
    }
    EXPECT_TRUE(find_path(level.trellis, std::vector<Label>(level.positions, 77)).empty());
  });
}

TEST(Trellis, UnknownGramsHaveNoNumberUntilTheyAreAdded) {
  GramTable grams(2);
  Trellis trellis = make_trellis(all_labels(3, 2), grams);
  EXPECT_EQ(trellis.arc_gram.front(), kNoGram);
  add_missing_grams(trellis, grams);
  for (const uint32_t gram : trellis.arc_gram) EXPECT_EQ(grams.order(gram), 2u);
  EXPECT_EQ(grams.entries().size(), 4u + 2u + 2u);  // pairs, those after the start, those before the end
}

TEST(GramTable, ComesBackFromItsEntriesAndRefusesDamagedOnes) {
  GramTable grams(3);
  const uint32_t pair = grams.add(0, 1);
  const uint32_t triple = grams.add(pair, 2);
  EXPECT_EQ(grams.add(0, 1), pair);
  EXPECT_EQ(grams.find(pair, 2), triple);
  EXPECT_EQ(grams.find(pair, 1), kNoGram);
  EXPECT_EQ(grams.find(kNoGram, 1), kNoGram);
  EXPECT_EQ(grams.order(triple), 3u);
  const auto again = GramTable::from_entries(3, grams.entries());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->find(pair, 2), triple);
  EXPECT_FALSE(GramTable::from_entries(3, {{0, 1}, {0, 1}}).ok());
  EXPECT_FALSE(GramTable::from_entries(3, {{77, 1}}).ok());
  EXPECT_FALSE(GramTable::from_entries(3, {{0, 9}}).ok());
}

}  // namespace
}  // namespace espalier::cascade

#include "espalier/cascade/pair_level.h"

#include <gtest/gtest.h>

#include "espalier/cascade/cascade_test_support.h"
#include "espalier/cascade/training/stages.h"
#include "espalier/cascade/weights.h"

namespace espalier::cascade {
namespace {

bool same(const Trellis& a, const Trellis& b) {
  return a.gram_length == b.gram_length && a.lattice == b.lattice && a.state_grams == b.state_grams &&
         a.arc_gram == b.arc_gram && a.first_gram == b.first_gram && a.end_grams == b.end_grams;
}

TEST(PairLevel, LeavesTheSameTrellisAsTheStepsItStandsFor) {
  const Random root(31);
  size_t dropped = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    Random random = root.split(i);
    const size_t T = 1 + random.below(8);
    RandomLevel level = random_level(2, T, 2 + random.below(6), random);
    if (i % 5 == 0)  // grams that the level has no weight for
      level.gram.resize(level.grams.single() + random.below(level.gram.size() - level.grams.single() + 1));
    std::fill(level.trellis.rating.begin(), level.trellis.rating.end(), kNoRating);
    level.score();
    const PriorMean prior{i % 3 == 0 ? 0.0 : 2.0, i % 3 == 0 ? 0.0 : 10.0};
    const double alpha = i % 7 == 0 ? kKeepAll : 1.2 * random.uniform() - 0.3;
    RatingScratch scratch;
    Ratings ratings;
    find_ratings(level.trellis.lattice, Measure::kMaxMarginal, Unit::kCliques, prior, scratch, ratings);
    auto expected =
        filter_and_grow(level.trellis, ratings, Unit::kCliques, alpha, scratch.pass.path(), 2, level.grams);
    ASSERT_TRUE(expected.ok());

    PairLevel pairs;
    KeptPairs kept;
    const PairWeights weights(level.grams, level.gram);
    for (int again = 0; again < 2; ++again) {  // with buffers that were used
      pairs.filter(level.alive, level.alive_node(), weights, prior, alpha, kept);
      EXPECT_TRUE(same(grown(kept, level.grams), *expected)) << i;
      EXPECT_EQ(kept.triples, expected->lattice.arcs());
    }
    dropped += expected->states() < level.trellis.lattice.states_at(0).last + level.trellis.lattice.arcs();
  }
  EXPECT_GT(dropped, 100u) << "the thresholds should drop something";
}

TEST(FilterAndGrow, IsTheFilterFollowedByGrowth) {
  const Random root(32);
  for (uint64_t i = 0; i < 200; ++i) {
    Random random = root.split(i);
    const size_t order = 2 + random.below(2);
    RandomLevel level = random_level(order, 1 + random.below(6), 3, random);
    const Unit unit = random.below(2) == 0 ? Unit::kCliques : Unit::kStates;
    RatingScratch scratch;
    Ratings ratings;
    find_ratings(level.trellis.lattice, Measure::kMaxMarginal, unit, {}, scratch, ratings);
    const double alpha = random.uniform();
    Filtered left = apply_filter(level.trellis, ratings, unit, alpha, scratch.pass.path(), {}, {});
    for (const size_t longer : {0u, 1u, 2u}) {
      const size_t length = level.trellis.gram_length + longer;
      const auto steps = grow_to(left.trellis, left.arc_rating, length, level.grams);
      const auto at_once =
          filter_and_grow(level.trellis, ratings, unit, alpha, scratch.pass.path(), length, level.grams);
      ASSERT_TRUE(steps.ok() && at_once.ok());
      EXPECT_TRUE(same(*at_once, *steps));
      EXPECT_EQ(at_once->rating, steps->rating);
    }
  }
}

}  // namespace
}  // namespace espalier::cascade

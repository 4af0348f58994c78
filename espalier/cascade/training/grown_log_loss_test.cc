#include "espalier/cascade/training/grown_log_loss.h"

#include <gtest/gtest.h>

#include "espalier/cascade/cascade_test_support.h"

namespace espalier::cascade {
namespace {

using data::Label;

/// A trellis that filters have thinned, a labelling that is in it, and weights for one order more.
struct ThinnedLevel {
  RandomLevel level;
  Trellis from;
  std::vector<Label> gold;
};

ThinnedLevel random_thinned(Random& random) {
  const size_t order = 2 + random.below(3), positions = 1 + random.below(6);
  ThinnedLevel made{random_level(order, positions, 2 + random.below(3), random), {}, {}};
  RandomLevel& level = made.level;
  const auto all = level.labellings();
  made.gold = all[random.below(all.size())];
  const auto path = find_path(level.trellis, made.gold);
  const auto arcs = arcs_of_path(level.trellis.lattice, path);
  chain::KeepMasks keep;
  for (size_t s = 0; s < level.trellis.states(); ++s) keep.states.push_back(random.uniform() < 0.9);
  for (size_t a = 0; a < level.trellis.lattice.arcs(); ++a) keep.arcs.push_back(random.uniform() < 0.8);
  for (size_t t = 0; t < path.size(); ++t) {
    keep.states[path[t]] = 1;
    if (t > 0) keep.arcs[arcs[t]] = 1;
  }
  made.from = thin(level.trellis, keep, {}).trellis;
  ++level.order;
  return made;
}

TEST(GrownLogLoss, NumbersTheGramsThatAreMissingInTheSameOrder) {
  const Random root(41);
  for (uint64_t i = 0; i < 200; ++i) {
    Random random = root.split(i);
    const ThinnedLevel made = random_thinned(random);
    GramTable expected = made.level.grams, found = made.level.grams;
    Trellis grown = grow(made.from, {}, expected);
    add_missing_grams(grown, expected);
    add_missing_grams_when_grown(made.from, found);
    EXPECT_EQ(found.entries(), expected.entries());
  }
}

TEST(GrownLogLoss, FindsPathsOfTheGrownTrellis) {
  const Random root(42);
  size_t without = 0;
  for (uint64_t i = 0; i < 200; ++i) {
    Random random = root.split(i);
    const ThinnedLevel made = random_thinned(random);
    const Trellis grown = grow(made.from, {}, made.level.grams);
    for (const auto& labels : made.level.labellings()) {
      const auto expected = find_path(grown, labels);
      const GrownPath found = find_path_when_grown(made.from, labels);
      EXPECT_EQ(found.states, expected);
      if (expected.empty()) {
        ++without;
        EXPECT_TRUE(found.arcs.empty());
      } else {
        EXPECT_EQ(found.arcs, arcs_of_path(grown.lattice, expected));
      }
    }
  }
  EXPECT_GT(without, 0u);
}

TEST(GrownLogLoss, IsThatOfTheGrownTrellisToTheLastBit) {
  const Random root(43);
  GrownLogLoss grown_log_loss;
  TrellisLogLoss log_loss;
  SequenceGradient expected, found;
  for (uint64_t i = 0; i < 500; ++i) {
    Random random = root.split(i);
    ThinnedLevel made = random_thinned(random);
    RandomLevel& level = made.level;
    if (i % 4 != 0) add_missing_grams_when_grown(made.from, level.grams);
    Trellis grown = grow(made.from, {}, level.grams);
    grown.rating.assign(grown.states(), kNoRating);
    level.gram.resize(level.grams.size() - random.below(2));  // not all need have a weight
    for (float& w : level.gram) w = static_cast<float>(random.gaussian());
    for (float& x : level.node)
      if (i % 5 == 0) x *= 20;  // probabilities of 0 and 1
    GramPotentials potentials;
    potentials.set_all(level.gram);
    const auto truth = find_path(grown, made.gold);
    const auto arcs = arcs_of_path(grown.lattice, truth);
    const float factor = i % 2 == 0 ? 1.0f : 3.0f, ignore = 0.01f;
    LatticeGradient gradient;
    const auto wanted = log_loss.find(level.view(), potentials, level.node.data(), level.labels, grown, truth,
                                      arcs, gradient);
    ASSERT_TRUE(wanted);
    spread_gradient(level.view(), grown, gradient.state, gradient.arc, level.labels, factor, ignore, false,
                    expected);
    const auto loss = grown_log_loss.find(level.view(), potentials, level.grams, level.node.data(),
                                          level.labels, made.from, truth, arcs, factor, ignore, found);
    ASSERT_TRUE(loss);
    EXPECT_EQ(*loss, *wanted);
    EXPECT_EQ(found.node, expected.node);
    EXPECT_EQ(found.active, expected.active);
    EXPECT_EQ(found.labels.begin, expected.labels.begin);
    EXPECT_EQ(found.labels.label, expected.labels.label);
    EXPECT_EQ(std::vector(found.grams.begin(), found.grams.end()),
              std::vector(expected.grams.begin(), expected.grams.end()));
    EXPECT_TRUE(found.edge_grams.empty());
    EXPECT_TRUE(found.edge_begin.empty());
  }
}

TEST(GrownLogLoss, SaysWhereItsNumbersAreTooLarge) {
  Random random(44);
  RandomLevel level = random_level(2, 4, 3, random);
  const auto gold = level.labellings().front();
  add_missing_grams_when_grown(level.trellis, level.grams);
  const GrownPath truth = find_path_when_grown(level.trellis, gold);
  level.order = 3;
  level.gram.assign(level.grams.size(), 500);
  GramPotentials potentials;
  potentials.set_all(level.gram);
  SequenceGradient gradient;
  EXPECT_FALSE(GrownLogLoss().find(level.view(), potentials, level.grams, level.node.data(), level.labels,
                                   level.trellis, truth.states, truth.arcs, 1, 0, gradient));
}

}  // namespace
}  // namespace espalier::cascade

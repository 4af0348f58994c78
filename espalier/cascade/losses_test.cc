#include "espalier/cascade/losses.h"

#include <gtest/gtest.h>

#include "espalier/cascade/cascade_test_support.h"
#include "espalier/cascade/training/trellis_log_loss.h"
#include "espalier/chain/lattice/lattice_test_support.h"

namespace espalier::cascade {
namespace {

using data::Label;

/// A random scored trellis with a truth in it.
struct Example {
  RandomLevel level;
  std::vector<Label> gold;
  std::vector<uint32_t> truth, arcs;
};
Example random_example(Random& random) {
  Example e{random_level(2 + random.below(3), 1 + random.below(5), 3, random), {}, {}, {}};
  const auto all = e.level.labellings();
  e.gold = all[random.below(all.size())];
  e.truth = find_path(e.level.trellis, e.gold);
  e.arcs = arcs_of_path(e.level.trellis.lattice, e.truth);
  return e;
}

TEST(MaxPass, AgreesWithTheLatticesOwnMaxMarginals) {
  chain::for_random_lattices(5, false, [](const chain::Lattice& raw) {
    const chain::Lattice lattice = chain::drop_dead_ends(raw).lattice;
    if (lattice.positions() == 0 || lattice.states() == 0) return;
    MaxPass pass;
    pass.run(lattice);
    const chain::MaxMarginals expected = chain::max_marginals(lattice);
    EXPECT_DOUBLE_EQ(pass.best(), expected.best);
    for (size_t s = 0; s < lattice.states(); ++s) {
      EXPECT_NEAR(pass.state(s), expected.state[s], 1e-9);
      for (size_t a = lattice.arcs_into(s).first; a < lattice.arcs_into(s).last; ++a)
        EXPECT_NEAR(pass.arc(lattice, a, s), expected.arc[a], 1e-9);
    }
  });
}

TEST(MaxPass, CountsWitnessesAsWalkingEachOneDoes) {
  for (const bool coarse : {false, true})
    chain::for_random_lattices(6, coarse, [](const chain::Lattice& raw) {
      const chain::Lattice lattice = chain::drop_dead_ends(raw).lattice;
      if (lattice.positions() == 0 || lattice.states() == 0) return;
      MaxPass pass;
      pass.run(lattice);
      std::vector<uint32_t> target(lattice.arcs());
      for (size_t s = 0; s < lattice.states(); ++s)
        for (size_t a = lattice.arcs_into(s).first; a < lattice.arcs_into(s).last; ++a)
          target[a] = static_cast<uint32_t>(s);
      for (const Unit unit : {Unit::kStates, Unit::kCliques}) {
        std::vector<double> states(lattice.states(), 0), arcs(lattice.arcs(), 0);
        const auto walk_back = [&](size_t s) {
          for (states[s] += 1; pass.arc_before(s) != chain::kNoArc; states[s] += 1) {
            arcs[pass.arc_before(s)] += 1;
            s = lattice.source(pass.arc_before(s));
          }
        };
        const auto walk_on = [&](size_t s) {  // without s itself
          while (pass.arc_after(s) != chain::kNoArc) {
            arcs[pass.arc_after(s)] += 1;
            s = target[pass.arc_after(s)];
            states[s] += 1;
          }
        };
        for (size_t s = 0; s < lattice.states(); ++s)
          if (unit == Unit::kStates || s < lattice.states_at(0).last) {
            walk_back(s);
            walk_on(s);
          }
        if (unit == Unit::kCliques)
          for (size_t a = 0; a < lattice.arcs(); ++a) {
            walk_back(lattice.source(a));
            arcs[a] += 1;
            states[target[a]] += 1;
            walk_on(target[a]);
          }
        std::vector<double> found_states, found_arcs;
        pass.count_witnesses(lattice, unit, found_states, found_arcs);
        EXPECT_EQ(found_states, states);
        EXPECT_EQ(found_arcs, arcs);
      }
    });
}

TEST(Losses, GradientsAreThoseOfFiniteDifferences) {
  const Random root(21);
  const std::vector<float> costs = {1.0f, 2.0f, 0.5f};
  for (uint64_t i = 0; i < 60; ++i) {
    Random random = root.split(i);
    Example e = random_example(random);
    chain::Lattice& lattice = e.level.trellis.lattice;
    for (const Loss loss : {Loss::kFilter, Loss::kLog, Loss::kPerceptron, Loss::kMargin})
      for (const Unit unit : {Unit::kStates, Unit::kCliques}) {
        LossOptions options;
        options.loss = loss;
        options.unit = unit;
        options.alpha = random.uniform() - 0.2;
        if (i % 2 == 1) options.label_weight = costs;
        LossScratch scratch;
        LatticeGradient gradient, ignored;
        const auto value = [&] {
          return lattice_loss(lattice, e.truth, e.arcs, e.gold, options, scratch, ignored);
        };
        const double here = lattice_loss(lattice, e.truth, e.arcs, e.gold, options, scratch, gradient);
        EXPECT_GE(here, -1e-4);
        const auto check = [&](float& score, double expected) {
          const float old = score, step = 1e-2f;
          score = old + step;
          const double up = value();
          score = old - step;
          const double down = value();
          score = old;
          // Piecewise linear losses have kinks; a difference across one lies between the two slopes.
          if (loss == Loss::kLog) {
            EXPECT_NEAR((up - down) / (2 * step), expected, 2e-3);
          } else if (std::abs((up - here) - (here - down)) < 1e-5) {
            EXPECT_NEAR((up - down) / (2 * step), expected, 2e-3);
          }
        };
        for (size_t s = 0; s < lattice.states(); ++s) check(lattice.state_scores()[s], gradient.state[s]);
        for (size_t a = 0; a < lattice.arcs(); ++a) check(lattice.arc_scores()[a], gradient.arc[a]);
      }
  }
}

TEST(Losses, OrderOneIsTheLatticeWithoutArcScores) {
  const Random root(22);
  for (uint64_t i = 0; i < 100; ++i) {
    Random random = root.split(i);
    const size_t T = 1 + random.below(4), K = 3, S = 8;
    AlignedVector<float> node(T * S, 0.0f), gradient(T * S, 0.0f);
    std::vector<Label> gold;
    for (size_t t = 0; t < T; ++t) {
      for (size_t j = 0; j < K; ++j) node[t * S + j] = static_cast<float>(2 * random.gaussian());
      gold.push_back(static_cast<Label>(random.below(K)));
    }
    const GramTable grams(K);
    Trellis trellis = make_trellis(all_labels(T, K), grams);
    for (size_t s = 0; s < trellis.states(); ++s) trellis.lattice.state_scores()[s] = node[s / K * S + s % K];
    const auto truth = find_path(trellis, gold);
    const auto arcs = arcs_of_path(trellis.lattice, truth);
    for (const Loss loss : {Loss::kFilter, Loss::kLog, Loss::kPerceptron, Loss::kMargin}) {
      LossOptions options;
      options.loss = loss;
      options.alpha = 0.3;
      LossScratch scratch;
      LatticeGradient expected;
      const double wanted = lattice_loss(trellis.lattice, truth, arcs, gold, options, scratch, expected);
      EXPECT_NEAR(unigram_loss(node.data(), K, S, gold, options, gradient.data()), wanted, 1e-4);
      for (size_t s = 0; s < trellis.states(); ++s)
        EXPECT_NEAR(gradient[s / K * S + s % K], expected.state[s], 1e-4);
    }
  }
}

TEST(TrellisLogLoss, IsThatOfTheScoredLattice) {
  const Random root(24);
  TrellisLogLoss log_loss;
  for (uint64_t i = 0; i < 200; ++i) {
    Random random = root.split(i);
    Example e = random_example(random);
    RandomLevel& level = e.level;
    if (i % 3 == 0) {  // ratings of the level before have weights as well
      level.cuts = {-3, -2, -1, 0, 1, 2, 3};
      for (float& x : level.quantile) x = static_cast<float>(random.gaussian());
      for (float& x : level.trellis.rating) x = static_cast<float>(2 * random.gaussian());
    }
    level.score();
    LossScratch scratch;
    LatticeGradient expected, found;
    const double wanted =
        lattice_loss(level.trellis.lattice, e.truth, e.arcs, e.gold, LossOptions(), scratch, expected);
    GramPotentials potentials;
    potentials.set_all(level.gram);
    const auto loss = log_loss.find(level.view(), potentials, level.node.data(), level.labels, level.trellis,
                                    e.truth, e.arcs, found);
    ASSERT_TRUE(loss);
    EXPECT_NEAR(*loss, wanted, 1e-4);
    for (size_t s = 0; s < expected.state.size(); ++s) EXPECT_NEAR(found.state[s], expected.state[s], 1e-5);
    for (size_t a = 0; a < expected.arc.size(); ++a) EXPECT_NEAR(found.arc[a], expected.arc[a], 1e-5);
  }
}

TEST(TrellisLogLoss, SaysWhereItsNumbersAreTooLarge) {
  Random random(25);
  Example e{random_level(2, 4, 3, random), {}, {}, {}};
  e.gold = e.level.labellings().front();
  e.truth = find_path(e.level.trellis, e.gold);
  e.arcs = arcs_of_path(e.level.trellis.lattice, e.truth);
  for (float& x : e.level.gram) x = 500;
  GramPotentials potentials;
  potentials.set_all(e.level.gram);
  LatticeGradient gradient;
  EXPECT_FALSE(TrellisLogLoss().find(e.level.view(), potentials, e.level.node.data(), e.level.labels,
                                     e.level.trellis, e.truth, e.arcs, gradient));
}

TEST(Losses, WeightsGetTheirShareOfTheGradient) {
  // d loss / d weight by finite differences through score_trellis, for gram and quantile weights.
  const Random root(23);
  for (uint64_t i = 0; i < 20; ++i) {
    Random random = root.split(i);
    Example e = random_example(random);
    RandomLevel& level = e.level;
    level.cuts = {-3, -2, -1, 0, 1, 2, 3};
    for (float& x : level.trellis.rating) x = static_cast<float>(2 * random.gaussian());
    LossOptions options;
    LossScratch scratch;
    LatticeGradient gradient;
    const auto value = [&] {
      level.score();
      return lattice_loss(level.trellis.lattice, e.truth, e.arcs, e.gold, options, scratch, gradient);
    };
    value();
    SequenceGradient spread;
    spread_gradient(level.view(), level.trellis, gradient.state, gradient.arc, level.labels, 1, 0, false,
                    spread);
    std::vector<double> by_gram(level.grams.size(), 0.0);
    for (const auto& [gram, g] : spread.grams) by_gram[gram] += g;
    const auto slope = [&](float& w) {
      const float old = w;
      w = old + 0.01f;
      const double up = value();
      w = old - 0.01f;
      const double down = value();
      w = old;
      return (up - down) / 0.02;
    };
    for (size_t g = level.grams.single(); g < level.grams.size(); ++g)
      EXPECT_NEAR(slope(level.gram[g]), by_gram[g], 2e-3);
    for (size_t q = 0; q < kQuantiles; ++q) EXPECT_NEAR(slope(level.quantile[q]), spread.quantile[q], 2e-3);
    for (size_t j = 0; j < level.node.size(); ++j) EXPECT_NEAR(slope(level.node[j]), spread.node[j], 2e-3);
  }
}

}  // namespace
}  // namespace espalier::cascade

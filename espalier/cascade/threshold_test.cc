#include "espalier/cascade/threshold.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "espalier/cascade/cascade_test_support.h"

namespace espalier::cascade {
namespace {

using data::Label;

TEST(SafeFiltering, HoldsInTenThousandRandomCases) {
  // Lemma 1: what scores below the truth is no part of it; hence a threshold below the truth's score keeps
  // it.
  const Random root(31);
  for (uint64_t i = 0; i < 10'000; ++i) {
    Random random = root.split(i);
    RandomLevel level = random_level(2 + random.below(3), 1 + random.below(4), 3, random);
    const chain::Lattice& lattice = level.trellis.lattice;
    std::vector<Label> truth;
    for (size_t t = 0; t < level.positions; ++t)
      truth.push_back(level.alive.label[level.alive.begin[t] +
                                        random.below(level.alive.begin[t + 1] - level.alive.begin[t])]);
    const std::vector<uint32_t> path = find_path(level.trellis, truth);
    const double score = chain::path_score(lattice, path);
    RatingScratch scratch;
    Ratings ratings;
    const Unit unit = random.below(2) == 0 ? Unit::kStates : Unit::kCliques;
    find_ratings(lattice, Measure::kMaxMarginal, unit, {}, scratch, ratings);
    for (size_t t = 0; t < level.positions; ++t)
      for (size_t s = lattice.states_at(t).first; s < lattice.states_at(t).last; ++s)
        if (score > scratch.pass.state(s) + 1e-6) {
          ASSERT_NE(path[t], s);
        }
    // The threshold itself, by equation 6.
    double sum = 0;
    size_t items = 0;
    const size_t first = lattice.states_at(0).last;
    for (size_t s = 0; s < lattice.states(); ++s) {
      if (unit == Unit::kStates || s < first) sum += scratch.pass.state(s), ++items;
      if (unit == Unit::kCliques)
        for (size_t a = lattice.arcs_into(s).first; a < lattice.arcs_into(s).last; ++a)
          sum += scratch.pass.arc(lattice, a, s), ++items;
    }
    const double alpha = 1.5 * random.uniform() - 0.5;
    const double threshold = alpha * scratch.pass.best() + (1 - alpha) * sum / static_cast<double>(items);
    const chain::KeepMasks keep = keep_from(lattice, ratings, unit, alpha, scratch.pass.path());
    const std::vector<uint32_t> arcs = arcs_of_path(lattice, path);
    for (size_t t = 0; t < path.size() && score > threshold + 1e-4; ++t) {
      ASSERT_TRUE(keep.states[path[t]]);
      if (t > 0) {
        ASSERT_TRUE(keep.arcs[arcs[t]]);
      }
    }
    // What is dropped is what lies strictly below the threshold, but for the best path.
    for (size_t s = 0; s < lattice.states() && unit == Unit::kStates; ++s) {
      const bool on_best = std::count(scratch.pass.path().begin(), scratch.pass.path().end(), s) > 0;
      if (std::abs(scratch.pass.state(s) - threshold) > 1e-4) {
        ASSERT_EQ(keep.states[s] != 0, on_best || scratch.pass.state(s) > threshold);
      }
    }
    for (const uint32_t s : scratch.pass.path()) ASSERT_TRUE(keep.states[s]);
  }
}

TEST(Ratings, OfOrderOneAreThoseOfTheLattice) {
  Random random(32);
  for (int i = 0; i < 50; ++i) {
    const size_t T = 1 + random.below(4), K = 4, S = 8;
    AlignedVector<float> node(T * S, 0.0f);
    const GramTable grams(K);
    Trellis trellis = make_trellis(all_labels(T, K), grams);
    for (size_t s = 0; s < trellis.states(); ++s)
      trellis.lattice.state_scores()[s] = node[s / K * S + s % K] = static_cast<float>(random.gaussian());
    for (const Measure measure : {Measure::kMaxMarginal, Measure::kProbability}) {
      RatingScratch scratch;
      Ratings ratings;
      const PriorMean prior{2, static_cast<double>(i % 3)};
      find_ratings(trellis.lattice, measure, Unit::kStates, prior, scratch, ratings);
      std::vector<float> items;
      find_unigram_ratings(node.data(), T, K, S, measure, prior, scratch, items);
      for (size_t s = 0; s < trellis.states(); ++s) EXPECT_NEAR(items[s], ratings.state[s], 1e-4);
    }
  }
}

TEST(Ratings, AreMeasuredInAMeanDrawnTowardsTheUsualOne) {
  const Random root(34);
  for (uint64_t i = 0; i < 20; ++i) {
    Random random = root.split(i);
    const RandomLevel level = random_level(2, 3, 3, random);
    RatingScratch scratch;
    Ratings plain, drawn;
    find_ratings(level.trellis.lattice, Measure::kMaxMarginal, Unit::kStates, {}, scratch, plain);
    find_ratings(level.trellis.lattice, Measure::kMaxMarginal, Unit::kStates, {5, 7}, scratch, drawn);
    const double mean = (3 * scratch.mean_regret + 7 * 5) / (3 + 7);
    for (size_t s = 0; s < level.trellis.states(); ++s) {
      EXPECT_NEAR(drawn.state[s], 1 - (scratch.pass.best() - scratch.pass.state(s)) / mean, 1e-4);
      if (scratch.mean_regret > 0) {
        EXPECT_NEAR(plain.state[s], 1 - (scratch.pass.best() - scratch.pass.state(s)) / scratch.mean_regret,
                    1e-4);
      }
    }
  }
}

TEST(Ratings, OfTheTruthAreFoundPositionByPosition) {
  const Random root(33);
  for (uint64_t i = 0; i < 100; ++i) {
    Random random = root.split(i);
    RandomLevel level = random_level(2 + random.below(3), 1 + random.below(4), 3, random);
    RatingScratch scratch;
    Ratings ratings;
    for (const Unit unit : {Unit::kStates, Unit::kCliques}) {
      find_ratings(level.trellis.lattice, Measure::kMaxMarginal, unit, {}, scratch, ratings);
      std::vector<float> found;
      for (const auto& y : level.labellings()) {
        truth_ratings(level.trellis, ratings, unit, y, found);
        const auto path = find_path(level.trellis, y);
        const auto arcs = arcs_of_path(level.trellis.lattice, path);
        for (size_t t = 0; t < y.size(); ++t)
          EXPECT_EQ(found[t],
                    unit == Unit::kStates || t == 0 ? ratings.state[path[t]] : ratings.arc[arcs[t]]);
      }
      std::vector<Label> absent(level.positions, 99);
      truth_ratings(level.trellis, ratings, unit, absent, found);
      for (const float x : found) EXPECT_EQ(x, kAbsent);
    }
  }
}

TEST(TradeOff, CountsWhatEachThresholdDropsAndLoses) {
  Random random(34);
  for (const LossUnit unit : {LossUnit::kPositions, LossUnit::kSequences}) {
    TradeOff part(Measure::kMaxMarginal, unit), other(Measure::kMaxMarginal, unit);
    std::vector<std::vector<float>> items, truths;
    for (int i = 0; i < 40; ++i) {
      std::vector<float> item, truth;
      for (int j = 0; j < 12; ++j)
        item.push_back(static_cast<float>(1 - 2 * random.uniform() * random.uniform()));
      for (int j = 0; j < 3; ++j)
        truth.push_back(random.uniform() < 0.1 ? kAbsent : item[random.below(item.size())]);
      (i % 2 == 0 ? part : other).add(item, truth);
      items.push_back(item);
      truths.push_back(truth);
    }
    part.merge(other);
    const auto curve = part.curve();
    ASSERT_EQ(curve.size(), 232u);
    EXPECT_EQ(usual_part(curve).size(), 201u);
    EXPECT_EQ(curve.front().filter_loss, 0);  // keeps everything
    EXPECT_EQ(curve.front().efficiency, 1);
    ASSERT_TRUE(choose_point(curve, 1, 0, 0).ok());
    const auto refused = choose_point(curve, 1, 0, 0, 2.0);
    ASSERT_FALSE(refused.ok());
    const std::string nearest =
        fmt::format("the nearest is {:.6f}", TradeOff::best_alive(curve, 2.0)->filter_loss);
    EXPECT_NE(refused.error().message.find(nearest), std::string::npos) << refused.error().message;
    for (size_t p = 0; p < curve.size(); p += 10) {
      size_t kept = 0, lost = 0;
      for (size_t i = 0; i < items.size(); ++i) {
        for (const float x : items[i]) kept += x >= curve[p].alpha;
        const bool damaged = std::count(truths[i].begin(), truths[i].end(), kAbsent) > 0;
        size_t below = 0;
        for (const float x : truths[i]) below += x < curve[p].alpha;
        lost += unit == LossUnit::kPositions ? below : (!damaged && below > 0);
      }
      EXPECT_NEAR(curve[p].efficiency, static_cast<double>(kept) / (40 * 12), 1e-9);
      EXPECT_NEAR(curve[p].alive, static_cast<double>(kept) / (40 * 3), 1e-9);
      EXPECT_NEAR(curve[p].filter_loss,
                  static_cast<double>(lost) / (unit == LossUnit::kPositions ? 40 * 3 : 40), 1e-9);
    }
    const TradeOff::Point* best = TradeOff::best_within(curve, 0.1);
    ASSERT_NE(best, nullptr);
    EXPECT_LE(best->filter_loss, 0.1);
    for (const auto& point : curve)
      if (point.filter_loss <= 0.1) {
        EXPECT_GE(point.efficiency, best->efficiency);
      }
    EXPECT_EQ(TradeOff::best_alive(curve, -1), nullptr);
  }
}

}  // namespace
}  // namespace espalier::cascade

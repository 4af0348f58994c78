#include "espalier/tasks/trees/tree_scorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "espalier/tasks/trees/tree_test_support.h"

namespace espalier::tasks {
namespace {

constexpr size_t kRelations = 7;

AveragedTreeWeights random_weights(size_t features, uint64_t seed) {
  Random random(seed);
  AveragedTreeWeights out;
  out.relations = kRelations;
  for (size_t f = 0; f < features; ++f) {
    out.move_hashes.push_back(random.next());
    auto& row = out.moves.emplace_back();
    for (float& w : row) w = static_cast<float>(random.gaussian());
    out.relation_hashes.push_back(random.next());
    for (size_t r = 0; r < kRelations; ++r)
      out.relation.push_back(random.below(2) == 0 ? 0 : static_cast<float>(random.gaussian()));
  }
  return out;
}

TEST(TreeTables, StoreEveryWeightWithinTheirPrecision) {
  // Some lines of so many features overflow into the next.
  const AveragedTreeWeights weights = random_weights(20000, 1);
  const TreeTables packed = TreeTables::pack(weights);
  SectionWriter out;
  packed.save(out);
  const SectionFile file = SectionFile::from_bytes(out.to_bytes(), "toy").value();
  const TreeTables loaded = TreeTables::load(file, kRelations).value();
  EXPECT_EQ(loaded.features(), packed.features());
  size_t wrong = 0;
  for (size_t f = 0; f < weights.moves.size(); ++f)
    for (uint32_t m = 0; m < kTreeMoves; ++m) {
      const auto move = static_cast<TreeMove>(m);
      const float stored = loaded.move_weight(weights.move_hashes[f], move);
      EXPECT_EQ(stored, packed.move_weight(weights.move_hashes[f], move));
      wrong += std::abs(stored - weights.moves[f][m]) > 1e-3f;
    }
  // 16 bits of the hash: a few features are mistaken for another in their line.
  EXPECT_LT(wrong, weights.moves.size() / 1000);
  for (size_t f = 0; f < weights.relation_hashes.size(); ++f)
    for (data::Label r = 0; r < kRelations; ++r)
      EXPECT_NEAR(loaded.relation_weight(weights.relation_hashes[f], r), weights.relation[f * kRelations + r],
                  1e-3);
}

TEST(TreeTables, SumsAreThoseOfTheSingleWeights) {
  const AveragedTreeWeights weights = random_weights(3000, 2);
  const TreeTables tables = TreeTables::pack(weights);
  Random random(3);
  for (const size_t count : {0, 1, 5, 140, 300}) {
    std::vector<uint64_t> moves, relations;
    for (size_t i = 0; i < count; ++i) {
      const size_t f = random.below(weights.moves.size());
      const bool known = random.below(3) != 0;
      moves.push_back(known ? weights.move_hashes[f] : random.next());
      relations.push_back(known ? weights.relation_hashes[f] : random.next());
    }
    // In two groups.
    const std::array<uint32_t, 2> ends = {static_cast<uint32_t>(count / 3), static_cast<uint32_t>(count)};
    std::array<TreeTables::MoveSums, 2> sums;
    tables.sum_moves(moves, ends, sums.data());
    AlignedVector<float> row(linear::padded(kRelations), 0.0f);
    std::vector<uint32_t> offsets;
    tables.add_relations(relations, offsets, row.data());
    for (uint32_t m = 0; m < kTreeMoves; ++m) {
      double sum = 0;
      for (const uint64_t hash : moves) sum += tables.move_weight(hash, static_cast<TreeMove>(m));
      EXPECT_NEAR(tables.move_scale() * static_cast<float>(sums[0][m] + sums[1][m]), sum, 1e-2);
    }
    for (data::Label r = 0; r < kRelations; ++r) {
      double sum = 0;
      for (const uint64_t hash : relations) sum += tables.relation_weight(hash, r);
      EXPECT_NEAR(row[r], sum, 1e-2);
    }
  }
}

TEST(TreeWeights, TheAverageIsThatOfTheWeightsBeforeEachStep) {
  const TreeSystem system = small_system(false, 4);
  const TreeSentence sentence = small_sentence(5, system.columns);
  TreeScratch scratch;
  const ParseSpace space(system, sentence, scratch, nullptr);
  // A state in which a move is chosen, and one in which a relation is.
  ParseSpace::State state = space.initial();
  for (int i = 0; i < 2; ++i) state = space.apply(state, {0, static_cast<uint32_t>(TreeMove::kShift)});
  const ParseSpace::State arc = space.apply(state, {0, static_cast<uint32_t>(TreeMove::kRight)});
  TreeWeights weights(4);
  Random random(5);
  constexpr int kSteps = 12;
  std::array<double, kTreeMoves + 4> sum{};
  for (int step = 0; step < kSteps; ++step) {
    for (uint32_t a = 0; a < sum.size(); ++a)
      sum[a] += weights.row(space, a < kTreeMoves ? state : arc, 0)[a];
    const auto move = static_cast<uint32_t>(random.below(3));
    weights.add(space, state, {0, move}, random.gaussian());
    weights.add(space, arc, {0, static_cast<uint32_t>(kTreeMoves + random.below(4))}, random.gaussian());
    weights.tick();
  }
  const TreeTables tables = TreeTables::pack(weights.averaged(true));
  const TreeTables last = TreeTables::pack(weights.averaged(false));
  TreeMemory memory, other_memory;
  TreeScorer averaged(tables, system, memory), latest(last, system, other_memory);
  for (uint32_t a = 0; a < sum.size(); ++a) {
    const ParseSpace::State& where = a < kTreeMoves ? state : arc;
    EXPECT_NEAR(averaged.row(space, where, 0)[a], sum[a] / kSteps, 0.05);
    EXPECT_NEAR(latest.row(space, where, 0)[a], weights.row(space, where, 0)[a], 0.05);
  }
}

TEST(TreeScorer, TheBestActionsAreTheFirstOfAllSorted) {
  constexpr data::Label kMany = 30;
  const TreeSystem system = small_system(false, kMany);
  const TreeSentence sentence = small_sentence(8, system.columns);
  TreeScratch scratch;
  const ParseSpace space(system, sentence, scratch, nullptr);
  TreeWeights weights(kMany);
  Random random(11);
  std::vector<ParseSpace::State> states;
  std::vector<search::Action> actions;
  for (ParseSpace::State state = space.initial(); !space.is_goal(state);) {
    states.push_back(state);
    actions.clear();
    space.actions(state, actions);
    // Few different values, so that there are ties.
    for (const search::Action& a : actions)
      weights.add(space, state, a, static_cast<double>(random.below(4)));
    state = space.apply(state, actions[random.below(actions.size())]);
  }
  const TreeTables tables = TreeTables::pack(weights.averaged(false));
  for (const float sharpness : {0.0f, 0.3f})
    for (const size_t width : {1, 4, 15, 40}) {
      TreeMemory memory, other_memory;
      TreeScorer ranking(tables, system, memory, sharpness), plain(tables, system, other_memory, sharpness);
      for (const ParseSpace::State& state : states) {
        std::vector<search::Action> best;
        std::vector<float> scores;
        const bool all = ranking.best_actions(space, state, width, best, scores);
        actions.clear();
        space.actions(state, actions);
        EXPECT_TRUE(!all || best.size() == actions.size());
        const std::span<const float> row = plain.row(space, state, 0);
        const auto higher = [&](const search::Action& a, const search::Action& b) {
          return row[a.label] > row[b.label];
        };
        std::stable_sort(actions.begin(), actions.end(), higher);
        if (best.size() == actions.size()) std::stable_sort(best.begin(), best.end(), higher);
        ASSERT_GE(best.size(), std::min(width, actions.size()));
        for (size_t i = 0; i < std::min(width, actions.size()); ++i) EXPECT_EQ(best[i], actions[i]);
        for (const search::Action& a : best)
          EXPECT_NE(std::find(scores.begin(), scores.end(), row[a.label]), scores.end());
      }
    }
}

TEST(TreeScorer, NormalisedScoresAreLogarithmsOfProbabilities) {
  const TreeSystem system = small_system(false, 4);
  const TreeSentence sentence = small_sentence(5, system.columns);
  TreeScratch scratch;
  const ParseSpace space(system, sentence, scratch, nullptr);
  TreeWeights weights(4);
  ParseSpace::State state = space.initial();
  for (int i = 0; i < 2; ++i) state = space.apply(state, {0, static_cast<uint32_t>(TreeMove::kShift)});
  weights.add(space, state, {0, static_cast<uint32_t>(TreeMove::kLeft)}, 0.5);
  const TreeTables tables = TreeTables::pack(weights.averaged(false));
  TreeMemory memory, other_memory;
  TreeScorer plain(tables, system, memory), normalised(tables, system, other_memory, 0.5f);
  std::vector<search::Action> actions;
  space.actions(state, actions);
  const std::vector<float> raw(plain.row(space, state, 0).begin(), plain.row(space, state, 0).end());
  const auto row = normalised.row(space, state, 0);
  double sum = 0;
  for (const search::Action a : actions) {
    sum += std::exp(double{row[a.label]});
    EXPECT_NEAR(row[a.label] - row[actions[0].label], 0.5 * (raw[a.label] - raw[actions[0].label]), 1e-3);
  }
  EXPECT_NEAR(sum, 1, 1e-5);
}

}  // namespace
}  // namespace espalier::tasks

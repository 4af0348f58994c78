#include "espalier/tasks/spaces/chunk_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "espalier/search/examples.h"
#include "espalier/search/policy/row_weights.h"
#include "espalier/search/policy/stored_policy.h"
#include "espalier/tasks/spaces/sequence_problem.h"
#include "espalier/tasks/spaces/space_checks.h"

namespace espalier::tasks {
namespace {

using data::Label;
using search::Action;

static_assert(search::TrainingSpace<ChunkSpace> && search::HasLevel<ChunkSpace>);
static_assert(search::Problem<ChunkProblem>);

TEST(ChunkSpace, TheOracleIsOptimalFromEveryState) {
  Random random(4);
  for (const SequenceLoss loss : kLosses) {
    DecisionPlan plan = segments_plan(loss);
    plan.unit = DecisionUnit::kChunk;
    plan.max_length = 3;
    for (int trial = 0; trial < 40; ++trial) {
      const auto gold = chunks_of(plan, random_labels(plan, random, 5), 3);
      check_oracle(ChunkSpace(plan, {5, gold, {}}), random);
    }
  }
}

TEST(ChunkSpace, TheLossOfAGoalIsWhatItsDefinitionSays) {
  Random random(5);
  for (const SequenceLoss loss : kLosses) {
    DecisionPlan plan = segments_plan(loss);
    plan.unit = DecisionUnit::kChunk;
    plan.max_length = 9;
    for (int trial = 0; trial < 200; ++trial) {
      const auto gold = random_labels(plan, random, 7), predicted = random_labels(plan, random, 7);
      const auto gold_chunks = chunks_of(plan, gold, 9);
      const ChunkSpace space(plan, {7, gold_chunks, {}});
      auto state = space.initial();
      for (const Chunk& c : chunks_of(plan, predicted, 9)) state = space.apply(state, {c.length - 1, c.type});
      EXPECT_NEAR(space.loss(state), loss_by_definition(plan, gold, predicted), 1e-9);
    }
  }
}

/// Sequences of 12 words with blocks of random features.
struct GrowingChunks {
  DecisionPlan plan = segments_plan(SequenceLoss::kF1);
  std::vector<TokenLook> looks;
  std::vector<uint64_t> begin{0};
  std::vector<uint32_t> ids;
  std::shared_ptr<linear::StateRows> layout = std::make_shared<linear::StateRows>();
  GrowingChunks() {
    Random random(8);
    plan.max_length = 5;
    plan.history = 3;
    plan.places = plan.words_before = true;
    for (int t = 0; t < 12; ++t) looks.push_back({random.next(), random.next()});
    for (size_t b = 0; b < ChunkBlocks{12, 5, true}.size(); ++b) {
      for (int i = 0; i < 4; ++i) ids.push_back(static_cast<uint32_t>(random.below(50)));
      begin.push_back(ids.size());
    }
    layout->width = static_cast<uint32_t>(plan.types.size());
    for (size_t f = 0; f < 50; ++f) {
      for (uint16_t c = 0; c < layout->width; ++c)
        if (f < 30 || random.below(2) == 0) layout->column.push_back(c);
      layout->begin.push_back(static_cast<uint32_t>(layout->column.size()));
    }
  }
  ChunkSpace space() const { return {plan, {12, {}, looks}}; }
};

/// A state after some random actions; no goal.
ChunkSpace::State random_state(const ChunkSpace& space, Random& random) {
  auto state = space.initial();
  for (size_t n = random.below(4); n > 0; --n) {
    std::vector<Action> actions;
    space.actions(state, actions);
    const auto next = space.apply(state, actions[random.below(actions.size())]);
    if (space.is_goal(next)) break;
    state = next;
  }
  return state;
}

TEST(ChunkSpace, FeaturesOfAChunkAreThoseOfItsThreeParts) {
  const GrowingChunks chunks;
  const ChunkSpace space = chunks.space();
  Random random(9);
  for (int trial = 0; trial < 50; ++trial) {
    const auto state = random_state(space, random);
    search::FeatureSink parts;
    space.shared_features(state, parts);
    for (uint32_t c = 0; c < 5 && state.at + c < 12; ++c) {
      space.added_features(state, c, parts);
      search::FeatureSink all, mine = parts;
      space.own_features(state, c, mine);
      space.features(state, c, all);
      EXPECT_THAT(mine.blocks(), testing::UnorderedElementsAreArray(all.blocks()));
      const auto hashes = [](const search::FeatureSink& sink) {
        std::vector<uint64_t> found;
        for (const auto& e : sink.entries()) found.push_back(e.hash);
        return found;
      };
      EXPECT_THAT(hashes(mine), testing::UnorderedElementsAreArray(hashes(all)));
    }
  }
}

TEST(ChunkSpace, ScoresOfAllChunksOfAStateAreThoseOfOneByOne) {
  const GrowingChunks chunks;
  const ChunkSpace space = chunks.space();
  // Steps of a half are no whole numbers, which are summed in another way.
  for (const double step : {1.0, 0.5}) {
    search::RowWeights weights(chunks.layout, chunks.plan.types.size());
    weights.begin({chunks.begin, chunks.ids.data(), nullptr});
    Random random(10);
    for (int trial = 0; trial < 100; ++trial) {
      const auto state = random_state(space, random);
      std::vector<Action> actions;
      std::vector<float> scores, one_by_one;
      space.actions(state, actions);
      search::score_actions(space, weights, state, std::span<const Action>(actions), scores);
      search::score_by_rows(space, weights, state, std::span<const Action>(actions), one_by_one);
      EXPECT_EQ(scores, one_by_one);
      weights.add(space, state, actions[random.below(actions.size())], trial % 2 == 0 ? step : -step);
    }
  }
}

TEST(ChunkSpace, StoredWeightsScoreAllChunksOfAStateAsOneByOne) {
  const GrowingChunks chunks;
  const ChunkSpace space = chunks.space();
  const size_t types = chunks.plan.types.size();
  search::RowWeights weights(chunks.layout, types);
  weights.begin({chunks.begin, chunks.ids.data(), nullptr});
  Random random(12);
  for (int i = 0; i < 300; ++i) {
    const auto state = random_state(space, random);
    std::vector<Action> actions;
    space.actions(state, actions);
    weights.add(space, state, actions[random.below(actions.size())], random.gaussian());
  }
  std::vector<uint64_t> hashes;
  for (uint64_t f = 0; f < 50; ++f) hashes.push_back(hash_combine(1, f));
  SectionWriter out;
  const std::string header =
      search::save_policy("p.", weights, linear::FeatureSpace{hashes, {}, {}}, 16, out);
  const auto file = SectionFile::from_bytes(out.to_bytes(), "policy").value();
  const auto policy = search::load_policy(file, "p.", header, types).value();
  const auto scorer = policy->make_scorer();
  data::HashedFeatures blocks;
  blocks.state_begin.assign(chunks.begin.begin(), chunks.begin.end());
  for (const uint32_t id : chunks.ids) blocks.state.push_back(hashes[id]);
  scorer->prepare(blocks);
  ASSERT_TRUE(scorer->start_parts()) << "what chunks have in common should be summed once";
  double most = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const auto state = random_state(space, random);
    std::vector<Action> actions;
    std::vector<float> scores, one_by_one;
    space.actions(state, actions);
    scores.resize(actions.size());
    scorer->score_actions(space, state, actions, scores);
    search::score_by_rows(space, *scorer, state, std::span<const Action>(actions), one_by_one);
    for (size_t i = 0; i < actions.size(); ++i) {
      ASSERT_NEAR(scores[i], one_by_one[i], 1e-3);
      most = std::max(most, std::abs(double{scores[i]}));
    }
  }
  EXPECT_GT(most, 1);
}

TEST(Chunks, ComeBackAsTheLabelsTheyWere) {
  Random random(6);
  DecisionPlan plan = segments_plan(SequenceLoss::kF1);
  add_scheme_labels(plan);
  for (int trial = 0; trial < 50; ++trial) {
    const auto labels = random_labels(plan, random, 9);
    EXPECT_EQ(labels_of(plan, chunks_of(plan, labels, 100), 9), labels);
  }
}

TEST(Chunks, LongerThanTheMaximumAreCutAndCounted) {
  const DecisionPlan plan = segments_plan(SequenceLoss::kF1);
  size_t cut = 0;
  const std::vector<Label> labels{1, 2, 2, 2, 2, 0};
  EXPECT_EQ(chunks_of(plan, labels, 2, &cut),
            (std::vector<Chunk>{{0, 2, 1}, {2, 2, 1}, {4, 1, 1}, {5, 1, 0}}));
  EXPECT_EQ(cut, 1u);
}

}  // namespace
}  // namespace espalier::tasks

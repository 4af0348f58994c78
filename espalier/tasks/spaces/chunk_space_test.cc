#include "espalier/tasks/spaces/chunk_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/search/examples.h"
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

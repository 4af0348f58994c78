#include "research/searn/queue_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/search/toy_space.h"
#include "espalier/search/train_from_spaces.h"

namespace espalier::research {
namespace {

using ToyQueue = QueueSpace<search::ToySpace, search::Scorer>;
static_assert(search::TrainingSpace<ToyQueue>);

search::ToySpace wide_toy(uint64_t seed, size_t length, uint32_t labels) {
  search::ToySpace space;
  space.k = labels;
  Random random(seed);
  for (size_t t = 0; t < length; ++t) {
    space.x.push_back(static_cast<uint32_t>(random.below(3)));
    space.y.push_back(static_cast<uint32_t>(random.below(labels)));
  }
  return space;
}

/// Takes the first of the queue: its only feature is kRank.
search::RowWeights by_rank(size_t labels) {
  search::RowWeights weights = search::plain_weights(labels);
  search::FeatureSink rank;
  rank.add(ToyQueue::kRank);
  for (uint32_t l = 0; l < labels; ++l) weights.add(rank, l, 1);
  return weights;
}

/// Prefers shallow states, since all scores are negative.
class Falling final : public search::Scorer {
 public:
  Falling(size_t labels, uint64_t seed) : inner_(labels, seed), row_(labels) {}
  void begin(const search::StaticBlocks&) override {}
  std::span<const float> score(const search::FeatureSink& features) override {
    const auto scores = inner_.score(features);
    for (size_t l = 0; l < row_.size(); ++l) row_[l] = scores[l] - 1;
    return row_;
  }

 private:
  search::RandomScorer inner_;
  std::vector<float> row_;
};

TEST(QueueSpace, AGreedySearchByTheRankingIsItsBestFirstBeamSearch) {
  size_t taken_back = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed)
    for (const size_t width : {1, 2, 5}) {
      const auto labels = static_cast<uint32_t>(3 + seed % 5);  // more than the narrow beams hold
      const search::ToySpace toy = wide_toy(seed, 5, labels);
      Falling ranking(labels, seed);
      search::RowWeights first = by_rank(labels);
      const ToyQueue queue(toy, width, ranking);
      const auto greedy = search::decode_greedily(queue, first);
      const auto beam = search::decode_best_first(toy, ranking, width);
      ASSERT_TRUE(greedy.reached_goal() && beam.reached_goal());
      EXPECT_EQ(greedy.state.queue[0].state.history, beam.state.history) << seed << " width " << width;
      EXPECT_DOUBLE_EQ(greedy.state.queue[0].rank, beam.score);
      taken_back += greedy.actions.size() > toy.x.size() + 1 ? 1 : 0;
    }
  EXPECT_GT(taken_back, 30u);  // states of other paths were taken as well
}

TEST(QueueSpace, EveryLabelIsWithinReachOfABeamNarrowerThanTheirNumber) {
  // The ranking prefers the last of 26 labels, which pruning by the order of actions would never keep.
  search::ToySpace toy = wide_toy(1, 4, 26);
  search::RowWeights ranking = search::plain_weights(26);
  for (uint32_t x = 0; x < 3; ++x) {
    search::FeatureSink sink;
    sink.add(hash_combine(1, x));
    ranking.add(sink, 25, 1);
  }
  search::RowWeights first = by_rank(26);
  const auto found = search::decode_greedily(ToyQueue(toy, 3, ranking), first);
  ASSERT_TRUE(found.reached_goal());
  EXPECT_EQ(found.state.queue[0].state.before, 25u);
  EXPECT_DOUBLE_EQ(found.state.queue[0].rank, 4);
}

class Deepest final : public search::Scorer {
 public:
  void begin(const search::StaticBlocks&) override {}
  std::span<const float> score(const search::FeatureSink&) override { return row_; }

 private:
  std::vector<float> row_{1, 1};
};

struct ToyQueueProblem {
  using Space = ToyQueue;
  const search::ToyProblem& toys;
  search::Scorer& ranking;
  size_t size() const { return toys.size(); }
  Space space(size_t i) const { return Space(toys.spaces[i], 3, ranking); }
  search::StaticBlocks blocks(size_t) const { return {}; }
};

TEST(QueueSpace, LearnsWhenNotToFollowItsRanking) {
  // The ranking only puts the deepest state first; a policy that goes astray for too long drops off its end.
  const search::ToyProblem toys = search::toggles(1, 40, 6, 0), test = search::toggles(2, 40, 6, 0);
  Deepest ranking;
  const ToyQueueProblem problem{toys, ranking};
  const search::LearnClassifier<ToyQueue> learn = [&](const search::Examples<ToyQueue>& examples, int,
                                                      int) -> Result<std::shared_ptr<search::Scorer>> {
    return std::shared_ptr<search::Scorer>(std::make_shared<search::RowWeights>(
        learn_direct(problem, examples, search::no_static_rows(2), 2, {}, {})));
  };
  const auto policy = searn(problem, {}, learn, {}, {});
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  double learned = 0, by_ranking = 0;
  for (const search::ToySpace& toy : test.spaces) {
    const ToyQueue queue(toy, 3, ranking);
    const auto found = search::decode_greedily(queue, *policy);
    ASSERT_TRUE(found.reached_goal());
    learned += queue.loss(found.state) / 40;
    by_ranking += toy.loss(search::decode_best_first(toy, ranking, 3).state) / 40;
  }
  EXPECT_LT(learned, 0.25);
  EXPECT_GT(by_ranking, 1.5);
}

/// Label 1 is a dead end; with `all`, every label is.
struct Dead : search::ToySpace {
  bool all = false;
  void actions(const State& s, std::vector<search::Action>& out) const {
    if (s.before != 1 && !all) search::ToySpace::actions(s, out);
  }
};

TEST(QueueSpace, DeadEndsStayOutsideTheQueue) {
  Dead dead;
  dead.x = dead.y = {0, 0};
  using Queue = QueueSpace<Dead, search::Scorer>;
  search::RandomScorer ranking(2, 1);
  search::RowWeights first = by_rank(2);
  const auto found = search::decode_greedily(Queue(dead, 4, ranking), first);
  ASSERT_TRUE(found.reached_goal());
  dead.all = true;
  const Queue nowhere(dead, 4, ranking);
  EXPECT_EQ(search::decode_greedily(nowhere, first).ended, search::Ended::kDeadEnd);
  search::Examples<Queue> examples;
  const Status status = add_examples(nowhere, 0, search::Mixture(), Random(1), {}, examples);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, ::testing::HasSubstr("has no actions"));
}

}  // namespace
}  // namespace espalier::research

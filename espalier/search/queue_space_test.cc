#include "espalier/search/queue_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/search/simple.h"
#include "espalier/search/toy_space.h"

namespace espalier::search {
namespace {

using ToyQueue = QueueSpace<ToySpace, Scorer>;
static_assert(TrainingSpace<ToyQueue>);

ToySpace wide_toy(uint64_t seed, size_t length, uint32_t labels) {
  ToySpace space;
  space.k = labels;
  Random random(seed);
  for (size_t t = 0; t < length; ++t) {
    space.x.push_back(static_cast<uint32_t>(random.below(3)));
    space.y.push_back(static_cast<uint32_t>(random.below(labels)));
  }
  return space;
}

/// Takes the first of the queue: its only feature is kRank.
RowWeights by_rank(size_t labels) {
  RowWeights weights = plain_weights(labels);
  FeatureSink rank;
  rank.add(ToyQueue::kRank);
  for (uint32_t l = 0; l < labels; ++l) weights.add(rank, l, 1);
  return weights;
}

/// Prefers shallow states: scores are below 0.
class Falling final : public Scorer {
 public:
  Falling(size_t labels, uint64_t seed) : inner_(labels, seed), row_(labels) {}
  void begin(const StaticBlocks&) override {}
  std::span<const float> score(const FeatureSink& features) override {
    const auto scores = inner_.score(features);
    for (size_t l = 0; l < row_.size(); ++l) row_[l] = scores[l] - 1;
    return row_;
  }

 private:
  RandomScorer inner_;
  std::vector<float> row_;
};

TEST(QueueSpace, AGreedySearchByTheRankingIsItsBestFirstBeamSearch) {
  size_t taken_back = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed)
    for (const size_t width : {1, 2, 5}) {
      const auto labels = static_cast<uint32_t>(3 + seed % 5);  // more than the narrow beams hold
      const ToySpace toy = wide_toy(seed, 5, labels);
      Falling ranking(labels, seed);
      RowWeights first = by_rank(labels);
      const ToyQueue queue(toy, width, ranking);
      const auto greedy = decode_greedily(queue, first);
      const auto beam = decode_best_first(toy, ranking, width);
      ASSERT_TRUE(greedy.reached_goal() && beam.reached_goal());
      EXPECT_EQ(greedy.state.queue[0].state.history, beam.state.history) << seed << " width " << width;
      EXPECT_DOUBLE_EQ(greedy.state.queue[0].rank, beam.score);
      taken_back += greedy.actions.size() > toy.x.size() + 1 ? 1 : 0;
    }
  EXPECT_GT(taken_back, 30u);  // other states than those of one path were taken
}

TEST(QueueSpace, EveryLabelIsWithinReachOfABeamNarrowerThanTheirNumber) {
  // The ranking likes the last of 26 labels best, which a cut by the order of actions would never let in.
  ToySpace toy = wide_toy(1, 4, 26);
  RowWeights ranking = plain_weights(26);
  for (uint32_t x = 0; x < 3; ++x) {
    FeatureSink sink;
    sink.add(hash_combine(1, x));
    ranking.add(sink, 25, 1);
  }
  RowWeights first = by_rank(26);
  const auto found = decode_greedily(ToyQueue(toy, 3, ranking), first);
  ASSERT_TRUE(found.reached_goal());
  EXPECT_EQ(found.state.queue[0].state.before, 25u);
  EXPECT_DOUBLE_EQ(found.state.queue[0].rank, 4);
}

class Deepest final : public Scorer {
 public:
  void begin(const StaticBlocks&) override {}
  std::span<const float> score(const FeatureSink&) override { return row_; }

 private:
  std::vector<float> row_{1, 1};
};

struct ToyQueueProblem {
  using Space = ToyQueue;
  const ToyProblem& toys;
  Scorer& ranking;
  size_t size() const { return toys.size(); }
  Space space(size_t i) const { return Space(toys.spaces[i], 3, ranking); }
  StaticBlocks blocks(size_t) const { return {}; }
};

TEST(QueueSpace, LearnsWhenNotToFollowItsRanking) {
  // The ranking puts the deepest first and knows nothing else; who goes astray too long falls off its end.
  const ToyProblem toys = toggles(1, 40, 6, 0), test = toggles(2, 40, 6, 0);
  Deepest ranking;
  const ToyQueueProblem problem{toys, ranking};
  const LearnClassifier<ToyQueue> learn = [&](const Examples<ToyQueue>& examples, int,
                                              int) -> Result<std::shared_ptr<Scorer>> {
    return std::shared_ptr<Scorer>(
        std::make_shared<RowWeights>(learn_direct(problem, examples, no_static_rows(2), 2, {}, {})));
  };
  const auto policy = searn(problem, {}, learn, {}, {});
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  double learned = 0, by_ranking = 0;
  for (const ToySpace& toy : test.spaces) {
    const ToyQueue queue(toy, 3, ranking);
    const auto found = decode_greedily(queue, *policy);
    ASSERT_TRUE(found.reached_goal());
    learned += queue.loss(found.state) / 40;
    by_ranking += toy.loss(decode_best_first(toy, ranking, 3).state) / 40;
  }
  EXPECT_LT(learned, 0.25);
  EXPECT_GT(by_ranking, 1.5);
}

/// Label 1 leads nowhere; with `all`, so does everything.
struct Dead : ToySpace {
  bool all = false;
  void actions(const State& s, std::vector<Action>& out) const {
    if (s.before != 1 && !all) ToySpace::actions(s, out);
  }
};

TEST(QueueSpace, DeadEndsStayOutsideTheQueue) {
  Dead dead;
  dead.x = dead.y = {0, 0};
  using Queue = QueueSpace<Dead, Scorer>;
  RandomScorer ranking(2, 1);
  RowWeights first = by_rank(2);
  const auto found = decode_greedily(Queue(dead, 4, ranking), first);
  ASSERT_TRUE(found.reached_goal());
  dead.all = true;
  const Queue nowhere(dead, 4, ranking);
  EXPECT_EQ(decode_greedily(nowhere, first).ended, Ended::kDeadEnd);
  Examples<Queue> examples;
  const Status status = add_examples(nowhere, 0, Mixture(), Random(1), {}, examples);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, ::testing::HasSubstr("has no actions"));
}

}  // namespace
}  // namespace espalier::search

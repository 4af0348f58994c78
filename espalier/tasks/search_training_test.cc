// What learners of searches ask of the sequence tasks, and what they do with the answers.
#include "espalier/tasks/search_decoding.h"
#include "espalier/tasks/search_training.h"

#include <gtest/gtest.h>

#include "espalier/base/random.h"
#include "espalier/search/exhaustive.h"
#include "espalier/search/passes.h"
#include "espalier/search/search_oracle.h"

namespace espalier::tasks {
namespace {

using data::Label;
using search::Action;

/// Scores derived from the features of the history.
class HistoryScorer final : public search::Scorer {
 public:
  HistoryScorer(size_t labels, uint64_t seed) : row_(labels), seed_(seed) {}
  void begin(const search::StaticBlocks&) override {}
  std::span<const float> score(const search::FeatureSink& features) override {
    uint64_t h = seed_;
    for (const auto& e : features.entries()) h = hash_combine(h, e.hash);
    for (const uint32_t block : features.blocks()) h = hash_combine(h, block);
    for (size_t l = 0; l < row_.size(); ++l) row_[l] = static_cast<float>(Random(h).split(l).uniform());
    return row_;
  }

 private:
  std::vector<float> row_;
  uint64_t seed_;
};

/// The same space without future_key and goal_like.
template <typename Space>
struct Unshared : Space {
  explicit Unshared(const Space& space) : Space(space) {}
  void future_key(const typename Space::State&) const = delete;
};

template <typename Space>
void expect_shared_costs_to_be_exact(const Space& space, uint64_t seed) {
  static_assert(search::HasFutureKey<Space> && !search::HasFutureKey<Unshared<Space>>);
  search::Mixture mixture;
  for (uint64_t i = 0; i < 1 + seed % 3; ++i)
    mixture.interpolate(std::make_shared<HistoryScorer>(space.labels(), 10 * seed + i), 0.7);
  const search::ExampleOptions options{search::CostEstimate::kSample, 2, 0.1};
  search::Examples<Space> shared;
  search::Examples<Unshared<Space>> apart;
  ASSERT_TRUE(search::add_examples(space, 0, mixture, Random(seed), options, shared).ok());
  ASSERT_TRUE(search::add_examples(Unshared<Space>(space), 0, mixture, Random(seed), options, apart).ok());
  EXPECT_EQ(shared.costs, apart.costs) << "seed " << seed;
}

/// Checks that the oracle that searches for the best completion and the one that knows it agree in every
/// state of a random walk.
template <typename Space>
void expect_oracles_to_agree(const Space& space, size_t width, Random& random) {
  const search::SearchOracle<Space> searching(space, width);
  auto state = space.initial();
  while (!space.is_goal(state)) {
    EXPECT_NEAR(searching.best_loss(state), space.best_loss(state), 1e-9);
    std::vector<Action> actions, known, searched;
    space.actions(state, actions);
    space.optimal_actions(state, known);
    searching.optimal_actions(state, searched);
    for (const Action& a : known) EXPECT_NE(std::find(searched.begin(), searched.end(), a), searched.end());
    state = space.apply(state, actions[random.below(actions.size())]);
  }
}

DecisionPlan plan_with(SequenceLoss loss, size_t history) {
  data::LabelSet labels;
  for (const char* name : {"O", "B-X", "I-X", "B-Y", "I-Y"}) labels.add(name);
  DecisionPlan plan = DecisionPlan::of(labels, data::Scheme::kIob2);
  plan.loss = loss;
  plan.history = history;
  plan.legal = true;
  return plan;
}
constexpr SequenceLoss kEveryLoss[] = {SequenceLoss::kHamming, SequenceLoss::kF1, SequenceLoss::kZeroOne};

std::vector<Label> labels_like(const DecisionPlan& plan, Random& random, size_t length) {
  std::vector<Label> labels;
  while (labels.size() < length) {
    const Label label = static_cast<Label>(random.below(5));
    const auto tag = plan.tags[label];
    if (tag.prefix == 'I' && (labels.empty() || plan.tags[labels.back()].type != tag.type)) continue;
    labels.push_back(label);
  }
  return labels;
}

TEST(SharedRollOuts, OfWordsChunksAndColumnsGiveTheCostsOfThoseThatShareNothing) {
  Random random(5);
  uint64_t seed = 0;
  for (const SequenceLoss loss : kEveryLoss)
    for (const size_t history : {0, 1, 3, 10}) {
      DecisionPlan plan = plan_with(loss, history);
      const auto gold = labels_like(plan, random, 12);
      LabelInput words;
      words.length = gold.size();
      words.gold = gold;
      expect_shared_costs_to_be_exact(LabelSpace(plan, words), ++seed);
      plan.unit = DecisionUnit::kChunk;
      plan.max_length = 4;
      const auto chunks = chunks_of(plan, gold, 4);
      std::vector<TokenLook> looks(gold.size());
      for (TokenLook& look : looks) look = {random.below(5), random.below(3)};
      ChunkInput in{gold.size(), chunks, looks};
      expect_shared_costs_to_be_exact(ChunkSpace(plan, in), ++seed);
      if (loss == SequenceLoss::kF1) continue;
      data::LabelSet first, second;
      for (const char* name : {"a", "b", "c"}) first.add(name);
      for (const char* name : {"x", "y"}) second.add(name);
      DecisionPlan joint = DecisionPlan::joint({first, second});
      joint.loss = loss;
      joint.history = history;
      joint.lead = seed % 3;
      std::vector<Label> columns;
      for (size_t t = 0; t < 8; ++t) {
        columns.push_back(static_cast<Label>(random.below(3)));
        columns.push_back(static_cast<Label>(3 + random.below(2)));
      }
      JointInput input;
      input.length = 8;
      input.gold = columns;
      expect_shared_costs_to_be_exact(JointSpace(joint, input), ++seed);
    }
}

TEST(SharedRollOuts, InAnyOrderGiveTheLossThatThePolicyHas) {
  DecisionPlan plan = plan_with(SequenceLoss::kHamming, 2);
  plan.legal = false;
  plan.order = DecisionOrder::kEasiestFirst;
  Random random(8);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const auto gold = labels_like(plan, random, 6);
    LabelInput words;
    words.length = gold.size();
    words.gold = gold;
    const EasiestSpace space(plan, words);
    search::Mixture one;
    one.interpolate(std::make_shared<HistoryScorer>(5, seed), 1);
    search::Examples<EasiestSpace> examples;
    ASSERT_TRUE(
        search::add_examples(space, 0, one, Random(1), {search::CostEstimate::kSample, 1, 0}, examples).ok());
    ASSERT_GT(examples.list.size(), 3u);
    for (const auto& e : examples.list) {
      std::vector<Action> actions;
      std::vector<double> losses;
      search::example_actions(space, e.state, actions);
      for (const Action& a : actions)
        losses.push_back(search::expected_loss(space, space.apply(e.state, a), one));
      const double least = *std::min_element(losses.begin(), losses.end());
      for (size_t i = 0; i < losses.size(); ++i)
        EXPECT_FLOAT_EQ(examples.costs[e.first_cost + i], static_cast<float>(losses[i] - least));
    }
  }
}

TEST(SearchedOracles, AgreeWithWhatIsKnownOfEveryLoss) {
  Random random(6);
  for (const SequenceLoss loss : kEveryLoss)
    for (int trial = 0; trial < 5; ++trial) {
      DecisionPlan plan = plan_with(loss, 1);
      const auto gold = labels_like(plan, random, 4);
      LabelInput words;
      words.length = gold.size();
      words.gold = gold;
      expect_oracles_to_agree(LabelSpace(plan, words), 200, random);
      plan.unit = DecisionUnit::kChunk;
      plan.max_length = 3;
      const auto chunks = chunks_of(plan, gold, 3);
      expect_oracles_to_agree(ChunkSpace(plan, ChunkInput{gold.size(), chunks, {}}), 200, random);
    }
  // The Hamming loss guides the search step by step, so a beam of one is enough.
  DecisionPlan plan = plan_with(SequenceLoss::kHamming, 1);
  plan.legal = false;
  const auto gold = labels_like(plan, random, 9);
  LabelInput words;
  words.length = gold.size();
  words.gold = gold;
  expect_oracles_to_agree(LabelSpace(plan, words), 1, random);
}

/// Every label costs the same, so the shortest path is always the best so far.
class Level final : public search::Scorer {
 public:
  void begin(const search::StaticBlocks&) override {}
  std::span<const float> score(const search::FeatureSink&) override { return row_; }

 private:
  std::vector<float> row_ = std::vector<float>(5, -1.0f);
};

TEST(BestFirstDecoding, HandsOverToABreadthFirstSearchWhereItTakesTooLong) {
  DecisionPlan plan = plan_with(SequenceLoss::kHamming, 1);
  plan.legal = false;
  const auto decode = [&](size_t length, size_t beam) {
    LabelInput words;
    words.length = length;
    search::Mixture policy;
    policy.interpolate(std::make_shared<Level>(), 1);
    DecodeOptions options;
    options.beam = beam;
    options.best_first = true;
    return decode_labels(LabelSpace(plan, words), plan, length, policy, options);
  };
  const auto late = decode(12, 1000);  // five or six levels of a thousand, and 200 · 13 steps
  ASSERT_TRUE(late.ok());
  EXPECT_EQ(late->ended, data::SearchEnd::kOutOfSteps);
  EXPECT_EQ(late->best[0].labels.size(), 12u);
  EXPECT_DOUBLE_EQ(late->best[0].score, -12);
  const auto in_time = decode(12, 2);
  ASSERT_TRUE(in_time.ok());
  EXPECT_EQ(in_time->ended, data::SearchEnd::kApproximate);
}

TEST(SearchTraining, WeightsAreAveragedUnlessThatIsNotWanted) {
  // Two labels that depend on the history, some of them wrong, so that the last weights differ from the mean.
  Random random(9);
  data::LabelSet labels;
  for (const char* name : {"a", "b"}) labels.add(name);
  const DecisionPlan plan = DecisionPlan::of(labels, data::Scheme::kNone);
  linear::Dataset data;
  for (int s = 0; s < 20; ++s) {
    for (size_t t = 0; t < 6; ++t) {
      data.state.close();
      data.edge.close();
      data.gold.push_back(static_cast<Label>((t + random.below(4) / 3) % 2));
    }
    data.weight.push_back(1.0f);
    data.sequence_begin.push_back(data.gold.size());
  }
  const LabelProblem problem{plan, data, {}, {}};
  search::RowWeights by_hand(search::no_static_rows(2), 2);
  const search::LasoOptions laso{.width = 2};
  ASSERT_TRUE(search::learn_in_passes(
                  problem, by_hand, 3, 1, {},
                  [&](const LabelSpace& space, auto& w, auto& scratch) {
                    return search::learn_breadth_first(space, w, laso, scratch);
                  },
                  [](int, size_t) { return true; })
                  .ok());
  const search::RowWeights mean = by_hand.averaged();
  for (const bool average : {true, false}) {
    SearchOptions options;
    options.learner = SearchLearner::kLasoBr;
    options.laso = laso;
    options.passes = 3;
    options.average = average;
    const Monitor monitor;
    const SearchContext context{{monitor, nullptr}, search::no_static_rows(2), 2, 0};
    const auto policy = train_search(problem, options, context);
    ASSERT_TRUE(policy.ok());
    const auto& learned = dynamic_cast<const search::RowWeights&>(policy->classifier(0));
    EXPECT_EQ(learned.hashed().weights(), (average ? mean : by_hand).hashed().weights());
  }
  EXPECT_NE(mean.hashed().weights(), by_hand.hashed().weights());
}

}  // namespace
}  // namespace espalier::tasks

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "espalier/base/random.h"
#include "espalier/eval/losses.h"
#include "espalier/search/examples.h"
#include "espalier/tasks/spaces/chunk_space.h"
#include "espalier/tasks/spaces/label_space.h"
#include "espalier/tasks/spaces/sequence_problem.h"

namespace espalier::tasks {
namespace {

using data::Label;
using search::Action;

static_assert(search::TrainingSpace<LabelSpace> && !search::HasLevel<LabelSpace>);
static_assert(search::TrainingSpace<ChunkSpace> && search::HasLevel<ChunkSpace>);
static_assert(search::Problem<LabelProblem> && search::Problem<ChunkProblem>);

SequenceShape segments_shape(SequenceLoss loss) {
  data::LabelSet labels;
  for (const char* name : {"O", "B-X", "I-X", "B-Y", "I-Y"}) labels.add(name);
  SequenceShape shape = SequenceShape::of(labels, data::Scheme::kIob2);
  shape.loss = loss;
  shape.legal = true;
  return shape;
}

/// Random labels that are legal in IOB2.
std::vector<Label> random_labels(const SequenceShape& shape, Random& random, size_t length) {
  std::vector<Label> labels;
  while (labels.size() < length) {
    const Label label = static_cast<Label>(random.below(5));
    const auto tag = shape.tags[label];
    if (tag.prefix == 'I' && (labels.empty() || shape.tags[labels.back()].type != tag.type)) continue;
    labels.push_back(label);
  }
  return labels;
}

double loss_by_definition(const SequenceShape& shape, const std::vector<Label>& gold,
                          const std::vector<Label>& predicted) {
  if (shape.loss == SequenceLoss::kHamming) return static_cast<double>(eval::hamming_loss(gold, predicted));
  if (shape.loss == SequenceLoss::kZeroOne) return eval::zero_one_loss(gold, predicted);
  double segments = 0;
  for (const Label l : gold) segments += shape.tags[l].prefix == 'B' ? 1 : 0;
  return std::max(segments, 1.0) * eval::ChunkF1Loss(shape.labels)(gold, predicted);
}

/// The least loss of any completion, by enumeration.
template <typename Space>
double least_loss(const Space& space, const typename Space::State& state) {
  if (space.is_goal(state)) return space.loss(state);
  std::vector<Action> actions;
  space.actions(state, actions);
  double least = 1e300;
  for (const Action& a : actions) least = std::min(least, least_loss(space, space.apply(state, a)));
  return least;
}

/// Follows a random path and checks the oracle in every state.
template <typename Space>
void check_oracle(const Space& space, Random& random) {
  auto state = space.initial();
  while (!space.is_goal(state)) {
    const double least = least_loss(space, state);
    EXPECT_NEAR(space.best_loss(state), least, 1e-9);
    std::vector<Action> actions, optimal;
    space.actions(state, actions);
    if constexpr (search::HasBestLossAfter<Space>) {
      for (const Action& a : actions)
        EXPECT_EQ(space.best_loss_after(state, a), space.best_loss(space.apply(state, a)));
    }
    space.optimal_actions(state, optimal);
    ASSERT_FALSE(optimal.empty());
    for (const Action& a : optimal) {
      EXPECT_NE(std::find(actions.begin(), actions.end(), a), actions.end());
      EXPECT_NEAR(space.best_loss(space.apply(state, a)), least, 1e-9);
    }
    state = space.apply(state, actions[random.below(actions.size())]);
  }
}

constexpr SequenceLoss kLosses[] = {SequenceLoss::kHamming, SequenceLoss::kF1, SequenceLoss::kZeroOne};

TEST(LabelSpace, TheOracleIsOptimalFromEveryState) {
  Random random(1);
  for (const SequenceLoss loss : kLosses) {
    SequenceShape shape = segments_shape(loss);
    for (int trial = 0; trial < 40; ++trial) {
      shape.legal = loss == SequenceLoss::kF1 || trial % 2 == 0;
      const auto gold = random_labels(shape, random, 5);
      LabelInput input;
      input.length = 5;
      input.gold = gold;
      check_oracle(LabelSpace(shape, input), random);
    }
  }
}

TEST(LabelSpace, TheLossOfAGoalIsWhatItsDefinitionSays) {
  Random random(2);
  for (const SequenceLoss loss : kLosses) {
    const SequenceShape shape = segments_shape(loss);
    for (int trial = 0; trial < 200; ++trial) {
      const auto gold = random_labels(shape, random, 7), predicted = random_labels(shape, random, 7);
      LabelInput input;
      input.length = 7;
      input.gold = gold;
      const LabelSpace space(shape, input);
      auto state = space.initial();
      for (const Label l : predicted) state = space.apply(state, {0, l});
      EXPECT_NEAR(space.loss(state), loss_by_definition(shape, gold, predicted), 1e-9);
    }
  }
}

TEST(LabelSpace, FromTheRightLabelsStayLegalAndTheOracleOptimal) {
  Random random(3);
  SequenceShape shape = segments_shape(SequenceLoss::kHamming);
  shape.order = DecisionOrder::kRightToLeft;
  for (int trial = 0; trial < 40; ++trial) {
    const auto gold = random_labels(shape, random, 5);
    LabelInput input;
    input.length = 5;
    input.gold = gold;
    const LabelSpace space(shape, input);
    check_oracle(space, random);
    auto state = space.initial();
    std::vector<Label> given;
    while (!space.is_goal(state)) {
      EXPECT_EQ(space.token(state), 4 - given.size());
      std::vector<Action> actions;
      space.actions(state, actions);
      ASSERT_FALSE(actions.empty());
      const Action a = actions[random.below(actions.size())];
      given.insert(given.begin(), static_cast<Label>(a.label));
      state = space.apply(state, a);
    }
    for (size_t t = 0; t < 5; ++t)
      if (shape.tags[given[t]].prefix == 'I') {
        ASSERT_GT(t, 0u);
        EXPECT_EQ(shape.tags[given[t]].type, shape.tags[given[t - 1]].type);
      }
  }
}

TEST(LabelSpace, UnknownAndForcedLabels) {
  const SequenceShape shape = segments_shape(SequenceLoss::kHamming);
  const std::vector<Label> gold{0, data::kNoLabel, 1}, forced{data::kNoLabel, 3, data::kNoLabel};
  LabelInput input;
  input.length = 3;
  input.gold = gold;
  LabelSpace space(shape, input);
  auto state = space.apply(space.initial(), {0, 0});
  std::vector<Action> optimal;
  space.optimal_actions(state, optimal);
  EXPECT_EQ(optimal.size(), 3u);  // O, B-X, B-Y: the gold label is unknown
  EXPECT_EQ(space.best_loss(space.apply(state, {0, 3})), 0);
  input.forced = forced;
  LabelSpace bound(shape, input);
  std::vector<Action> actions;
  bound.actions(bound.apply(bound.initial(), {0, 0}), actions);
  EXPECT_EQ(actions, (std::vector<Action>{{0, 3}}));
}

/// Two columns; a name may be in both.
SequenceShape two_columns() {
  std::vector<data::LabelSet> columns(2);
  for (const char* name : {"N", "V"}) columns[0].add(name);
  for (const char* name : {"B-X", "I-X", "V"}) columns[1].add(name);
  return SequenceShape::joint(columns);
}

TEST(SequenceShape, ColumnsKeepTheirLabelsThroughAModelFile) {
  const SequenceShape shape = two_columns();
  const auto again = SequenceShape::from_json(shape.to_json(), "m");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->column_begin, (std::vector<uint32_t>{0, 2, 5}));
  EXPECT_EQ(again->column_labels, shape.column_labels);
  EXPECT_EQ(again->label_name(1), "V");
  EXPECT_EQ(again->label_name(4), "V");
  EXPECT_EQ(again->column_of(4), 1u);
  SequenceShape far = shape;
  far.history = kMostHistory + 1;
  EXPECT_FALSE(far.check().ok());
  far.history = kMostHistory;
  EXPECT_TRUE(far.check().ok());
  far.lead = kMostLead + 1;
  EXPECT_FALSE(far.check().ok());
  SequenceShape segments = shape;
  segments.loss = SequenceLoss::kF1;
  EXPECT_FALSE(segments.check().ok());
}

TEST(JointSpace, TheOracleIsOptimalFromEitherSideAndWithAnyLead) {
  static_assert(search::TrainingSpace<JointSpace> && search::Problem<JointProblem>);
  Random random(11);
  SequenceShape shape = two_columns();
  for (const DecisionOrder order : {DecisionOrder::kLeftToRight, DecisionOrder::kRightToLeft})
    for (const SequenceLoss loss : {SequenceLoss::kHamming, SequenceLoss::kZeroOne})
      for (const size_t lead : {0, 1, 5}) {
        shape.order = order;
        shape.loss = loss;
        shape.lead = lead;
        for (int trial = 0; trial < 4; ++trial) {
          std::vector<Label> gold;
          for (int t = 0; t < 3; ++t) {
            gold.push_back(static_cast<Label>(random.below(2)));
            gold.push_back(static_cast<Label>(2 + random.below(3)));
          }
          if (trial == 0) gold[2] = data::kNoLabel;
          check_oracle(JointSpace(shape, {3, gold, {}, {}, {}}), random);
        }
      }
}

TEST(EasiestSpace, TheOracleIsOptimalFromEveryStateInAnyOrder) {
  static_assert(search::TrainingSpace<EasiestSpace> && search::Problem<EasiestProblem>);
  Random random(12);
  SequenceShape shape = segments_shape(SequenceLoss::kHamming);
  shape.legal = false;
  shape.order = DecisionOrder::kEasiestFirst;
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<Label> gold;
    for (int t = 0; t < 3; ++t) gold.push_back(static_cast<Label>(random.below(5)));
    if (trial == 0) gold[1] = data::kNoLabel;
    LabelInput input;
    input.length = gold.size();
    input.gold = gold;
    const EasiestSpace space(shape, input);
    check_oracle(space, random);
    search::FeatureSink sink;
    space.features(space.initial(), 1, sink);
    for (size_t i = 0; i < sink.entries().size(); ++i)
      EXPECT_FALSE(space.entry_name(space.initial(), 1, i).empty());
  }
}

TEST(EasiestSpace, AWalkThatScoresOnlyWhatChangedFindsTheBestActionOfEveryState) {
  Random random(13);
  SequenceShape shape = segments_shape(SequenceLoss::kHamming);
  shape.legal = false;
  shape.order = DecisionOrder::kEasiestFirst;
  /// Scores derived from the features, with few distinct values so that ties occur.
  struct Dice {
    using Value = float;
    uint64_t seed;
    std::vector<float> scores = std::vector<float>(5);
    search::FeatureSink sink = {};
    std::span<const float> row(const EasiestSpace& space, const EasiestSpace::State& s, uint32_t c) {
      sink.clear();
      space.features(s, c, sink);
      uint64_t h = hash_combine(seed, c % 3);
      for (const auto& e : sink.entries()) h = hash_combine(h, e.hash);
      for (size_t l = 0; l < scores.size(); ++l) scores[l] = static_cast<float>(Random(h).split(l).below(6));
      return scores;
    }
  };
  for (int trial = 0; trial < 20; ++trial) {
    LabelInput input;
    input.length = 1 + random.below(12);
    shape.history = static_cast<size_t>(trial / 2 % 5);
    const EasiestSpace space(shape, input);
    Dice dice{random.next()};
    search::EasiestWalk<EasiestSpace, Dice> walk(space, dice);
    auto state = space.initial();
    std::vector<Action> actions;
    std::vector<float> scores;
    while (!space.is_goal(state)) {
      const auto expected = search::best_of(space, dice, state, actions, scores);
      const auto found = walk.best(state);
      ASSERT_TRUE(found && expected);
      EXPECT_EQ(found->action, expected->action);
      EXPECT_EQ(found->score, expected->score);
      // Any action may be taken; the walk continues from there.
      const Action any = actions[random.below(actions.size())];
      const auto other = space.apply(state, actions[random.below(actions.size())]);
      state = space.apply(state, trial % 2 == 0 ? found->action : any);
      EXPECT_EQ(other.made, state.made);
    }
  }
}

TEST(EasiestSpace, ClassifiersThatScoreOnlyWhatChangedVoteAsIfTheyHadScoredEverything) {
  /// Few distinct values and many common labels, so that ties occur within and between classifiers.
  class Dice final : public search::Scorer {
   public:
    explicit Dice(uint64_t seed) : seed_(seed) {}
    void begin(const search::StaticBlocks&) override {}
    std::span<const float> score(const search::FeatureSink& sink) override {
      uint64_t h = seed_;
      for (const auto& e : sink.entries()) h = hash_combine(h, e.hash);
      h = hash_combine(h, sink.blocks().front() % 3);
      for (size_t l = 0; l < scores_.size(); ++l)
        scores_[l] = static_cast<float>(Random(h).split(l).below(3));
      return scores_;
    }

   private:
    uint64_t seed_;
    std::vector<float> scores_ = std::vector<float>(5);
  };
  Random random(17);
  SequenceShape shape = segments_shape(SequenceLoss::kHamming);
  shape.legal = false;
  shape.order = DecisionOrder::kEasiestFirst;
  for (int trial = 0; trial < 20; ++trial) {
    LabelInput input;
    input.length = 1 + random.below(12);
    const EasiestSpace space(shape, input);
    search::Mixture mixture;
    for (const double beta : {1.0, 0.5, 0.25, 0.5})
      mixture.interpolate(std::make_shared<Dice>(random.next()), beta);
    mixture = mixture.without_oracle();
    const auto slow = search::decode_greedily(space, mixture), fast = search::decode_by_vote(space, mixture);
    EXPECT_EQ(fast.actions, slow.actions);
    EXPECT_EQ(fast.score, slow.score);
    EXPECT_EQ(fast.actions.size(), input.length);
    search::MixtureWalk<EasiestSpace> walk(space, mixture);
    std::vector<Action> actions;
    std::vector<float> scores;
    for (auto state = space.initial(); !space.is_goal(state);) {
      ASSERT_TRUE(walk.enter(state));
      for (size_t i = 0; i < mixture.size(); ++i)
        EXPECT_EQ(walk.best_of(i).action,
                  search::best_of(space, mixture.classifier(i), state, actions, scores)->action);
      state = space.apply(state, actions[random.below(actions.size())]);
    }
  }
}

TEST(JointSpace, ColumnsAreDecidedInTurnEachSoManyTokensAheadOfTheNext) {
  SequenceShape shape = two_columns();
  const std::vector<Label> gold{0, 2, 1, 4, 1, 3};
  const std::vector<uint64_t> words{7, 8, 9};
  using Turns = std::vector<std::pair<size_t, size_t>>;
  for (const auto& [lead, expected] :
       {std::pair<size_t, Turns>{0, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}},
        {1, {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {2, 1}}},
        {5, {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}}}}) {
    shape.lead = lead;
    const JointSpace space(shape, {3, gold, {}, {}, words});
    auto state = space.initial();
    for (const auto& [token, column] : expected) {
      ASSERT_FALSE(space.is_goal(state));
      EXPECT_EQ(space.token(state), token);
      EXPECT_EQ(space.column(state), column);
      std::vector<Action> actions, optimal;
      space.actions(state, actions);
      EXPECT_EQ(actions.size(), column == 0 ? 2u : 3u);
      space.optimal_actions(state, optimal);
      EXPECT_EQ(optimal, (std::vector<Action>{{0, gold[token * 2 + column]}}));
      search::FeatureSink sink;
      space.features(state, 0, sink);
      for (size_t i = 0; i < sink.entries().size(); ++i) EXPECT_FALSE(space.entry_name(state, i).empty());
      state = space.apply(state, optimal[0]);
    }
    EXPECT_TRUE(space.is_goal(state));
    EXPECT_EQ(space.loss(state), 0);
  }
}

TEST(JointSpace, AColumnSeesTheLabelsAheadOfItAndThoseBehind) {
  SequenceShape shape = two_columns();
  shape.lead = 1;
  shape.history = 1;
  const JointSpace space(shape, {3, {}, {}, {}, {}});
  auto state = space.initial();
  const auto names = [&] {
    search::FeatureSink sink;
    space.features(state, 0, sink);
    std::string all;
    for (size_t i = 0; i < sink.entries().size(); ++i) all += space.entry_name(state, i) + "; ";
    return all;
  };
  for (const uint32_t label : {0u, 1u}) state = space.apply(state, {0, label});  // N V
  EXPECT_THAT(names(), testing::HasSubstr("label column 1: -1:^ +0:N +1:V, after ^"));
  EXPECT_THAT(names(), testing::Not(testing::HasSubstr("+2")));
  state = space.apply(state, {0, 2});  // B-X, of the first token
  EXPECT_THAT(names(), testing::HasSubstr("label column 2: -2:B-X, after V"));
}

TEST(ChunkSpace, TheOracleIsOptimalFromEveryState) {
  Random random(4);
  for (const SequenceLoss loss : kLosses) {
    SequenceShape shape = segments_shape(loss);
    shape.unit = DecisionUnit::kChunk;
    shape.max_length = 3;
    for (int trial = 0; trial < 40; ++trial) {
      const auto gold = chunks_of(shape, random_labels(shape, random, 5), 3);
      check_oracle(ChunkSpace(shape, {5, gold, {}}), random);
    }
  }
}

TEST(ChunkSpace, TheLossOfAGoalIsWhatItsDefinitionSays) {
  Random random(5);
  for (const SequenceLoss loss : kLosses) {
    SequenceShape shape = segments_shape(loss);
    shape.unit = DecisionUnit::kChunk;
    shape.max_length = 9;
    for (int trial = 0; trial < 200; ++trial) {
      const auto gold = random_labels(shape, random, 7), predicted = random_labels(shape, random, 7);
      const auto gold_chunks = chunks_of(shape, gold, 9);
      const ChunkSpace space(shape, {7, gold_chunks, {}});
      auto state = space.initial();
      for (const Chunk& c : chunks_of(shape, predicted, 9))
        state = space.apply(state, {c.length - 1, c.type});
      EXPECT_NEAR(space.loss(state), loss_by_definition(shape, gold, predicted), 1e-9);
    }
  }
}

TEST(Chunks, ComeBackAsTheLabelsTheyWere) {
  Random random(6);
  SequenceShape shape = segments_shape(SequenceLoss::kF1);
  add_scheme_labels(shape);
  for (int trial = 0; trial < 50; ++trial) {
    const auto labels = random_labels(shape, random, 9);
    EXPECT_EQ(labels_of(shape, chunks_of(shape, labels, 100), 9), labels);
  }
}

TEST(Chunks, LongerThanTheMaximumAreCutAndCounted) {
  const SequenceShape shape = segments_shape(SequenceLoss::kF1);
  size_t cut = 0;
  const std::vector<Label> labels{1, 2, 2, 2, 2, 0};
  EXPECT_EQ(chunks_of(shape, labels, 2, &cut),
            (std::vector<Chunk>{{0, 2, 1}, {2, 2, 1}, {4, 1, 1}, {5, 1, 0}}));
  EXPECT_EQ(cut, 1u);
}

TEST(SequenceShape, SurvivesItsFileAndRefusesNonsense) {
  SequenceShape shape = segments_shape(SequenceLoss::kF1);
  shape.history = 3;
  shape.max_length = 4;
  const auto again = SequenceShape::from_json(shape.to_json(), "m");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->to_json(), shape.to_json());
  for (const char* bad : {"", "[]", "{}", R"({"labels":[]})"})
    EXPECT_FALSE(SequenceShape::from_json(bad, "m").ok());
  shape.history = kMostHistory + 1;
  EXPECT_FALSE(SequenceShape::from_json(shape.to_json(), "m").ok());
  data::LabelSet plain;
  plain.add("NN");
  SequenceShape f1 = SequenceShape::of(plain, data::Scheme::kNone);
  f1.loss = SequenceLoss::kF1;
  EXPECT_FALSE(f1.check().ok());
}

}  // namespace
}  // namespace espalier::tasks

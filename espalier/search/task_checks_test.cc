// Tasks that break their contract, and what each learner reports.
#include "espalier/search/task_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "espalier/search/toy_space.h"
#include "espalier/search/train_from_spaces.h"

namespace espalier::search {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

enum class Fault { kNone, kNoActions, kNoOracle, kIllegalOracle, kSecondIllegal, kLabel, kNan, kNegative };

/// Breaks its contract at the second decision.
struct BadSpace : ToySpace {
  Fault fault = Fault::kNone;
  void actions(const State& s, std::vector<Action>& out) const {
    if (s.at == 1 && fault == Fault::kNoActions) return;
    ToySpace::actions(s, out);
    if (s.at == 1 && fault == Fault::kLabel) out.push_back({0, 1'000'000});
  }
  void optimal_actions(const State& s, std::vector<Action>& out) const {
    if (s.at == 1 && (fault == Fault::kNoActions || fault == Fault::kNoOracle)) return;
    if (s.at == 1 && fault == Fault::kIllegalOracle) {
      out.push_back({0, 7});
    } else {
      ToySpace::optimal_actions(s, out);
    }
    if (s.at == 1 && fault == Fault::kSecondIllegal) out.push_back({3, 0});
  }
  double loss(const State& s) const {
    return fault == Fault::kNan ? std::nan("") : fault == Fault::kNegative ? -1 : ToySpace::loss(s);
  }
  double best_loss(const State& s) const { return loss(s); }
};

/// Two instances; the second one is faulty.
SpaceList<BadSpace> bad_task(Fault fault) {
  SpaceList<BadSpace> task;
  for (int i = 0; i < 2; ++i) {
    BadSpace space;
    space.x = space.y = {0, 1, 1};
    space.fault = i == 1 ? fault : Fault::kNone;
    task.list.push_back(space);
  }
  return task;
}

struct Expected {
  Fault fault;
  const char* words;
};
constexpr Expected kSearchFaults[] = {{Fault::kNoActions, "has no actions"},
                                      {Fault::kNoOracle, "returns no action"},
                                      {Fault::kIllegalOracle, "not legal"},
                                      {Fault::kSecondIllegal, "candidate 3"},
                                      {Fault::kLabel, "label"}};
constexpr Expected kLossFaults[] = {{Fault::kNan, "not a finite number"},
                                    {Fault::kNegative, "wanted at least 0"}};

std::vector<SearnOptions> ways_of_searn() {
  std::vector<SearnOptions> ways(4);
  ways[1].beta = 0.5;  // needs the longest path first
  ways[2].examples.estimate = CostEstimate::kSample;
  ways[3].examples.estimate = CostEstimate::kSample;
  ways[3].interpolation = Interpolation::kAnalytic;
  return ways;
}

TEST(BadTasks, AreToldWhatTheyDidBySearn) {
  for (const SearnOptions& options : ways_of_searn()) {
    const auto check = [&](const Expected& expected) {
      const auto policy = train_searn(bad_task(expected.fault), 2, options);
      ASSERT_FALSE(policy.ok()) << expected.words;
      EXPECT_THAT(policy.error().message, AllOf(HasSubstr("instance 2: "), HasSubstr(expected.words)));
    };
    for (const Expected& expected : kSearchFaults) check(expected);
    for (const Expected& expected : kLossFaults) check(expected);
    EXPECT_TRUE(train_searn(bad_task(Fault::kNone), 2, options).ok());
  }
}

TEST(BadTasks, AreFoundOutWhereverAClassifierLeadsThem) {
  // The oracle never reaches the faulty state; the classifier and its roll-outs do.
  struct Pit : ToySpace {
    bool no_actions = false;
    void actions(const State& s, std::vector<Action>& out) const {
      if (s.before == 1 && no_actions) return;
      ToySpace::actions(s, out);
      if (s.before == 1 && !no_actions) out.push_back({0, 9});
    }
  };
  for (const bool no_actions : {true, false})
    for (const auto estimate : {CostEstimate::kOptimal, CostEstimate::kSample}) {
      Pit pit;
      pit.x = pit.y = {0, 0, 0};
      pit.no_actions = no_actions;
      Mixture mixture;
      auto weights = std::make_shared<RowWeights>(plain_weights(2));
      weights->add(pit, pit.initial(), {0, 1}, 1);
      mixture.interpolate(weights, 1);
      Examples<Pit> examples;
      ExampleOptions options;
      options.estimate = estimate;
      const Status status = add_examples(pit, 0, mixture, Random(1), options, examples);
      ASSERT_FALSE(status.ok());
      EXPECT_THAT(status.error().message,
                  HasSubstr(no_actions ? "has no actions" : "label 9, but there are only 2 labels"));
      const auto found = decode_greedily(pit, mixture);
      EXPECT_EQ(found.ended, no_actions ? Ended::kDeadEnd : Ended::kNoSuchLabel);
    }
}

/// The learners of laso.h with a beam.
template <typename Check>
void for_every_search_learner(size_t width, const Check& check) {
  LasoOptions options;
  options.width = width;
  check("laso-br", [=](const auto& space, auto& weights, auto& scratch) {
    return learn_breadth_first(space, weights, options, scratch);
  });
  for (const auto rule : {BestFirstRule::kXuFern, BestFirstRule::kDaumeMarcu})
    check("best first", [=](const auto& space, auto& weights, auto& scratch) {
      return learn_best_first(space, weights, rule, options, scratch);
    });
  for (const auto when : {IncrementalUpdate::kEarly, IncrementalUpdate::kMaxViolation})
    check("incremental", [=](const auto& space, auto& weights, auto& scratch) {
      return learn_incrementally(space, weights, when, options, scratch);
    });
}

TEST(BadTasks, AreToldWhatTheyDidByLearnersThatSearch) {
  for (const size_t width : {1, 4})
    for_every_search_learner(width, [&](const char* name, const auto& learn) {
      for (const Expected& expected : kSearchFaults) {
        const auto weights = train_by_search(bad_task(expected.fault), 2, 3, 1, learn);
        ASSERT_FALSE(weights.ok()) << name << ": " << expected.words;
        EXPECT_THAT(weights.error().message, AllOf(HasSubstr("instance 2: "), HasSubstr(expected.words)))
            << name;
      }
      // These learners do not use losses.
      for (const Fault fault : {Fault::kNone, Fault::kNan, Fault::kNegative})
        EXPECT_TRUE(train_by_search(bad_task(fault), 2, 3, 1, learn).ok()) << name;
    });
}

TEST(BadTasks, ABeamOfNothingIsAnError) {
  for_every_search_learner(0, [&](const char* name, const auto& learn) {
    const auto weights = train_by_search(bad_task(Fault::kNone), 2, 3, 1, learn);
    ASSERT_FALSE(weights.ok()) << name;
    EXPECT_THAT(weights.error().message, HasSubstr("beam width is 0")) << name;
  });
}

/// Three tokens in any order.
struct AnyOrder {
  static constexpr bool kSeparateCandidates = true;
  using State = uint32_t;  // one bit per labelled token
  Fault fault = Fault::kNone;
  State initial() const { return 0; }
  bool is_goal(State s) const { return s == 7; }
  void actions(State s, std::vector<Action>& out) const {
    for (uint32_t c = 0; c < 3; ++c) candidate_actions(s, c, out);
  }
  void candidate_actions(State s, uint32_t c, std::vector<Action>& out) const {
    if (s >> c & 1 || fault == Fault::kNoActions) return;
    out.insert(out.end(), {{c, 0}, {c, fault == Fault::kLabel ? 2u : 1u}});
  }
  void fresh_candidates(State s, std::vector<uint32_t>& out) const {
    if (s == 0) out.insert(out.end(), {0, 1, 2});
  }
  State apply(State s, Action a) const { return s | 1u << a.candidate; }
  size_t labels() const { return 2; }
  void features(State, uint32_t c, FeatureSink& sink) const { sink.add(c); }
  double loss(State) const { return 0; }
  double best_loss(State) const { return fault == Fault::kNan ? std::nan("") : 0; }
  void optimal_actions(State s, std::vector<Action>& out) const {
    if (fault == Fault::kNoOracle) return;
    for (uint32_t c = 0; c < 3; ++c)
      if ((s >> c & 1) == 0) out.push_back({fault == Fault::kIllegalOracle ? c + 5 : c, 0});
  }
};
static_assert(HasSeparateCandidates<AnyOrder>);

TEST(BadTasks, AreToldWhatTheyDidWhereCandidatesStandApart) {
  const Expected faults[] = {{Fault::kNoActions, "no actions"},
                             {Fault::kNoOracle, "returns no action"},
                             {Fault::kIllegalOracle, "candidate 5 has no actions"},
                             {Fault::kLabel, "label 2, but there are only 2 labels"},
                             {Fault::kNan, "not a finite number"}};
  for (const Expected& expected : faults) {
    const auto policy = train_searn(SpaceList<AnyOrder>{{{}, {expected.fault}}}, 2);
    ASSERT_FALSE(policy.ok()) << expected.words;
    EXPECT_THAT(policy.error().message, AllOf(HasSubstr("instance 2: "), HasSubstr(expected.words)));
  }
  EXPECT_TRUE(train_searn(SpaceList<AnyOrder>{{{}, {}}}, 2).ok());
}

}  // namespace
}  // namespace espalier::search

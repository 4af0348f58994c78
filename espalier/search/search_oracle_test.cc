#include "espalier/search/search_oracle.h"

#include <gtest/gtest.h>

#include "espalier/search/toy_space.h"
#include "espalier/search/train_from_spaces.h"

namespace espalier::search {
namespace {

static_assert(TrainingSpace<SearchOracle<ToySpace>>);

TEST(SearchOracle, ANarrowBeamFindsTheOptimalPolicyWhereTheLossSoFarShowsTheWay) {
  for (const size_t width : {1, 3})
    for (const ToySpace& space : toggles(4, 20, 5, 0.2).spaces) {  // 32 states at the end
      const SearchOracle<ToySpace> searched(space, width);
      ToySpace::State state = space.initial();
      for (uint32_t step = 0; !space.is_goal(state); ++step) {
        EXPECT_DOUBLE_EQ(searched.best_loss(state), space.best_loss(state));
        std::vector<Action> by_search, analytic;
        searched.optimal_actions(state, by_search);
        space.optimal_actions(state, analytic);
        EXPECT_EQ(by_search, analytic);
        state = space.apply(state, {0, step % 2});  // also leaves the correct path
      }
    }
}

/// A path of `length` decisions between three labels. The loss is known only at the end: a random number for
/// the whole path; the estimate on the way is a random number for the path so far.
struct Maze {
  struct State {
    uint32_t at = 0;
    uint64_t path = 0;
  };
  uint64_t seed = 1;
  uint32_t length = 4;
  State initial() const { return {0, seed}; }
  bool is_goal(const State& s) const { return s.at == length; }
  void actions(const State&, std::vector<Action>& out) const {
    for (uint32_t l = 0; l < 3; ++l) out.push_back({0, l});
  }
  State apply(const State& s, Action a) const { return {s.at + 1, hash_combine(s.path, a.label + 1)}; }
  size_t labels() const { return 3; }
  void features(const State& s, uint32_t, FeatureSink& sink) const { sink.add(s.path); }
  double loss(const State& s) const { return Random(s.path).uniform(); }
  double loss_so_far(const State& s) const { return loss(s); }
  // Wrong for every policy: the wrapper must not use it.
  double best_loss(const State&) const { return 1e6; }
  double best_loss_after(const State&, Action) const { return 1e6; }
  double least(const State& s) const {
    if (is_goal(s)) return loss(s);
    return std::min({least(apply(s, {0, 0})), least(apply(s, {0, 1})), least(apply(s, {0, 2}))});
  }
};

TEST(SearchOracle, ABeamAsWideAsALevelIsExactANarrowerOneAtMostAsGood) {
  size_t missed = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const Maze maze{seed};
    const SearchOracle<Maze> all(maze, 81), few(maze, 2);
    EXPECT_DOUBLE_EQ(all.best_loss(maze.initial()), maze.least(maze.initial()));
    const double found = few.best_loss(maze.initial());
    EXPECT_GE(found, maze.least(maze.initial()));
    missed += found > maze.least(maze.initial()) ? 1 : 0;
  }
  EXPECT_GT(missed, 10u);  // the beam of two did prune
}

TEST(SearchOracle, CostsAreSearchedForToo) {
  const Maze maze{7};
  Examples<SearchOracle<Maze>> examples;
  ASSERT_TRUE(add_examples(SearchOracle<Maze>(maze, 81), 0, Mixture(), Random(1), {}, examples).ok());
  ASSERT_EQ(examples.list.size(), 4u);
  for (const auto& e : examples.list)
    for (uint32_t l = 0; l < 3; ++l)
      EXPECT_NEAR(examples.costs[e.first_cost + l],
                  maze.least(maze.apply(e.state, {0, l})) - maze.least(e.state), 1e-6);
}

TEST(SearchOracle, TeachesAPolicyWithoutAnyOtherOracle) {
  SpaceList<SearchOracle<Maze>> mazes;
  for (uint64_t seed = 1; seed <= 5; ++seed) mazes.list.emplace_back(Maze{seed}, 81);
  const auto policy = train_searn(mazes, 3);
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  for (const auto& maze : mazes.list)
    EXPECT_DOUBLE_EQ(maze.loss(decode_greedily(maze, *policy).state), maze.least(maze.initial()));
}

}  // namespace
}  // namespace espalier::search

#include "espalier/tasks/trees/tree_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "espalier/tasks/trees/tree_test_support.h"

namespace espalier::tasks {
namespace {

/// Visits the states of random paths through sentences of several lengths, each with a number of its own.
template <typename Visit>
void walk_randomly(const TreeSystem& system, Visit&& visit) {
  Random random(7);
  TreeScratch scratch;
  uint64_t round = 0;
  for (const size_t n : {1, 2, 5, 12, 30}) {
    round = small_hash(1, round);
    const TreeSentence sentence = small_sentence(n, system.columns);
    for (int repeat = 0; repeat < 5; ++repeat) {
      const ParseSpace space(system, sentence, scratch, nullptr);
      std::vector<search::Action> actions;
      for (ParseSpace::State state = space.initial(); !space.is_goal(state);) {
        visit(space, state, round);
        actions.clear();
        space.actions(state, actions);
        // Swaps are legal without end.
        const auto last = std::remove(actions.begin(), actions.end(),
                                      search::Action{0, static_cast<uint32_t>(TreeMove::kSwap)});
        if (random.below(3) != 0 && last != actions.begin()) actions.erase(last, actions.end());
        state = space.apply(state, actions[random.below(actions.size())]);
      }
    }
  }
}

TEST(TreeBlocks, HaveTheFeaturesOfTheTemplatesInSeveralBlocks) {
  for (const bool swap : {false, true}) {
    const TreeSystem system = small_system(swap, 4);
    EXPECT_GT(system.move_blocks.size(), 5u);
    EXPECT_LT(system.move_blocks.size(), 20u);
    EXPECT_EQ(system.label_blocks.size(), 1u);
    TreeGlance moves, labels;
    walk_randomly(system, [&](const ParseSpace& space, const ParseSpace::State& state, uint64_t round) {
      const bool relation = state.pending != 0;
      const TreeBlocks& blocks = relation ? system.label_blocks : system.move_blocks;
      TreeGlance& glance = relation ? labels : moves;
      const TreeView view = space.view(state);
      blocks.look(view, round, glance);
      std::vector<uint64_t> made;
      for (size_t b = 0; b < blocks.size(); ++b) blocks.hash(b, space.sentence(), view, glance, made);
      std::vector<uint64_t> wanted = space.hashes(state);
      if (relation) {
        EXPECT_EQ(made, wanted);  // one block keeps the order
      }
      std::sort(made.begin(), made.end());
      std::sort(wanted.begin(), wanted.end());
      EXPECT_EQ(made, wanted);
    });
  }
}

TEST(TreeBlocks, KeysAreEqualOnlyWhereAllHashesAre) {
  for (const bool swap : {false, true}) {
    const TreeSystem system = small_system(swap, 4);
    std::map<uint64_t, std::vector<uint64_t>> known;
    TreeGlance glance;
    size_t states = 0, found = 0;
    walk_randomly(system, [&](const ParseSpace& space, const ParseSpace::State& state, uint64_t round) {
      if (state.pending != 0) return;
      const TreeView view = space.view(state);
      system.move_blocks.look(view, round, glance);
      for (size_t b = 0; b < system.move_blocks.size(); ++b) {
        std::vector<uint64_t> made;
        system.move_blocks.hash(b, space.sentence(), view, glance, made);
        const auto [at, added] = known.emplace(system.move_blocks.key(b, glance), made);
        ++states;
        if (added) continue;
        ++found;
        EXPECT_EQ(at->second, made);
      }
    });
    EXPECT_GT(found, states / 4);
  }
}

}  // namespace
}  // namespace espalier::tasks

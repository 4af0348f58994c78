#include "espalier/tasks/trees/parse_space.h"

#include <gtest/gtest.h>

#include <map>

#include "espalier/data/test_data.h"
#include "espalier/tasks/trees/tree_test_support.h"

namespace espalier::tasks {
namespace {

using search::Action;
using Heads = std::vector<uint32_t>;

GoldTree gold_of(const Heads& heads, Random& random, data::Label relations, bool swap) {
  std::vector<data::Label> labels(heads.size(), 0);
  for (size_t w = 0; w < heads.size(); ++w)
    if (heads[w] != 0 && relations > 1)
      labels[w] = static_cast<data::Label>(1 + random.below(relations - 1u));
  return GoldTree::make(heads, labels, swap);
}

/// Words whose head or relation differs from the gold tree, after a path.
uint32_t errors_of(const ParseSpace& space, const GoldTree& gold, std::span<const Action> path) {
  Heads heads;
  std::vector<data::Label> relations;
  follow_path(space, path, heads, relations);
  uint32_t errors = 0;
  for (size_t w = 0; w < heads.size(); ++w) {
    const uint32_t head = heads[w] == 0 ? kNoWord : heads[w] - 1;
    errors +=
        head != gold.heads[w] || (gold.relations[w] != data::kNoLabel && relations[w] != gold.relations[w]);
  }
  return errors;
}

/// The fewest errors of any completion, by trying them all.
uint32_t fewest_errors(const ParseSpace& space, const GoldTree& gold, const ParseSpace::State& state,
                       std::vector<Action>& path) {
  if (space.is_goal(state)) return errors_of(space, gold, path);
  std::vector<Action> actions;
  space.actions(state, actions);
  uint32_t fewest = 1000;
  for (const Action a : actions) {
    path.push_back(a);
    fewest = std::min(fewest, fewest_errors(space, gold, space.apply(state, a), path));
    path.pop_back();
  }
  return fewest;
}

/// Follows a random path; in every state, the oracle must know the fewest errors and the actions that lead
/// there.
void check_dynamic_oracle(uint32_t n, data::Label relations, Random& random) {
  const TreeSystem system = small_system(false, relations);
  const TreeSentence sentence = small_sentence(n, system.columns);
  const GoldTree gold = gold_of(made_projective(random_tree(random, n)), random, relations, false);
  TreeScratch scratch;
  const ParseSpace space(system, sentence, scratch, &gold);
  ParseSpace::State state = space.initial();
  std::vector<Action> path, actions, optimal;
  while (!space.is_goal(state)) {
    const uint32_t fewest = fewest_errors(space, gold, state, path);
    EXPECT_EQ(space.best_loss(state), fewest) << n << " words after " << path.size() << " actions";
    actions.clear();
    optimal.clear();
    space.actions(state, actions);
    space.optimal_actions(state, optimal);
    ASSERT_FALSE(optimal.empty());
    for (const Action a : actions) {
      path.push_back(a);
      const uint32_t after = fewest_errors(space, gold, space.apply(state, a), path);
      path.pop_back();
      EXPECT_EQ(space.cost(state, a), after - fewest) << "action " << a.label;
      const bool best = std::find(optimal.begin(), optimal.end(), a) != optimal.end();
      EXPECT_EQ(best, after == fewest) << "action " << a.label;
    }
    path.push_back(actions[random.below(actions.size())]);
    state = space.apply(state, path.back());
  }
  EXPECT_EQ(space.loss(state), errors_of(space, gold, path));
}

TEST(ParseSpace, TheDynamicOracleAgreesWithAllCompletions) {
  Random random(3);
  for (uint32_t n = 1; n <= 6; ++n)
    for (int trial = 0; trial < 12; ++trial) check_dynamic_oracle(n, 1, random);
  for (int trial = 0; trial < 2; ++trial) check_dynamic_oracle(7, 1, random);
}

TEST(ParseSpace, TheDynamicOracleKnowsRelations) {
  Random random(4);
  for (uint32_t n = 1; n <= 4; ++n)
    for (int trial = 0; trial < 10; ++trial) check_dynamic_oracle(n, 4, random);
}

/// Follows the first optimal action of every state. The number of errors it ends with.
uint32_t errors_of_oracle(const ParseSpace& space, const GoldTree& gold, size_t n) {
  std::vector<Action> path, optimal;
  ParseSpace::State state = space.initial();
  while (!space.is_goal(state) && path.size() <= 3 * n + 2 * n * n) {
    optimal.clear();
    space.optimal_actions(state, optimal);
    path.push_back(optimal.front());
    const ParseSpace::State next = space.apply(state, path.back());
    EXPECT_EQ(space.level(next), space.level_after(state, path.back()));
    EXPECT_GT(space.level(next), space.level(state));
    state = next;
  }
  EXPECT_TRUE(space.is_goal(state));
  return errors_of(space, gold, path);
}

TEST(ParseSpace, SwapReachesEveryTree) {
  Random random(5);
  const TreeSystem system = small_system(true, 3);
  TreeScratch scratch;
  for (int trial = 0; trial < 500; ++trial) {
    const uint32_t n = 1 + static_cast<uint32_t>(random.below(12));
    const TreeSentence sentence = small_sentence(n, system.columns);
    const GoldTree gold = gold_of(random_tree(random, n), random, 3, true);
    const ParseSpace space(system, sentence, scratch, &gold);
    EXPECT_EQ(errors_of_oracle(space, gold, n), 0u);
  }
}

TEST(ParseSpace, SwapAimsAtWhatIsLeftOfTheTree) {
  // From a state that random moves led to, the oracle goes on to a tree that is better than a random one.
  Random random(15);
  const TreeSystem system = small_system(true, 3);
  TreeScratch scratch;
  size_t by_oracle = 0, by_chance = 0, words = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const uint32_t n = 3 + static_cast<uint32_t>(random.below(10));
    const TreeSentence sentence = small_sentence(n, system.columns);
    const GoldTree gold = gold_of(random_tree(random, n), random, 3, true);
    const ParseSpace space(system, sentence, scratch, &gold);
    for (const bool oracle : {true, false}) {
      std::vector<Action> path, actions;
      for (ParseSpace::State state = space.initial(); !space.is_goal(state);) {
        actions.clear();
        const bool start = path.size() < 5;
        if (start || !oracle) {
          space.actions(state, actions);
        } else {
          space.optimal_actions(state, actions);
        }
        ASSERT_FALSE(actions.empty());
        path.push_back(actions[random.below(actions.size())]);
        state = space.apply(state, path.back());
        ASSERT_LT(path.size(), 3 * n + 2 * n * n);
      }
      (oracle ? by_oracle : by_chance) += errors_of(space, gold, path);
    }
    words += n;
  }
  EXPECT_LT(by_oracle, words / 2);
  EXPECT_LT(2 * by_oracle, by_chance);
}

TEST(ParseSpace, EveryPathEndsInATreeWithOneRoot) {
  Random random(6);
  TreeScratch scratch;
  for (const bool swap : {false, true}) {
    const TreeSystem system = small_system(swap, 3);
    for (int trial = 0; trial < 300; ++trial) {
      const uint32_t n = 1 + static_cast<uint32_t>(random.below(15));
      const TreeSentence sentence = small_sentence(n, system.columns);
      const ParseSpace space(system, sentence, scratch, nullptr);
      std::vector<Action> path, actions;
      ParseSpace::State state = space.initial();
      while (!space.is_goal(state)) {
        actions.clear();
        space.actions(state, actions);
        ASSERT_FALSE(actions.empty());
        path.push_back(actions[random.below(actions.size())]);
        state = space.apply(state, path.back());
      }
      Heads heads;
      std::vector<data::Label> relations;
      follow_path(space, path, heads, relations);
      EXPECT_FALSE(find_tree_fault(heads)) << find_tree_fault(heads)->what;
      for (size_t w = 0; w < n; ++w) EXPECT_EQ(relations[w] == 0, heads[w] == 0);
    }
  }
}

/// The trees of a corpus that the oracle does not reproduce.
void check_treebank(const std::string& file, const data::ReadOptions& options, size_t head_column) {
  const auto sequences = data::read_all({data::corpus_path(file)}, options).value();
  const TreeSystem plain = small_system(false, 3), swapping = small_system(true, 3);
  TreeScratch scratch;
  Random random(1);
  size_t projective = 0;
  Heads heads;
  for (const data::Sequence& sequence : sequences) {
    const Status read = read_heads(sequence, head_column, heads);
    ASSERT_TRUE(read.ok()) << file << ": " << read.error().message;
    const bool crossing = !is_projective(heads);
    projective += !crossing;
    for (const bool swap : {false, true}) {
      if (crossing && !swap) continue;
      const TreeSystem& system = swap ? swapping : plain;
      const TreeSentence sentence = small_sentence(heads.size(), system.columns);
      const GoldTree gold = gold_of(heads, random, 3, swap);
      const ParseSpace space(system, sentence, scratch, &gold);
      ASSERT_EQ(errors_of_oracle(space, gold, heads.size()), 0u) << file << ":" << sequence.line(0);
    }
  }
  EXPECT_GT(projective, 0u);
}

TEST(ParseSpace, OraclesReproduceTheTreesOfTreebanks) {
  data::ReadOptions conllu;
  conllu.format = data::Format::kConllu;
  for (const char* part : {"train", "dev", "test"}) {
    for (const char* treebank : {"en_ewt", "pt_bosque", "bg_btb"}) {
      const std::string file = fmt::format("ud/{}-ud-{}.conllu.gz", treebank, part);
      if (file == "ud/bg_btb-ud-train.conllu.gz") continue;  // it has no trees
      ESPALIER_NEED_CORPUS(file);
      check_treebank(file, conllu, 6);
    }
    const std::string file = fmt::format("treebank/dep.{}.txt.gz", part);
    ESPALIER_NEED_CORPUS(file);
    check_treebank(file, {}, 2);
  }
}

}  // namespace
}  // namespace espalier::tasks

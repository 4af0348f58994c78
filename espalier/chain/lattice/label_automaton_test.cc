#include "espalier/chain/lattice/label_automaton.h"

#include <gtest/gtest.h>

#include "espalier/chain/lattice/lattice_test_support.h"

namespace espalier::chain {
namespace {

LabelAutomaton random_automaton(size_t labels, Random& random) {
  LabelAutomaton automaton;
  automaton.labels = labels;
  const size_t states = 1 + random.below(4);
  for (size_t q = 0; q < states; ++q) automaton.add_state(random.below(3) > 0);
  for (uint32_t& target : automaton.next)
    if (random.below(4) > 0) target = static_cast<uint32_t>(random.below(states));
  automaton.start = static_cast<uint32_t>(random.below(states));
  return automaton;
}

TEST(LabelAutomaton, IntersectionWithALatticeIsTheAcceptedPaths) {
  Random random(51);
  size_t infeasible = 0;
  for_random_lattices(52, false, [&](const Lattice& lattice) {
    const LabelAutomaton automaton =
        random_automaton(8, random);  // some of the lattice's labels it does not know
    const IntersectedLattice product = intersect(lattice, automaton);
    std::vector<BruteForcePath> wanted;
    for (const BruteForcePath& path : all_paths(lattice))
      if (automaton.accepts(path_labels(lattice, path.states))) wanted.push_back(path);
    const auto found = all_paths(product.lattice);
    ASSERT_EQ(found.size(), wanted.size());
    EXPECT_EQ(product.outcome, wanted.empty() ? Outcome::kInfeasible : Outcome::kExact);
    infeasible += wanted.empty();
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].score, wanted[i].score, 1e-9);
      std::vector<uint32_t> old;
      uint32_t q = automaton.start;
      for (const uint32_t s : found[i].states) {
        old.push_back(product.old_state[s]);
        q = automaton.step(q, product.lattice.label(s));
        EXPECT_EQ(product.automaton_state[s], q);
      }
      EXPECT_EQ(old, wanted[i].states);
    }
  });
  EXPECT_GT(infeasible, 0u);
}

TEST(LabelAutomaton, IntersectionOfTwoAcceptsWhatBothDo) {
  Random random(53);
  for (int round = 0; round < 50; ++round) {
    const LabelAutomaton a = random_automaton(3, random), b = random_automaton(3, random);
    const LabelAutomaton both = intersect(a, b);
    ASSERT_TRUE(both.check().ok());
    std::vector<data::Label> sequence;
    for (int i = 0; i < 200; ++i) {
      sequence.clear();
      const size_t length = random.below(6);
      for (size_t t = 0; t < length; ++t) sequence.push_back(static_cast<data::Label>(random.below(3)));
      EXPECT_EQ(both.accepts(sequence), a.accepts(sequence) && b.accepts(sequence));
    }
  }
}

TEST(LabelAutomaton, SaysWhetherItAcceptsTheEmptySequence) {
  LabelAutomaton automaton;
  automaton.labels = 1;
  automaton.add_state(false);
  EXPECT_EQ(intersect(Lattice(), automaton).outcome, Outcome::kInfeasible);
  automaton.accepting[0] = 1;
  EXPECT_EQ(intersect(Lattice(), automaton).outcome, Outcome::kExact);
}

TEST(LabelAutomaton, AProductBeyondItsBudgetIsNotMade) {
  Random random(54);
  const Lattice lattice = random_lattice({.positions = 10, .max_states = 4, .arc_share = 1}, random);
  LabelAutomaton any;
  any.labels = 8;
  any.add_state(true);
  std::fill(any.next.begin(), any.next.end(), 0u);
  EXPECT_EQ(intersect(lattice, any).lattice, lattice);
  EXPECT_EQ(intersect(lattice, any, lattice.arcs()).outcome, Outcome::kExact);
  EXPECT_EQ(intersect(lattice, any, lattice.arcs() - 1).outcome, Outcome::kOutOfBudget);
}

TEST(LabelAutomaton, CheckNamesWhatIsWrong) {
  LabelAutomaton automaton;
  EXPECT_EQ(automaton.check().error().message, "the automaton starts in state 0 of 0");
  automaton.labels = 2;
  automaton.add_state(true);
  EXPECT_TRUE(automaton.check().ok());
  automaton.next[1] = 7;
  EXPECT_EQ(automaton.check().error().message, "the automaton's state 0 leads with label 1 to state 7 of 1");
  automaton.next.pop_back();
  EXPECT_EQ(automaton.check().error().message,
            "the automaton has 1 transitions, wanted 1 states times 2 labels");
}

}  // namespace
}  // namespace espalier::chain

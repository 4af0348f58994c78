#include "espalier/tasks/trees/tree.h"

#include <gtest/gtest.h>

#include "espalier/base/random.h"
#include "espalier/data/test_data.h"

namespace espalier::tasks {
namespace {

using Heads = std::vector<uint32_t>;

std::string fault_of(const Heads& heads) {
  const auto fault = find_tree_fault(heads);
  return fault ? fmt::format("{}: {}", fault->word, fault->what) : "";
}

TEST(Tree, FaultsAreNamedWithTheirWord) {
  EXPECT_EQ(fault_of({}), "");
  EXPECT_EQ(fault_of({0}), "");
  EXPECT_EQ(fault_of({2, 0, 2}), "");
  EXPECT_EQ(fault_of({2, 0, 4}), "2: the head is 4, but the sentence has 3 words");
  EXPECT_EQ(fault_of({0, 2}), "1: word 2 is its own head");
  EXPECT_EQ(fault_of({0, 0}), "1: word 2 is a second root (head 0); word 1 is one already");
  EXPECT_EQ(fault_of({2, 1}), "0: no word of the sentence is the root (head 0)");
  EXPECT_EQ(fault_of({0, 3, 4, 2}), "1: word 2 is below itself: the heads form a cycle");
}

TEST(Tree, HeadsAreReadWithLineNumbers) {
  data::ReadOptions options;
  options.label_column = "2";
  const auto message = [&](std::string_view text) {
    const auto sequences = data::read_sequences(text, options).value();
    Heads heads;
    const Status read = read_heads(sequences[0], 1, heads);
    return read.ok() ? std::string() : read.error().message;
  };
  EXPECT_EQ(message("a 2\nb 0\n"), "");
  EXPECT_EQ(message("a 2\nb x\n"),
            "line 2: the head in column 2 is 'x', wanted the number of a word, or 0 for the root");
  EXPECT_EQ(message("a 2\nb 1\n"), "line 1: no word of the sentence is the root (head 0)");
  EXPECT_EQ(message("a 0\nb -1\n"),
            "line 2: the head in column 2 is '-1', wanted the number of a word, or 0 for the root");
}

TEST(Tree, CrossingArcsAreMovedUp) {
  EXPECT_TRUE(is_projective(Heads{2, 0, 2}));
  const Heads crossing = {3, 4, 0, 3};  // 1 ← 3 and 2 ← 4 cross
  EXPECT_FALSE(is_projective(crossing));
  EXPECT_EQ(made_projective(crossing), (Heads{3, 3, 0, 3}));
  EXPECT_EQ(made_projective({2, 0, 2}), (Heads{2, 0, 2}));
}

TEST(Tree, ProjectiveOrderMakesEveryTreeProjective) {
  Random random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const uint32_t n = 1 + static_cast<uint32_t>(random.below(8));
    Heads names(n), heads(n, 0);
    for (uint32_t w = 0; w < n; ++w) names[w] = w;
    random.shuffle(std::span<uint32_t>(names));
    for (uint32_t i = 1; i < n; ++i) heads[names[i]] = names[random.below(i)] + 1;
    ASSERT_EQ(fault_of(heads), "");
    const Heads place = projective_order(heads);
    Heads moved(n, 0);
    for (uint32_t w = 0; w < n; ++w) moved[place[w]] = heads[w] == 0 ? 0 : place[heads[w] - 1] + 1;
    EXPECT_TRUE(is_projective(moved));
    const Heads lifted = made_projective(heads);
    EXPECT_EQ(fault_of(lifted), "");
    EXPECT_TRUE(is_projective(lifted));
    if (is_projective(heads)) {
      EXPECT_EQ(lifted, heads);
      for (uint32_t w = 0; w < n; ++w) EXPECT_EQ(place[w], w);
    }
  }
}

}  // namespace
}  // namespace espalier::tasks

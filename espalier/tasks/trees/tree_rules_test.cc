#include "espalier/tasks/trees/tree_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/data/test_data.h"
#include "espalier/tasks/trees/tree_model.h"
#include "espalier/tasks/trees/tree_test_support.h"

namespace espalier::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

data::LabelSet some_relations() {
  data::LabelSet out;
  for (const char* name : {"root", "a", "b"}) out.add(name);
  return out;
}

Result<TreeRules> tree_rules_of(std::string_view text) {
  return TreeRules::resolve(text, "rules", some_relations(), 0, 1, 3);
}
std::string rules_error(std::string_view text) {
  const auto rules = tree_rules_of(text);
  return rules.ok() ? "" : rules.error().message;
}

/// Rows "word tag arc".
data::Sequence arc_rows(const std::string& text) { return data::read_sequences(text, {}).value().front(); }

TEST(TreeRules, AreReadFromTheLanguage) {
  EXPECT_EQ(
      rules_error("forbid head PUNCT of any\nforbid root {PUNCT, ADP}\nexactly 1 of root\nforce column 3\n"),
      "");
  EXPECT_THAT(rules_error("forbid a then b"), HasSubstr("rules:1:1: 'forbid a then b' is about sequences"));
  EXPECT_THAT(rules_error("at most 2 of a"), HasSubstr("counts its root alone"));
  EXPECT_THAT(rules_error("force column 4"), HasSubstr("there is no column '4'"));
  EXPECT_THAT(rules_error("forbid head A of B soft 2"), HasSubstr("hard"));
  EXPECT_THAT(rules_error("forbid head A"), HasSubstr("expected 'of'"));
  EXPECT_THAT(rules_error("forbid head $ of B"), HasSubstr("'$' has no meaning"));
  EXPECT_THAT(TreeRules::resolve("forbid head A of B", "rules", some_relations(), 0, {}, 3).error().message,
              HasSubstr("without tags"));
}

TEST(TreeRules, TagsDecideWhichArcsAreForbidden) {
  const TreeRules rules = tree_rules_of("no-x: forbid head {X, Y*} of Z\ntop: forbid root X\n").value();
  SentenceRules said;
  ASSERT_TRUE(rules.apply(arc_rows("a X 2\nb Z 0\nc Y2 2\nd N 2\n"), some_relations(), said).ok());
  EXPECT_TRUE(said.forbids(0, 1));
  EXPECT_TRUE(said.forbids(2, 1));
  EXPECT_FALSE(said.forbids(3, 1));
  EXPECT_FALSE(said.forbids(1, 0));
  const std::vector<data::Label> relations(4, 1);
  EXPECT_THAT(rules.broken(said, std::vector<uint32_t>{2, 0, 2, 2}, relations), IsEmpty());
  EXPECT_THAT(rules.broken(said, std::vector<uint32_t>{0, 1, 2, 2}, relations), ElementsAre("no-x", "top"));
  EXPECT_EQ(said.broken(std::vector<uint32_t>{0, 1, 2, 2}, relations), 2u);
}

TEST(TreeRules, ForcedArcsAreChecked) {
  const auto error = [](const std::string& text) {
    SentenceRules out;
    const Status read = read_forced_arcs(arc_rows(text), 2, some_relations(), out);
    return read.ok() ? "" : read.error().message;
  };
  EXPECT_EQ(error("a X 2:b\nb Z _\nc X 0\n"), "");
  EXPECT_THAT(error("a X 4\nb Z _\nc X _\n"), HasSubstr("line 1: '4' is no arc to force"));
  EXPECT_THAT(error("a X _\nb Z 2\nc X _\n"), HasSubstr("line 2: '2' is no arc to force"));
  EXPECT_THAT(error("a X _\nb Z x\nc X _\n"), HasSubstr("line 2: 'x' is no arc to force"));
  EXPECT_THAT(error("a X 2\nb Z 1\nc X _\n"), HasSubstr("line 1: the heads that are forced form a cycle"));
  EXPECT_THAT(error("a X 0\nb Z 0\nc X _\n"),
              HasSubstr("line 2: a second root is forced; the first is in line 1"));
  EXPECT_THAT(error("a X 2:c\nb Z _\nc X _\n"), HasSubstr("no relation 'c' to force"));
}

/// A parser without weights: any tree is as good as another, so that only rules decide.
struct Indifferent {
  TreeSystem system = small_system(false, 3);
  TreeTables tables = TreeTables::pack([] {
    AveragedTreeWeights none;
    none.relations = 3;
    return none;
  }());
};

TEST(ParseSpace, ForcedArcsOfAnyProjectiveTreeAreKept) {
  Random random(8);
  const Indifferent parser;
  TreeBuffers buffers;
  for (int trial = 0; trial < 400; ++trial) {
    const uint32_t n = 1 + static_cast<uint32_t>(random.below(12));
    const std::vector<uint32_t> tree = made_projective(random_tree(random, n));
    SentenceRules rules;
    rules.heads.assign(n, kFreeHead);
    rules.relations.assign(n, data::kNoLabel);
    for (uint32_t w = 0; w < n; ++w) {
      if (random.below(2) == 0) continue;
      rules.heads[w] = tree[w] == 0 ? kNoWord : tree[w] - 1;
      if (tree[w] != 0) rules.relations[w] = static_cast<data::Label>(1 + random.below(2));
    }
    buffers.sentence = small_sentence(n, parser.system.columns);
    for (const size_t beam : {1, 4}) {
      parse_sentence(parser.system, parser.tables, {beam, false, 1, false, 0}, buffers, &rules);
      const ParsedTree& found = buffers.best[0];
      EXPECT_FALSE(find_tree_fault(found.heads));
      EXPECT_EQ(rules.broken(found.heads, found.relations), 0u) << n << " words, beam " << beam;
    }
  }
}

/// Whether some projective tree keeps to the rules, by trying all heads.
bool can_be_kept(const SentenceRules& rules, std::vector<uint32_t>& heads, uint32_t word) {
  const auto n = static_cast<uint32_t>(heads.size());
  if (word == n)
    return !find_tree_fault(heads) && is_projective(heads) &&
           rules.broken(heads, std::vector<data::Label>(n, 1)) == 0;
  for (heads[word] = 0; heads[word] <= n; ++heads[word])
    if (heads[word] != word + 1 && can_be_kept(rules, heads, word + 1)) return true;
  return false;
}

TEST(ParseSpace, ForbiddenArcsAreNotMadeWhereATreeWithoutThemExists) {
  Random random(9);
  const Indifferent parser;
  TreeBuffers buffers;
  size_t possible = 0, kept = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const uint32_t n = 2 + static_cast<uint32_t>(random.below(4));
    SentenceRules rules;
    rules.as_head.assign(n, 0);
    rules.as_dependent.assign(n, 0);
    rules.not_root.assign(n, 0);
    for (uint32_t w = 0; w < n; ++w) {
      rules.as_head[w] = random.below(8);
      rules.as_dependent[w] = random.below(8);
      rules.not_root[w] = random.below(3) == 0;
    }
    std::vector<uint32_t> heads(n);
    buffers.sentence = small_sentence(n, parser.system.columns);
    parse_sentence(parser.system, parser.tables, {8, false, 1, false, 0}, buffers, &rules);
    const bool is_kept = rules.broken(buffers.best[0].heads, buffers.best[0].relations) == 0;
    EXPECT_FALSE(find_tree_fault(buffers.best[0].heads));
    if (!can_be_kept(rules, heads, 0)) {
      EXPECT_FALSE(is_kept);
      continue;
    }
    ++possible;
    kept += is_kept;
  }
  EXPECT_GT(possible, 50u);
  // So short sentences fit into the widest beam.
  EXPECT_EQ(kept, possible);
}

}  // namespace
}  // namespace espalier::tasks

#include "espalier/tasks/trees/templates.h"

#include <gtest/gtest.h>

namespace espalier::tasks {
namespace {

constexpr std::array<bool, kTreeFields> kAll = {true, true, true, true, true};
constexpr std::array<bool, kTreeFields> kWordAndTag = {true, false, true, false, false};

std::string error_of(std::string_view text, const std::array<bool, kTreeFields>& has = kAll) {
  const auto parsed = TreeTemplates::parse(text, "t.txt", has, false);
  return parsed.ok() ? "" : parsed.error().message;
}

TEST(TreeTemplates, AtomsAreSharedBetweenFeatures) {
  const auto parsed =
      TreeTemplates::parse("[moves]\ns0.word  # one\ns0.word b0.tag\n\n[relations]\nside dep.l.rel\n", "t",
                           kAll, false)
          .value();
  EXPECT_EQ(parsed.moves.features.size(), 2u);
  EXPECT_EQ(parsed.moves.atoms.size(), 2u);
  EXPECT_EQ(parsed.relations.features.size(), 1u);
  EXPECT_EQ(atom_name(parsed.relations.atoms[1]), "dep.l.rel");
}

TEST(TreeTemplates, MistakesAreNamedWithTheirLine) {
  EXPECT_EQ(error_of("s0.word\n"), "t.txt:1: wanted [moves] or [relations] before the first feature");
  EXPECT_EQ(error_of("[moves]\ns9.word\n"),
            "t.txt:2: 's9.word': there is no 's9'; wanted s0 to s3, b0 to b3, head, dep");
  EXPECT_EQ(error_of("[moves]\nhead.word\n"),
            "t.txt:2: 'head.word': head and dep are known in [relations] alone");
  EXPECT_EQ(error_of("[moves]\nside\n"), "t.txt:2: side is known in [relations] alone");
  EXPECT_EQ(error_of("[moves]\ns0.rel\n"), "t.txt:2: 's0.rel': only children have a relation");
  EXPECT_EQ(error_of("[moves]\ns0.x.word\n"),
            "t.txt:2: 's0.x.word': there is no child 'x'; wanted l, l2, r or r2");
  EXPECT_EQ(error_of("[moves]\ns0.word\ns0.word\n"), "t.txt:3: this feature is listed twice");
  EXPECT_EQ(error_of("[moves]\ns0.word s0.tag s1.tag s2.tag b0.tag b1.tag\n"),
            "t.txt:2: 6 atoms, wanted at most 5");
  EXPECT_EQ(error_of("[moves]\ns0.lemma\n", kWordAndTag),
            "t.txt:2: 's0.lemma': the data have no column for 'lemma'");
  EXPECT_EQ(error_of("[moves]\ns0.word\n"), "t.txt: there is no feature in [relations]");
  EXPECT_EQ(error_of("[relations]\nside\n"), "t.txt: there is no feature in [moves]");
}

TEST(TreeTemplates, TheDefaultLeavesOutWhatTheDataDoNotHave) {
  const auto all = TreeTemplates::parse(default_tree_templates(), "default", kAll, true).value();
  const auto few = TreeTemplates::parse(default_tree_templates(), "default", kWordAndTag, true).value();
  EXPECT_GT(few.moves.features.size(), 50u);
  EXPECT_LT(few.moves.features.size(), all.moves.features.size());
  for (const TreeSection* section : {&few.moves, &few.relations})
    for (const TreeAtom& atom : section->atoms)
      EXPECT_TRUE(atom.kind != TreeAtom::Kind::kField || kWordAndTag[static_cast<size_t>(atom.field)])
          << atom_name(atom);
}

}  // namespace
}  // namespace espalier::tasks

#include "espalier/eval/attachment.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "espalier/base/text/json.h"

namespace espalier::eval {
namespace {

using Heads = std::vector<uint32_t>;
using Relations = std::vector<std::string_view>;

// "She reads a good book .": one wrong head (good), one wrong subtype (reads), one wrong relation (book).
AttachmentScores example() {
  AttachmentScores scores;
  scores.add(Heads{2, 0, 5, 5, 2, 2}, Relations{"nsubj", "root", "det", "amod", "obj", "punct"},
             Heads{2, 0, 5, 2, 2, 2}, Relations{"nsubj:pass", "root", "det", "amod", "obl", "punct"});
  return scores;
}

TEST(Attachment, HeadsAndRelationsAreCountedAsCoNll2018Does) {
  const AttachmentScores scores = example();
  EXPECT_EQ(scores.words(), 6u);
  EXPECT_DOUBLE_EQ(scores.uas(), 100.0 * 5 / 6);
  EXPECT_DOUBLE_EQ(scores.las(), 100.0 * 3 / 6);
  EXPECT_DOUBLE_EQ(scores.universal_las(), 100.0 * 4 / 6);
  // Content words: nsubj, root, amod, obj in gold, as many found; with universal relations two are right.
  EXPECT_DOUBLE_EQ(scores.universal_clas(), 100.0 * 2 * 2 / (4 + 4));
  EXPECT_DOUBLE_EQ(scores.clas(), 100.0 * 2 * 1 / (4 + 4));
  EXPECT_EQ(scores.exact_trees(), 0);
}

TEST(Attachment, TheScoresOfJsonAreThoseWithUniversalRelations) {
  const AttachmentScores scores = example();
  const nlohmann::ordered_json json = scores.to_json();
  EXPECT_EQ(json["uas"], scores.uas());
  EXPECT_EQ(json["las"], scores.universal_las());
  EXPECT_EQ(json["clas"], scores.universal_clas());
  EXPECT_EQ(json["full_las"], scores.las());
  EXPECT_EQ(json["full_clas"], scores.clas());
  EXPECT_EQ(json["by_length"]["1-10"]["las"], scores.universal_las());
  EXPECT_EQ(json["by_length"]["1-10"]["full_las"], scores.las());
}

TEST(Attachment, RelationsAndLengthsHaveScoresOfTheirOwn) {
  const Json all = Json::parse(example().to_json().dump());
  EXPECT_EQ(all["by_relation"]["obj"]["gold"], 1);
  EXPECT_EQ(all["by_relation"]["obj"]["head_recall"], 100.0);
  EXPECT_EQ(all["by_relation"]["obj"]["recall"], 0.0);
  EXPECT_EQ(all["by_relation"]["obl"]["found"], 1);
  EXPECT_EQ(all["by_length"]["1-10"]["words"], 6);
  EXPECT_EQ(all["by_length"].size(), 1u);
}

TEST(Attachment, MergingIsTheSameAsAddingEverything) {
  AttachmentScores merged = example(), twice = example();
  merged.merge(example());
  twice.add(Heads{2, 0, 5, 5, 2, 2}, Relations{"nsubj", "root", "det", "amod", "obj", "punct"},
            Heads{2, 0, 5, 2, 2, 2}, Relations{"nsubj:pass", "root", "det", "amod", "obl", "punct"});
  EXPECT_EQ(merged.to_json(), twice.to_json());
  EXPECT_EQ(merged.table(), twice.table());
}

TEST(Attachment, ContentRelationsAreThoseOfTheSharedTask) {
  EXPECT_TRUE(is_content_relation("nsubj:pass"));
  EXPECT_TRUE(is_content_relation("root"));
  for (const char* name : {"aux", "case", "cc", "clf", "cop", "det", "mark", "punct"})
    EXPECT_FALSE(is_content_relation(name)) << name;
}

}  // namespace
}  // namespace espalier::eval

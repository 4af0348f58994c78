#include "research/code.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace espalier::research {
namespace {

bool runs(std::string_view experiment, std::string_view part) {
  const auto parts = parts_of(experiment);
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

/// The parts of this tree, one of them changed.
std::string code_with(std::string_view experiment, std::string_view changed) {
  std::vector<CodePart> parts(code_parts().begin(), code_parts().end());
  for (CodePart& part : parts)
    if (part.name == changed) part.hash = "another";
  return code_of(experiment, parts);
}

TEST(Code, AnExperimentIsAnotherOneIfAPartThatItRunsIs) {
  EXPECT_NE(code_with("searn-ner", "espalier/tasks"), code_of("searn-ner"));
  EXPECT_NE(code_with("searn-ner", "research/searn"), code_of("searn-ner"));
  EXPECT_NE(code_with("searn-ner", "research"), code_of("searn-ner"));
  EXPECT_EQ(code_with("searn-ner", "espalier/ensemble"), code_of("searn-ner"));
  EXPECT_EQ(code_with("searn-ner", "research/cascade"), code_of("searn-ner"));
  EXPECT_EQ(code_with("cascade-pos", "espalier/search"), code_of("cascade-pos"));
  EXPECT_NE(code_with("cascade-pos", "espalier/cascade"), code_of("cascade-pos"));
}

TEST(Code, EveryPaperRunsItsOwnFolder) {
  EXPECT_TRUE(runs("beam-bounds", "research/beam"));
  EXPECT_TRUE(runs("beam-width", "research/searn"));  // it is next to the other searches
  EXPECT_TRUE(runs("constrained-roles", "research/constrained"));
  EXPECT_TRUE(runs("ensemble-ads1", "research/ensemble"));
  EXPECT_FALSE(runs("ensemble-ads1", "espalier/tasks"));
  EXPECT_TRUE(runs("ensemble-pos", "espalier/model"));
}

TEST(Code, EveryPartOfTheTreeHasAHash) {
  for (const std::string_view part : {"espalier/base", "espalier/model", "research", "research/beam"}) {
    const auto found = std::find_if(code_parts().begin(), code_parts().end(),
                                    [&](const CodePart& one) { return one.name == part; });
    ASSERT_NE(found, code_parts().end()) << part;
    EXPECT_EQ(found->hash.size(), 16u);
  }
}

}  // namespace
}  // namespace espalier::research

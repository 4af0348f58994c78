#include "espalier/data/features/default_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "espalier/data/features/features.h"

namespace espalier::data {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

/// Names of the default features of one row; each word is a row of one cell.
std::vector<std::string> names(const std::vector<std::string>& words, size_t row) {
  Sequence sequence;
  sequence.clear(1);
  for (size_t i = 0; i < words.size(); ++i) {
    sequence.begin_row(words[i], i + 1);
    sequence.add_cell(0, words[i].size());
  }
  FeatureOptions options;
  options.feature_columns = {0};
  const auto features = FeatureExtractor::make(options);
  FeatureExtractor::Scratch scratch;
  HashedFeatures out;
  features->extract(sequence, scratch, out);
  std::vector<std::string> result;
  for (size_t slot = 0; slot < out.state_begin[row + 1] - out.state_begin[row]; ++slot)
    result.push_back(features->state_name(sequence, row, slot));
  return result;
}

TEST(DefaultFeaturesTest, HaveTransitionsAndNoEdgeFeatures) {
  FeatureOptions options;
  options.feature_columns = {0, 1};
  const auto features = FeatureExtractor::make(options);
  ASSERT_TRUE(features.ok());
  EXPECT_TRUE(features->has_transitions());
  EXPECT_FALSE(features->has_edge_features());
}

TEST(DefaultFeaturesTest, LookAtWordsAffixesAndShapes) {
  EXPECT_THAT(names({"Is", "Running", "fast"}, 1),
              AllOf(Contains("bias"), Contains("low[0]=running"), Contains("low[-1]=is"),
                    Contains("low[2]=_B+1"), Contains("w[-1]|w[0]=Is|Running"), Contains("pre3[0]=run"),
                    Contains("suf3[0]=ing"), Contains("suf2[-1]=is")));
}

TEST(DefaultFeaturesTest, AffixesAreCharactersAndStopAtTheLengthOfTheWord) {
  EXPECT_THAT(names({"Öl"}, 0), AllOf(Contains("pre1[0]=ö"), Contains("suf2[0]=öl"),
                                      Not(Contains(StartsWith("suf3"))), Not(Contains(StartsWith("pre3")))));
}

TEST(DefaultFeaturesTest, CaseIsLookedAtOnlyWhereThereIsAny) {
  EXPECT_THAT(names({"Paris"}, 0), Contains("cased[0]=Paris"));
  EXPECT_THAT(names({"paris"}, 0), Not(Contains(StartsWith("cased"))));
  EXPECT_THAT(names({"中国"}, 0), Not(Contains(StartsWith("cased"))));
}

TEST(DefaultFeaturesTest, FlagsAreThereOnlyWhereTheyHold) {
  EXPECT_THAT(names({"x", "U.S."}, 1), AllOf(Contains("caps[0]=1"), Not(Contains(StartsWith("digit")))));
  EXPECT_THAT(names({"x", "I"}, 1), Not(Contains(StartsWith("caps")))) << "one letter says nothing";
  EXPECT_THAT(names({"x", "90-day"}, 1), AllOf(Contains("digit[0]=1"), Contains("hyphen[0]=1")));
  EXPECT_THAT(names({"x", "-day"}, 1), Not(Contains(StartsWith("hyphen"))));
  EXPECT_THAT(names({"x", "straightforward"}, 1), Contains("long12[0]=1"));
  EXPECT_THAT(names({"x", "straight"}, 1), Not(Contains(StartsWith("long"))));
  EXPECT_THAT(names({"Čapek", "wrote"}, 0), Contains("capital[0]|outside[-1]=1|1"));
  EXPECT_THAT(names({"wrote", "Čapek"}, 1), Not(Contains(StartsWith("capital"))));
}

TEST(DefaultFeaturesTest, NoTwoAreTheSame) {
  const FeaturePlan plan = default_features(std::vector<size_t>{0, 1, 2});
  std::set<std::string> seen;
  for (const Template& feature : plan.templates)
    EXPECT_TRUE(seen.insert(feature.literals[0]).second) << feature.literals[0];
}

}  // namespace
}  // namespace espalier::data

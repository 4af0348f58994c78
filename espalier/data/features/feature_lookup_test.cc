#include "espalier/data/features/feature_lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "espalier/data/formats/reader.h"

namespace espalier::data {
namespace {

using ::testing::Contains;

FeatureOptions template_options(std::string text, bool bytes = false) {
  FeatureOptions options;
  options.template_text = std::move(text);
  options.feature_columns = {0, 1};
  options.bytes = bytes;
  return options;
}

/// Every feature of every position is found by its name, in text with separators in its cells.
void expect_found_by_name(const FeatureOptions& options) {
  const auto extractor = FeatureExtractor::make(options);
  ASSERT_TRUE(extractor.ok()) << extractor.error().message;
  const auto lookup = FeatureLookup::make(options);
  ASSERT_TRUE(lookup.ok());
  ReadOptions reading;
  reading.columns = 3;
  const auto reader = read_text("1/2 N/A x\nÁrbol NN x\n/ // x\na=b/c CD x\n_B-1 _x+1 x\n", "text", reading);
  Sequence sequence;
  ASSERT_TRUE(*(*reader)->next(sequence));
  FeatureExtractor::Scratch scratch;
  HashedFeatures features;
  extractor->extract(sequence, scratch, features);
  std::vector<uint64_t> hashes;
  for (size_t t = 0; t < sequence.length(); ++t) {
    for (size_t i = features.state_begin[t]; i < features.state_begin[t + 1]; ++i) {
      const std::string name = extractor->state_name(sequence, t, i - features.state_begin[t]);
      ASSERT_TRUE(lookup->find(name, false, hashes).ok());
      EXPECT_THAT(hashes, Contains(features.state[i])) << name;
    }
    for (size_t i = features.edge_begin[t]; i < features.edge_begin[t + 1]; ++i) {
      const std::string name = extractor->edge_name(sequence, t, i - features.edge_begin[t]);
      ASSERT_TRUE(lookup->find(name, true, hashes).ok());
      EXPECT_THAT(hashes, Contains(features.edge[i])) << name;
    }
  }
}

TEST(FeatureLookup, FindsEveryFeatureOfACrfppTemplate) {
  expect_found_by_name(
      template_options("U\nU0:%x[0,0]\nU1:%x[-1,0]/%x[0,0]\nU2:%x[-2,1]/%x[0,1]/"
                       "%x[2,0]=\nU3%x[0,0]%x[1,1]\nB\nB1:%x[0,1]/%x[-1,1]\n"));
}

TEST(FeatureLookup, FindsEveryFeatureOfWapitiPatterns) {
  for (const bool bytes : {false, true})
    expect_found_by_name(
        template_options("u:a=%X[0,0]/%x[@1,1]\nu:m=%m[0,0,\".?.?$\"]/%M[1,0,\"^.?\"]\n"
                         "u:t=%t[0,0,\"^\\u\"]\n*\n*:e=%x[0,1]\nb:x=%x[-6,0] %x[0,0]\n",
                         bytes));
}

TEST(FeatureLookup, GivesNothingForNamesThatNoLineGives) {
  const auto lookup = FeatureLookup::make(template_options("U1:%x[0,0]\nU2:%x[0,0]/%x[1,0]\nB\n"));
  std::vector<uint64_t> hashes;
  for (const char* const name : {"U3:a", "U1:", "U2:a", "U1:a b", "", "B1"}) {
    ASSERT_TRUE(lookup->find(name, false, hashes).ok());
    EXPECT_TRUE(hashes.empty()) << name;
  }
  EXPECT_EQ(lookup->plain_transitions("B"), 1u);
  EXPECT_EQ(lookup->plain_transitions("B1"), 0u);
  EXPECT_EQ(lookup->columns(), 1u);
}

TEST(FeatureLookup, RefusesNamesWithTooManyMeanings) {
  const auto lookup = FeatureLookup::make(template_options("U%x[0,0]%x[1,0]%x[2,0]%x[3,0]%x[4,0]%x[5,0]\n"));
  std::vector<uint64_t> hashes;
  EXPECT_FALSE(lookup->find("U" + std::string(200, 'a'), false, hashes).ok());
}

}  // namespace
}  // namespace espalier::data

#include "espalier/data/features/feature_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "espalier/data/random_text.h"

namespace espalier::data {
namespace {

FeatureExtractor grouping_extractor(const std::string& text, std::vector<size_t> columns, int degree = 1) {
  FeatureOptions options;
  options.template_text = text;
  options.feature_columns = std::move(columns);
  options.degree = degree;
  return FeatureExtractor::make(options).value();
}

constexpr const char* kTemplate =
    "U00:%x[-2,0]\nU01:%x[0,0]\nU02:%x[1,0]\nU03:%x[-1,0]/%x[0,0]\nU04:%x[0,0]/%x[0,1]\nU05:%x[-3,1]\n"
    "U06:%x[-1,1]/%x[0,1]\nU07:%x[0,1]/%x[1,1]/%x[2,1]\nU08:%x[0,1]/%x[2,1]\nU09:%x[-4,1]/%x[-3,1]\n"
    "U10:constant\nU11:%x[-2,1]/%x[2,1]\nU12:%x[1,2]/%x[2,2]\nU13:%x[0,2]/%x[0,1]\nB\nB01:%x[0,0]\n";

/// The features of every position as groups have them, sorted.
std::vector<std::vector<uint64_t>> from_groups(const FeatureExtractor& features, const Sequence& sequence,
                                               FeatureExtractor::Scratch& scratch, GroupedFeatures& grouped) {
  features.extract_grouped(sequence, scratch, grouped);
  const size_t T = sequence.length();
  std::vector<std::vector<uint64_t>> found(T);
  const auto append = [](const HashedFeatures& from, size_t entry, std::vector<uint64_t>& to) {
    to.insert(to.end(), from.state.begin() + from.state_begin[entry],
              from.state.begin() + from.state_begin[entry + 1]);
  };
  for (size_t t = 0; t < T; ++t) append(grouped.others, t, found[t]);
  for (size_t g = 0; g < features.groups().size(); ++g) {
    const FeatureGroup& group = features.groups()[g];
    EXPECT_EQ(grouped.keys[g].size(), group.anchors(T));
    HashedFeatures part;
    for (size_t anchor = 0; anchor < group.anchors(T); ++anchor) {
      features.extract_group(sequence, g, anchor, scratch, part);
      EXPECT_EQ(part.length(), group.places.size());
      for (size_t p = 0; p < group.places.size(); ++p) {
        const ptrdiff_t t = group.position(anchor, p);
        if (t >= 0 && t < static_cast<ptrdiff_t>(T)) append(part, p, found[static_cast<size_t>(t)]);
      }
    }
  }
  for (auto& list : found) std::sort(list.begin(), list.end());
  return found;
}

TEST(FeatureGroupsTest, GroupsAndOthersTogetherAreTheFeatures) {
  Random random(1);
  for (const char* text : {"", kTemplate, "U00:%x[0,0]\n", "U00:%x[-1,1]/%x[1,1]\nU01:%x[-64,0]\n"}) {
    const FeatureExtractor features = grouping_extractor(text, {0, 1, 2});
    ASSERT_FALSE(features.groups().empty());
    FeatureExtractor::Scratch scratch;
    HashedFeatures all;
    GroupedFeatures grouped;
    for (const size_t length : {1, 2, 3, 4, 30, 0, 200}) {
      const Sequence sequence = random_text(random, length, 3);
      features.extract(sequence, scratch, all);
      const auto found = from_groups(features, sequence, scratch, grouped);
      for (size_t t = 0; t < length; ++t) {
        std::vector<uint64_t> here(all.state.begin() + all.state_begin[t],
                                   all.state.begin() + all.state_begin[t + 1]);
        std::sort(here.begin(), here.end());
        ASSERT_EQ(found[t], here) << "position " << t << " of " << length << ", template " << text;
      }
      EXPECT_EQ(grouped.others.edge, all.edge);
      EXPECT_EQ(grouped.others.edge_begin, all.edge_begin);
    }
  }
}

TEST(FeatureGroupsTest, EqualKeysMeanEqualFeatures) {
  Random random(2);
  for (const char* text : {"", kTemplate}) {
    const FeatureExtractor features = grouping_extractor(text, {0, 1, 2});
    FeatureExtractor::Scratch scratch;
    GroupedFeatures grouped;
    HashedFeatures part;
    std::vector<std::map<uint64_t, HashedFeatures>> seen(features.groups().size());
    size_t again = 0;
    for (size_t n = 0; n < 60; ++n) {
      const Sequence sequence = random_text(random, n, 3);
      features.extract_grouped(sequence, scratch, grouped);
      for (size_t g = 0; g < seen.size(); ++g)
        for (size_t anchor = 0; anchor < grouped.keys[g].size(); ++anchor) {
          features.extract_group(sequence, g, anchor, scratch, part);
          const auto [known, fresh] = seen[g].try_emplace(grouped.keys[g][anchor], part);
          again += !fresh;
          ASSERT_EQ(known->second.state, part.state);
          ASSERT_EQ(known->second.state_begin, part.state_begin);
        }
    }
    EXPECT_GT(again, 1000u);
  }
}

TEST(FeatureGroupsTest, DefaultFeaturesLeaveFewThatLookAtTwoWords) {
  const FeatureExtractor features = grouping_extractor("", {0, 1});
  ASSERT_EQ(features.groups().size(), 2u);
  EXPECT_EQ(features.groups()[0].rows, 1u);
  EXPECT_EQ(features.groups()[0].places, (std::vector<int>{2, 1, 0, -1, -2}));
  EXPECT_EQ(features.groups()[1].rows, 3u);
  Random random(3);
  FeatureExtractor::Scratch scratch;
  GroupedFeatures grouped;
  features.extract_grouped(random_text(random, 100, 2), scratch, grouped);
  EXPECT_LE(grouped.others.state.size(), 800u);
}

TEST(FeatureGroupsTest, ProductsAndAttributesHaveNoGroups) {
  EXPECT_TRUE(grouping_extractor("", {0}, 2).groups().empty());
  FeatureOptions options;
  options.attributes = true;
  EXPECT_TRUE(FeatureExtractor::make(options)->groups().empty());
}

}  // namespace
}  // namespace espalier::data

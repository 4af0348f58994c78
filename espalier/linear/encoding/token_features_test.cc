#include "espalier/linear/encoding/token_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "espalier/base/random.h"

namespace espalier::linear {
namespace {

/// Sequences of 0 to 9 tokens with 0 to 40 features each, sorted by shard as learners have them.
Dataset random_tokens(uint64_t seed, bool values) {
  Random random(seed);
  Dataset data;
  for (size_t s = 0; s < 30; ++s) {
    for (size_t t = 0, length = random.below(10); t < length; ++t) {
      std::vector<uint32_t> features(random.below(41));
      for (uint32_t& f : features) f = static_cast<uint32_t>(random.below(1000));
      std::stable_sort(features.begin(), features.end(),
                       [](uint32_t a, uint32_t b) { return a % kUpdateShards < b % kUpdateShards; });
      data.state.append(features);
    }
    data.sequence_begin.push_back(data.state.size());
  }
  if (values)
    for (const uint32_t f : data.state.values) data.state_values.push_back(static_cast<float>(f) / 8);
  return data;
}

std::vector<uint32_t> list(TokenFeatures token) { return {token.features.begin(), token.features.end()}; }

TEST(TokenFeatures, AreTheDatasetsOwnWhereNothingIsLeftOut) {
  const Dataset data = random_tokens(1, true);
  BatchFeatures batch(data, {});
  batch.make_places(1);
  for (uint32_t s = 0; s < data.sequences(); ++s) {
    const SequenceFeatures features = batch.put(0, s, 1);
    for (size_t t = 0; t < data.length(s); ++t) {
      const size_t row = data.sequence_begin[s] + t;
      EXPECT_EQ(features[t].features.data(), data.state[row].data());
      EXPECT_EQ(features[t].features.size(), data.state[row].size());
      EXPECT_EQ(features[t].values, data.state_values.data() + data.state.begin[row]);
    }
  }
}

TEST(TokenFeatures, ShardsDivideThem) {
  const Dataset data = random_tokens(2, true);
  for (uint32_t s = 0; s < data.sequences(); ++s)
    for (size_t t = 0; t < data.length(s); ++t) {
      const TokenFeatures all = features_of(data, s)[t];
      std::vector<uint32_t> joined;
      for (const Range shards : {Range{0, 3}, Range{3, 4}, Range{4, kUpdateShards}}) {
        const TokenFeatures part = all.in_shards(shards);
        for (size_t i = 0; i < part.features.size(); ++i) {
          const uint32_t shard = part.features[i] % kUpdateShards;
          EXPECT_TRUE(shard >= shards.first && shard < shards.last);
          EXPECT_EQ(part.values[i], static_cast<float>(part.features[i]) / 8);
        }
        joined.insert(joined.end(), part.features.begin(), part.features.end());
      }
      EXPECT_EQ(joined, list(all));
    }
}

TEST(TokenFeatures, DropoutKeepsTheShareItShouldInOrderAndWithTheirValues) {
  const Dataset data = random_tokens(3, true);
  for (const double share : {0.25, 0.6}) {
    BatchFeatures batch(data, {share, 5});
    batch.make_places(2);
    size_t kept = 0, all = 0;
    for (int pass = 1; pass <= 30; ++pass)
      for (uint32_t s = 0; s < data.sequences(); ++s) {
        const SequenceFeatures features = batch.put(1, s, pass);
        for (size_t t = 0; t < data.length(s); ++t) {
          const std::vector<uint32_t> left = list(features[t]), whole = list(features_of(data, s)[t]);
          size_t at = 0;  // a subsequence?
          for (const uint32_t f : whole) at += at < left.size() && left[at] == f;
          EXPECT_EQ(at, left.size());
          for (size_t i = 0; i < left.size(); ++i)
            EXPECT_EQ(features[t].values[i], static_cast<float>(left[i]) / 8);
          kept += left.size();
          all += whole.size();
        }
      }
    const double n = static_cast<double>(all);
    EXPECT_NEAR(static_cast<double>(kept) / n, 1 - share, 5 * std::sqrt(share * (1 - share) / n));
  }
}

TEST(TokenFeatures, DropoutDependsOnPassAndSequenceAlone) {
  const Dataset data = random_tokens(4, false);
  BatchFeatures batch(data, {0.5, 9}), again(data, {0.5, 9}), other_seed(data, {0.5, 10});
  for (BatchFeatures* b : {&batch, &again, &other_seed}) b->make_places(4);
  const auto all_of = [&](const SequenceFeatures& features, uint32_t s) {
    std::vector<uint32_t> all;
    for (size_t t = 0; t < data.length(s); ++t)
      for (const uint32_t f : features[t].features) all.push_back(f);
    return all;
  };
  size_t by_pass = 0, by_seed = 0;
  for (uint32_t s = 0; s < data.sequences(); ++s) {
    const std::vector<uint32_t> drawn = all_of(batch.put(0, s, 2), s);
    EXPECT_EQ(drawn, all_of(again.put(3, s, 2), s));
    EXPECT_EQ(drawn, all_of(again[3], s));
    by_pass += drawn != all_of(again.put(1, s, 3), s);
    by_seed += drawn != all_of(other_seed.put(0, s, 2), s);
  }
  EXPECT_GT(by_pass, data.sequences() / 2);
  EXPECT_GT(by_seed, data.sequences() / 2);
}

}  // namespace
}  // namespace espalier::linear

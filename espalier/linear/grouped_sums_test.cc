#include "espalier/linear/grouped_sums.h"

#include <gtest/gtest.h>

#include <set>

#include "espalier/base/hash.h"
#include "espalier/data/random_text.h"
#include "espalier/linear/random_rows.h"

namespace espalier::linear {
namespace {

/// Random weights for most features of some texts, in several sets of rows and roles.
struct Weights {
  data::FeatureExtractor extractor;
  std::vector<uint64_t> roles;
  std::vector<uint32_t> offsets;
  FeatureMap map;
  std::vector<PackedRows> rows;

  Weights(const std::string& text, size_t sets, std::vector<uint64_t> in_roles, uint32_t labels)
      : extractor(make(text)), roles(std::move(in_roles)) {
    Random random(1);
    std::set<uint64_t> hashes;
    data::FeatureExtractor::Scratch scratch;
    data::HashedFeatures features;
    for (size_t n = 0; n < 40; ++n) {
      extractor.extract(data::random_text(random, n, 2), scratch, features);
      for (const uint64_t hash : features.state)
        if (hash % 8 != 0)  // the others stay unknown
          for (size_t r = 0; r < std::max<size_t>(1, roles.size()); ++r) hashes.insert(in_role(hash, r));
    }
    std::vector<uint32_t> values;
    std::vector<std::vector<uint32_t>> starts(sets);
    for (size_t l = 0; l < sets; ++l) {
      const RandomRows random_rows(l + 1, hashes.size(), labels);
      rows.push_back(PackedRows::pack(random_rows.layout, random_rows.weights.data(), 16, starts[l]));
    }
    std::vector<uint64_t> known;
    for (const uint64_t hash : hashes) {
      const size_t n = known.size();
      if (sets == 1 && starts[0][n] == kNoFeature) {
        starts[0].erase(starts[0].begin() + static_cast<ptrdiff_t>(n));
        continue;
      }
      values.push_back(sets == 1 ? starts[0][n] : static_cast<uint32_t>(n));
      known.push_back(hash);
      if (sets > 1)
        for (size_t l = 0; l < sets; ++l) offsets.push_back(starts[l][n]);
    }
    map = FeatureMap::build(known, values, nullptr);
  }
  static data::FeatureExtractor make(const std::string& text) {
    data::FeatureOptions options;
    options.template_text = text;
    options.feature_columns = {0, 1};
    return data::FeatureExtractor::make(options).value();
  }
  uint64_t in_role(uint64_t hash, size_t role) const {
    return roles.empty() ? hash : hash_combine(roles[role], hash);
  }
  GroupedSums::Source source() const {
    GroupedSums::Source source{extractor, map, offsets, {}, roles};
    for (const PackedRows& set : rows) source.rows.push_back(&set);
    return source;
  }
  /// Feature by feature.
  AlignedVector<float> scores(const data::Sequence& sequence, size_t set, size_t role) const {
    data::FeatureExtractor::Scratch scratch;
    data::HashedFeatures features;
    extractor.extract(sequence, scratch, features);
    std::vector<uint32_t> found;
    for (const uint64_t hash : features.state) {
      const uint32_t value = map.find(in_role(hash, role));
      found.push_back(value == kNoFeature || offsets.empty() ? value
                                                             : offsets[size_t{value} * rows.size() + set]);
    }
    const size_t stride = padded(rows[set].width());
    AlignedVector<float> result(sequence.length() * stride, 0.0f);
    rows[set].add(found, features.state_begin, nullptr, stride, result.data());
    return result;
  }
};

void expect_same(const Weights& weights, uint64_t seed, GroupedSums& sums,
                 data::FeatureExtractor::Scratch& scratch, data::GroupedFeatures& grouped) {
  Random random(seed);
  for (const size_t length : {1, 0, 2, 3, 25, 4, 60}) {
    const data::Sequence sequence = data::random_text(random, length, 2);
    ASSERT_TRUE(sums.sum(sequence, scratch, grouped));
    for (size_t set = 0; set < weights.rows.size(); ++set)
      for (size_t role = 0; role < std::max<size_t>(1, weights.roles.size()); ++role) {
        const AlignedVector<float> expected = weights.scores(sequence, set, role);
        AlignedVector<float> found(expected.size(), 1.0f);
        sums.scores(set, role, found.data());
        ASSERT_EQ(found, expected) << "length " << length << ", set " << set << ", role " << role;
      }
  }
}

TEST(GroupedSumsTest, ScoresAreThoseOfFeatureByFeatureToTheLastBit) {
  const std::string text =
      "U00:%x[-1,0]\nU01:%x[0,0]\nU02:%x[0,0]/%x[1,0]\nU03:%x[-1,1]/%x[0,1]\nU04:%x[1,1]\n";
  for (const std::string& given : {std::string(), text})
    for (const size_t sets : {1, 3})
      for (const std::vector<uint64_t>& roles : {std::vector<uint64_t>{}, std::vector<uint64_t>{5, 6, 7}}) {
        const Weights weights(given, sets, roles, 11);
        GroupedSums sums(weights.source());
        data::FeatureExtractor::Scratch scratch;
        data::GroupedFeatures grouped;
        // Again with what is kept from before: scores do not depend on it.
        for (const uint64_t seed : {1, 2, 3, 2, 1}) expect_same(weights, seed, sums, scratch, grouped);
      }
}

TEST(GroupedSumsTest, ScoresOfSomeColumnsAreThoseOfAll) {
  const Weights weights("", 3, {}, 40);
  GroupedSums sums(weights.source());
  data::FeatureExtractor::Scratch scratch;
  data::GroupedFeatures grouped;
  Random random(9);
  for (const size_t length : {1, 30, 2, 500, 0}) {  // the long one does not fit into the tables' sets
    const data::Sequence sequence = data::random_text(random, length, 2);
    ASSERT_TRUE(sums.sum(sequence, scratch, grouped, 2));
    std::vector<uint32_t> begin{0};
    std::vector<data::Label> columns;
    for (size_t t = 0; t < length; ++t) {
      const size_t share = 4 + 12 * random.below(3), sure = random.below(40);  // few and many
      for (data::Label c = 0; c < 40; ++c)
        if (c == sure || random.below(share) == 0) columns.push_back(c);
      begin.push_back(static_cast<uint32_t>(columns.size()));
    }
    for (size_t set = 0; set < 3; ++set) {
      const AlignedVector<float> expected = weights.scores(sequence, set, 0);
      std::vector<float> found(columns.size());
      sums.scores_of(set, begin, columns, found.data());
      for (size_t t = 0; t < length; ++t)
        for (uint32_t i = begin[t]; i < begin[t + 1]; ++i)
          ASSERT_EQ(found[i], expected[t * padded(40) + columns[i]]) << "set " << set;
      if (set == 2) continue;  // which was not summed for all columns
      AlignedVector<float> all(expected.size(), 1.0f);
      sums.scores(set, 0, all.data());
      ASSERT_EQ(all, expected);
    }
  }
}

TEST(GroupedSumsTest, StopsWhereNothingRecursAndTriesAgain) {
  const Weights weights("", 1, {}, 5);
  GroupedSums sums(weights.source());
  data::FeatureExtractor::Scratch scratch;
  data::GroupedFeatures grouped;
  size_t number = 0, refused = 0, taken_again = 0;
  for (size_t n = 0; n < 400; ++n) {
    data::Sequence sequence;
    sequence.clear(2);
    for (size_t t = 0; t < 1000; ++t) {
      const std::string word = std::to_string(number++), line = word + " " + word;
      sequence.begin_row(line, t + 1);
      sequence.add_cell(0, word.size());
      sequence.add_cell(word.size() + 1, word.size());
    }
    const bool done = sums.sum(sequence, scratch, grouped);
    refused += !done;
    taken_again += done && refused > 0;
  }
  EXPECT_GT(refused, 300u);
  EXPECT_GT(taken_again, 0u);
}

TEST(GroupedSumsTest, NeedsExactSumsAndGroups) {
  const Weights weights("", 1, {}, 5), wide("", 1, {}, 65);
  EXPECT_TRUE(GroupedSums::possible(weights.source()));
  EXPECT_FALSE(GroupedSums::possible(wide.source()));
}

}  // namespace
}  // namespace espalier::linear

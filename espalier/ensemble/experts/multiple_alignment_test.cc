#include "espalier/ensemble/experts/multiple_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "espalier/base/random.h"
#include "espalier/eval/losses.h"

namespace espalier::ensemble {
namespace {

using Labels = std::vector<data::Label>;
using testing::ElementsAre;
constexpr data::Label kGap = 0;

Labels random_labels(Random& random, size_t longest, uint64_t kinds) {
  Labels labels(random.below(longest + 1));
  for (data::Label& label : labels) label = static_cast<data::Label>(1 + random.below(kinds));
  return labels;
}

std::vector<ExpertOutput> random_outputs(Random& random, size_t experts, size_t longest) {
  std::vector<ExpertOutput> outputs(experts);
  for (ExpertOutput& output : outputs) output = {true, random_labels(random, longest, 3)};
  return outputs;
}

Labels column_of_expert(const TokenVotes& votes, size_t j) {
  Labels labels;
  for (size_t c = 0; c < votes.length(); ++c) labels.push_back(votes.label(c, j));
  return labels;
}

size_t pair_sum(const TokenVotes& votes) {
  size_t sum = 0;
  for (size_t c = 0; c < votes.length(); ++c)
    for (size_t a = 0; a < votes.experts; ++a)
      for (size_t b = 0; b < a; ++b) sum += votes.label(c, a) != votes.label(c, b);
  return sum;
}

/// The least sum over pairs of all alignments, by trying every way to begin with a column.
size_t least_pair_sum(const std::vector<ExpertOutput>& outputs, std::vector<size_t> at = {}) {
  std::map<std::vector<size_t>, size_t> known;
  const size_t p = outputs.size();
  const std::function<size_t(const std::vector<size_t>&)> rest = [&](const std::vector<size_t>& from) {
    if (const auto it = known.find(from); it != known.end()) return it->second;
    size_t best = SIZE_MAX;
    for (size_t mask = 1; mask < size_t{1} << p; ++mask) {
      std::vector<size_t> next = from;
      Labels column(p, kGap);
      bool fits = true;
      for (size_t j = 0; j < p && fits; ++j) {
        if (!(mask >> j & 1)) continue;
        fits = from[j] < outputs[j].labels.size();
        if (fits) column[j] = outputs[j].labels[next[j]++];
      }
      if (!fits) continue;
      size_t sum = rest(next);
      for (size_t a = 0; a < p; ++a)
        for (size_t b = 0; b < a; ++b) sum += column[a] != column[b];
      best = std::min(best, sum);
    }
    if (best == SIZE_MAX) best = 0;  // nothing is left
    return known[from] = best;
  };
  if (at.empty()) at.assign(p, 0);
  return rest(at);
}

/// Every monotone way to give columns gold labels, and what the cheapest costs.
size_t least_gold_sum(const TokenVotes& votes, const Labels& gold, size_t column, size_t next) {
  if (column == votes.length()) return (gold.size() - next) * votes.experts;
  size_t best = SIZE_MAX;
  for (size_t skip = next; skip <= gold.size(); ++skip)
    for (const bool gap : {false, true}) {
      if (!gap && skip == gold.size()) continue;
      size_t sum = (skip - next) * votes.experts;
      const data::Label label = gap ? kGap : gold[skip];
      for (const data::Label said : votes.row(column)) sum += said != label;
      best = std::min(best, sum + least_gold_sum(votes, gold, column + 1, skip + !gap));
    }
  return best;
}

TEST(MultipleAlignment, EveryExpertsOutputIsItsColumnWithoutTheGaps) {
  Random random(1);
  MultipleAligner aligner(kGap);
  TokenVotes votes;
  for (int i = 0; i < 300; ++i) {
    const auto outputs = random_outputs(random, 1 + random.below(6), 7);
    aligner.align(outputs, votes);
    for (size_t j = 0; j < outputs.size(); ++j)
      EXPECT_EQ(without_gaps(column_of_expert(votes, j), kGap), outputs[j].labels);
    for (size_t c = 0; c < votes.length(); ++c) {
      const auto row = votes.row(c);
      EXPECT_TRUE(std::any_of(row.begin(), row.end(), [](data::Label label) { return label != kGap; }));
    }
  }
}

TEST(MultipleAlignment, OfTwoOutputsCostsTheirEditDistance) {
  Random random(2);
  MultipleAligner aligner(kGap);
  TokenVotes votes;
  for (int i = 0; i < 300; ++i) {
    const auto outputs = random_outputs(random, 2, 8);
    aligner.align(outputs, votes);
    EXPECT_EQ(pair_sum(votes), eval::edit_distance(outputs[0].labels, outputs[1].labels));
  }
}

TEST(MultipleAlignment, OfSeveralIsWithinTheStarsBoundOfTheLeastSumAndNearlyAlwaysReachesIt) {
  Random random(3);
  MultipleAligner aligner(kGap);
  TokenVotes votes;
  size_t found = 0, total = 0;
  for (const size_t p : {size_t{3}, size_t{4}})
    for (int i = 0; i < 60; ++i) {
      const auto outputs = random_outputs(random, p, 5);
      aligner.align(outputs, votes);
      const size_t sum = pair_sum(votes), least = least_pair_sum(outputs);
      EXPECT_GE(sum, least);
      EXPECT_LE(sum * p, (2 * p - 2) * least);
      found += sum == least;
      ++total;
    }
  EXPECT_GE(found * 10, total * 9);
}

TEST(MultipleAlignment, GoldIsLaidBesideTheColumnsAsCheaplyAsCanBe) {
  Random random(4);
  MultipleAligner aligner(kGap);
  TokenVotes votes;
  for (int i = 0; i < 200; ++i) {
    const auto outputs = random_outputs(random, 1 + random.below(4), 4);
    const Labels gold = random_labels(random, 5, 3);
    aligner.align(outputs, votes);
    aligner.add_gold(gold, votes);
    EXPECT_EQ(votes.target, gold);
    size_t sum = 0, placed = 0;
    for (size_t c = 0; c < votes.length(); ++c) {
      placed += votes.gold[c] != kGap;
      for (const data::Label said : votes.row(c)) sum += said != votes.gold[c];
    }
    sum += (gold.size() - placed) * votes.experts;
    EXPECT_EQ(sum, least_gold_sum(votes, gold, 0, 0));
    // An expert differs in at least as many places as its edit distance.
    for (size_t j = 0; j < outputs.size(); ++j) {
      size_t different = gold.size() - placed;
      for (size_t c = 0; c < votes.length(); ++c) different += votes.label(c, j) != votes.gold[c];
      EXPECT_GE(different, eval::edit_distance(gold, outputs[j].labels));
    }
  }
}

TEST(MultipleAlignment, SilentExpertsTakeNoPartAndEmptyOutputsAreGaps) {
  MultipleAligner aligner(kGap);
  TokenVotes votes;
  aligner.align(std::vector<ExpertOutput>{{true, {1, 2, 3}}, {false, {}}, {true, {1, 3}}, {true, {}}}, votes);
  ASSERT_EQ(votes.length(), 3u);
  EXPECT_THAT(column_of_expert(votes, 1), ElementsAre(data::kNoLabel, data::kNoLabel, data::kNoLabel));
  EXPECT_THAT(column_of_expert(votes, 2), ElementsAre(1, kGap, 3));
  EXPECT_THAT(column_of_expert(votes, 3), ElementsAre(kGap, kGap, kGap));
  EXPECT_TRUE(votes.silent(1));
  aligner.align(std::vector<ExpertOutput>(2), votes);
  EXPECT_EQ(votes.length(), 0u);
  aligner.add_gold(Labels{1}, votes);
  EXPECT_THAT(votes.target, ElementsAre(1));
}

TEST(MultipleAlignment, AgreementOfMostDrawsTheOthersToIt) {
  // Two spellings of the same, and one that lacks its second label and has another at the end.
  MultipleAligner aligner(kGap);
  TokenVotes votes;
  aligner.align(std::vector<ExpertOutput>{{true, {1, 2, 3}}, {true, {1, 2, 3}}, {true, {1, 3, 4}}}, votes);
  ASSERT_EQ(votes.length(), 4u);
  EXPECT_THAT(column_of_expert(votes, 0), ElementsAre(1, 2, 3, kGap));
  EXPECT_THAT(column_of_expert(votes, 2), ElementsAre(1, kGap, 3, 4));
}

}  // namespace
}  // namespace espalier::ensemble

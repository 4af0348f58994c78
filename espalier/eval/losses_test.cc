#include "espalier/eval/losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/base/result.h"

namespace espalier::eval {
namespace {

using Ids = std::vector<data::Label>;
using Texts = std::vector<std::string_view>;

size_t slow_edit_distance(Labels a, Labels b) {
  if (a.empty()) return b.size();
  if (b.empty()) return a.size();
  return std::min({slow_edit_distance(a.subspan(1), b.subspan(1)) + (a[0] == b[0] ? 0 : 1),
                   slow_edit_distance(a.subspan(1), b) + 1, slow_edit_distance(a, b.subspan(1)) + 1});
}

TEST(HammingLoss, CountsDifferencesAtKnownPositions) {
  EXPECT_EQ(hamming_loss(Ids{1, 2, 3}, Ids{1, 3, 2}), 2u);
  EXPECT_EQ(hamming_loss(Ids{1, data::kNoLabel, 3}, Ids{1, 3, 3}), 0u);
  EXPECT_EQ(hamming_loss(Texts{"a", "_", "c"}, Texts{"b", "b", "c"}), 1u);
  EXPECT_EQ(hamming_loss(Ids{}, Ids{}), 0u);
  EXPECT_THROW(hamming_loss(Ids{1}, Ids{}), ContractViolation);
}

TEST(ZeroOneLoss, IsOneForAnyDifferenceAtAKnownPosition) {
  EXPECT_EQ(zero_one_loss(Ids{1, 2}, Ids{1, 2}), 0);
  EXPECT_EQ(zero_one_loss(Ids{1, 2}, Ids{2, 1}), 1);
  EXPECT_EQ(zero_one_loss(Texts{"_", "b"}, Texts{"x", "b"}), 0);
  EXPECT_EQ(zero_one_loss(Texts{"_", "b"}, Texts{"x", "c"}), 1);
}

/// 1 − F1 of chunks, from texts.
double f1_loss(const Texts& gold, const Texts& predicted) {
  data::LabelSet labels;
  const auto numbers = [&](const Texts& texts) {
    Ids ids;
    for (const std::string_view text : texts)
      ids.push_back(text == data::kUnknownLabelText ? data::kNoLabel : labels.add(text));
    return ids;
  };
  const Ids gold_ids = numbers(gold), predicted_ids = numbers(predicted);
  return ChunkF1Loss(labels)(gold_ids, predicted_ids);
}

TEST(F1Loss, HandComputed) {
  const Texts gold{"B-N", "I-N", "O", "B-V", "B-N"};
  EXPECT_DOUBLE_EQ(f1_loss(gold, gold), 0);
  // Found: N at 0-1 (right), V at 3 (right); three gold, two found: F1 = 4/5.
  EXPECT_DOUBLE_EQ(f1_loss(gold, Texts{"B-N", "I-N", "O", "B-V", "O"}), 1 - 4.0 / 5);
  EXPECT_DOUBLE_EQ(f1_loss(gold, Texts{"O", "O", "O", "O", "O"}), 1);
  EXPECT_DOUBLE_EQ(f1_loss(Texts{"O"}, Texts{"O"}), 0);
  EXPECT_DOUBLE_EQ(f1_loss(Texts{"O"}, Texts{"B-N"}), 1);
  EXPECT_DOUBLE_EQ(f1_loss(Texts{"B-N", "_"}, Texts{"B-N", "I-N"}), 0);
}

TEST(EditDistance, KnownExamples) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance(Texts{"AH0", "B", "K"}, Texts{"AH1", "B"}), 2u);
}

TEST(EditDistance, AgreesWithTheRecursionAndWithTheAlignment) {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    Ids a(random.below(6)), b(random.below(6));
    for (auto& x : a) x = static_cast<data::Label>(random.below(3));
    for (auto& x : b) x = static_cast<data::Label>(random.below(3));
    const size_t expected = slow_edit_distance(a, b);
    ASSERT_EQ(edit_distance(a, b), expected);

    // The alignment must visit every item once, in order, and cost what it says.
    const EditAlignment alignment = edit_alignment(a, b);
    ASSERT_EQ(alignment.distance, static_cast<double>(expected));
    size_t i = 0, j = 0, cost = 0;
    for (const EditStep& step : alignment.steps) {
      ASSERT_EQ(step.gold, i);
      ASSERT_EQ(step.predicted, j);
      if (step.edit == Edit::kMatch) {
        ASSERT_EQ(a[i], b[j]);
      }
      cost += step.edit == Edit::kMatch ? 0 : 1;
      i += step.edit == Edit::kInsert ? 0 : 1;
      j += step.edit == Edit::kDelete ? 0 : 1;
    }
    ASSERT_EQ(i, a.size());
    ASSERT_EQ(j, b.size());
    ASSERT_EQ(cost, expected);
  }
}

TEST(EditAlignment, ShowsWhatWasDone) {
  const EditAlignment alignment = edit_alignment(Texts{"a", "b", "c"}, Texts{"a", "x", "c", "d"});
  const std::vector<EditStep> expected{
      {Edit::kMatch, 0, 0}, {Edit::kSubstitute, 1, 1}, {Edit::kMatch, 2, 2}, {Edit::kInsert, 3, 3}};
  EXPECT_EQ(alignment.steps, expected);
  EXPECT_EQ(alignment.distance, 2);
}

TEST(Align, FollowsTheCostsGiven) {
  // Substitution dearer than a deletion and an insertion together: it is never used.
  EditCosts costs;
  costs.insertion = 0.5;
  costs.deletion = 0.25;
  costs.substitution = [](size_t i, size_t j) { return i == j ? 1.0 : 5.0; };
  const EditAlignment alignment = align(2, 2, costs);
  EXPECT_DOUBLE_EQ(alignment.distance, 1.5);
  EXPECT_EQ(alignment.steps.size(), 4u);
  costs.substitution = [](size_t i, size_t j) { return i == j ? 0.5 : 5.0; };
  EXPECT_DOUBLE_EQ(align(2, 2, costs).distance, 1.0);
  EXPECT_DOUBLE_EQ(align(0, 3, EditCosts{}).distance, 3);
  EXPECT_THROW(align(1, 1, EditCosts{}), ContractViolation);
}

}  // namespace
}  // namespace espalier::eval

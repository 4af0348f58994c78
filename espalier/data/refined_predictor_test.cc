#include "espalier/data/refined_predictor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace espalier::data {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;

/// B-X first, B-X alone, I-X inside, I-X last, O.
LabelSet finer() {
  LabelSet out;
  out.add("B-X", 'B');
  out.add("B-X", 'S');
  out.add("I-X", 'I');
  out.add("I-X", 'E');
  out.add("O", 'O');
  return out;
}

/// Answers with the best of a fixed list of readings.
class FixedPredictor final : public Predictor {
 public:
  FixedPredictor() : labels_(finer()) {}
  const LabelSet& labels() const override { return labels_; }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Scratch>(); }
  Status predict(const Sequence&, std::span<const Label>, const PredictOptions& options, Scratch&,
                 Prediction& out) const override {
    out.clear();
    out.best.clear();
    const std::vector<Labelling> all = {
        {{0, 3}, 5, 0.4}, {{1, 3}, 4, 0.2}, {{0, 2}, 3, 0.1}, {{4, 4}, 2, 0.1}, {{1, 4}, 1, 0.05}};
    for (size_t i = 0; i < all.size() && i < options.nbest; ++i) out.best.push_back(all[i]);
    if (options.marginals) out.marginals = {0.5f, 0.25f, 0, 0, 0.25f, 0, 0, 0.125f, 0.625f, 0.25f};
    out.constraints.emplace();
    out.constraints->changes = {{0, 1, {}}, {1, 4, {}}};
    return {};
  }
  Result<std::vector<Explanation>> explain_forced(const Sequence&, std::span<const Label>,
                                                  Scratch&) const override {
    std::vector<Explanation> out(1);
    out[0].label = 3;
    out[0].runner_up = 4;
    return out;
  }
  Result<std::vector<WeightedFeature>> strongest(size_t, std::optional<Label>) const override {
    return std::vector<WeightedFeature>{{"w", 3, 1.5}};
  }
  std::vector<WeightedTransition> weighted_transitions() const override {
    return {{0, 2, 1}, {0, 3, 3}, {1, 2, -2}, {4, 4, 1}};
  }
  Size size() const override { return {}; }

 private:
  LabelSet labels_;
};

TEST(RefinedPredictor, LabellingsOccurOnceWithTheProbabilitiesOfTheirReadings) {
  const FixedPredictor inside;
  const RefinedPredictor model(inside);
  EXPECT_THAT(model.labels().names(), ElementsAre("B-X", "I-X", "O"));
  const auto scratch = model.make_scratch();
  Prediction out;
  PredictOptions options;
  options.nbest = 2;
  options.marginals = true;
  ASSERT_TRUE(model.predict({}, {}, options, *scratch, out).ok());
  ASSERT_EQ(out.best.size(), 2u);
  EXPECT_THAT(out.best[0].labels, ElementsAre(0, 1));
  EXPECT_NEAR(out.best[0].probability, 0.7, 1e-12);
  EXPECT_THAT(out.best[1].labels, ElementsAre(2, 2));
  EXPECT_THAT(out.marginals, ElementsAre(FloatEq(0.75f), 0, 0.25f, 0, FloatEq(0.75f), 0.25f));
  // What changed between readings of one label has not changed for the user.
  ASSERT_EQ(out.constraints->changes.size(), 1u);
  EXPECT_EQ(out.constraints->changes[0].row, 1u);
  EXPECT_EQ(out.constraints->changes[0].before, 2);
}

TEST(RefinedPredictor, ExplanationsAndWeightsAreAboutTheLabelsOfTheData) {
  const FixedPredictor inside;
  const RefinedPredictor model(inside);
  const auto scratch = model.make_scratch();
  const auto explained = model.explain({}, *scratch);
  ASSERT_TRUE(explained.ok());
  EXPECT_EQ(explained->at(0).label, 1);
  EXPECT_EQ(explained->at(0).runner_up, 2);
  EXPECT_EQ(model.strongest(1, std::nullopt)->at(0).label, 1);
  const auto transitions = model.weighted_transitions();
  ASSERT_EQ(transitions.size(), 2u);
  EXPECT_EQ(transitions[0].weight, 3);
  EXPECT_EQ(transitions[1].from, 2);
}

TEST(RefinedPredictor, TheMostProbableTextHasTheLargestSum) {
  const std::vector<float> p = {0.2f, 0.25f, 0.05f, 0.1f, 0.4f};
  EXPECT_EQ(most_probable(finer(), p), 1);  // .45 together, and the larger of the two
  EXPECT_FLOAT_EQ(probability_of(finer(), p, 0), 0.45f);
  EXPECT_EQ(most_probable(finer().plain(), std::vector<float>{0.2f, 0.3f, 0.5f}), 2);
}

TEST(RefinedPredictor, DamagedLabelsAreRefused) {
  EXPECT_TRUE(*restore_labels(finer().names(), finer().places(), "m") == finer());
  EXPECT_THAT(restore_labels({"A", "A"}, "", "m").error().message, HasSubstr("twice"));
  EXPECT_THAT(restore_labels({"A", "A"}, "BB", "m").error().message, HasSubstr("twice"));
  EXPECT_THAT(restore_labels({"A", "A"}, "B", "m").error().message, HasSubstr("places of 1"));
}

}  // namespace
}  // namespace espalier::data

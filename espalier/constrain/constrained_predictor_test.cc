#include "espalier/constrain/constrained_predictor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "espalier/base/random.h"

namespace espalier::constrain {
namespace {

using data::Label;
using testing::HasSubstr;

/// A chain with random weights over attributes, as training would leave it, and sequences for it.
struct RandomModel {
  linear::EncodedTraining training;
  std::unique_ptr<SectionFile> file;
  std::unique_ptr<chain::ChainPredictor> model;
  std::vector<data::Sequence> sequences;

  explicit RandomModel(bool transitions,
                       chain::Normalisation normalisation = chain::Normalisation::kSequence) {
    data::FeatureOptions options;
    options.attributes = true;
    auto extractor = data::FeatureExtractor::make(options);
    Random random(7);
    const auto make_sequence = [&](size_t n) {
      data::Sequence s;
      s.clear();
      static const char* labels[] = {"O", "B-X", "I-X", "B-Y", "I-Y"};
      for (size_t t = 0; t < n; ++t) {
        s.begin_row("", t + 1);
        for (int k = 0; k < 3; ++k) s.add_attribute("f" + std::to_string(random.below(10)), 1);
        s.set_label(labels[random.below(5)]);
      }
      return s;
    };
    const Workers workers(1);
    linear::DatasetBuilder builder(*extractor, workers, {});
    for (int i = 0; i < 50; ++i) builder.add(make_sequence(5));
    training = builder.finish();
    chain::ChainWeights weights = chain::make_weights(training, transitions, {});
    for (size_t i = 0; i < weights.state_rows.weights(); ++i)
      weights.state[i] = static_cast<float>(random.gaussian());
    for (size_t i = 0; i < weights.labels && transitions; ++i)
      for (size_t j = 0; j < weights.labels; ++j)
        weights.trans[i * weights.stride + j] = static_cast<float>(random.gaussian());
    SectionWriter out;
    chain::save_model({training.labels, weights, training.state, training.edge, normalisation, 1.5,
                       data::Scheme::kIob2, 32},
                      out);
    file = std::make_unique<SectionFile>(SectionFile::from_bytes(out.to_bytes(), "made").value());
    auto loaded = chain::ChainPredictor::load(*file, std::move(extractor).value());
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    model = std::move(loaded).value();
    for (int i = 0; i < 20; ++i) sequences.push_back(make_sequence(1 + random.below(5)));
  }

  Constraints constraints(const std::string& text) const {
    const ConstraintScope shape{.name = "label", .neighbours = true};
    auto out =
        Constraints::resolve(text, "c", shape, model->labels(),
                             [](const std::string& f) -> Result<std::string> { return fail("{}", f); });
    EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
    return std::move(out).value();
  }
  /// Scores of every labelling, by brute force: score − penalty, −∞ where forbidden.
  template <typename Visit>
  void for_all(const data::Sequence& sequence, const Constraints& rules, const Visit& visit) const {
    const auto scratch = model->make_scratch();
    const Scores scores = model->scores(sequence, {}, *scratch).view;
    const Instance instance = instance_of_rows(rules, sequence);
    std::vector<Label> y(sequence.length(), 0);
    while (true) {
      const double penalty = rules.penalty(instance, y);
      visit(y, penalty == kHard ? chain::kMinusInfinity : score_labels(scores, y) - penalty);
      size_t t = 0;
      while (t < y.size() && ++y[t] == scores.labels) y[t++] = 0;
      if (t == y.size()) return;
    }
  }
};

constexpr const char* kFiles[] = {"valid iob2\n", "valid iob2\nat most 1 of B-X\n",
                                  "if B-Y then B-X before soft 0.7\n",
                                  "at least 1 of {I-X I-Y}\nforbid O at end\n"};

TEST(ConstrainedPredictor, LabellingsAreTheBestThatMayBe) {
  for (const bool transitions : {true, false})
    for (const auto normalisation : {chain::Normalisation::kSequence, chain::Normalisation::kPosition}) {
      const RandomModel made(transitions, normalisation);
      for (const char* text : kFiles) {
        const Constraints rules = made.constraints(text);
        const ConstrainedPredictor predictor(*made.model, rules, {});
        const auto scratch = predictor.make_scratch();
        for (const data::Sequence& sequence : made.sequences) {
          double best = chain::kMinusInfinity;
          made.for_all(sequence, rules, [&](const auto&, double value) { best = std::max(best, value); });
          data::Prediction out;
          ASSERT_TRUE(predictor.predict(sequence, {}, {}, *scratch, out).ok());
          ASSERT_TRUE(out.constraints.has_value());
          if (best == chain::kMinusInfinity) {
            EXPECT_EQ(out.constraints->outcome, data::ConstraintEffect::Outcome::kInfeasible);
            EXPECT_FALSE(out.constraints->clash.empty());
            continue;
          }
          EXPECT_EQ(out.constraints->outcome, data::ConstraintEffect::Outcome::kExact);
          double found = chain::kMinusInfinity;
          made.for_all(sequence, rules, [&](const auto& y, double value) {
            if (y == out.labels()) found = value;
          });
          EXPECT_NEAR(found, best, 1e-4) << text;
        }
      }
    }
}

TEST(ConstrainedPredictor, ProbabilitiesAreAmongTheLabellingsThatMayBe) {
  const RandomModel made(true);
  for (const char* text : kFiles) {
    const Constraints rules = made.constraints(text);
    const ConstrainedPredictor predictor(*made.model, rules, {});
    const auto scratch = predictor.make_scratch();
    for (const data::Sequence& sequence : made.sequences) {
      const size_t T = sequence.length(), K = made.model->labels().size();
      double z = 0;
      std::vector<double> marginals(T * K, 0);
      made.for_all(sequence, rules, [&](const auto& y, double value) {
        const double weight = std::exp(value / made.model->temperature());
        z += weight;
        for (size_t t = 0; t < T; ++t) marginals[t * K + y[t]] += weight;
      });
      data::PredictOptions options;
      options.confidence = options.marginals = true;
      data::Prediction out;
      const Status status = predictor.predict(sequence, {}, options, *scratch, out);
      if (z == 0) {
        EXPECT_FALSE(status.ok());
        continue;
      }
      ASSERT_TRUE(status.ok()) << status.error().message;
      for (size_t i = 0; i < marginals.size(); ++i)
        EXPECT_NEAR(out.marginals[i], marginals[i] / z, 1e-3) << text;
      options = {};
      options.nbest = 3;
      ASSERT_TRUE(predictor.predict(sequence, {}, options, *scratch, out).ok());
      for (size_t i = 1; i < out.best.size(); ++i) EXPECT_GE(out.best[i - 1].score, out.best[i].score - 1e-5);
    }
  }
}

TEST(ConstrainedPredictor, ReasonsNameTheConstraintAndItsPrice) {
  const RandomModel made(true);
  const Constraints rules = made.constraints("few: at most 0 of B-X\nother: at most 9 of O\n");
  const ConstrainedPredictor predictor(*made.model, rules, {.decode = {}, .why = true});
  const auto scratch = predictor.make_scratch();
  size_t changed = 0;
  for (const data::Sequence& sequence : made.sequences) {
    data::Prediction free, out;
    ASSERT_TRUE(made.model->predict(sequence, {}, {}, *scratch, free).ok());
    ASSERT_TRUE(predictor.predict(sequence, {}, {}, *scratch, out).ok());
    size_t different = 0;
    for (size_t t = 0; t < sequence.length(); ++t) different += free.labels()[t] != out.labels()[t];
    ASSERT_EQ(out.constraints->changes.size(), different);
    EXPECT_NEAR(out.constraints->price, free.best[0].score - out.best[0].score, 1e-4);
    for (const auto& change : out.constraints->changes) {
      ++changed;
      EXPECT_EQ(change.before, free.labels()[change.row]);
      ASSERT_EQ(change.reasons.size(), 1u);
      EXPECT_EQ(change.reasons[0].constraint, "few");
      EXPECT_NEAR(change.reasons[0].price, out.constraints->price, 1e-4);
    }
  }
  EXPECT_GT(changed, 5u);
}

TEST(ConstrainedPredictor, StrictnessMakesErrorsOfWhatCannotBe) {
  const RandomModel made(true);
  const Constraints rules = made.constraints("many: at least 20 of O\n");
  const ConstrainedPredictor lenient(*made.model, rules, {}),
      strict(*made.model, rules, {.decode = {}, .strict = true});
  const auto scratch = lenient.make_scratch();
  data::Prediction out;
  ASSERT_TRUE(lenient.predict(made.sequences[0], {}, {}, *scratch, out).ok());
  for (const Label y : out.labels()) EXPECT_EQ(made.model->labels().name(y), "O");  // breaks it least
  const Status status = strict.predict(made.sequences[0], {}, {}, *scratch, out);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("these clash: many"));
  data::PredictOptions posterior;
  posterior.decoder = data::Decoder::kPosterior;
  EXPECT_FALSE(lenient.predict(made.sequences[0], {}, posterior, *scratch, out).ok());
}

}  // namespace
}  // namespace espalier::constrain

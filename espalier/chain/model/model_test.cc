#include "espalier/chain/model/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "espalier/base/random.h"
#include "espalier/data/forced_explanation.h"

namespace espalier::chain {
namespace {

using data::Label;

/// A model with random weights over attributes f0 … f9, as training would leave it.
struct Made {
  linear::EncodedTraining training;
  ChainWeights weights;
  std::unique_ptr<SectionFile> file;
  std::unique_ptr<ChainPredictor> model;
  data::Sequence sequence;

  explicit Made(Normalisation normalisation, double temperature = 1, int bits = 32, size_t length = 4) {
    data::FeatureOptions options;
    options.attributes = true;
    auto extractor = data::FeatureExtractor::make(options);
    Random random(7);
    const auto make_sequence = [&](size_t n, bool labelled) {
      data::Sequence s;
      s.clear();
      static const char* labels[] = {"O", "B-X", "I-X"};
      for (size_t t = 0; t < n; ++t) {
        s.begin_row("", t + 1);
        for (int k = 0; k < 3; ++k) s.add_attribute("f" + std::to_string(random.below(10)), 1);
        if (labelled) s.set_label(labels[random.below(3)]);
      }
      return s;
    };
    const Workers workers(1);
    {
      linear::DatasetBuilder builder(*extractor, workers, {});
      for (int i = 0; i < 50; ++i) builder.add(make_sequence(5, true));
      training = builder.finish();
    }
    weights = make_weights(training, true, {});
    for (size_t i = 0; i < weights.state_rows.weights(); ++i)
      weights.state[i] = static_cast<float>(random.gaussian());
    for (size_t i = 0; i < weights.labels; ++i)
      for (size_t j = 0; j < weights.labels; ++j)
        weights.trans[i * weights.stride + j] = static_cast<float>(random.gaussian());
    SectionWriter out;
    save_model({training.labels, weights, training.state, training.edge, normalisation, temperature,
                data::Scheme::kIob2, bits},
               out);
    file = std::make_unique<SectionFile>(SectionFile::from_bytes(out.to_bytes(), "made").value());
    auto loaded = ChainPredictor::load(*file, std::move(extractor).value());
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    model = std::move(loaded).value();
    sequence = make_sequence(length, false);
  }

  /// Every labelling with its probability, by the book.
  std::vector<std::pair<std::vector<Label>, double>> all(Normalisation normalisation,
                                                         double temperature) const {
    const size_t K = weights.labels, T = sequence.length();
    std::vector<std::vector<double>> node(T, std::vector<double>(K, 0));
    for (size_t t = 0; t < T; ++t)
      for (size_t a = 0; a < sequence.attribute_count(t); ++a) {
        const uint32_t offset = model->state_map().find(hash_of(t, a));
        if (offset != linear::kNoFeature)
          model->state_rows().for_each(offset, [&](uint32_t column, float w) { node[t][column] += w; });
      }
    std::vector<std::pair<std::vector<Label>, double>> found;
    std::vector<Label> y(T, 0);
    double z = 0;
    while (true) {
      double score = 0;
      for (size_t t = 0; t < T; ++t) {
        const auto local = [&](Label j) {
          return node[t][j] + (t > 0 ? model->transition(y[t - 1], j) : 0.0f);
        };
        score += local(y[t]);
        if (normalisation == Normalisation::kPosition) {
          double sum = 0;
          for (Label j = 0; j < K; ++j) sum += std::exp(local(j));
          score -= std::log(sum);
        }
      }
      found.emplace_back(y, std::exp(score / temperature));
      z += found.back().second;
      size_t t = 0;
      while (t < T && ++y[t] == K) y[t++] = 0;
      if (t == T) break;
    }
    for (auto& entry : found) entry.second /= z;
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return found;
  }
  uint64_t hash_of(size_t row, size_t slot) const {
    data::FeatureExtractor::Scratch scratch;
    data::HashedFeatures features;
    model->extractor().extract(sequence, scratch, features);
    return features.state[features.state_begin[row] + slot];
  }
};

TEST(ChainPredictorTest, PredictsWhatEnumerationSays) {
  for (const Normalisation normalisation : {Normalisation::kSequence, Normalisation::kPosition})
    for (const double temperature : {1.0, 2.5}) {
      const Made made(normalisation, temperature);
      const auto all = made.all(normalisation, temperature);
      data::PredictOptions options;
      options.nbest = 5;
      options.confidence = options.marginals = true;
      const auto scratch = made.model->make_scratch();
      data::Prediction p;
      ASSERT_TRUE(made.model->predict(made.sequence, {}, options, *scratch, p).ok());
      ASSERT_EQ(p.best.size(), 5u);
      for (size_t n = 0; n < 5; ++n) {
        EXPECT_EQ(p.best[n].labels, all[n].first);
        EXPECT_NEAR(p.best[n].probability, all[n].second, 1e-5);
      }
      const size_t K = made.weights.labels;
      for (size_t t = 0; t < made.sequence.length(); ++t) {
        std::vector<double> marginal(K, 0);
        for (const auto& [y, probability] : all) marginal[y[t]] += probability;
        for (size_t j = 0; j < K; ++j) EXPECT_NEAR(p.marginals[t * K + j], marginal[j], 1e-5);
        EXPECT_NEAR(p.confidence[t], marginal[p.labels()[t]], 1e-5);
      }
      for (const data::SpanConfidence& span : p.spans) {
        double sum = 0;
        for (const auto& [y, probability] : all) {
          std::vector<std::string_view> names;
          for (const Label label : y) names.push_back(made.model->labels().name(label));
          for (const data::Span& s : data::spans(names, data::Scheme::kIob2))
            if (s.first == span.first && s.last == span.last && s.type == span.type) sum += probability;
        }
        EXPECT_NEAR(span.probability, sum, 1e-5);
      }
    }
}

TEST(ChainPredictorTest, ForcedLabelsHoldAndTheRestIsTheBestThatAgrees) {
  const Made made(Normalisation::kSequence);
  const auto all = made.all(Normalisation::kSequence, 1);
  const auto scratch = made.model->make_scratch();
  for (Label label = 0; label < made.weights.labels; ++label) {
    std::vector<Label> forced(made.sequence.length(), data::kNoLabel);
    forced[2] = label;
    data::Prediction p;
    ASSERT_TRUE(made.model->predict(made.sequence, forced, {}, *scratch, p).ok());
    const auto wanted =
        std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.first[2] == label; });
    EXPECT_EQ(p.labels(), wanted->first);
  }
}

TEST(ChainPredictorTest, ExplanationsAddUp) {
  const Made made(Normalisation::kSequence, 1, 32, 6);
  const auto all = made.all(Normalisation::kSequence, 1);
  const auto scratch = made.model->make_scratch();
  const auto explained = made.model->explain(made.sequence, *scratch);
  ASSERT_TRUE(explained.ok());
  for (size_t t = 0; t < made.sequence.length(); ++t) {
    const auto& e = (*explained)[t];
    EXPECT_EQ(e.label, all[0].first[t]);
    const auto other =
        std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.first[t] != e.label; });
    EXPECT_EQ(e.runner_up, other->first[t]);
    EXPECT_NEAR(e.margin, std::log(all[0].second / other->second), 1e-4);
    EXPECT_FALSE(e.contributions.empty());
  }
}

TEST(ChainPredictorTest, ExplanationsOfForcedLabelsCompareWithTheBestThatAgrees) {
  const Made made(Normalisation::kSequence, 1, 32, 6);
  const auto all = made.all(Normalisation::kSequence, 1);
  const auto scratch = made.model->make_scratch();
  const auto best_where = [&](auto&& agrees) {
    return *std::find_if(all.begin(), all.end(), [&](const auto& one) { return agrees(one.first); });
  };
  for (Label label = 0; label < made.weights.labels; ++label) {
    std::vector<Label> forced(made.sequence.length(), data::kNoLabel);
    forced[2] = label;
    const auto explained = data::explain_with_forced(*made.model, made.sequence, forced, *scratch).value();
    const auto chosen = best_where([&](const auto& labels) { return labels[2] == label; });
    for (size_t t = 0; t < made.sequence.length(); ++t) {
      const auto& e = explained[t];
      ASSERT_EQ(e.label, chosen.first[t]);
      const auto other = best_where(
          [&](const auto& labels) { return labels[t] != e.label && (t == 2 || labels[2] == label); });
      EXPECT_EQ(e.runner_up, other.first[t]);
      EXPECT_NEAR(e.margin, std::log(chosen.second / other.second), 1e-4);
      EXPECT_FALSE(e.contributions.empty());
    }
  }
}

TEST(ChainPredictorTest, SixteenBitsAreCloseAndSmaller) {
  const Made exact(Normalisation::kSequence), rounded(Normalisation::kSequence, 1, 16);
  EXPECT_LT(rounded.model->state_rows().words().size(), exact.model->state_rows().words().size());
  const auto a = exact.all(Normalisation::kSequence, 1), b = rounded.all(Normalisation::kSequence, 1);
  EXPECT_NEAR(a[0].second, b[0].second, 1e-2);
}

TEST(ChainPredictorTest, AnEmptySequenceIsNothingToPredict) {
  const Made made(Normalisation::kSequence);
  data::Sequence empty;
  empty.clear();
  const auto scratch = made.model->make_scratch();
  data::Prediction p;
  data::PredictOptions options;
  options.confidence = true;
  ASSERT_TRUE(made.model->predict(empty, {}, options, *scratch, p).ok());
  EXPECT_TRUE(p.labels().empty());
}

}  // namespace
}  // namespace espalier::chain

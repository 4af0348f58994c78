#include "espalier/chain/learners/calibrate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include <algorithm>
#include <cmath>

#include "espalier/chain/learners/toy_data.h"

namespace espalier::chain {
namespace {

linear::EncodedTraining noisy_data(double noise) {
  ToyOptions options;
  options.sequences = 200;
  options.noise = noise;
  return toy_data(11, options);
}

/// Weights that add `score` to label f mod labels for every feature f: right for the features that give a
/// label away, misleading for the random ones.
ChainWeights hint_weights(const linear::EncodedTraining& training, float score) {
  ChainWeights w = make_weights(training, true, {});
  const size_t labels = w.labels;
  for (size_t f = 0; f < training.state.size(); ++f)
    for (uint32_t k = w.state_rows.begin[f]; k < w.state_rows.begin[f + 1]; ++k)
      if (w.state_rows.column[k] == f % labels) w.state[k] = score;
  return w;
}

TEST(FitTemperature, ScalesWithTheScoresAndGrowsWithTheNoise) {
  const Workers workers(1);
  const linear::EncodedTraining some = noisy_data(0.2), more = noisy_data(0.8);
  const double one = fit_temperature(hint_weights(some, 2), some.data, workers);
  EXPECT_NEAR(fit_temperature(hint_weights(some, 6), some.data, workers) / one, 3, 0.02);
  EXPECT_LT(one, fit_temperature(hint_weights(more, 2), more.data, workers));
}

TEST(FitTemperature, IsOneWithoutFullyLabelledSequences) {
  ToyOptions options;
  options.unknown = 1;
  const linear::EncodedTraining training = toy_data(3, options);
  EXPECT_EQ(fit_temperature(hint_weights(training, 2), training.data, Workers(1)), 1);
}

TEST(Rounding, MovesAWeightByAtMostHalfAStep) {
  const linear::EncodedTraining training = noisy_data(0.2);
  const ChainWeights w = random_weights(training, true, 5);
  AlignedVector<float> rounded = w.state;
  round_to_16_bits(rounded, Workers(1));
  float largest = 0, farthest = 0;
  for (size_t i = 0; i < w.state.size(); ++i) {
    largest = std::max(largest, std::abs(w.state[i]));
    farthest = std::max(farthest, std::abs(w.state[i] - rounded[i]));
  }
  EXPECT_GT(farthest, 0);
  EXPECT_LE(farthest, 0.51f * largest / 32767);
}

TEST(Rounding, ChangesLabelsOnlyWhereSmallWeightsDecide) {
  const linear::EncodedTraining training = noisy_data(0.0);
  ChainWeights w = hint_weights(training, 1);
  EXPECT_EQ(labels_changed_by_rounding(w, training.data, Workers(1)), 0);
  // With one huge weight, all others round to 0 and ties go to the first label.
  w.state[w.state_rows.begin[training.state.size() - 1]] = 1e7f;
  EXPECT_GT(labels_changed_by_rounding(w, training.data, Workers(1)), 0.1);
}

TEST(Rounding, LooksAtASampleThatCostsNoMoreThanAllowed) {
  const linear::EncodedTraining training = noisy_data(0.2);
  const ChainWeights w = random_weights(training, true, 5);
  const double step = static_cast<double>(w.labels * w.labels);
  std::vector<Progress> reports;
  Monitor monitor;
  monitor.on_progress = [&](const Progress& progress) { reports.push_back(progress); };
  const double all = static_cast<double>(training.data.tokens()) * step;
  labels_changed_by_rounding(w, training.data, Workers(1), 1500, monitor, all);
  ASSERT_FALSE(reports.empty()) << "nobody sees what is being done";
  EXPECT_EQ(reports.back().total, static_cast<double>(training.data.sequences()));
  reports.clear();
  labels_changed_by_rounding(w, training.data, Workers(1), 1500, monitor, all / 4);
  ASSERT_FALSE(reports.empty());
  EXPECT_LE(reports.back().total, static_cast<double>(training.data.sequences()) / 4)
      << "two decodings of an eighth of the data are a quarter of it";
  EXPECT_EQ(labels_changed_by_rounding(w, training.data, Workers(1), 1500, monitor, 1), 1)
      << "no sequence is short enough, so nothing is known";
}

TEST(Rounding, StopsWhenAsked) {
  const linear::EncodedTraining training = noisy_data(0.2);
  const ChainWeights w = random_weights(training, true, 5);
  const std::atomic<bool> stop = true;
  Monitor monitor;
  monitor.stop = &stop;
  EXPECT_EQ(labels_changed_by_rounding(w, training.data, Workers(1), 1500, monitor), 1);
  EXPECT_EQ(fit_temperature(w, training.data, Workers(1), 1000, monitor), 1);
}

}  // namespace
}  // namespace espalier::chain

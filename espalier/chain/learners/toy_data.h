// For tests: small random training sets, encoded like a corpus.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/encoding/dataset.h"

namespace espalier::chain {

struct ToyOptions {
  size_t sequences = 40;
  size_t longest = 8;
  size_t labels = 4;
  size_t features = 40;
  double noise = 0;     ///< how often a token lacks a feature that gives its label away
  double unknown = 0;   ///< how often a token's label is not told
  bool values = false;  ///< real-valued features
  bool edges = false;   ///< features of pairs of labels
};

/// Feature f indicates label f mod labels. A token has one feature of its own label (except with noise) and
/// two random ones; label k is often followed by k + 1.
inline linear::EncodedTraining toy_data(uint64_t seed, const ToyOptions& options) {
  linear::EncodedTraining training;
  Random random(seed);
  for (size_t k = 0; k < options.labels; ++k) training.labels.add("L" + std::to_string(k));
  const auto fill_space = [](linear::FeatureSpace& space, size_t n) {
    for (size_t f = 0; f < n; ++f) space.hashes.push_back(f * 0x9E3779B97F4A7C15ull);
    space.counts.assign(n, 0);
  };
  fill_space(training.state, options.features);
  if (options.edges) fill_space(training.edge, 5);
  linear::Dataset& data = training.data;
  const size_t groups =
      options.features / options.labels / 2;  // the lower half of the features gives labels away
  for (size_t s = 0; s < options.sequences; ++s) {
    const size_t length = 1 + random.below(options.longest);
    size_t label = random.below(options.labels);
    for (size_t t = 0; t < length; ++t) {
      if (t > 0) label = random.uniform() < 0.7 ? (label + 1) % options.labels : random.below(options.labels);
      std::vector<std::pair<uint32_t, float>> features;
      const auto add = [&](size_t f) {
        const float value = options.values ? 0.5f + static_cast<float>(random.uniform()) : 1.0f;
        features.emplace_back(static_cast<uint32_t>(f), value);
        ++training.state.counts[f];
      };
      if (random.uniform() >= options.noise) add(random.below(groups) * options.labels + label);
      for (int i = 0; i < 2; ++i)
        add(options.features / 2 + random.below(options.features - options.features / 2));
      std::sort(features.begin(), features.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first % linear::kUpdateShards, a.first) <
               std::pair(b.first % linear::kUpdateShards, b.first);
      });
      for (const auto& [f, value] : features) {
        data.state.push(f);
        if (options.values) data.state_values.push_back(value);
      }
      data.state.close();
      if (options.edges) {
        const uint32_t f = static_cast<uint32_t>(random.below(5));
        data.edge.push(f);
        ++training.edge.counts[f];
      }
      data.edge.close();
      data.gold.push_back(random.uniform() < options.unknown ? data::kNoLabel
                                                             : static_cast<data::Label>(label));
    }
    data.sequence_begin.push_back(data.gold.size());
    data.weight.push_back(1);
  }
  return training;
}

/// Small random weights on the layout the data asks for.
inline ChainWeights random_weights(const linear::EncodedTraining& training, bool transitions, uint64_t seed) {
  ChainWeights w = make_weights(training, transitions, {});
  Random random(seed);
  for (size_t i = 0; i < w.state_rows.weights(); ++i) w.state[i] = static_cast<float>(random.gaussian());
  for (size_t i = 0; i < w.labels && transitions; ++i)
    for (size_t j = 0; j < w.labels; ++j) w.trans[i * w.stride + j] = static_cast<float>(random.gaussian());
  for (size_t i = 0; i < w.edge_rows.weights(); ++i) w.edge[i] = static_cast<float>(random.gaussian());
  return w;
}

}  // namespace espalier::chain

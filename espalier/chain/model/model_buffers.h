// The scratch of a ChainPredictor: buffers reused from sequence to sequence, one object per thread. Internal
// to model*.cc.
#pragma once

#include <optional>
#include <vector>

#include "espalier/chain/model/model.h"
#include "espalier/data/formats/scores_reader.h"
#include "espalier/linear/grouped_sums.h"

namespace espalier::chain {

/// Scores at or below this stand for minus infinity, which feature values and stored weights cannot be.
inline constexpr float kRuledOut = data::kImpossibleScore / 2;

struct ChainPredictor::Buffers final : data::Predictor::Scratch {
  data::FeatureExtractor::Scratch extraction;
  data::GroupedFeatures grouped;
  std::optional<linear::GroupedSums> sums;  ///< where a token's score is a sum that can be kept
  data::HashedFeatures features;
  std::vector<uint32_t> state_offsets, edge_offsets;
  SequenceScores scores;
  SequenceScores warm;  ///< scores / temperature, where probabilities are wanted
  ChainScratch chain;
  linear::KernelModel::Scratch kernel;
  std::vector<uint32_t> known;      ///< features of one token that a kernel machine has numbers for …
  std::vector<float> known_values;  ///< … and their values
  AlignedVector<float> marginals;
  WaysBack ways;
};

}  // namespace espalier::chain

// The scratch of a CascadePredictor: buffers reused from sequence to sequence, one object per thread.
// Internal to model*.cc.
#pragma once

#include <optional>
#include <vector>

#include "espalier/cascade/label_level.h"
#include "espalier/cascade/model/model.h"
#include "espalier/cascade/model/segment_answer.h"
#include "espalier/linear/grouped_sums.h"

namespace espalier::cascade {

struct CascadePredictor::Buffers final : data::Predictor::Scratch {
  data::FeatureExtractor::Scratch extraction;
  data::GroupedFeatures grouped;
  std::optional<linear::GroupedSums> sums;  ///< where the scores of a token are sums that can be kept
  bool summed = false;  ///< `sums` has the scores of all levels; otherwise `state` has the features
  data::HashedFeatures features;
  std::vector<uint32_t> state, edge;  ///< numbers of the features, kNoFeature where not known
  std::vector<uint32_t> offsets;      ///< of one level's rows
  AlignedVector<float> node;          ///< T×S
  GramValues values;
  std::vector<float> items;
  AliveLabels alive;
  LabelLevel first;
  std::vector<float> alive_node;  ///< parallel to alive.label
  PairLevel pairs;
  DensePairs dense_pairs;
  KeptPairs kept;
  TripleLevel triples;
  chain::WaysBack ways;
  SegmentAnswer segments;
  std::vector<BestShare> shares;
  Ratings ratings;
  RatingScratch rating;
  chain::ForwardMax forward;
  Trellis trellis;
};

}  // namespace espalier::cascade

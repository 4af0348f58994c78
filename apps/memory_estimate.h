// How much memory training will take, from a look at the beginning of the data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/features/features.h"
#include "espalier/data/formats/reader.h"

namespace espalier::apps {

struct MemoryEstimate {
  double features = 0;  ///< distinct ones
  double pairs = 0;     ///< of a feature and a label seen with it
  double features_a_token = 0;
  double bytes = 0;
  bool sampled = false;  ///< false: all of the data was looked at
};

/// Counts what there is in a sample and extends it to `tokens`: occurrences grow in proportion, distinct
/// features and pairs as a power of the text's length (Heaps' law), whose exponent the second half of the
/// sample shows. `labels` is the number of labels.
Result<MemoryEstimate> estimate_memory(const std::vector<std::string>& files,
                                       const data::ReadOptions& reading,
                                       const data::FeatureExtractor& extractor, uint64_t tokens,
                                       size_t labels);

}  // namespace espalier::apps

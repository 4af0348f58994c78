// What a thread needs to decode with a SearchPredictor; not for use outside it.
#pragma once

#include <vector>

#include "espalier/tasks/search_model.h"

namespace espalier::tasks {

struct SearchPredictor::Buffers final : data::Predictor::Scratch {
  data::FeatureExtractor::Scratch extraction;
  data::HashedFeatures tokens, blocks;
  ChunkViews chunks;
  std::vector<TokenLook> looks;
  std::vector<uint64_t> words;
  search::Mixture policy;
  std::vector<search::InputScorer*> scorers;
};

}  // namespace espalier::tasks

// Encodes training data that may be larger than memory. DatasetBuilder uses it where memory is bounded; the
// numbers are the same as without.
//
// First pass, block by block: features are counted (feature_counter.h), and the text goes to a temporary
// file. finish() then knows which features are kept and their final numbers, reads the text again, and writes
// each token's features to another one (stored_features.h).
// Features are made twice, which is cheaper than to keep their hashes: a token's text takes some ten bytes,
// its hashes hundreds. Tested by dataset_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "espalier/base/files/scratch_file.h"
#include "espalier/base/hash_index.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/encoding/feature_block.h"
#include "espalier/linear/encoding/feature_counter.h"

namespace espalier::linear {

class SpilledEncoding {
 public:
  SpilledEncoding(const data::FeatureExtractor& extractor, const Workers& workers,
                  const EncodeOptions& options);

  /// Precondition: the block's features were extracted.
  void add(FeatureBlock& block);
  /// Fills in the features and the lists of tokens. Precondition: `out` has the sequences' lengths.
  void finish(EncodedTraining& out);

 private:
  /// State or edge features.
  struct Side {
    Side(bool of_edges, size_t most_bytes) : edges(of_edges), counter(most_bytes) {}

    bool edges;
    FeatureCounter counter;
    FeatureCounter::Counted kept;
    HashIndex index;                 ///< of kept.hashes, which are compared in full
    std::vector<uint32_t> refused;   ///< see indistinguishable()
    std::vector<uint32_t> by_first;  ///< features in the order of their first occurrences
    size_t named = 0;                ///< how many of these have a name
    FeatureCollector::Names names;   ///< in that order
    uint64_t seen = 0;               ///< occurrences before the block
  };

  void stop_if_asked(std::string_view phase, double done) const;
  void choose_features(Side& side);
  void encode(Side& side, FeatureBlock& block, Ragged<uint32_t>& lists, std::vector<float>& values);
  FeatureSpace take_features(Side& side) const;

  const data::FeatureExtractor& extractor_;
  const Workers& workers_;
  EncodeOptions options_;
  ScratchFile text_;
  Side state_, edge_;
  size_t sequences_ = 0;
  bool any_value_ = false;
};

}  // namespace espalier::linear

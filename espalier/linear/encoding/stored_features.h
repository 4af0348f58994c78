// The features of sequences in a temporary file, for data sets that are larger than memory. What a learner
// reads is copied into a buffer of its own (token_features.h), a sequence at a time, so that memory holds no
// more than these buffers, whatever the system does with pages. Tested by dataset_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/files/scratch_file.h"
#include "espalier/linear/encoding/token_features.h"

namespace espalier::linear {

/// Written once, sequence by sequence, then read from any number of threads. Throws ScratchFailure where the
/// disk is full or cannot be read.
class StoredFeatures {
 public:
  /// Whether state features have values, and whether there are edge features.
  StoredFeatures(bool values, bool edges);

  /// Appends a sequence: the tokens [first, last) of the lists. `values` are parallel to those of `state`;
  /// null where there are none, and `edge` is null where there are no edge features.
  void append(const Ragged<uint32_t>& state, const float* values, const Ragged<uint32_t>* edge, size_t first,
              size_t last);
  /// Call before reading.
  void flush();

  size_t size() const { return begin_.size() - 1; }
  /// Bytes of memory that a sequence takes here.
  static constexpr size_t kBytesPerSequence = sizeof(uint64_t);
  uint64_t state_occurrences() const { return state_occurrences_; }
  uint64_t edge_occurrences() const { return edge_occurrences_; }

  /// The features of a sequence of this length, valid until the buffer is used again.
  SequenceFeatures read(size_t sequence, size_t length, SequenceBuffer& buffer) const;
  /// A copy of the given sequences, in a file of its own.
  std::shared_ptr<const StoredFeatures> subset(std::span<const uint32_t> which,
                                               std::span<const uint64_t> sequence_begin) const;

 private:
  bool values_, edges_;
  ScratchFile file_;
  /// Where each sequence begins in the file: the number of state features of each token, the same for edge
  /// features if there are any, then state features, values, edge features.
  std::vector<uint64_t> begin_{0};
  uint64_t state_occurrences_ = 0, edge_occurrences_ = 0;
};

}  // namespace espalier::linear

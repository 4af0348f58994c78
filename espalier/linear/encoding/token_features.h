// The state features of tokens as learners see them: all features, or those left by dropout.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/linear/encoding/dataset.h"

namespace espalier::linear {

struct TokenFeatures {
  std::span<const uint32_t> features;
  const float* values = nullptr;  ///< parallel to the features; null: every value is 1

  /// The features that belong to a range of update shards.
  TokenFeatures in_shards(Range shards) const;
};

/// A view of the features of one sequence's tokens.
struct SequenceFeatures {
  const uint64_t* begin = nullptr;  ///< where the features of each token begin, and where the last ones end
  const uint32_t* features = nullptr;
  const float* values = nullptr;
  const uint64_t* edge_begin = nullptr;  ///< the same for features of pairs of labels
  const uint32_t* edges = nullptr;

  TokenFeatures operator[](size_t t) const {
    return {{features + begin[t], features + begin[t + 1]}, values == nullptr ? nullptr : values + begin[t]};
  }
  std::span<const uint32_t> edge(size_t t) const {
    return {edges + edge_begin[t], edges + edge_begin[t + 1]};
  }
};

/// Where the features of a sequence are copied to if they are in a file (stored_features.h).
struct SequenceBuffer {
  std::vector<uint32_t> words;
  std::vector<uint64_t> begin, edge_begin;
  std::vector<float> values;
};

/// The features of a sequence, in place or in the buffer.
SequenceFeatures features_of(const Dataset& data, size_t sequence, SequenceBuffer& buffer);
/// Precondition: they are in memory.
SequenceFeatures features_of(const Dataset& data, size_t sequence);

/// Dropout (Srivastava et al. 2014; for linear chains Wang and Manning 2013): each time a sequence is used
/// for training, each feature of each token is left out with probability `share`, so that features do not
/// come to depend on each other. Training sees only 1 − share of the features; for use with all of them,
/// multiply the weights by 1 − share.
struct Dropout {
  double share = 0;  ///< 0 to below 1; 0: nothing is left out
  uint64_t seed = 1;

  float kept() const { return static_cast<float>(1 - share); }
};

/// The features of a batch of sequences, in numbered slots. What is left out of a sequence depends only on
/// the seed, the pass and the sequence.
class BatchFeatures {
 public:
  BatchFeatures(const Dataset& data, Dropout dropout) : data_(data), dropout_(dropout) {}

  void make_places(size_t n) {
    if (places_.size() < n) places_.resize(n);
  }
  /// Puts a sequence into a slot and returns its features. Different slots may be filled at the same time.
  SequenceFeatures put(size_t place, uint32_t sequence, int pass);
  SequenceFeatures operator[](size_t place) const { return places_[place].view; }

 private:
  struct Place {
    SequenceFeatures view;
    SequenceBuffer buffer;
    std::vector<uint64_t> begin;
    std::vector<uint32_t> features;
    std::vector<float> values;
    std::vector<uint32_t> kept_before;  ///< how many features in front of each are kept
  };

  const Dataset& data_;
  Dropout dropout_;
  std::vector<Place> places_;
};

}  // namespace espalier::linear

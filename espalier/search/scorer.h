// Scores of candidates from weights, whatever the weights are.
#pragma once

#include <cstdint>
#include <span>

#include "espalier/search/space.h"

namespace espalier::search {

/// The features of one input that do not depend on history, found before the search: block b is
/// ids[begin[b] .. begin[b+1]), with values beside it (null: all 1). Views; the owner outlives the search.
struct StaticBlocks {
  std::span<const uint64_t> begin;  ///< one more than blocks; empty: no blocks
  const uint32_t* ids = nullptr;
  const float* values = nullptr;
  size_t size() const { return begin.empty() ? 0 : begin.size() - 1; }
  std::span<const uint32_t> operator[](uint32_t b) const {
    return {ids + begin[b], static_cast<size_t>(begin[b + 1] - begin[b])};
  }
  const float* values_of(uint32_t b) const { return values == nullptr ? nullptr : values + begin[b]; }
};

/// Anything that scores the labels of a candidate from its features. One object a thread: it keeps scratch.
class Scorer {
 public:
  using Value = float;
  virtual ~Scorer() = default;

  /// A new input begins: what was summed up for the one before is void.
  virtual void begin(const StaticBlocks& blocks) = 0;
  /// Scores of every label, padded; valid until the next call.
  virtual std::span<const float> score(const FeatureSink& features) = 0;

  template <SearchSpace S>
  std::span<const float> row(const S& space, const typename S::State& state, uint32_t candidate) {
    sink_.clear();
    space.features(state, candidate, sink_);
    return score(sink_);
  }

 protected:
  FeatureSink sink_;
};

}  // namespace espalier::search

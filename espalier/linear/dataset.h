// The encoded training set: every sequence as feature numbers and label numbers, which is all that learners
// see. DatasetBuilder makes one from text, block by block; Encoder encodes further sequences with the
// same features.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/scratch_memory.h"
#include "espalier/data/features/features.h"
#include "espalier/data/label_set.h"
#include "espalier/linear/feature_collector.h"
#include "espalier/linear/feature_map.h"

namespace espalier::linear {

/// Lists of feature numbers, end to end as in Ragged, in arrays that may be in scratch memory.
struct FeatureLists {
  StoredVector<uint64_t> begin{0};
  StoredVector<uint32_t> values;

  FeatureLists() = default;
  explicit FeatureLists(const std::shared_ptr<ScratchMemory>& memory) : begin(1, 0, memory), values(memory) {}

  size_t size() const { return begin.size() - 1; }
  std::span<const uint32_t> operator[](size_t i) const {
    return {values.data() + begin[i], static_cast<size_t>(begin[i + 1] - begin[i])};
  }
  /// Appends a number to the list that is open.
  void push(uint32_t value) { values.push_back(value); }
  /// Closes it; it becomes the last one.
  void close() { begin.push_back(values.size()); }
  void append(std::span<const uint32_t> list) {
    values.insert(values.end(), list.begin(), list.end());
    close();
  }
};

/// Sequences as numbers. Token i of sequence s is row sequence_begin[s] + i of the per-token arrays.
struct Dataset {
  std::vector<uint64_t> sequence_begin{0};
  FeatureLists state;                ///< per token: its state features, each once unless it occurs twice
  StoredVector<float> state_values;  ///< parallel to state.values; empty if every value is 1
  FeatureLists edge;                 ///< per token: features of the pair (label before, label here)
  std::vector<data::Label> gold;    ///< per token; kNoLabel where not known
  std::vector<float> weight;        ///< per sequence

  Dataset() = default;
  /// The features live in scratch memory (null: in ordinary memory).
  explicit Dataset(const std::shared_ptr<ScratchMemory>& memory)
      : state(memory), state_values(memory), edge(memory) {}

  size_t sequences() const { return sequence_begin.size() - 1; }
  size_t tokens() const { return sequence_begin.back(); }
  size_t length(size_t s) const { return sequence_begin[s + 1] - sequence_begin[s]; }
  std::span<const data::Label> gold_of(size_t s) const {
    return {gold.data() + sequence_begin[s], length(s)};
  }
  bool fully_labelled(size_t s) const;
  /// A copy of the given sequences, in the same kind of memory.
  Dataset subset(std::span<const uint32_t> which) const;
};

/// The features of a model, by number: their hashes, counts, and names if kept.
struct FeatureSpace {
  std::vector<uint64_t> hashes;
  std::vector<uint32_t> counts;
  std::string names;  ///< one line each; empty where names were not wanted
  size_t size() const { return hashes.size(); }
};

/// The training set with its labels and features.
struct EncodedTraining {
  Dataset data;
  data::LabelSet labels;
  FeatureSpace state;
  FeatureSpace edge;
  size_t state_before_cutoff = 0;  ///< how many state features there were before the cut-off
};

struct EncodeOptions {
  uint32_t cutoff = 1;  ///< features seen fewer times are dropped
  bool names = true;
  bool features = true;  ///< false: only labels are wanted; no feature is extracted or numbered
  /// Above 0: bytes of memory that the process may take. Counts of features and the encoded data then go to temporary
  /// files (spilled_encoding.h); the result has the same numbers in it. Where that fails, ScratchFailure is thrown.
  size_t memory = 0;
  /// With `memory`: told of progress, and asked whether to stop, which throws Stopped.
  const Monitor* monitor = nullptr;
};

/// Thrown where encoding was stopped.
struct Stopped {};

/// Encodes sequences as they arrive, block by block, without keeping their text. Labels are numbered in
/// order of first appearance after those in `known` (warm start); `_` is kNoLabel.
class DatasetBuilder {
 public:
  DatasetBuilder(const data::FeatureExtractor& extractor, const Workers& workers, EncodeOptions options,
                 data::LabelSet known = {});
  ~DatasetBuilder();

  void add(data::Sequence sequence);
  size_t sequences() const;
  size_t tokens() const;
  /// The builder must not be used afterwards.
  EncodedTraining finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Encodes single sequences with the features of a finished training set; other features are left out. The
/// order of a token's features is that of training.
class Encoder {
 public:
  Encoder(const data::FeatureExtractor& extractor, const FeatureMap& state, const FeatureMap& edge)
      : extractor_(extractor), state_(state), edge_(edge) {}

  struct Scratch {
    data::FeatureExtractor::Scratch extraction;
    data::HashedFeatures hashed;
    std::vector<uint32_t> found;
  };
  /// Appends the sequence to `dataset`; labels not in `labels` become kNoLabel.
  void append(const data::Sequence& sequence, const data::LabelSet& labels, Scratch& scratch,
              Dataset& dataset) const;

 private:
  const data::FeatureExtractor& extractor_;
  const FeatureMap& state_;
  const FeatureMap& edge_;
};

/// Threads that update rows each own some features: feature f belongs to shard f mod kUpdateShards, and a
/// token's features are sorted by shard, so that each thread reads a contiguous range of them.
inline constexpr uint32_t kUpdateShards = 8;

}  // namespace espalier::linear

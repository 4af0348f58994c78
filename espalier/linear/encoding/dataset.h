// The encoded training set: every sequence as feature numbers and label numbers, which is all that learners
// see. DatasetBuilder makes one from text, block by block; Encoder encodes further sequences with the
// same features.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/exact_sum.h"
#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/team.h"
#include "espalier/data/features/features.h"
#include "espalier/data/label_set.h"
#include "espalier/linear/encoding/feature_collector.h"
#include "espalier/linear/encoding/feature_map.h"

namespace espalier::linear {

/// Where a data set is spread over several ranks: what this one has, and what all have together.
struct Spread {
  std::vector<uint32_t> number;  ///< of each sequence here, among those of all ranks; ascending
  size_t sequences = 0, tokens = 0;
  double counted = 0;  ///< tokens, each counted by the weight of its sequence
};

/// Lists of feature numbers.
using FeatureLists = Ragged<uint32_t>;
class StoredFeatures;

/// Sequences as numbers. Token i of sequence s is row sequence_begin[s] + i of the per-token arrays. Features
/// are here or, where memory is bounded, in a file: features_of() in token_features.h finds both.
struct Dataset {
  std::vector<uint64_t> sequence_begin{0};
  FeatureLists state;               ///< per token: its state features, each once unless it occurs twice
  std::vector<float> state_values;  ///< parallel to state.values; empty if every value is 1
  FeatureLists edge;                ///< per token: features of the pair (label before, label here)
  /// Not null: the features are there, and the three arrays above have none.
  std::shared_ptr<const StoredFeatures> stored;
  std::vector<data::Label> gold;  ///< per token; kNoLabel where not known
  std::vector<float> weight;      ///< per sequence
  std::optional<Spread> spread;   ///< nothing: this is all there is

  size_t sequences() const { return sequence_begin.size() - 1; }
  size_t tokens() const { return sequence_begin.back(); }
  size_t length(size_t s) const { return sequence_begin[s + 1] - sequence_begin[s]; }
  std::span<const data::Label> gold_of(size_t s) const {
    return {gold.data() + sequence_begin[s], length(s)};
  }
  bool fully_labelled(size_t s) const;
  /// Of all ranks together.
  size_t all_sequences() const { return spread ? spread->sequences : sequences(); }
  size_t all_tokens() const { return spread ? spread->tokens : tokens(); }
  /// The number of a sequence among those of all ranks, and the way back.
  uint32_t number_of(size_t s) const { return spread ? spread->number[s] : static_cast<uint32_t>(s); }
  std::optional<uint32_t> find_number(uint32_t number) const;
  /// Tokens on this rank, each counted by its sequence's weight, in a sum that no order changes.
  ExactSum weighted_tokens() const;
  /// How many state (or edge) features there are, each counted as often as it occurs.
  uint64_t occurrences(bool edges) const;
  /// A copy of the given sequences, in memory or in a file as here; nothing is said about other ranks.
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
  /// Above 0: bytes of memory that the process may take. Counts of features and the encoded data then go to
  /// temporary files (spilled_encoding.h); the result has the same numbers in it. Where that fails,
  /// ScratchFailure is thrown.
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
  /// The builder must not be used afterwards. On a team of several ranks each builder has seen a part of the
  /// data: `numbers` are those of its sequences among all, ascending. Labels and features are then numbered
  /// as if one builder had seen everything; names of features go to rank 0 alone.
  EncodedTraining finish(const Team& team = Team(), std::vector<uint32_t> numbers = {});

 private:
  struct State;
  void merge_labels(const Team& team);
  FeatureSpace number_features(bool edges, const Team& team);
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

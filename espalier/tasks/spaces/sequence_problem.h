// Training sets of the sequence tasks, as search problems.
#pragma once

#include <memory>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/linear/dataset.h"
#include "espalier/search/examples.h"
#include "espalier/tasks/chunks/chunk_features.h"
#include "espalier/tasks/spaces/chunk_space.h"
#include "espalier/tasks/spaces/easiest_space.h"
#include "espalier/tasks/spaces/joint_space.h"
#include "espalier/tasks/spaces/label_space.h"

namespace espalier::tasks {

inline search::StaticBlocks blocks_of(const linear::Dataset& data, size_t s) {
  return {std::span<const uint64_t>(data.state.begin)
              .subspan(data.sequence_begin[s], data.sequence_begin[s + 1] - data.sequence_begin[s] + 1),
          data.state.values.data(), data.state_values.empty() ? nullptr : data.state_values.data()};
}

/// What constraints leave to do in a sequence; null: everything.
using LegalMoves = std::unique_ptr<const constrain::Completion>;

/// Sequences to label token by token. `data` holds the token features.
struct LabelProblem {
  using Space = LabelSpace;
  static constexpr SearchKind kKind = SearchKind::kLabel;
  const SequenceShape& shape;
  const linear::Dataset& data;
  std::vector<uint64_t> edges;             ///< hashes
  std::vector<uint32_t> edge_begin;        ///< per token, and the end
  std::span<const LegalMoves> legal = {};  ///< per sequence: what constraints leave; empty: everything

  size_t size() const { return data.sequences(); }
  size_t tokens(size_t s) const { return data.length(s); }
  search::StaticBlocks blocks(size_t s) const { return blocks_of(data, s); }
  LabelInput input(size_t s) const {
    const size_t first = data.sequence_begin[s], T = data.length(s);
    LabelInput in;
    in.length = T;
    in.gold = data.gold_of(s);
    if (!edges.empty()) {
      in.edges = edges;
      in.edge_begin = std::span<const uint32_t>(edge_begin).subspan(first, T + 1);
    }
    if (!legal.empty()) in.legal = legal[s].get();
    return in;
  }
  Space space(size_t s) const { return LabelSpace(shape, input(s)); }
};

/// The same sequences, the order of decisions left to the learner.
struct EasiestProblem {
  using Space = EasiestSpace;
  static constexpr SearchKind kKind = SearchKind::kEasiest;
  const LabelProblem& words;

  size_t size() const { return words.size(); }
  size_t tokens(size_t s) const { return words.tokens(s); }
  search::StaticBlocks blocks(size_t s) const { return words.blocks(s); }
  Space space(size_t s) const { return EasiestSpace(words.shape, words.input(s)); }
};

/// Sequences to label in several columns. `data` holds the token features.
struct JointProblem {
  using Space = JointSpace;
  static constexpr SearchKind kKind = SearchKind::kJoint;
  const SequenceShape& shape;
  const linear::Dataset& data;
  std::vector<data::Label> gold;     ///< tokens × columns
  std::vector<uint64_t> words = {};  ///< hash of every token's word; empty where words are not looked at
  std::vector<uint64_t> edges = {};
  std::vector<uint32_t> edge_begin = {};

  size_t size() const { return data.sequences(); }
  size_t tokens(size_t s) const { return data.length(s); }
  search::StaticBlocks blocks(size_t s) const { return blocks_of(data, s); }
  Space space(size_t s) const {
    const size_t first = data.sequence_begin[s], T = data.length(s), C = shape.columns();
    JointInput in;
    in.length = T;
    in.gold = std::span<const data::Label>(gold).subspan(first * C, T * C);
    if (!words.empty()) in.words = std::span<const uint64_t>(words).subspan(first, T);
    if (!edges.empty()) {
      in.edges = edges;
      in.edge_begin = std::span<const uint32_t>(edge_begin).subspan(first, T + 1);
    }
    return JointSpace(shape, in);
  }
};

/// The problem of one column of labels: gold from the dataset, edge features under their hashes.
LabelProblem label_problem(const SequenceShape& shape, const linear::Dataset& data,
                           const linear::FeatureSpace& edge);

/// The problem of several columns, encoded in `data`; the sequences have their labels in these cells.
JointProblem joint_problem(const SequenceShape& shape, const linear::Dataset& data,
                           const linear::FeatureSpace& edge, std::span<const data::Sequence> sequences,
                           std::span<const size_t> label_cells);
/// Appends the hashes of a sequence's words, in lower case; nothing where the shape does not look at words.
/// Precondition: the sequence has the cell.
void append_words(const SequenceShape& shape, const data::Sequence& sequence, std::vector<uint64_t>& words);

/// Sequences to segment chunk by chunk. `data` has a block in the place of a token.
struct ChunkProblem {
  using Space = ChunkSpace;
  static constexpr SearchKind kKind = SearchKind::kSegment;
  const SequenceShape& shape;
  const linear::Dataset& data;
  std::vector<size_t> length;  ///< tokens of each sequence
  Ragged<Chunk> gold;          ///< of each sequence
  Ragged<TokenLook> looks;
  std::span<const LegalMoves> legal = {};
  std::span<const constrain::Move> moves = {};

  size_t size() const { return length.size(); }
  size_t tokens(size_t s) const { return length[s]; }
  search::StaticBlocks blocks(size_t s) const { return blocks_of(data, s); }
  Space space(size_t s) const {
    ChunkInput in{length[s], gold[s], looks[s]};
    if (!legal.empty()) {
      in.legal = legal[s].get();
      in.moves = moves;
    }
    return ChunkSpace(shape, in);
  }
};

/// Text encoded for a ChunkProblem. `encoded.labels` are the types, and the gold of a block is the type of
/// the gold chunk that uses it.
struct ChunkTraining {
  linear::EncodedTraining encoded;
  std::vector<size_t> length;
  Ragged<Chunk> gold;
  Ragged<TokenLook> looks;
  size_t cut = 0;  ///< chunks that were longer than the maximum

  ChunkProblem problem(const SequenceShape& shape) const {
    return {shape, encoded.data, length, gold, looks, {}, {}};
  }
};
/// Finds and numbers the features of all sequences that can have a weight: those of gold chunks, and those
/// seen `full_rows_from` times (0: none of these); some others may be among them. What is seen fewer than
/// `cutoff` times is left out. They have no names yet. The shape says how long chunks may be.
ChunkTraining encode_chunks(std::span<const data::Sequence> sequences, const SequenceShape& shape,
                            const data::FeatureExtractor& extractor, const ChunkFeatures& features,
                            uint32_t cutoff, uint32_t full_rows_from);
/// The names of the features wanted, by number, a line each; empty lines for the others. A separate walk over
/// the sequences: most of what spans look like gets no weight, and names take more room than anything else.
std::string chunk_feature_names(std::span<const data::Sequence> sequences, const SequenceShape& shape,
                                const data::FeatureExtractor& extractor, const ChunkFeatures& features,
                                const linear::FeatureMap& map, const std::vector<bool>& wanted);
/// Gives every feature of the dataset its new number; kNoFeature takes it out.
void renumber_features(linear::Dataset& data, std::span<const uint32_t> renumber);
/// Encodes further sequences with the features that are known already.
ChunkTraining encode_chunks_with(std::span<const data::Sequence> sequences, const SequenceShape& shape,
                                 const data::FeatureExtractor& extractor, const ChunkFeatures& features,
                                 const linear::FeatureMap& map);

}  // namespace espalier::tasks

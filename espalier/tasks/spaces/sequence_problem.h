// Training sets of the sequence tasks as search problems (search/examples.h): LabelProblem, EasiestProblem,
// JointProblem and ChunkProblem, and the functions that make them from encoded data. Spaces are made per
// sequence when asked for; encoding chunks walks over the data twice to save memory. Tested in
// espalier/tasks/search_training_test.cc and espalier/model/training/train_search_test.cc.
#pragma once

#include <memory>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/linear/encoding/dataset.h"
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

/// What constraints allow in a sequence; null: no constraints.
using LegalMoves = std::unique_ptr<const constrain::Completion>;

/// Sequences to label token by token. `data` holds the token features.
struct LabelProblem {
  using Space = LabelSpace;
  static constexpr SearchKind kKind = SearchKind::kLabel;
  static constexpr bool kBatchClassifiers = true;
  const DecisionPlan& plan;
  const linear::Dataset& data;
  std::vector<uint64_t> edges;             ///< hashes of edge features
  std::vector<uint32_t> edge_begin;        ///< per token, and the end
  std::span<const LegalMoves> legal = {};  ///< per sequence; empty: no constraints

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
  Space space(size_t s) const { return LabelSpace(plan, input(s)); }
};

/// The same sequences, labelled in an order that is learned.
struct EasiestProblem {
  using Space = EasiestSpace;
  static constexpr SearchKind kKind = SearchKind::kEasiest;
  static constexpr bool kBatchClassifiers = true;
  const LabelProblem& words;

  size_t size() const { return words.size(); }
  size_t tokens(size_t s) const { return words.tokens(s); }
  search::StaticBlocks blocks(size_t s) const { return words.blocks(s); }
  Space space(size_t s) const { return EasiestSpace(words.plan, words.input(s)); }
};

/// Sequences to label in several columns. `data` holds the token features.
struct JointProblem {
  using Space = JointSpace;
  static constexpr SearchKind kKind = SearchKind::kJoint;
  static constexpr bool kBatchClassifiers = true;
  const DecisionPlan& plan;
  const linear::Dataset& data;
  std::vector<data::Label> gold;     ///< tokens × columns
  std::vector<uint64_t> words = {};  ///< hash of each token's word; empty if words are not needed
  std::vector<uint64_t> edges = {};
  std::vector<uint32_t> edge_begin = {};

  size_t size() const { return data.sequences(); }
  size_t tokens(size_t s) const { return data.length(s); }
  search::StaticBlocks blocks(size_t s) const { return blocks_of(data, s); }
  Space space(size_t s) const {
    const size_t first = data.sequence_begin[s], T = data.length(s), C = plan.columns();
    JointInput in;
    in.length = T;
    in.gold = std::span<const data::Label>(gold).subspan(first * C, T * C);
    if (!words.empty()) in.words = std::span<const uint64_t>(words).subspan(first, T);
    if (!edges.empty()) {
      in.edges = edges;
      in.edge_begin = std::span<const uint32_t>(edge_begin).subspan(first, T + 1);
    }
    return JointSpace(plan, in);
  }
};

/// The problem of one column of labels. Gold labels come from the dataset; edge features are identified by
/// their hashes.
LabelProblem label_problem(const DecisionPlan& plan, const linear::Dataset& data,
                           const linear::FeatureSpace& edge);

/// The problem of several columns. `data` holds the features; the sequences have their labels in the given
/// cells.
JointProblem joint_problem(const DecisionPlan& plan, const linear::Dataset& data,
                           const linear::FeatureSpace& edge, std::span<const data::Sequence> sequences,
                           std::span<const size_t> label_cells);
/// Appends the hashes of a sequence's lower-case words; nothing if the plan does not look at words.
/// Precondition: the sequence has the cell.
void append_words(const DecisionPlan& plan, const data::Sequence& sequence, std::vector<uint64_t>& words);

/// Sequences to segment chunk by chunk. `data` has blocks instead of tokens.
struct ChunkProblem {
  using Space = ChunkSpace;
  static constexpr SearchKind kKind = SearchKind::kSegment;
  static constexpr bool kBatchClassifiers = true;
  const DecisionPlan& plan;
  const linear::Dataset& data;
  std::vector<size_t> length;  ///< tokens per sequence
  Ragged<Chunk> gold;          ///< per sequence
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
    return ChunkSpace(plan, in);
  }
};

/// Text encoded for a ChunkProblem. `encoded.labels` are the types; the gold label of a block is the type of
/// the gold chunk that uses it.
struct ChunkTraining {
  linear::EncodedTraining encoded;
  std::vector<size_t> length;
  Ragged<Chunk> gold;
  Ragged<TokenLook> looks;
  size_t cut = 0;  ///< number of chunks longer than the maximum

  ChunkProblem problem(const DecisionPlan& plan) const {
    return {plan, encoded.data, length, gold, looks, {}, {}};
  }
};
/// Finds and numbers the features that can get a weight: those of gold chunks, and those seen
/// `full_rows_from` times (0: none of these). A few others may be included. Features seen fewer than `cutoff`
/// times are left out. Names are not collected. The plan gives the maximum length of chunks.
ChunkTraining encode_chunks(std::span<const data::Sequence> sequences, const DecisionPlan& plan,
                            const data::FeatureExtractor& extractor, const ChunkFeatures& features,
                            uint32_t cutoff, uint32_t full_rows_from);
/// The names of the wanted features, ordered by number, one per line; empty lines for the others. This is a
/// separate walk over the sequences because most features of spans get no weight, and names take more memory
/// than anything else.
std::string chunk_feature_names(std::span<const data::Sequence> sequences, const DecisionPlan& plan,
                                const data::FeatureExtractor& extractor, const ChunkFeatures& features,
                                const linear::FeatureMap& map, const std::vector<bool>& wanted);
/// Replaces every feature of the dataset by its new number; kNoFeature removes it.
void renumber_features(linear::Dataset& data, std::span<const uint32_t> renumber);
/// Encodes further sequences with features that are already numbered.
ChunkTraining encode_chunks_with(std::span<const data::Sequence> sequences, const DecisionPlan& plan,
                                 const data::FeatureExtractor& extractor, const ChunkFeatures& features,
                                 const linear::FeatureMap& map);

}  // namespace espalier::tasks

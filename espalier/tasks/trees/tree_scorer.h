// The weights of a trained parser as they are stored and used: TreeTables packs and opens them, TreeScorer
// scores states with them (search::RowScorerOf). The tables are read in place in the mapped model file and
// shared by all threads; a scorer keeps scratch, so each thread has its own. Tested in tree_training_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/result.h"
#include "espalier/base/section_file.h"
#include "espalier/linear/feature_map.h"
#include "espalier/linear/packed_rows.h"
#include "espalier/tasks/trees/parse_space.h"
#include "espalier/tasks/trees/tree_weights.h"

namespace espalier::tasks {

/// Features of moves, six to a cache line: 16 bits of the hash, and four weights of 16 bits. The high bits of
/// the hash name the line; a full line overflows into the next. 0 as check: the slot is empty, and so are the
/// ones after it.
struct alignas(64) MoveLine {
  static constexpr size_t kSlots = 6;
  std::array<uint16_t, kSlots> check{};
  std::array<std::array<int16_t, kTreeMoves>, kSlots> weight{};
  std::array<uint16_t, 2> unused{};
};
static_assert(sizeof(MoveLine) == 64);

/// Immutable; safe for any number of threads.
class TreeTables {
 public:
  /// Packs averaged weights in 16 bits each. Features whose weights are all 0 then are left out.
  static TreeTables pack(const AveragedTreeWeights& weights);
  void save(SectionWriter& out) const;
  /// Views of the sections of a file that outlives this; every number is checked.
  static Result<TreeTables> load(const SectionFile& file, size_t relations);

  /// sums[m] += the weights of the moves' features.
  void add_moves(std::span<const uint64_t> hashes, std::array<float, kTreeMoves>& sums) const;
  /// The same for relations; `sums` is padded. `offsets` is scratch.
  void add_relations(std::span<const uint64_t> hashes, std::vector<uint32_t>& offsets, float* sums) const;
  /// What one feature adds to the score of an action, for explanations.
  float move_weight(uint64_t hash, TreeMove move) const;
  float relation_weight(uint64_t hash, data::Label relation) const;
  size_t features() const { return features_; }
  size_t weights() const { return weights_; }

 private:
  const std::array<int16_t, kTreeMoves>* find_move(size_t line, uint16_t check) const;

  AlignedVector<MoveLine> owned_;
  std::span<const MoveLine> lines_;
  float scale_ = 1;
  linear::FeatureMap map_;
  linear::PackedRows rows_;
  size_t features_ = 0, weights_ = 0;
};

/// Scores the actions of states.
class TreeScorer {
 public:
  using Value = float;
  /// With a `sharpness` above 0, the scores of each state become the logarithms of probabilities proportional
  /// to exp(sharpness · score). Weights of single decisions need this in a beam, where sums of scores
  /// compete.
  TreeScorer(const TreeTables& tables, size_t relations, float sharpness = 0);
  std::span<const float> row(const ParseSpace& space, const ParseSpace::State& state, uint32_t candidate);

 private:
  void normalise(const ParseSpace& space, const ParseSpace::State& state, float* row);

  const TreeTables& tables_;
  size_t relations_;
  float sharpness_;
  std::vector<search::Action> actions_;
  AlignedVector<float> row_;
  std::vector<uint32_t> offsets_;
};

}  // namespace espalier::tasks

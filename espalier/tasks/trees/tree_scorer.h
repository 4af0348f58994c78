// The weights of a trained parser as they are stored and used: TreeTables packs and opens them, TreeScorer
// scores states with them (search::RowScorerOf). The tables are read in place in the mapped model file and
// shared by all threads; a scorer keeps scratch, so each thread has its own. Tested in tree_training_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/files/section_file.h"
#include "espalier/base/result.h"
#include "espalier/linear/encoding/feature_map.h"
#include "espalier/linear/packed_rows.h"
#include "espalier/tasks/trees/parse_space.h"
#include "espalier/tasks/trees/tree_blocks.h"
#include "espalier/tasks/trees/tree_weights.h"

namespace espalier::tasks {

/// Features of moves, six to a cache line: 16 bits of the hash, and four weights of 16 bits. The high bits of
/// the hash name the line; a full line overflows into the next, and has a bit in `moved` for what it lacks,
/// so that few searches for features that do not exist go on. 0 as check: the slot is empty. A feature that
/// does not exist is taken for another one where these 16 bits agree; searching fewer lines makes that rarer,
/// and changed 6 of 25,094 words of the English Web Treebank's test data when `moved` was introduced.
struct alignas(64) MoveLine {
  static constexpr size_t kSlots = 6;
  std::array<uint16_t, kSlots> check{};
  std::array<std::array<int16_t, kTreeMoves>, kSlots> weight{};
  uint32_t moved = 0;  ///< moved_bit() of the features that belong here or before and went past this line
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

  /// The sums of the moves' weights, in units of move_scale(). Features come in groups, group g ending before
  /// ends[g], and each has its own sums. A group of each call costs no more than its features.
  using MoveSums = std::array<int32_t, kTreeMoves>;
  void sum_moves(std::span<const uint64_t> hashes, std::span<const uint32_t> ends, MoveSums* sums) const;
  float move_scale() const { return scale_; }
  /// The same for relations; `sums` is padded. `offsets` is scratch.
  void add_relations(std::span<const uint64_t> hashes, std::vector<uint32_t>& offsets, float* sums) const;
  /// What one feature adds to the score of an action, for explanations.
  float move_weight(uint64_t hash, TreeMove move) const;
  float relation_weight(uint64_t hash, data::Label relation) const;
  size_t features() const { return features_; }
  size_t weights() const { return weights_; }

 private:
  const std::array<int16_t, kTreeMoves>* find_move(size_t line, uint64_t hash) const;

  AlignedVector<MoveLine> owned_;
  std::span<const MoveLine> lines_;
  float scale_ = 1;
  linear::FeatureMap map_;
  linear::PackedRows rows_;
  size_t features_ = 0, weights_ = 0;
};

/// What a scorer remembers within a sentence: the sums of blocks of features that it has computed. Reused
/// from sentence to sentence; one per thread.
class TreeMemory {
 public:
  TreeMemory();

 private:
  friend class TreeScorer;
  struct Sums {
    uint64_t key = 0;
    TreeTables::MoveSums sums{};
  };
  static constexpr int kSumBits = 12, kRowBits = 8;

  uint64_t round_ = 0;  ///< sentences so far
  std::vector<Sums> sums_;
  std::vector<uint64_t> row_keys_;
  /// For each row the best relations, best first, if they were asked for: their number, then they.
  static constexpr size_t kMostRanked = 15;
  std::vector<std::array<uint16_t, kMostRanked + 1>> ranks_;
  AlignedVector<float> rows_;
  TreeGlance moves_, labels_;
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> ends_, offsets_;
  std::vector<Sums*> missing_;
  std::vector<TreeTables::MoveSums> found_;
  std::vector<search::Action> actions_;
};

/// Scores the actions of the states of one sentence.
class TreeScorer {
 public:
  using Value = float;
  /// With a `sharpness` above 0, the scores of each state become the logarithms of probabilities proportional
  /// to exp(sharpness · score). Weights of single decisions need this in a beam, where sums of scores
  /// compete. All references outlive the scorer; a memory serves one scorer at a time.
  TreeScorer(const TreeTables& tables, const TreeSystem& system, TreeMemory& memory, float sharpness = 0);
  std::span<const float> row(const ParseSpace& space, const ParseSpace::State& state, uint32_t candidate);
  /// search::RankingScorerOf: the best relations of an arc are found once for all states that make it.
  bool best_actions(const ParseSpace& space, const ParseSpace::State& state, size_t width,
                    std::vector<search::Action>& actions, std::vector<float>& scores);

 private:
  /// The number of the remembered row that has the scores of an arc's relations.
  size_t relation_row(const ParseSpace& space, const ParseSpace::State& state);
  float* moves_of(size_t row) const;
  void score_moves(const ParseSpace& space, const ParseSpace::State& state, float* out);
  void normalise(const ParseSpace& space, const ParseSpace::State& state, float* row);

  const TreeTables& tables_;
  const TreeSystem& system_;
  TreeMemory& memory_;
  float sharpness_;
  size_t stride_;
  uint64_t round_;
};

}  // namespace espalier::tasks

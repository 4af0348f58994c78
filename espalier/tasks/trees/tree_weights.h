// The weights of a parser in training: TreeWeights scores states (search::RowScorerOf) and is updated by the
// learners of search/laso.h. Features get weights when an update first touches them. averaged() makes the
// weights that are stored (tree_scorer.h). Tested in tree_training_test.cc.
//
// Moves and relations have tables of their own: a feature of moves has four weights next to its hash, so that
// scoring it costs one cache miss; one of relations has a row as long as there are relations. Tested in
// tree_scorer_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/search/policy/row_weights.h"
#include "espalier/tasks/trees/parse_space.h"

namespace espalier::tasks {

/// Averaged weights, by the hashes of their features.
struct AveragedTreeWeights {
  std::vector<uint64_t> move_hashes;
  std::vector<std::array<float, kTreeMoves>> moves;
  std::vector<uint64_t> relation_hashes;
  size_t relations = 0;         ///< weights per feature
  std::vector<float> relation;  ///< feature after feature
};

class TreeWeights {
 public:
  using Value = float;
  explicit TreeWeights(size_t relations);

  /// The scores of all actions: moves first, then relations. Those that cannot follow are arbitrary.
  std::span<const float> row(const ParseSpace& space, const ParseSpace::State& state, uint32_t candidate);
  /// Adds x to the weights of the state's features for an action.
  void add(const ParseSpace& space, const ParseSpace::State& state, search::Action action, double x);
  /// Counts one more step of the average.
  void tick() { ++ticks_; }
  /// The average over all steps; the weights themselves if `average` is false.
  AveragedTreeWeights averaged(bool average) const;
  size_t features() const { return used_ + rows_.size(); }

 private:
  struct Slot {
    uint64_t hash = 0;
    std::array<float, kTreeMoves> weight{}, lag{};
    bool empty = true;
  };
  size_t place(uint64_t hash) const { return (hash * 0x9E3779B97F4A7C15ull) >> shift_; }
  Slot& insert(uint64_t hash);
  void grow();

  size_t relations_, stride_;
  std::vector<Slot> slots_;
  size_t used_ = 0;
  int shift_;
  search::HashedRows rows_;
  AlignedVector<float> row_lag_;
  AlignedVector<float> row_;
  uint64_t ticks_ = 0;
};

}  // namespace espalier::tasks

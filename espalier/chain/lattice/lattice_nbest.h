// Paths through a lattice, best first: n_best() for the first n, NBestPaths for one after another.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/chain/lattice/lattice.h"
#include "espalier/chain/lattice/lattice_viterbi.h"

namespace espalier::chain {

struct NBestOptions {
  /// The search ends (kOutOfBudget) before it would hold more partial paths than this; 16 bytes each.
  size_t max_nodes = size_t{1} << 28;
};

/// Enumerates the paths of a lattice by falling score, one per call, each once. Ties are ordered by the
/// states' numbers, read from the last position to the first, so that the first path is that of viterbi().
///
/// A backward best-first search in which the forward max pass is an exact heuristic: a suffix of a path is
/// worth the best path that ends in it, which is known (Soong and Huang 1991). Hence no suffix is expanded
/// needlessly. The arcs into a state are ranked when they are first needed, and the queue holds only the best
/// remaining continuation of each suffix, so that a path adds at most one entry per position. Start: O(states
/// + arcs); each path: O(T log n) for the queue plus the ranking of arcs at states seen for the first time.
/// Comparing entries of exactly equal score walks their paths, O(T). Memory: linear in the lattice, plus O(T)
/// per path.
///
/// The scores returned never rise; each equals path_score() to within rounding of double sums. Keeps a
/// reference to the lattice, which must not change. One thread at a time.
class NBestPaths {
 public:
  explicit NBestPaths(const Lattice& lattice, NBestOptions options = {});

  /// The next path. Without states and with another outcome than kExact at the end: kInfeasible when there
  /// are no more paths, kOutOfBudget when the search would exceed its options.
  LatticePath next();

 private:
  static constexpr uint32_t kEnd = 0xFFFFFFFF;  ///< the node behind the last position: the empty suffix
  /// A suffix: this state, then those of the parent.
  struct Node {
    uint32_t state;
    uint32_t parent;
  };
  /// All paths that end in the suffix `node` and enter it through its arc of this rank or a later one.
  /// `score` is that of the best of them: the path through this rank and best[] from there.
  struct Entry {
    double score;
    uint32_t node;
    uint32_t rank;
  };

  size_t choices(uint32_t node) const;
  uint32_t choice(uint32_t node, size_t rank);
  double worth(uint32_t node, size_t rank) const;
  void rank_arcs(size_t state);
  void top_path(const Entry& entry, std::vector<uint32_t>& reversed);
  bool comes_later(const Entry& a, const Entry& b);
  void push(Entry entry);
  Entry pop();

  const Lattice& lattice_;
  NBestOptions options_;
  ForwardMax forward_;
  std::vector<uint32_t> last_;     ///< states of the last position that a path reaches, best first
  std::vector<uint32_t> ranking_;  ///< arcs into each state, best first where ranked_
  std::vector<uint8_t> ranked_;    ///< per state
  std::vector<uint32_t>
      live_;  ///< per state once ranked: how many of its arcs come from states a path reaches
  std::vector<Node> nodes_;
  std::vector<Entry> queue_;  ///< a heap
  std::vector<uint32_t> compare_a_, compare_b_;
  bool empty_path_left_ = false;
};

/// The n best paths: kExact with n paths, or with all if there are fewer; kInfeasible with none; kOutOfBudget
/// with those found.
struct NBestResult {
  Outcome outcome = Outcome::kInfeasible;
  std::vector<LatticePath> paths;
};
NBestResult n_best(const Lattice& lattice, size_t n, NBestOptions options = {});

}  // namespace espalier::chain

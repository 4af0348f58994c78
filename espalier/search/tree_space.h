// For tests and research only: a search space written down node by node. Decoders and learners are compared
// with brute force on it, and theorems about beam search with the search itself. Header only; tested in
// decode_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/search/space.h"

namespace espalier::search {

/// A finite tree whose nodes have feature vectors f(v), a total order of preference, and marks on the nodes
/// of target paths (Xu and Fern 2007, section 2). Node 0 is the root; nodes are added below existing nodes.
/// Leaves are goals.
///
/// Elsewhere in this module scores add up along paths; here the score of a node is w·f(v). Both agree because
/// the features of the step from v to its child u are f(u) − f(v), and f(u) below the root.
class TreeSpace {
 public:
  using State = uint32_t;

  explicit TreeSpace(size_t dimension) : dimension_(dimension), nodes_(1) {
    nodes_[0].features.assign(dimension, 0.0);
    nodes_[0].target = true;
  }

  /// Adds a node and returns its number. Ties in score go to the larger preference; by default, nodes added
  /// earlier are preferred. `loss` counts at leaves only.
  State add(State parent, std::vector<double> features, bool target = false, double loss = 0) {
    ESPALIER_CHECK(parent < nodes_.size() && features.size() == dimension_);
    const State child = static_cast<State>(nodes_.size());
    nodes_.push_back({std::move(features),
                      {},
                      parent,
                      nodes_[parent].depth + 1,
                      ~uint64_t{0} - nodes_.size(),
                      target,
                      loss});
    nodes_[parent].children.push_back(child);
    return child;
  }
  /// Makes an existing node a child of another node as well, at the depth it already has. Levels whose nodes
  /// all lead to the same next level then need not be copied. The features along any path still sum to f of
  /// its last node.
  void share(State parent, State child) {
    ESPALIER_CHECK(parent < nodes_.size() && child < nodes_.size() &&
                   nodes_[child].depth == nodes_[parent].depth + 1);
    nodes_[parent].children.push_back(child);
  }
  void set_preference(State v, uint64_t preference) { nodes_[v].preference = preference; }
  void set_target(State v, bool target) { nodes_[v].target = target; }

  size_t size() const { return nodes_.size(); }
  size_t dimension() const { return dimension_; }
  std::span<const double> features_of(State v) const { return nodes_[v].features; }
  std::span<const State> children(State v) const { return nodes_[v].children; }
  State parent(State v) const { return nodes_[v].parent; }
  size_t depth(State v) const { return nodes_[v].depth; }
  bool is_target(State v) const { return nodes_[v].target; }

  // ---- SearchSpace --------------------------------------------------------------------------------------
  State initial() const { return 0; }
  bool is_goal(State v) const { return nodes_[v].children.empty(); }
  void actions(State v, std::vector<Action>& out) const {
    for (uint32_t c = 0; c < nodes_[v].children.size(); ++c) out.push_back({c, 0});
  }
  State apply(State v, Action action) const { return nodes_[v].children[action.candidate]; }
  size_t labels() const { return 1; }
  void features(State v, uint32_t candidate, FeatureSink& sink) const {
    const std::vector<double>& to = nodes_[nodes_[v].children[candidate]].features;
    for (size_t i = 0; i < dimension_; ++i) {
      const double step = to[i] - (v == 0 ? 0.0 : nodes_[v].features[i]);
      if (step != 0) sink.add(i, step);
    }
  }
  uint64_t preference(State v) const { return nodes_[v].preference; }

  // ---- TrainingSpace ------------------------------------------------------------------------------------
  double loss(State v) const { return nodes_[v].loss; }
  /// The children on target paths; if there are none, the children that lead to a leaf of least loss.
  void optimal_actions(State v, std::vector<Action>& out) const {
    const size_t before = out.size();
    for (uint32_t c = 0; c < nodes_[v].children.size(); ++c)
      if (nodes_[nodes_[v].children[c]].target) out.push_back({c, 0});
    if (out.size() > before) return;
    const double least = best_loss(v);
    for (uint32_t c = 0; c < nodes_[v].children.size(); ++c)
      if (best_loss(nodes_[v].children[c]) == least) out.push_back({c, 0});
  }
  /// O(size of the tree below v).
  double best_loss(State v) const {
    if (is_goal(v)) return nodes_[v].loss;
    double least = best_loss(nodes_[v].children[0]);
    for (const State child : nodes_[v].children) least = std::min(least, best_loss(child));
    return least;
  }

 private:
  struct TreeNode {
    std::vector<double> features;
    std::vector<State> children = {};
    State parent = 0;
    size_t depth = 0;
    uint64_t preference = ~uint64_t{0};
    bool target = false;
    double loss = 0;
  };
  size_t dimension_;
  std::vector<TreeNode> nodes_;
};

/// Weights by index in double precision, for spaces without blocks whose feature hashes are small numbers:
/// the weight of feature i with label l is w[i · labels + l].
class DenseWeights {
 public:
  using Value = double;
  DenseWeights(size_t features, size_t labels) : labels_(labels), w_(features * labels, 0.0) {}

  template <SearchSpace S>
  std::span<const double> row(const S& space, const typename S::State& state, uint32_t candidate) {
    sink_.clear();
    space.features(state, candidate, sink_);
    row_.assign(labels_, 0.0);
    for (const FeatureSink::Entry& e : sink_.entries())
      for (size_t l = 0; l < labels_; ++l) row_[l] += e.value * w_[e.hash * labels_ + l];
    return row_;
  }
  template <SearchSpace S>
  void add(const S& space, const typename S::State& state, Action action, double x) {
    sink_.clear();
    space.features(state, action.candidate, sink_);
    for (const FeatureSink::Entry& e : sink_.entries()) w_[e.hash * labels_ + action.label] += x * e.value;
  }
  std::vector<double>& values() { return w_; }
  const std::vector<double>& values() const { return w_; }

 private:
  size_t labels_;
  std::vector<double> w_, row_;
  FeatureSink sink_;
};

}  // namespace espalier::search

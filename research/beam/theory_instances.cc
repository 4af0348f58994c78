#include "research/beam/theory_instances.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

namespace espalier::research {
namespace {

struct NamedNode {
  char name, parent;
  double f1, f2;
};

/// `order` is the order of preference, lowest first; the target path is A, B, E.
BeamProblem named_problem(std::initializer_list<NamedNode> nodes, std::string_view order, BeamMode mode) {
  TreeSpace tree(2);
  std::vector<char> names{'A'};
  for (const NamedNode& node : nodes) {
    const auto parent = std::find(names.begin(), names.end(), node.parent) - names.begin();
    const bool target = node.name == 'B' || node.name == 'E';
    const TreeState v = tree.add(static_cast<TreeState>(parent), {node.f1, node.f2}, target, target ? 0 : 1);
    tree.set_preference(v, order.find(node.name));
    names.push_back(node.name);
  }
  BeamProblem problem;
  problem.instances.push_back(std::move(tree));
  problem.width = 2;
  problem.mode = mode;
  return problem;
}

std::vector<double> unit_vector(Random& random, size_t dimension) {
  std::vector<double> w(dimension);
  double square = 0;
  for (double& x : w) {
    x = random.gaussian();
    square += x * x;
  }
  for (double& x : w) x /= std::sqrt(square);
  return w;
}

/// A tree whose features may still change; TreeSpace takes them once.
struct Sketch {
  struct SketchNode {
    TreeState parent;
    size_t depth;
    bool target;
    std::vector<double> f;
  };
  std::vector<SketchNode> nodes;

  /// Sets w·f(v) to value by moving f(v) along the unit vector w.
  void set_value(TreeState v, const std::vector<double>& w, double value) {
    const double by = value - this->value(v, w);
    for (size_t i = 0; i < w.size(); ++i) nodes[v].f[i] += by * w[i];
  }
  double value(TreeState v, const std::vector<double>& w) const {
    return std::inner_product(w.begin(), w.end(), nodes[v].f.begin(), 0.0);
  }
  TreeSpace finish(Random& random, size_t dimension) const {
    TreeSpace tree(dimension);
    std::vector<uint64_t> order(nodes.size());
    std::iota(order.begin(), order.end(), uint64_t{0});
    random.shuffle(std::span<uint64_t>(order));
    for (TreeState v = 1; v < nodes.size(); ++v) {
      tree.add(nodes[v].parent, nodes[v].f, nodes[v].target, nodes[v].target ? 0 : 1);
      tree.set_preference(v, order[v]);
    }
    return tree;
  }
};

/// Structure and marks; `feature()` draws the values.
template <typename Feature>
Sketch sketch_tree(Random& random, const TreeShape& shape, const Feature& feature) {
  Sketch sketch;
  sketch.nodes.push_back({0, 0, true, std::vector<double>(shape.dimension, 0.0)});
  for (TreeState v = 0; v < sketch.nodes.size(); ++v) {
    const size_t depth = sketch.nodes[v].depth;
    if (depth == shape.depth) continue;
    const size_t first = random.below(shape.fan_out);
    const size_t second =
        random.uniform() < shape.second_target ? random.below(shape.fan_out) : first;  // may be the same
    for (size_t c = 0; c < shape.fan_out; ++c) {
      std::vector<double> f(shape.dimension);
      for (double& x : f) x = feature();
      sketch.nodes.push_back(
          {v, depth + 1, sketch.nodes[v].target && (c == first || c == second), std::move(f)});
    }
  }
  return sketch;
}

/// A tree of Gaussian features, with standard deviation `along` along w and 1 across it.
Sketch gaussian_tree(Random& random, const TreeShape& shape, const std::vector<double>& w) {
  Sketch sketch = sketch_tree(random, shape, [&] { return random.gaussian(); });
  for (TreeState v = 1; v < sketch.nodes.size(); ++v)
    sketch.set_value(v, w, shape.along * sketch.value(v, w));
  return sketch;
}

std::vector<std::vector<TreeState>> levels_of(const Sketch& sketch, size_t depth) {
  std::vector<std::vector<TreeState>> levels(depth + 1);
  for (TreeState v = 1; v < sketch.nodes.size(); ++v) levels[sketch.nodes[v].depth].push_back(v);
  return levels;
}

void raise_targets(Sketch& sketch, const std::vector<TreeState>& group, const std::vector<double>& w,
                   double margin) {
  double highest = -1e300;
  for (const TreeState v : group)
    if (!sketch.nodes[v].target) highest = std::max(highest, sketch.value(v, w));
  for (const TreeState v : group)
    if (sketch.nodes[v].target && sketch.value(v, w) < highest + margin)
      sketch.set_value(v, w, highest + margin);
}

}  // namespace

BeamProblem counter_example_a(BeamMode mode) {
  return named_problem({{'B', 'A', 1, 1},
                        {'C', 'A', 1, 0},
                        {'D', 'A', 0, 0},
                        {'E', 'B', 1, 1},
                        {'F', 'B', 1, 0},
                        {'G', 'D', 2, 0},
                        {'H', 'D', 0, 2}},
                       "CBFEDHG", mode);
}

BeamProblem counter_example_b(BeamMode mode) {
  return named_problem({{'B', 'A', 1, 1},
                        {'C', 'A', 1, 0},
                        {'D', 'A', 0, 0},
                        {'E', 'B', 2, 1},
                        {'F', 'D', 2, 0},
                        {'G', 'D', 0, 2}},
                       "CBEFGD", mode);
}

TreesWithMargin trees_with_margin(Random random, const TreeShape& shape, MarginScope scope, double margin) {
  TreesWithMargin out;
  out.w = unit_vector(random, shape.dimension);
  for (size_t i = 0; i < shape.trees; ++i) {
    Sketch sketch = gaussian_tree(random, shape, out.w);
    if (scope == MarginScope::kGlobal) {
      std::vector<TreeState> all(sketch.nodes.size() - 1);
      std::iota(all.begin(), all.end(), TreeState{1});
      raise_targets(sketch, all, out.w, margin);
    } else {
      for (const auto& level : levels_of(sketch, shape.depth)) raise_targets(sketch, level, out.w, margin);
    }
    out.trees.push_back(sketch.finish(random, shape.dimension));
  }
  return out;
}

TreesWithMargin trees_with_beam_margin(Random random, const TreeShape& shape, size_t ambiguous, double delta1,
                                       double delta2) {
  TreesWithMargin out;
  out.w = unit_vector(random, shape.dimension);
  for (size_t i = 0; i < shape.trees; ++i) {
    Sketch sketch = gaussian_tree(random, shape, out.w);
    for (const std::vector<TreeState>& level : levels_of(sketch, shape.depth)) {
      if (level.empty()) continue;
      std::vector<TreeState> others;
      double mean = 0;
      for (const TreeState v : level) {
        mean += sketch.value(v, out.w) / static_cast<double>(level.size());
        if (!sketch.nodes[v].target) others.push_back(v);
      }
      for (const TreeState v : level)
        if (sketch.nodes[v].target) sketch.set_value(v, out.w, mean);
      random.shuffle(std::span<TreeState>(others));
      for (size_t k = 0; k < others.size(); ++k) {
        if (k < ambiguous)
          sketch.set_value(others[k], out.w, mean + delta2 - random.uniform() * (delta1 + delta2));
        else if (sketch.value(others[k], out.w) > mean - delta1)
          sketch.set_value(others[k], out.w, mean - delta1);
      }
    }
    out.trees.push_back(sketch.finish(random, shape.dimension));
  }
  return out;
}

TreesWithMargin trees_of_full_bound(size_t n) {
  TreesWithMargin out;
  out.w.assign(n, 1 / std::sqrt(static_cast<double>(n)));
  for (size_t i = 0; i < n; ++i) {
    TreeSpace tree(n);
    std::vector<double> f(n, 0.0);
    f[i] = -0.5;
    tree.add(0, f, false, 1);  // nodes added earlier are preferred
    f[i] = 0.5;
    tree.add(0, f, true, 0);
    out.trees.push_back(std::move(tree));
  }
  return out;
}

BeamProblem random_small_problem(Random random, BeamMode mode) {
  BeamProblem problem;
  problem.mode = mode;
  problem.width = 1 + random.below(3);
  TreeShape shape;
  shape.trees = 1 + random.below(3);
  shape.depth = 1 + random.below(3);
  shape.fan_out = 2 + random.below(2) + (shape.depth == 1 ? 2 : 0);
  shape.dimension = 2;
  if (mode == BeamMode::kBestFirst) problem.horizon = shape.depth + random.below(4);
  for (size_t i = 0; i < shape.trees; ++i)
    problem.instances.push_back(sketch_tree(random, shape, [&] {
                                  return static_cast<double>(random.below(7)) - 3;
                                }).finish(random, shape.dimension));
  return problem;
}

BeamProblem random_single_path_problem(Random random, const TreeShape& shape, int largest_feature) {
  BeamProblem problem;
  TreeShape single = shape;
  single.second_target = 0;
  const uint64_t values = 2 * static_cast<uint64_t>(largest_feature) + 1;
  for (size_t i = 0; i < shape.trees; ++i)
    problem.instances.push_back(sketch_tree(random, single, [&] {
                                  return static_cast<double>(random.below(values)) - largest_feature;
                                }).finish(random, shape.dimension));
  return problem;
}

}  // namespace espalier::research

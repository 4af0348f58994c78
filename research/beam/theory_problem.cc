#include "research/beam/theory_problem.h"

#include <algorithm>
#include <cmath>

namespace espalier::research {
namespace {

bool is_target_goal(const TreeSpace& tree, TreeState v, size_t depth) {
  return tree.is_target(v) && tree.depth(v) == depth;
}

}  // namespace

size_t target_depth(const TreeSpace& tree) {
  size_t depth = 0;
  for (TreeState v = 0; v < tree.size(); ++v)
    if (tree.is_target(v)) depth = std::max(depth, tree.depth(v));
  return depth;
}

size_t target_width(const TreeSpace& tree) {
  std::vector<size_t> count(target_depth(tree) + 1, 0);
  size_t widest = 0;
  for (TreeState v = 0; v < tree.size(); ++v)
    if (tree.is_target(v)) widest = std::max(widest, ++count[tree.depth(v)]);
  return widest;
}

bool dead_end_free(const TreeSpace& tree) {
  const size_t depth = target_depth(tree);
  std::vector<char> below_target(tree.size(), 0);
  for (TreeState v = 0; v < tree.size(); ++v) {
    if (!tree.is_target(v)) continue;
    bool goes_on = tree.depth(v) == depth;
    for (const TreeState child : tree.children(v)) {
      below_target[child] = 1;
      goes_on = goes_on || tree.is_target(child);
    }
    if (!goes_on) return false;
  }
  for (TreeState v = 1; v < tree.size(); ++v)
    if (tree.is_target(v) && below_target[v] == 0) return false;
  return true;
}

Status check_problem(const BeamProblem& problem) {
  if (problem.instances.empty()) return fail("a learning problem needs an instance");
  if (problem.width == 0) return fail("the beam width is 0, wanted at least 1");
  if (problem.dimension() == 0) return fail("nodes need at least one feature");
  for (size_t i = 0; i < problem.instances.size(); ++i) {
    const TreeSpace& tree = problem.instances[i];
    if (tree.dimension() != problem.dimension())
      return fail("instance {} has {} features, but the first one has {}", i, tree.dimension(),
                  problem.dimension());
    const size_t depth = target_depth(tree);
    if (depth == 0) return fail("instance {} has no target below its root", i);
    std::vector<char> seen(depth + 1, 0);
    for (TreeState v = 0; v < tree.size(); ++v) {
      if (tree.is_target(v)) seen[tree.depth(v)] = 1;
      for (const double x : tree.features_of(v))
        if (!std::isfinite(x)) return fail("instance {}: node {} has a feature that is not finite", i, v);
    }
    for (size_t j = 0; j <= depth; ++j)
      if (seen[j] == 0) return fail("instance {} has targets at depth {}, but none at depth {}", i, depth, j);
  }
  return {};
}

double node_value(const TreeSpace& tree, std::span<const double> w, TreeState v) {
  const std::span<const double> f = tree.features_of(v);
  double sum = 0;
  for (size_t i = 0; i < f.size(); ++i) sum += w[i] * f[i];
  return sum;
}

TreeNodes expand_beam(const TreeSpace& tree, BeamMode mode, std::span<const TreeState> beam,
                      TreeState expanded) {
  TreeNodes candidates;
  for (const TreeState v : beam) {
    if (mode == BeamMode::kBreadthFirst || v == expanded)
      candidates.insert(candidates.end(), tree.children(v).begin(), tree.children(v).end());
    else
      candidates.push_back(v);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

BeamTrajectory beam_trajectory(const BeamProblem& problem, const TreeSpace& tree, std::span<const double> w) {
  ESPALIER_CHECK(problem.width > 0 && w.size() == tree.dimension());
  const size_t depth = target_depth(tree);
  const bool breadth = problem.mode == BeamMode::kBreadthFirst;
  const size_t limit = breadth ? depth : problem.horizon;
  const auto ranks_before = [&](TreeState a, TreeState b) {
    const double value_a = node_value(tree, w, a), value_b = node_value(tree, w, b);
    return value_a != value_b ? value_a > value_b : tree.preference(a) > tree.preference(b);
  };
  BeamTrajectory trajectory;
  TreeNodes beam{0};
  while (trajectory.size() < limit && !beam.empty()) {
    if (!breadth &&
        std::any_of(beam.begin(), beam.end(), [&](TreeState v) { return is_target_goal(tree, v, depth); }))
      break;
    const TreeState expanded = breadth ? search::kNoNode : beam.front();
    beam = expand_beam(tree, problem.mode, beam, expanded);
    std::sort(beam.begin(), beam.end(), ranks_before);
    if (beam.size() > problem.width) beam.resize(problem.width);
    trajectory.push_back({expanded, beam});
  }
  return trajectory;
}

bool keeps_to_targets(const BeamProblem& problem, const TreeSpace& tree, const BeamTrajectory& trajectory) {
  const size_t depth = target_depth(tree);
  const bool breadth = problem.mode == BeamMode::kBreadthFirst;
  for (size_t j = 0; j < trajectory.size(); ++j) {
    const TreeNodes& beam = trajectory[j].beam;
    const auto counts = [&](TreeState v) {
      return tree.is_target(v) && (!breadth || tree.depth(v) == j + 1);
    };
    if (std::none_of(beam.begin(), beam.end(), counts)) return false;
  }
  if (breadth) return trajectory.size() == depth;
  if (trajectory.empty()) return depth == 0;
  if (trajectory.size() > problem.horizon) return false;
  const TreeNodes& last = trajectory.back().beam;
  return std::any_of(last.begin(), last.end(), [&](TreeState v) { return is_target_goal(tree, v, depth); });
}

bool solves(const BeamProblem& problem, std::span<const double> w) {
  return std::all_of(problem.instances.begin(), problem.instances.end(), [&](const TreeSpace& tree) {
    return keeps_to_targets(problem, tree, beam_trajectory(problem, tree, w));
  });
}

}  // namespace espalier::research

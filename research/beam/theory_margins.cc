#include "research/beam/theory_margins.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/base/result.h"

namespace espalier::research {
namespace {

constexpr double kNoPair = std::numeric_limits<double>::infinity();

/// The lowest target and the highest other node of a group; their difference is the group's margin.
class Gap {
 public:
  void add(double value, bool target) {
    if (target)
      lowest_target_ = std::min(lowest_target_, value);
    else
      highest_other_ = std::max(highest_other_, value);
  }
  double margin() const { return lowest_target_ - highest_other_; }

 private:
  double lowest_target_ = kNoPair, highest_other_ = -kNoPair;
};

}  // namespace

double search_margin(const BeamProblem& problem, std::span<const double> w) {
  double margin = kNoPair;
  for (const TreeSpace& tree : problem.instances) {
    TreeNodes before{0};
    for (const BeamStep& step : beam_trajectory(problem, tree, w)) {
      Gap gap;
      for (const TreeState v : expand_beam(tree, problem.mode, before, step.expanded))
        gap.add(node_value(tree, w, v), tree.is_target(v));
      margin = std::min(margin, gap.margin());
      before = step.beam;
    }
  }
  return margin;
}

double level_margin(std::span<const TreeSpace> trees, std::span<const double> w) {
  double margin = kNoPair;
  for (const TreeSpace& tree : trees) {
    std::vector<Gap> levels(target_depth(tree) + 1);
    for (TreeState v = 1; v < tree.size(); ++v)
      if (tree.depth(v) < levels.size()) levels[tree.depth(v)].add(node_value(tree, w, v), tree.is_target(v));
    for (const Gap& gap : levels) margin = std::min(margin, gap.margin());
  }
  return margin;
}

double global_margin(std::span<const TreeSpace> trees, std::span<const double> w) {
  double margin = kNoPair;
  for (const TreeSpace& tree : trees) {
    Gap gap;
    for (TreeState v = 1; v < tree.size(); ++v) gap.add(node_value(tree, w, v), tree.is_target(v));
    margin = std::min(margin, gap.margin());
  }
  return margin;
}

BeamMargin beam_margin(std::span<const TreeSpace> trees, std::span<const double> w, size_t ambiguous) {
  BeamMargin margin{ambiguous, kNoPair, 0};
  for (const TreeSpace& tree : trees) {
    const size_t depth = target_depth(tree);
    std::vector<double> lowest_target(depth + 1, kNoPair);
    std::vector<std::vector<double>> others(depth + 1);
    for (TreeState v = 1; v < tree.size(); ++v) {
      const size_t level = tree.depth(v);
      if (level > depth) continue;
      const double value = node_value(tree, w, v);
      if (tree.is_target(v))
        lowest_target[level] = std::min(lowest_target[level], value);
      else
        others[level].push_back(value);
    }
    for (size_t level = 1; level <= depth; ++level) {
      std::vector<double>& values = others[level];
      std::sort(values.begin(), values.end(), std::greater<>());
      if (values.size() > ambiguous)
        margin.delta1 = std::min(margin.delta1, lowest_target[level] - values[ambiguous]);
      if (ambiguous > 0 && !values.empty())
        margin.delta2 = std::max(margin.delta2, values[0] - lowest_target[level]);
    }
  }
  return margin;
}

double feature_spread(std::span<const TreeSpace> trees) {
  double largest = 0;
  for (const TreeSpace& tree : trees)
    for (TreeState v = 1; v < tree.size(); ++v)
      for (TreeState u = 1; u < v; ++u) {
        double square = 0;
        for (size_t i = 0; i < tree.dimension(); ++i) {
          const double difference = tree.features_of(v)[i] - tree.features_of(u)[i];
          square += difference * difference;
        }
        largest = std::max(largest, square);
      }
  return std::sqrt(largest);
}

double mistake_bound(double spread, double margin) {
  if (!(margin > 0)) return kNoPair;
  return (spread / margin) * (spread / margin);
}

double mistake_bound(double spread, const BeamMargin& margin, size_t width) {
  ESPALIER_CHECK(width > 0);
  if (!(margin.delta1 > 0)) return kNoPair;
  const double needed = (1 + margin.delta2 / margin.delta1) * static_cast<double>(margin.ambiguous);
  const double share = 1 - needed / static_cast<double>(width);
  if (!(share > 0)) return kNoPair;
  return mistake_bound(spread, margin.delta1 * share);
}

}  // namespace espalier::research

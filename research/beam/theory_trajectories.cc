#include "research/beam/theory_trajectories.h"

#include <algorithm>

#include "espalier/base/result.h"

namespace espalier::research {

Demand ranks_above(const TreeSpace& tree, TreeState v, TreeState u) {
  Demand demand;
  demand.g.assign(tree.features_of(v).begin(), tree.features_of(v).end());
  for (size_t i = 0; i < demand.g.size(); ++i) demand.g[i] -= tree.features_of(u)[i];
  demand.strict = tree.preference(v) < tree.preference(u);
  return demand;
}

bool trajectory_demands(const BeamProblem& problem, const TreeSpace& tree, const BeamTrajectory& trajectory,
                        std::vector<Demand>& demands) {
  TreeNodes before{0};
  for (const BeamStep& step : trajectory) {
    if (problem.mode == BeamMode::kBestFirst) {
      if (std::find(before.begin(), before.end(), step.expanded) == before.end()) return false;
      for (const TreeState v : before)
        if (v != step.expanded) demands.push_back(ranks_above(tree, step.expanded, v));
    }
    const TreeNodes candidates = expand_beam(tree, problem.mode, before, step.expanded);
    TreeNodes beam = step.beam;
    std::sort(beam.begin(), beam.end());
    if (beam.size() != std::min(problem.width, candidates.size()) ||
        std::adjacent_find(beam.begin(), beam.end()) != beam.end() ||
        !std::includes(candidates.begin(), candidates.end(), beam.begin(), beam.end()))
      return false;
    TreeNodes cut;
    std::set_difference(candidates.begin(), candidates.end(), beam.begin(), beam.end(),
                        std::back_inserter(cut));
    for (const TreeState v : beam)
      for (const TreeState u : cut) demands.push_back(ranks_above(tree, v, u));
    before = std::move(beam);
  }
  return true;
}

DemandsMet test_trajectories(const BeamProblem& problem, std::span<const BeamTrajectory> trajectories) {
  ESPALIER_CHECK(trajectories.size() == problem.instances.size());
  std::vector<Demand> demands;
  for (size_t i = 0; i < trajectories.size(); ++i)
    if (!trajectory_demands(problem, problem.instances[i], trajectories[i], demands))
      return {Decision::kNo, {}};
  return meet_demands(problem.dimension(), demands);
}

DemandsMet solve_single_paths(const BeamProblem& problem) {
  ESPALIER_CHECK(check_problem(problem).ok() && problem.width == 1);
  const bool best_first = problem.mode == BeamMode::kBestFirst;
  std::vector<BeamTrajectory> trajectories;
  for (const TreeSpace& tree : problem.instances) {
    ESPALIER_CHECK(target_width(tree) == 1);
    BeamTrajectory& path = trajectories.emplace_back(target_depth(tree));
    if (best_first && path.size() > problem.horizon) return {Decision::kNo, {}};
    for (TreeState v = 1; v < tree.size(); ++v)
      if (tree.is_target(v)) path[tree.depth(v) - 1].beam = {v};
    if (best_first)
      for (size_t j = 0; j < path.size(); ++j) path[j].expanded = j == 0 ? 0 : path[j - 1].beam[0];
  }
  return test_trajectories(problem, trajectories);
}

}  // namespace espalier::research

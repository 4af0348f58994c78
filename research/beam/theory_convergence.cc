#include "research/beam/theory_convergence.h"

#include "espalier/base/result.h"
#include "espalier/search/laso.h"

namespace espalier::research {

Convergence learn_until_unchanged(const BeamProblem& problem, BeamLearner learner,
                                  const ConvergenceOptions& options) {
  ESPALIER_CHECK(check_problem(problem).ok());
  for (const TreeSpace& tree : problem.instances) {
    ESPALIER_CHECK(dead_end_free(tree));
    const size_t depth = target_depth(tree);
    for (TreeState v = 0; v < tree.size(); ++v)
      ESPALIER_CHECK(!tree.is_target(v) || tree.depth(v) < depth || tree.is_goal(v));
  }
  BeamProblem as_learned = problem;
  as_learned.mode = learner == BeamLearner::kLasoBr ? BeamMode::kBreadthFirst : BeamMode::kBestFirst;
  as_learned.horizon = search::kNoHorizon;

  search::LasoOptions laso;
  laso.width = problem.width;
  laso.rate = options.rate;
  search::DenseWeights weights(problem.dimension(), 1);
  search::SearchScratch<TreeSpace, double> scratch;
  Convergence result;
  while (!result.unchanged && result.sweeps < options.max_sweeps && !options.monitor.stop_requested()) {
    const std::vector<double> before = weights.values();
    for (const TreeSpace& tree : problem.instances) {
      // The preconditions on trees were checked above, so the learners report no errors.
      const auto updates =
          learner == BeamLearner::kLasoBr
              ? search::learn_breadth_first(tree, weights, laso, scratch)
              : search::learn_best_first(tree, weights,
                                         learner == BeamLearner::kLaso ? search::BestFirstRule::kDaumeMarcu
                                                                       : search::BestFirstRule::kXuFern,
                                         laso, scratch);
      result.updates += updates.value();
    }
    ++result.sweeps;
    result.unchanged = weights.values() == before;
  }
  result.w = weights.values();
  result.solves = solves(as_learned, result.w);
  return result;
}

}  // namespace espalier::research

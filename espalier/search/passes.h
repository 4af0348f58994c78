// learn_in_passes(): the training loop around the learners of laso.h, which update weights while they search.
// One pass costs one search per instance. Header only; tested in task_checks_test.cc and
// espalier/tasks/search_training_test.cc.
#pragma once

#include <numeric>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/random.h"
#include "espalier/search/examples.h"
#include "espalier/search/policy/row_weights.h"

namespace espalier::search {

/// Runs up to `passes` passes over the instances, each in a new random order. `learn(space, weights,
/// scratch)`, one of the learners of laso.h, searches one instance and returns the number of updates. After
/// each pass `pass_ended(pass, updates)` returns whether to continue; a pass without updates is the last one.
/// Errors name the instance, counted from 1, whose functions break their contract.
template <Problem P, typename Learn, typename PassEnded>
Status learn_in_passes(const P& problem, RowWeights& weights, int passes, uint64_t seed,
                       const Monitor& monitor, const Learn& learn, const PassEnded& pass_ended) {
  using Space = typename P::Space;
  SearchScratch<Space, float> scratch;
  std::vector<uint32_t> order(problem.size());
  for (int pass = 1; pass <= passes; ++pass) {
    std::iota(order.begin(), order.end(), 0);
    Random(seed).split(static_cast<uint64_t>(pass)).shuffle(std::span<uint32_t>(order));
    size_t updates = 0;
    PassProgress steps(order.size());
    for (const uint32_t i : order) {
      if (monitor.stop_requested()) break;
      steps.report(monitor, pass, passes);
      const Space space = problem.space(i);
      weights.begin(problem.blocks(i));
      const Result<size_t> made = learn(space, weights, scratch);
      if (!made.ok()) return fail("instance {}: {}", i + 1, made.error().message);
      updates += *made;
      weights.tick();
    }
    if (!pass_ended(pass, updates) || updates == 0 || monitor.stop_requested()) break;
  }
  return {};
}

}  // namespace espalier::search

// The template behind search_decoding.h: one search, greedy, with a beam, best-first or by drawing
// classifiers, in any space whose weights are rows. For the sources that compile it and nobody else:
// search_decoding.cc and summary/summary_search.cc. Tested in search_training_test.cc.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "espalier/search/decode.h"
#include "espalier/tasks/search_decoding.h"

namespace espalier::tasks {

/// The goals of a search that is over, best first; ties go to the one found first.
template <typename Space>
std::vector<uint32_t> best_goals(const search::SearchScratch<Space, float>& scratch, size_t most) {
  std::vector<uint32_t> goals = scratch.goals;
  std::stable_sort(goals.begin(), goals.end(),
                   [&](uint32_t a, uint32_t b) { return scratch.nodes[a].score > scratch.nodes[b].score; });
  goals.resize(std::min(most, goals.size()));
  return goals;
}

/// Expansions of best-first search, for each decision of the longest path.
inline constexpr size_t kHorizon = 200;

template <typename Space, typename By>
Result<Decoded> decode_by(const Space& space, const By& scorer, const search::Mixture& policy,
                          const DecodeOptions& options, size_t longest) {
  Decoded out;
  const auto add = [&](std::vector<search::Action> actions, double score) {
    out.best.push_back({std::move(actions), {}, score});
  };
  // One state a level is not greedy where levels are skipped: chunks of all lengths compete at their ends. So
  // it was when weights were learned for a beam; classifiers of single decisions go from state to state.
  const bool by_level = options.beam > 1 || (search::HasLevel<Space> && !options.normalise);
  bool breadth_first = by_level && !options.best_first && !options.stochastic;
  if (options.stochastic) {
    auto found = search::decode_stochastically(space, policy, Random(options.seed));
    if (found.reached_goal()) add(std::move(found.actions), found.score);
  } else if (options.best_first) {
    auto found = search::decode_best_first(space, scorer, options.beam, kHorizon * (longest + 1));
    if (found.reached_goal()) add(std::move(found.actions), found.score);
    if (found.ended == search::Ended::kOutOfSteps) {
      out.ended = data::SearchEnd::kOutOfSteps;
      breadth_first = true;
    }
  } else if (!breadth_first) {
    auto found = search::decode_by_vote(space, policy, longest);
    if (found.reached_goal()) add(std::move(found.actions), found.score);
  }
  if (breadth_first) {
    search::SearchScratch<Space, float> scratch;
    const auto [node, ended] =
        search::search_breadth_first(space, scorer, options.beam, scratch, search::NoObserver());
    for (const uint32_t goal : best_goals<Space>(scratch, options.nbest))
      add(search::path_to(scratch.nodes, goal), scratch.nodes[goal].score);
    if (ended == search::Ended::kExact && !options.best_first) out.ended = data::SearchEnd::kExact;
  }
  if (out.best.empty()) return fail("the search ended in a dead end");
  return out;
}

template <typename Space>
Result<Decoded> decode_by_search(const Space& space, const search::Mixture& policy,
                                 const DecodeOptions& options, size_t longest) {
  // One greedy decision is the same either way.
  const bool normalise = options.normalise && (options.beam > 1 || options.best_first);
  if (normalise) return decode_by(space, search::Normalised{policy}, policy, options, longest);
  return decode_by(space, policy, policy, options, longest);
}

}  // namespace espalier::tasks

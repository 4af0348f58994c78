// What decoders and roll-outs are compared with in tests: the same results by following every path.
// Exponential; for small spaces. Not used outside tests. Tested in decode_test.cc and roll_out_test.cc.
#pragma once

#include "espalier/search/decode.h"
#include "espalier/search/roll_out.h"

namespace espalier::search {

/// Finds the goal with the highest score by visiting every path. Gives up with kOutOfSteps beyond `budget`
/// nodes.
template <SearchSpace S, ScorerOf<S> W>
Found<S> decode_exhaustively(const S& space, W& scorer, size_t budget = 1'000'000) {
  SearchScratch<S, typename W::Value> scratch;
  Nodes<S>& nodes = scratch.start(space);
  uint32_t best = kNoNode;
  for (uint32_t next = 0; next < nodes.size(); ++next) {
    if (space.is_goal(nodes[next].state)) {
      if (best == kNoNode || nodes[next].score > nodes[best].score) best = next;
      continue;
    }
    scratch.children.clear();
    if (!expand(space, scorer, scratch, next, scratch.children))
      return found_at(nodes, kNoNode, Ended::kNoSuchLabel);
    if (nodes.size() + scratch.children.size() > budget) return found_at(nodes, kNoNode, Ended::kOutOfSteps);
    for (const Child& child : scratch.children) make_node(space, nodes, child);
  }
  return found_at(nodes, best, best == kNoNode ? Ended::kDeadEnd : Ended::kExact);
}

/// The exact expected loss of the mixture from a state on, by following every possible draw.
/// Precondition: the task keeps its contract.
template <TrainingSpace S>
double expected_loss(const S& space, const typename S::State& state, const Mixture& mixture) {
  if (space.is_goal(state)) return space.loss(state);
  ActScratch scratch;
  const auto after = [&](size_t who) {
    return expected_loss(space, space.apply(state, act(space, state, mixture, who, scratch).value()),
                         mixture);
  };
  double sum = 0;
  if (mixture.oracle_share() > 0) sum += mixture.oracle_share() * after(Mixture::kOracle);
  for (size_t i = 0; i < mixture.size(); ++i) sum += mixture.share(i) * after(i);
  return sum;
}

}  // namespace espalier::search

// Greedy paths through a space with separate candidates (easiest-first labelling) at the cost of what changes
// along the path: EasiestWalk. Other spaces use best_of() in space.h. Header only; tested in
// espalier/tasks/spaces/easiest_space_test.cc.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "espalier/search/space.h"

namespace espalier::search {

/// The actions of all fresh candidates of a state, grouped by candidate.
template <HasSeparateCandidates S>
void fresh_actions(const S& space, const typename S::State& state, std::vector<uint32_t>& candidates,
                   std::vector<Action>& actions) {
  candidates.clear();
  actions.clear();
  space.fresh_candidates(state, candidates);
  for (const uint32_t c : candidates) space.candidate_actions(state, c, actions);
}

/// Finds the best action of each state on a path without rescoring candidates that have not changed. Each
/// candidate waits in a heap with its best action, and only fresh ones are scored. With T candidates, of
/// which each action changes a few, a path takes O(T log T) time and O(T) rows instead of O(T²). Gives the
/// same actions as best_of, ties included.
template <HasSeparateCandidates S, RowScorerOf<S> W>
class EasiestWalk {
 public:
  EasiestWalk(const S& space, W& scorer) : space_(space), scorer_(scorer) {}

  /// The best action of a state; nothing if it has no actions, or one with a label outside the space's. Call
  /// this for each state of a path in order. The path may begin at any state and take any actions.
  std::optional<Scored<typename W::Value>> best(const typename S::State& state) {
    if (begun_) {
      fresh_actions(space_, state, candidates_, actions_);
    } else {
      actions_.clear();
      space_.actions(state, actions_);
      begun_ = true;
    }
    if (!labels_exist(space_, std::span<const Action>(actions_))) return std::nullopt;
    for (size_t i = 0; i < actions_.size();) {
      const uint32_t c = actions_[i].candidate;
      const auto row = scorer_.row(space_, state, c);
      Offer offer{row[actions_[i].label], actions_[i], 0};
      for (; i < actions_.size() && actions_[i].candidate == c; ++i)
        if (row[actions_[i].label] > offer.score) offer = {row[actions_[i].label], actions_[i], 0};
      if (version_.size() <= c) version_.resize(c + 1, 0);
      offer.version = ++version_[c];
      offers_.push_back(offer);
      std::push_heap(offers_.begin(), offers_.end(), after);
    }
    while (!offers_.empty()) {
      const Offer& top = offers_.front();
      actions_.clear();
      if (top.version == version_[top.action.candidate])
        space_.candidate_actions(state, top.action.candidate, actions_);
      if (!actions_.empty()) return Scored<typename W::Value>{top.action, top.score};
      std::pop_heap(offers_.begin(), offers_.end(), after);
      offers_.pop_back();
    }
    return std::nullopt;
  }

 private:
  struct Offer {
    typename W::Value score;
    Action action;
    uint32_t version;  ///< outdated if the candidate has a later version
  };
  /// The heap's order: lower scores come after higher ones; ties go to the lower candidate.
  static bool after(const Offer& a, const Offer& b) {
    return a.score != b.score ? a.score < b.score : a.action.candidate > b.action.candidate;
  }

  const S& space_;
  W& scorer_;
  bool begun_ = false;
  std::vector<Offer> offers_;
  std::vector<uint32_t> version_;
  std::vector<uint32_t> candidates_;
  std::vector<Action> actions_;
};

}  // namespace espalier::search

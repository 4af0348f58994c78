// An oracle found by search, for tasks that cannot write down optimal actions (Daumé, Langford and Marcu
// 2009, section 3.4.2): wrap a space in SearchOracle, or a training set in SearchOracleProblem. Slow: each
// question is a beam search. Header only; tested in search_oracle_test.cc.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "espalier/search/decode.h"
#include "espalier/search/policy/scorer.h"
#include "espalier/search/space.h"

namespace espalier::search {

/// A space that knows the loss of goals and an estimate of how bad a state is: loss_so_far(s) guides the
/// search among the states of one level; lower is better. It need be neither a loss nor a bound on one.
template <typename S>
concept LossSpace = SearchSpace<S> && requires(const S& space, const typename S::State& state) {
  { space.loss(state) } -> std::convertible_to<double>;
  { space.loss_so_far(state) } -> std::convertible_to<double>;
};

/// Adds an oracle to a LossSpace: the best completion that a beam guided by loss_so_far finds. The oracle is
/// optimal if the beam holds every state of a level. Each question is a search of O(T·b·L) states, and there
/// is one question per action of every state on a path. An oracle that the space itself has is never used,
/// neither for actions nor for costs.
template <LossSpace S>
class SearchOracle : public S {
 public:
  using State = typename S::State;
  SearchOracle(S space, size_t width) : S(std::move(space)), width_(width) { ESPALIER_CHECK(width > 0); }

  /// Infinite if no search reached a goal.
  double best_loss(const State& state) const {
    const From from{*this, state};
    Losses losses;
    search_breadth_first(from, losses, width_, scratch_, NoObserver());
    double best = std::numeric_limits<double>::infinity();
    for (const uint32_t goal : scratch_.goals)
      best = std::min(best, static_cast<double>(S::loss(scratch_.nodes[goal].state)));
    return best;
  }
  double best_loss_after(const State& state, Action action) const {
    return best_loss(S::apply(state, action));
  }
  void optimal_actions(const State& state, std::vector<Action>& out) const {
    std::vector<Action> actions;
    S::actions(state, actions);
    std::vector<double> losses;
    for (const Action& a : actions) losses.push_back(best_loss_after(state, a));
    if (actions.empty()) return;
    const double least = *std::min_element(losses.begin(), losses.end());
    for (size_t i = 0; i < actions.size(); ++i)
      if (losses[i] == least) out.push_back(actions[i]);
  }
  /// What a beam finds depends on the exact value of loss_so_far, so states cannot share their futures.
  void future_key(const State&) const = delete;

 private:
  /// The same space, with another initial state.
  struct From {
    using State = typename S::State;
    const S& space;
    State start;
    State initial() const { return start; }
    bool is_goal(const State& s) const { return space.is_goal(s); }
    void actions(const State& s, std::vector<Action>& out) const { space.actions(s, out); }
    State apply(const State& s, Action a) const { return space.apply(s, a); }
    size_t labels() const { return space.labels(); }
    void features(const State&, uint32_t, FeatureSink&) const {}
    size_t level(const State& s) const requires HasLevel<S> { return space.level(s); }
  };
  /// Scores that sum to minus loss_so_far.
  struct Losses {
    using Value = double;
    void score_actions(const From& from, const State& state, std::span<const Action> actions,
                       std::vector<double>& scores) const {
      const double before = from.space.loss_so_far(state);
      for (size_t i = 0; i < actions.size(); ++i)
        scores[i] = before - from.space.loss_so_far(from.space.apply(state, actions[i]));
    }
  };
  size_t width_;
  mutable SearchScratch<From, double> scratch_;
};

/// A training set in which every space gets a SearchOracle. Examples made from it may be learned with
/// without_search_oracle(): features and actions are the same, and no second copy of the learner is compiled.
template <typename P>
struct SearchOracleProblem {
  using Space = SearchOracle<typename P::Space>;
  const P& inner;
  size_t width;
  size_t size() const { return inner.size(); }
  Space space(size_t i) const { return Space(inner.space(i), width); }
  StaticBlocks blocks(size_t i) const { return inner.blocks(i); }
};
template <typename P>
const P& without_search_oracle(const P& problem) {
  return problem;
}
template <typename P>
const P& without_search_oracle(const SearchOracleProblem<P>& problem) {
  return problem.inner;
}

}  // namespace espalier::search

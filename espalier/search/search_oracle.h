// An initial policy found by search, where none can be written down (section 3.4.2).
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "espalier/search/decode.h"
#include "espalier/search/policy/scorer.h"
#include "espalier/search/space.h"

namespace espalier::search {

/// A space that knows the loss of goals, and how bad a state looks so far: loss_so_far(s) is what leads the
/// search among states of one level, lower is better. It need be neither a loss nor a bound on one.
template <typename S>
concept LossSpace = SearchSpace<S> && requires(const S& space, const typename S::State& state) {
  { space.loss(state) } -> std::convertible_to<double>;
  { space.loss_so_far(state) } -> std::convertible_to<double>;
};

/// Gives a LossSpace an oracle: the best completion that a beam finds, led by loss_so_far. With a beam wide
/// enough for every state of a level that is the optimal policy. Each question is a search of its own,
/// O(T·b·L) states; there is one for every action of every state on a path. An oracle that the space may have
/// is not asked, for costs neither.
template <LossSpace S>
class SearchOracle : public S {
 public:
  using State = typename S::State;
  SearchOracle(S space, size_t width) : S(std::move(space)), width_(width) { ESPALIER_CHECK(width > 0); }

  /// Infinite where no search came to a goal.
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
  /// What a beam finds depends on all that a state says of the loss so far, so that futures are not shared.
  void future_key(const State&) const = delete;

 private:
  /// The same space, entered in the middle.
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
  /// Scores that add up to minus the loss so far.
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

/// A training set whose oracle searches.
template <typename P>
struct SearchOracleProblem {
  using Space = SearchOracle<typename P::Space>;
  const P& inner;
  size_t width;
  size_t size() const { return inner.size(); }
  Space space(size_t i) const { return Space(inner.space(i), width); }
  StaticBlocks blocks(size_t i) const { return inner.blocks(i); }
};

}  // namespace espalier::search

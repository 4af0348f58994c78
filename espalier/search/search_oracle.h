// An initial policy found by search, where none can be written down (section 3.4.2).
#pragma once

#include <utility>
#include <vector>

#include "espalier/search/decode.h"
#include "espalier/search/space.h"

namespace espalier::search {

/// A space that knows the loss of goals, and how bad a state looks so far.
template <typename S>
concept LossSpace = SearchSpace<S> && requires(const S& space, const typename S::State& state) {
  { space.loss(state) } -> std::convertible_to<double>;
  { space.loss_so_far(state) } -> std::convertible_to<double>;
};

/// Gives a LossSpace an oracle: the best completion that a beam finds, led by loss_so_far. With a beam wide
/// enough for every state of a level that is the optimal policy. O(T·b·L) for every question.
template <LossSpace S>
class SearchOracle : public S {
 public:
  using State = typename S::State;
  SearchOracle(S space, size_t width) : S(std::move(space)), width_(width) { ESPALIER_CHECK(width > 0); }

  double best_loss(const State& state) const {
    const From from{*this, state};
    Losses losses;
    SearchScratch<From, double> scratch;
    double best = std::numeric_limits<double>::infinity();
    search_breadth_first(from, losses, width_, scratch, NoObserver());
    for (const auto& node : scratch.nodes)
      if (S::is_goal(node.state)) best = std::min(best, static_cast<double>(S::loss(node.state)));
    return best;
  }
  void optimal_actions(const State& state, std::vector<Action>& out) const {
    std::vector<Action> actions;
    S::actions(state, actions);
    std::vector<double> losses;
    for (const Action& a : actions) losses.push_back(best_loss(S::apply(state, a)));
    for (size_t i = 0; i < actions.size(); ++i)
      if (losses[i] == *std::min_element(losses.begin(), losses.end())) out.push_back(actions[i]);
  }

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
};

}  // namespace espalier::search

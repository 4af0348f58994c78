// A task written as a search: the one type that every learner and decoder of this module works on.
#pragma once

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "espalier/linear/rows.h"

namespace espalier::search {

/// What can be done in a state: a candidate, and the label it gets. Sequence labelling has one candidate (the
/// next token) and K labels; a chunker that decides on whole chunks has a candidate for each length and a
/// label for each type; where the choices change from state to state, each is a candidate and there is one
/// label.
struct Action {
  uint32_t candidate = 0;
  uint32_t label = 0;
  auto operator<=>(const Action&) const = default;
};

/// Receives the features of a state and a candidate. They come in two kinds: blocks are lists of features
/// that depend on the input alone, found before the search begins and named by number, so that a scorer sums
/// each once however many states look at it; the others are hashed on the way, history above all.
class FeatureSink {
 public:
  struct Entry {
    uint64_t hash;
    double value;
  };
  void block(uint32_t number) {
    if (block_count_ == blocks_.size()) blocks_.resize(2 * block_count_ + 1);
    blocks_[block_count_++] = number;
  }
  void add(uint64_t hash, double value = 1) {
    if (entry_count_ == entries_.size()) entries_.resize(2 * entry_count_ + 1);
    entries_[entry_count_++] = {hash, value};
    plain_ = plain_ && value == 1;
  }
  void clear() {
    block_count_ = entry_count_ = 0;
    plain_ = true;
  }
  std::span<const uint32_t> blocks() const { return {blocks_.data(), block_count_}; }
  std::span<const Entry> entries() const { return {entries_.data(), entry_count_}; }
  /// Every entry has the value 1.
  bool plain() const { return plain_; }

 private:
  // Vectors that only ever grow, with what is in use counted beside them: every decision of every search
  // fills a sink, and a test and a store are all that an entry should cost.
  std::vector<uint32_t> blocks_;
  std::vector<Entry> entries_;
  size_t block_count_ = 0, entry_count_ = 0;
  bool plain_ = true;
};

/// A search space is the search for one input's output. The contract:
///   State            a cheap value; it may hold its history, or as much of it as features look at
///   initial()        where the search begins
///   is_goal(s)       s is a complete output
///   actions(s, out)  appends the legal actions of a state that is no goal, those of one candidate side by
///                    side. Their order is the order of preference: of equal scores the first wins, so that
///                    every run can be repeated exactly. No action at all: s is a dead end.
///   apply(s, a)      the state after action a. Every path ends after finitely many actions.
///   labels()         how many labels actions may have, counted from 0
///   features(s, c, sink)  the features of candidate c in s. Each is conjoined with the action's label:
///                    score(s, (c, l)) = Σ value · weight(feature, l), and the score of a path is the sum
///                    of its actions' scores.
/// A space may also say
///   preference(s)    a number; of nodes of equal scores the one with the larger wins, before the order of
///                    actions is asked
///   level(s)         where s stands in a breadth-first search: only states of one level compete. It grows
///                    with every action. Without it the level is the number of actions.
///   free_labels(s)   a range of labels where the actions of s are candidate 0 with each of them in turn, and
///                    no others; empty where that cannot be said. Saves the list of actions.
///   advance(s, a)    makes s what apply(s, a) is, in place
///   recall(s)        where the features of candidate 0 in s are one block and hashed ones: the block, and a
///                    number that says what the others are, not 0; the same number, the same features. A
///                    scorer that has their sum already need not ask for them. Number 0: that cannot be said.
///   best_loss_after(s, a)  of a training space: best_loss(apply(s, a)), where that can be had for less
///   kCandidatesApart true where every candidate has a right label of its own, and only the order is free:
///                    each candidate is then an example by itself. (Together they would all be content with
///                    the easiest one's being right.) Such a space also says
///                      fresh_candidates(s, out)      those whose features are not what they were in the
///                                                    state before s; all of them in the initial state
///                      candidate_actions(s, c, out)  those of actions(s) that are about c; none where c has
///                                                    been dealt with
///                    so that a greedy path costs as much as it changes.
///   future_key(s)    of a training space: a number that is the same for two states only if the same lies
///                    ahead of them: the same actions, features and optimal actions now and after any
///                    actions, and the same change of the loss. Asked of states with the same number of
///                    actions behind them, of the same level where there are levels
///   goal_like(s, other, goal)  where s and `other` have the same future_key, and `goal` was reached from
///                    `other`: the goal that the same actions reach from s. With both, sampled costs share
///                    what paths have in common (roll_out.h)
/// All of it is const; spaces are not shared between threads, so they may keep scratch.
template <typename S>
concept SearchSpace = std::copyable<typename S::State> &&
    requires(const S& space, const typename S::State& state, Action action, std::vector<Action>& actions,
             uint32_t candidate, FeatureSink& sink) {
  { space.initial() } -> std::same_as<typename S::State>;
  { space.is_goal(state) } -> std::same_as<bool>;
  space.actions(state, actions);
  { space.apply(state, action) } -> std::same_as<typename S::State>;
  { space.labels() } -> std::convertible_to<size_t>;
  space.features(state, candidate, sink);
};

template <typename S>
concept HasPreference = requires(const S& space, const typename S::State& state) {
  { space.preference(state) } -> std::convertible_to<uint64_t>;
};

struct LabelRange {
  uint32_t first = 0, last = 0;  ///< [first, last)
  bool empty() const { return first == last; }
};

template <typename S>
concept HasFreeLabels = requires(const S& space, const typename S::State& state) {
  { space.free_labels(state) } -> std::same_as<LabelRange>;
};

template <typename S>
concept HasAdvance = requires(const S& space, typename S::State& state, Action action) {
  space.advance(state, action);
};

/// The state after an action takes the place of the one before.
template <typename S>
void advance(const S& space, typename S::State& state, Action action) {
  if constexpr (HasAdvance<S>) {
    space.advance(state, action);
  } else {
    state = space.apply(state, action);
  }
}

struct Recall {
  uint32_t block = 0;
  uint64_t key = 0;
};

template <typename S>
concept HasRecall = requires(const S& space, const typename S::State& state) {
  { space.recall(state) } -> std::same_as<Recall>;
};

template <typename S>
concept HasSeparateCandidates = S::kCandidatesApart &&
    requires(const S& space, const typename S::State& state, uint32_t c, std::vector<uint32_t>& candidates,
             std::vector<Action>& actions) {
  space.fresh_candidates(state, candidates);
  space.candidate_actions(state, c, actions);
};

template <typename S>
concept HasBestLossAfter = requires(const S& space, const typename S::State& state, Action action) {
  { space.best_loss_after(state, action) } -> std::convertible_to<double>;
};

template <typename S>
concept HasFutureKey = requires(const S& space, const typename S::State& state) {
  { space.future_key(state) } -> std::convertible_to<uint64_t>;
  { space.goal_like(state, state, state) } -> std::same_as<typename S::State>;
};

template <typename S>
concept HasLevel = requires(const S& space, const typename S::State& state) {
  { space.level(state) } -> std::convertible_to<size_t>;
};

/// What training needs beside: the true output is known to the space.
///   loss(goal)                what a complete output costs; never negative, never NaN
///   optimal_actions(s, out)   appends those of actions(s) that begin a best completion (at least one), the
///                             one to imitate first
///   best_loss(s)              the loss of the best completion of s
/// Where neither optimal_actions nor best_loss can be written down, a space may say instead
///   loss_so_far(s)            how bad s looks, and SearchOracle<S> searches for the two
template <typename S>
concept TrainingSpace = SearchSpace<S> &&
    requires(const S& space, const typename S::State& state, std::vector<Action>& actions) {
  { space.loss(state) } -> std::convertible_to<double>;
  space.optimal_actions(state, actions);
  { space.best_loss(state) } -> std::convertible_to<double>;
};

/// Weights as a search sees them: row(space, s, c) are the scores of candidate c with each label, valid until
/// the next call. `Value` is float in trained models, double where theorems are checked.
template <typename W, typename S>
concept RowScorerOf = SearchSpace<S> &&
    requires(W& scorer, const S& space, const typename S::State& state, uint32_t c) {
  typename W::Value;
  { scorer.row(space, state, c) } -> std::same_as<std::span<const typename W::Value>>;
};

/// What scores all actions of a state together: a vote, say.
template <typename W, typename S>
concept ActionScorerOf = SearchSpace<S> &&
    requires(W& scorer, const S& space, const typename S::State& state, std::span<const Action> actions,
             std::vector<typename W::Value>& scores) {
  scorer.score_actions(space, state, actions, scores);
};

template <typename W, typename S>
concept ScorerOf = RowScorerOf<W, S> || ActionScorerOf<W, S>;

/// Weights that learn: add(space, s, a, x) adds x times the features of (s, a).
template <typename W, typename S>
concept LearnerOf = RowScorerOf<W, S> &&
    requires(W& scorer, const S& space, const typename S::State& state, Action action, double x) {
  scorer.add(space, state, action, x);
};

/// Every action has one of the space's labels. Searches look before they ask for a score: what a task gets
/// wrong must not be read from memory that is not there.
template <SearchSpace S>
bool labels_exist(const S& space, std::span<const Action> actions) {
  uint32_t largest = 0;
  for (const Action& a : actions) largest = std::max(largest, a.label);
  return actions.empty() || largest < space.labels();
}

/// scores[i] of actions[i], each candidate's row asked for once. Precondition: labels_exist.
template <SearchSpace S, ScorerOf<S> W>
void score_actions(const S& space, W& scorer, const typename S::State& state, std::span<const Action> actions,
                   std::vector<typename W::Value>& scores) {
  scores.resize(actions.size());
  if constexpr (ActionScorerOf<W, S>) {
    scorer.score_actions(space, state, actions, scores);
  } else {
    for (size_t i = 0; i < actions.size();) {
      const uint32_t candidate = actions[i].candidate;
      const auto row = scorer.row(space, state, candidate);
      for (; i < actions.size() && actions[i].candidate == candidate; ++i) scores[i] = row[actions[i].label];
    }
  }
}

/// The place of the best action, by score, then by preference, then the first. Precondition: there are some.
template <SearchSpace S, typename Value>
size_t best_action(const S& space, const typename S::State& state, std::span<const Action> actions,
                   const std::vector<Value>& scores) {
  size_t best = 0;
  for (size_t i = 1; i < actions.size(); ++i) {
    if (scores[i] < scores[best]) continue;
    if (scores[i] > scores[best]) {
      best = i;
    } else if constexpr (HasPreference<S>) {
      if (space.preference(space.apply(state, actions[i])) >
          space.preference(space.apply(state, actions[best])))
        best = i;
    }
  }
  return best;
}

/// An action and its score.
template <typename Value>
struct Scored {
  Action action;
  Value score;
};

/// The best action of a state; nothing in a dead end, or where an action has a label that there is not.
/// `actions` and `scores` are scratch.
template <SearchSpace S, ScorerOf<S> W>
std::optional<Scored<typename W::Value>> best_of(const S& space, W& scorer, const typename S::State& state,
                                                 std::vector<Action>& actions,
                                                 std::vector<typename W::Value>& scores) {
  if constexpr (HasFreeLabels<S> && !HasPreference<S> && !ActionScorerOf<W, S>) {
    if (const LabelRange range = space.free_labels(state); !range.empty()) {
      if (range.last > space.labels()) return std::nullopt;
      if constexpr (requires { scorer.best_label(space, state, range); }) {
        const auto best = scorer.best_label(space, state, range);
        return Scored<typename W::Value>{{0, best.label}, best.score};
      } else {
        const auto row = scorer.row(space, state, 0);
        const auto best = static_cast<uint32_t>(
            range.first + linear::place_of_largest_plain(row.subspan(range.first, range.last - range.first)));
        return Scored<typename W::Value>{{0, best}, row[best]};
      }
    }
  }
  actions.clear();
  space.actions(state, actions);
  if (actions.empty() || !labels_exist(space, std::span<const Action>(actions))) return std::nullopt;
  score_actions(space, scorer, state, std::span<const Action>(actions), scores);
  const size_t best = best_action(space, state, std::span<const Action>(actions), scores);
  return Scored<typename W::Value>{actions[best], scores[best]};
}

}  // namespace espalier::search

// The interface between a task and the learners and decoders of this module: a task describes the search for
// one output as a SearchSpace (states, actions, features), for training as a TrainingSpace (also losses and
// optimal actions). Scorers, which turn features into scores, are concepts here too. score_actions(),
// best_action() and best_of() score the actions of one state; decode.h, laso.h and searn.h build on these.
//
// The module works on concepts, so most of it is templates in headers without a .cc: a search compiles to
// straight code without virtual calls per state. Nothing here checks a task's contract; task_checks.h does
// that in training. Programs that cannot use templates write tasks against espalier/task.h instead.
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

/// One step of a search: a candidate and the label it gets. Sequence labelling has one candidate (the next
/// token) and K labels. A chunker that decides on whole chunks has one candidate per length and one label per
/// type. A task whose choices differ from state to state makes each choice a candidate and has one label.
struct Action {
  uint32_t candidate = 0;
  uint32_t label = 0;
  auto operator<=>(const Action&) const = default;
};

struct LabelRange {
  uint32_t first = 0, last = 0;  ///< [first, last)
  bool empty() const { return first == last; }
};

/// Receives the features of a candidate in a state. There are two kinds. A block is a list of features that
/// depend on the input only; blocks are built before the search and named by number, so a scorer sums each
/// block once, however many states use it. All other features, above all those of the history, are added one
/// by one as hashes.
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
  /// Promises that the entries of this sink are only ever seen with labels of this range, in every state that
  /// has them: weights for others need no room. The default is all labels.
  void labels(LabelRange range) { labels_ = range; }
  void clear() {
    block_count_ = entry_count_ = 0;
    plain_ = true;
    labels_ = {};
  }
  /// What was promised; the empty range: nothing.
  LabelRange labels() const { return labels_; }
  std::span<const uint32_t> blocks() const { return {blocks_.data(), block_count_}; }
  std::span<const Entry> entries() const { return {entries_.data(), entry_count_}; }
  /// Whether every entry has the value 1.
  bool plain() const { return plain_; }

 private:
  // The vectors only grow; the counts say how much of them is in use. Every decision of every search fills a
  // sink, so adding an entry must cost no more than a comparison and a store.
  std::vector<uint32_t> blocks_;
  std::vector<Entry> entries_;
  size_t block_count_ = 0, entry_count_ = 0;
  bool plain_ = true;
  LabelRange labels_;
};

/// A search for the output of one input. What it must have:
///   State            a cheap value; it holds the history, or as much of it as features look at
///   initial()        the state in which the search begins
///   is_goal(s)       whether s is a complete output
///   actions(s, out)  appends the legal actions of s, which is not a goal; actions of the same candidate are
///                    adjacent. Ties in score go to the first action, so every run can be repeated exactly.
///                    A state without actions is a dead end.
///   apply(s, a)      the state after action a. Every path must end after finitely many actions.
///   labels()         the number of labels; actions have labels from 0 to labels() − 1
///   features(s, c, sink)  the features of candidate c in s. Each is conjoined with the action's label:
///                    score(s, (c, l)) = Σ value · weight(feature, l), and the score of a path is the sum
///                    of its actions' scores.
/// What it may have:
///   preference(s)    a number that breaks ties: of nodes with equal scores the one with the larger number
///                    wins. Only ties in this number are broken by the order of actions.
///   level(s)         the level of s in a breadth-first search: only states of the same level compete. Every
///                    action must increase it. The default is the number of actions so far.
///   level_after(s, a)  level(apply(s, a)), if there is a cheaper way to compute it
///   free_labels(s)   a range of labels, if the actions of s are exactly candidate 0 with each of these
///   labels
///                    in ascending order; otherwise the empty range. Saves building the list of actions.
///   advance(s, a)    changes s to apply(s, a) in place
///   recall(s)        if the features of candidate 0 in s are one block plus hashed features: the number of
///                    that block, and a non-zero key of the hashed features. States with equal keys must have
///                    equal hashed features, so a scorer that has their sum need not ask for them again. Key
///                    0 means that s cannot be described like this.
///   shared_features(s, sink), added_features(s, c, sink), own_features(s, c, sink)  the same features as
///                    features(s, c, sink) in three parts, if candidates grow: those that every candidate of
///                    s has, those that c and all larger ones have, and those of c alone. A scorer that may
///                    sum in any order then finds the common ones once. Actions must be in the order of
///                    candidates.
///   best_loss_after(s, a)  (training) best_loss(apply(s, a)), if there is a cheaper way to compute it
///   kSeparateCandidates  true if each candidate has a correct label of its own and only the order is free.
///                    Each candidate is then a training example by itself. (As one example, it would be
///                    enough that the easiest candidate is right.) Such a space also needs
///                      fresh_candidates(s, out)      the candidates whose features differ from those in the
///                                                    state before s; in the initial state, all
///                      candidate_actions(s, c, out)  those of actions(s) that concern c; none if c already
///                                                    has its label
///                    so that following a greedy path costs only what changes along it.
///   future_key(s)    (training) a hash of everything that can still matter. Two states may have the same key
///                    only if they allow the same actions, with the same features and the same optimal
///                    actions, now and after any further actions, and the same actions change the loss by the
///                    same amount. Only keys of states on the same level (or, without levels, after the same
///                    number of actions) are compared.
///   goal_like(s, other, goal)  (training) for states s and `other` with the same future_key, and a goal that
///                    was reached from `other`: the goal that the same actions reach from s. With future_key
///                    and goal_like, sampled costs follow common parts of paths only once (roll_out.h).
/// All functions are const. A space is used by one thread at a time, so it may keep scratch.
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

template <typename S>
concept HasFreeLabels = requires(const S& space, const typename S::State& state) {
  { space.free_labels(state) } -> std::same_as<LabelRange>;
};

template <typename S>
concept HasAdvance = requires(const S& space, typename S::State& state, Action action) {
  space.advance(state, action);
};

/// Replaces the state by the one after the action.
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
concept HasSeparateCandidates = S::kSeparateCandidates &&
    requires(const S& space, const typename S::State& state, uint32_t c, std::vector<uint32_t>& candidates,
             std::vector<Action>& actions) {
  space.fresh_candidates(state, candidates);
  space.candidate_actions(state, c, actions);
};

template <typename S>
concept HasGrowingCandidates = requires(const S& space, const typename S::State& state, uint32_t c,
                                        FeatureSink& sink) {
  space.shared_features(state, sink);
  space.added_features(state, c, sink);
  space.own_features(state, c, sink);
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

template <typename S>
concept HasLevelAfter = HasLevel<S> &&
    requires(const S& space, const typename S::State& state, Action action) {
  { space.level_after(state, action) } -> std::convertible_to<size_t>;
};

/// What training needs in addition; the space knows the true output.
///   loss(goal)                the loss of a complete output; never negative, never NaN
///   optimal_actions(s, out)   appends the actions of s that lead to a completion of least loss: at least
///   one,
///                             and the one to imitate first
///   best_loss(s)              the loss of the best completion of s
/// If optimal_actions and best_loss cannot be written down, a space may have instead
///   loss_so_far(s)            an estimate of how bad s is; SearchOracle<S> then finds the other two by
///   search
template <typename S>
concept TrainingSpace = SearchSpace<S> &&
    requires(const S& space, const typename S::State& state, std::vector<Action>& actions) {
  { space.loss(state) } -> std::convertible_to<double>;
  space.optimal_actions(state, actions);
  { space.best_loss(state) } -> std::convertible_to<double>;
};

/// Scores candidate by candidate: row(space, s, c) returns the scores of candidate c with each label, valid
/// until the next call. `Value` is float in trained models, and double where theorems are checked.
template <typename W, typename S>
concept RowScorerOf = SearchSpace<S> &&
    requires(W& scorer, const S& space, const typename S::State& state, uint32_t c) {
  typename W::Value;
  { scorer.row(space, state, c) } -> std::same_as<std::span<const typename W::Value>>;
};

/// Scores all actions of a state in one call, as a vote of several classifiers must.
template <typename W, typename S>
concept ActionScorerOf = SearchSpace<S> &&
    requires(W& scorer, const S& space, const typename S::State& state, std::span<const Action> actions,
             std::vector<typename W::Value>& scores) {
  scorer.score_actions(space, state, actions, scores);
};

template <typename W, typename S>
concept ScorerOf = RowScorerOf<W, S> || ActionScorerOf<W, S>;

/// Finds the best actions of a state faster than by scoring all: best_actions() puts the `width` actions with
/// the highest scores (or more) into `actions`, and their scores into `scores`, which are empty before. Of
/// those with equal scores, the ones that space.actions() lists first come first. Returns whether these are
/// all. Precondition of leaving out any: all lead to the same level.
template <typename W, typename S>
concept RankingScorerOf = ScorerOf<W, S> &&
    requires(W& scorer, const S& space, const typename S::State& state, size_t width,
             std::vector<Action>& actions, std::vector<typename W::Value>& scores) {
  { scorer.best_actions(space, state, width, actions, scores) } -> std::same_as<bool>;
};

/// Weights that can be trained: add(space, s, a, x) adds x times the features of (s, a).
template <typename W, typename S>
concept LearnerOf = RowScorerOf<W, S> &&
    requires(W& scorer, const S& space, const typename S::State& state, Action action, double x) {
  scorer.add(space, state, action, x);
};

/// Whether every action has one of the space's labels. Searches check this before they ask for scores, so
/// that a faulty task cannot make them read past the end of a row.
template <SearchSpace S>
bool labels_exist(const S& space, std::span<const Action> actions) {
  uint32_t largest = 0;
  for (const Action& a : actions) largest = std::max(largest, a.label);
  return actions.empty() || largest < space.labels();
}

/// scores[i] becomes the score of actions[i]. Asks for the row of each candidate once.
template <SearchSpace S, RowScorerOf<S> W>
void score_by_rows(const S& space, W& scorer, const typename S::State& state, std::span<const Action> actions,
                   std::vector<typename W::Value>& scores) {
  scores.resize(actions.size());
  for (size_t i = 0; i < actions.size();) {
    const uint32_t candidate = actions[i].candidate;
    const auto row = scorer.row(space, state, candidate);
    for (; i < actions.size() && actions[i].candidate == candidate; ++i) scores[i] = row[actions[i].label];
  }
}

/// The same, as the scorer does it best. Precondition: labels_exist.
template <SearchSpace S, ScorerOf<S> W>
void score_actions(const S& space, W& scorer, const typename S::State& state, std::span<const Action> actions,
                   std::vector<typename W::Value>& scores) {
  if constexpr (ActionScorerOf<W, S>) {
    scores.resize(actions.size());
    scorer.score_actions(space, state, actions, scores);
  } else {
    score_by_rows(space, scorer, state, actions, scores);
  }
}

/// The index of the best action: the highest score; ties go to the larger preference, then to the first.
/// Precondition: there are actions.
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

/// The best action of a state; nothing in a dead end, or if an action has a label outside the space's.
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

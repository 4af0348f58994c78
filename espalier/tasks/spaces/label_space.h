// The search space that labels a sequence token by token from either end: tags, or segments in IOB2. A state
// has one candidate and up to L actions. Words in an order that is learned are in easiest_space.h, several
// columns in joint_space.h. Also tested in history_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/constrain/completion.h"
#include "espalier/search/space.h"
#include "espalier/tasks/spaces/decision_plan.h"
#include "espalier/tasks/spaces/recent_labels.h"

namespace espalier::tasks {

/// What the space needs to know about one sequence. Views.
struct LabelInput {
  size_t length = 0;                     ///< number of tokens
  std::span<const data::Label> gold;     ///< one per token; empty when only decoding
  std::span<const uint64_t> edges;       ///< hashes of features to be joined with the previous label
  std::span<const uint32_t> edge_begin;  ///< token t has edges[edge_begin[t] .. edge_begin[t+1])
  /// Per token: the label it must get, or kNoLabel. Empty: none is forced.
  std::span<const data::Label> forced;
  /// What constraints allow, token by token; null: no constraints. Left to right only.
  const constrain::Completion* legal = nullptr;
};

/// One decision per token; block t has the features of token t. With optimal costs, the losses of all actions
/// along a path cost O(T·L) whatever the history. Each label of history adds one feature per decision.
class LabelSpace {
 public:
  struct State {
    uint32_t made = 0;    ///< number of decisions
    uint32_t errors = 0;  ///< how many of them are wrong
    /// The last labels, latest first: as many as n-grams look back, at least one.
    RecentLabels<8> recent;
    // Segments, if the loss is F1:
    uint32_t predicted = 0;  ///< segments begun
    uint32_t correct = 0;    ///< completed segments that are correct
    bool agreeing =
        false;  ///< the open segment began together with a gold one of its type, which is still open
    constrain::Completion::State legal = 0;  ///< state of the constraints' automata
  };

  LabelSpace(const DecisionPlan& plan, const LabelInput& input);

  State initial() const {
    State s;
    s.recent = RecentLabels<8>(std::max<size_t>(1, plan_.history));
    if (input_.legal != nullptr) s.legal = input_.legal->start();
    return s;
  }
  bool is_goal(const State& s) const { return s.made == input_.length; }
  void actions(const State& s, std::vector<search::Action>& out) const;
  /// All labels, unless labels must be legal or are forced.
  search::LabelRange free_labels(const State&) const {
    return {0, anything_goes_ ? static_cast<uint32_t>(labels()) : 0};
  }
  State apply(const State& s, search::Action action) const {
    State next = s;
    advance(next, action);
    return next;
  }
  void advance(State& s, search::Action action) const {
    const auto label = static_cast<data::Label>(action.label);
    if (!input_.gold.empty()) {
      if (differs_from_gold(s, label)) ++s.errors;
      if (plan_.loss == SequenceLoss::kF1) count_segments(s, label);
    }
    if (input_.legal != nullptr) s.legal = legal_after(s, label);
    push_label(s.recent.data(), s.recent.size(), label);
    ++s.made;
  }
  size_t labels() const { return label_count_; }
  void features(const State& s, uint32_t, search::FeatureSink& sink) const {
    const size_t t = token(s);
    sink.block(static_cast<uint32_t>(t));
    sink.add(kBias);
    uint64_t gram = kHistory;
    const data::Label* const recent = s.recent.data();
    for (size_t n = 0; n < plan_.history; ++n) {
      gram = hash_combine(gram, recent[n]);
      sink.add(gram);
    }
    if (!input_.edges.empty()) add_edges(s, sink);
  }

  /// A key holds three labels of 16 bits below a bit that is always 1. There is none for longer histories or
  /// with edge features.
  search::Recall recall(const State& s) const {
    if (plan_.history > kMostRecalled || !input_.edges.empty()) return {};
    uint64_t key = 1;
    for (size_t n = 0; n < plan_.history; ++n) key = key << 16 | s.recent[n];
    return {static_cast<uint32_t>(token(s)), key};
  }

  double loss(const State& s) const { return best_loss(s); }
  double best_loss(const State& s) const;
  double best_loss_after(const State& s, search::Action action) const {
    if (anything_goes_ && plan_.loss == SequenceLoss::kHamming)
      return s.errors + (differs_from_gold(s, static_cast<data::Label>(action.label)) ? 1.0 : 0.0);
    return best_loss(apply(s, action));
  }
  void optimal_actions(const State& s, std::vector<search::Action>& out) const;
  /// The number of wrong labels; for F1, of missed plus wrong segments.
  double loss_so_far(const State& s) const {
    if (plan_.loss != SequenceLoss::kF1) return s.errors;
    const double begun = gold_begins_after_[0] - gold_begins_after_[s.made];
    return begun + s.predicted - 2.0 * (s.correct + (s.agreeing ? 1 : 0));
  }
  /// The future depends on the labels that features look at, on whether the open segment can still be correct
  /// and on the state of the constraints.
  uint64_t future_key(const State& s) const {
    return hash_combine(s.recent.hash(s.agreeing ? 1 : 0), s.legal);
  }
  State goal_like(const State& s, const State& other, const State& goal) const {
    return with_counts_from(s, other, goal);
  }

  /// The token that the next decision is about.
  size_t token(const State& s) const {
    return plan_.order == DecisionOrder::kRightToLeft ? input_.length - 1 - s.made : s.made;
  }
  /// The readable name of the i-th hashed feature that features() adds in this state.
  std::string entry_name(const State& s, size_t i) const;

 private:
  /// Seeds of the hashes of each kind of feature, so that kinds do not collide.
  static constexpr uint64_t kBias = 0x51 * 0x9E3779B97F4A7C15ull, kHistory = 0x52 * 0x9E3779B97F4A7C15ull,
                            kEdge = 0x53 * 0x9E3779B97F4A7C15ull;

  static constexpr size_t kMostRecalled = 3;
  static_assert(sizeof(data::Label) == 2);

  data::Label gold(const State& s) const { return input_.gold[token(s)]; }
  bool differs_from_gold(const State& s, data::Label label) const {
    const data::Label right = gold(s);
    return right != data::kNoLabel && right != label;
  }
  /// Updates the counts of segments for the label about to be assigned (F1).
  void count_segments(State& s, data::Label label) const;
  void add_edges(const State& s, search::FeatureSink& sink) const;
  bool allowed(const State& s, data::Label label) const;
  constrain::Completion::State legal_after(const State& s, data::Label label) const {
    return input_.legal->after(token(s), s.legal, {.single = label}, 1);
  }
  /// Whether earlier labels rule out the gold label here, because labels must be legal or constraints hold.
  bool gold_is_barred(const State& s) const {
    return !anything_goes_ && !is_goal(s) && gold(s) != data::kNoLabel && !allowed(s, gold(s));
  }
  /// A token without a gold label counts as outside.
  DecisionPlan::Tag gold_tag(size_t t) const {
    return input_.gold[t] == data::kNoLabel ? DecisionPlan::Tag{} : plan_.tags[input_.gold[t]];
  }

  const DecisionPlan& plan_;
  LabelInput input_;
  size_t label_count_;
  bool anything_goes_;                       ///< every label is allowed in every state
  std::vector<uint32_t> gold_begins_after_;  ///< F1: number of gold segments that begin at t or later
};

}  // namespace espalier::tasks

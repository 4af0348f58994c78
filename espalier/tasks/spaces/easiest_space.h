// The search space that labels a sequence in any order, the easiest token first (SEARN, section 6.1.8). A
// greedy path costs O(T·L + T log T) per classifier. Beams, constraints, F1 and several columns are not
// supported. Also tested in history_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/search/space.h"
#include "espalier/tasks/spaces/decision_plan.h"
#include "espalier/tasks/spaces/label_space.h"

namespace espalier::tasks {

/// Each decision may label any token that has no label yet: candidate t is token t. Every correct label of an
/// open token is an optimal action, and each open token is a training example by itself. The token whose best
/// label scores highest is labelled first, so difficult tokens see the labels of their neighbours. The
/// features are the token's own and the labels that its neighbours on both sides have at that time, up to
/// `history` tokens away. A decision changes the features of these neighbours only, which makes greedy paths
/// cheap. Different orders lead to the same labelling, so a beam would fill up with copies; this space is
/// searched greedily.
class EasiestSpace {
 public:
  static constexpr bool kSeparateCandidates = true;

  /// The decisions of a path, shared by all states along it: state n uses the first n decisions.
  struct Path {
    static constexpr uint32_t kNever = 0xFFFFFFFF;
    std::vector<uint32_t> when;       ///< by token: the number of the decision about it, counted from 0
    std::vector<data::Label> labels;  ///< by token
    std::vector<uint32_t> order;      ///< tokens in the order of decisions
  };
  struct State {
    std::shared_ptr<Path> path;
    uint32_t made = 0, errors = 0;
    /// The label of a token; kNoLabel if it is open.
    data::Label label(size_t token) const {
      return path->when[token] < made ? path->labels[token] : data::kNoLabel;
    }
  };

  EasiestSpace(const DecisionPlan& plan, const LabelInput& input);

  State initial() const;
  bool is_goal(const State& s) const { return s.made == input_.length; }
  void actions(const State& s, std::vector<search::Action>& out) const;
  void candidate_actions(const State& s, uint32_t candidate, std::vector<search::Action>& out) const;
  void fresh_candidates(const State& s, std::vector<uint32_t>& out) const;
  /// O(1) if s is the end of its path; O(T) if another action has already been applied to s.
  State apply(const State& s, search::Action action) const;
  size_t labels() const { return plan_.labels.size(); }
  void features(const State& s, uint32_t candidate, search::FeatureSink& sink) const;

  double loss(const State& s) const { return best_loss(s); }
  double best_loss(const State& s) const { return loss_of(s.errors); }
  double best_loss_after(const State& s, search::Action action) const {
    return loss_of(s.errors + (is_error(action) ? 1 : 0));
  }
  void optimal_actions(const State& s, std::vector<search::Action>& out) const;
  /// The readable name of the i-th hashed feature that features() adds for the candidate.
  std::string entry_name(const State& s, uint32_t candidate, size_t i) const;

 private:
  /// The label at a distance from the token; kNoLabel if it is open, kOutside beyond the ends.
  static constexpr uint32_t kOutside = 0x10000;
  uint32_t around(const State& s, size_t token, int distance) const {
    const int64_t at = static_cast<int64_t>(token) + distance;
    return at < 0 || at >= static_cast<int64_t>(input_.length) ? kOutside : s.label(static_cast<size_t>(at));
  }
  bool is_error(search::Action action) const {
    const data::Label right = input_.gold[action.candidate];
    return right != data::kNoLabel && right != action.label;
  }
  double loss_of(uint32_t errors) const {
    return plan_.loss == SequenceLoss::kZeroOne ? (errors > 0 ? 1 : 0) : errors;
  }

  /// Calls emit(hash, first, last) for each n-gram of the labels at distances first to last, without 0.
  template <typename Emit>
  void visit_grams(const State& s, uint32_t token, const Emit& emit) const;

  const DecisionPlan& plan_;
  LabelInput input_;
  size_t reach_;  ///< how far away labels are features
};

}  // namespace espalier::tasks

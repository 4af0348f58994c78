// The search space that labels a sequence in several columns at once (SEARN, section 6.1.4), such as parts of
// speech and chunks. A path has one decision per token and column. Constraints and F1 are not supported.
// Also tested in history_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/search/space.h"
#include "espalier/tasks/spaces/decision_plan.h"
#include "espalier/tasks/spaces/recent_labels.h"

namespace espalier::tasks {

/// What the space needs to know about one sequence. Views.
struct JointInput {
  size_t length = 0;                  ///< number of tokens
  std::span<const data::Label> gold;  ///< tokens × columns, as labels of the plan; empty when only decoding
  std::span<const uint64_t> edges;    ///< hashes of features to be joined with the previous label
  std::span<const uint32_t> edge_begin;  ///< token t has edges[edge_begin[t] .. edge_begin[t+1])
  std::span<const uint64_t> words;       ///< hash of each token's word; may be empty
  /// Per token: the label it must get in the last column, or kNoLabel. Empty: none is forced.
  std::span<const data::Label> forced = {};
};

/// One decision per token and column. In round u the columns are decided in order, column c at token u −
/// c·lead. With lead 0 all columns of a token are decided before the next token. Otherwise each column runs
/// `lead` tokens ahead of the next one, whose decisions then see its labels on both sides of their token.
/// (Tokens count in the order of decisions; from right to left, "ahead" means to the left.)
///
/// Features: the token's block; label n-grams of the same column; the last label with the word; from the
/// columns ahead, the labels around the token as singles, pairs and triples, also with the word and with the
/// column's own previous label (this includes the crossing pairs of section 6.1.4); from the columns behind,
/// their last labels. A state remembers the labels of each column that any of these features looks at.
class JointSpace {
 public:
  struct State {
    uint32_t made = 0;    ///< number of decisions
    uint32_t errors = 0;  ///< how many of them are wrong
    /// Column c has the slots_ entries from c·slots_ on, its latest label first.
    RecentLabels<12> recent;
  };

  JointSpace(const DecisionPlan& plan, const JointInput& input);

  State initial() const {
    State s;
    s.recent = RecentLabels<12>(columns_ * slots_);
    return s;
  }
  bool is_goal(const State& s) const { return s.made == schedule_.size(); }
  void actions(const State& s, std::vector<search::Action>& out) const;
  /// All labels of the column, unless labels are forced.
  search::LabelRange free_labels(const State& s) const {
    if (!input_.forced.empty()) return {};
    const size_t c = column(s);
    return {plan_.column_begin[c], plan_.column_begin[c + 1]};
  }
  State apply(const State& s, search::Action action) const;
  size_t labels() const { return plan_.labels.size(); }
  void features(const State& s, uint32_t candidate, search::FeatureSink& sink) const;

  double loss(const State& s) const { return best_loss(s); }
  double best_loss(const State& s) const {
    return plan_.loss == SequenceLoss::kZeroOne ? (s.errors > 0 ? 1 : 0) : s.errors;
  }
  void optimal_actions(const State& s, std::vector<search::Action>& out) const;
  double loss_so_far(const State& s) const { return s.errors; }
  /// The future depends on the remembered labels.
  uint64_t future_key(const State& s) const { return s.recent.hash(0); }
  State goal_like(const State& s, const State& other, const State& goal) const {
    State out = goal;
    out.errors = s.errors + (goal.errors - other.errors);
    return out;
  }

  /// The token and the column that the next decision is about.
  size_t token(const State& s) const { return token_at(schedule_[s.made] / columns_); }
  size_t column(const State& s) const { return schedule_[s.made] % columns_; }
  /// The readable name of the i-th hashed feature that features() adds in this state.
  std::string entry_name(const State& s, size_t i) const;

 private:
  /// In place of a label: beyond the ends, and not yet decided.
  static constexpr uint32_t kOutside = 0x10000, kOpen = 0x10001;

  size_t token_at(size_t place) const {
    return plan_.order == DecisionOrder::kRightToLeft ? input_.length - 1 - place : place;
  }
  /// The label of `column` at `offset` from a place, in a state that decides about (place, c). Places count
  /// in the order of decisions.
  uint32_t label_at(const State& s, size_t place, size_t c, size_t column, int offset) const;
  /// Calls emit(hash, [&] { return name; }) for each feature that depends on earlier labels.
  template <typename Emit>
  void visit_entries(const State& s, const Emit& emit) const;

  const DecisionPlan& plan_;
  JointInput input_;
  size_t columns_, slots_;
  std::vector<uint32_t> schedule_;  ///< per decision: place · columns + column
};

}  // namespace espalier::tasks

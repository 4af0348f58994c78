// Labelling a sequence in several columns at once, as a search (section 6.1.4).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/search/space.h"
#include "espalier/tasks/spaces/recent_labels.h"
#include "espalier/tasks/spaces/sequence_shape.h"

namespace espalier::tasks {

/// What the space looks at in one sequence. Views.
struct JointInput {
  size_t length = 0;                  ///< tokens
  std::span<const data::Label> gold;  ///< tokens × columns, as labels of the shape; empty when only decoding
  std::span<const uint64_t> edges;    ///< hashes of features to be joined with the label before …
  std::span<const uint32_t> edge_begin;  ///< … those of token t: edges[edge_begin[t] .. edge_begin[t+1])
  std::span<const uint64_t> words;       ///< hash of every token's word; may be empty
  /// Per token: the label it must get in the last column, or kNoLabel; empty: free.
  std::span<const data::Label> forced = {};
};

/// One decision a token and column. In round u the columns are decided in their order, column c at token
/// u − c·lead: with lead 0 all columns of a token before the next token, otherwise each column runs so many
/// tokens ahead of the next one, whose decisions then see its labels on both sides of their token. (Tokens
/// are counted in the order of decision; from the right, ahead is to the left.)
///
/// Features are the token's block; label n-grams of the same column, and the last label with the word; of the
/// columns that run ahead the labels around the token, single, in pairs and triples, with the word and with
/// the own label before (the crossing pairs of section 6.1.4 among them); of the columns behind, the labels
/// they got last. A state remembers of each column the labels that any of these features looks at.
class JointSpace {
 public:
  struct State {
    uint32_t made = 0;    ///< decisions
    uint32_t errors = 0;  ///< of these
    /// Column c has slots_ places from c·slots_ on, its latest label first.
    RecentLabels<12> recent;
  };

  JointSpace(const SequenceShape& shape, const JointInput& input);

  State initial() const {
    State s;
    s.recent = RecentLabels<12>(columns_ * slots_);
    return s;
  }
  bool is_goal(const State& s) const { return s.made == schedule_.size(); }
  void actions(const State& s, std::vector<search::Action>& out) const;
  /// Everything in the column, unless labels are forced.
  search::LabelRange free_labels(const State& s) const {
    if (!input_.forced.empty()) return {};
    const size_t c = column(s);
    return {shape_.column_begin[c], shape_.column_begin[c + 1]};
  }
  State apply(const State& s, search::Action action) const;
  size_t labels() const { return shape_.labels.size(); }
  void features(const State& s, uint32_t candidate, search::FeatureSink& sink) const;

  double loss(const State& s) const { return best_loss(s); }
  double best_loss(const State& s) const {
    return shape_.loss == SequenceLoss::kZeroOne ? (s.errors > 0 ? 1 : 0) : s.errors;
  }
  void optimal_actions(const State& s, std::vector<search::Action>& out) const;
  double loss_so_far(const State& s) const { return s.errors; }
  /// What lies ahead depends on the labels that are remembered.
  uint64_t future_key(const State& s) const { return s.recent.hash(0); }
  State goal_like(const State& s, const State& other, const State& goal) const {
    State out = goal;
    out.errors = s.errors + (goal.errors - other.errors);
    return out;
  }

  /// The token and the column that state decides about.
  size_t token(const State& s) const { return token_at(schedule_[s.made] / columns_); }
  size_t column(const State& s) const { return schedule_[s.made] % columns_; }
  /// The readable name of the i-th entry that features() adds in this state.
  std::string entry_name(const State& s, size_t i) const;

 private:
  /// What a column has at a place before, after or at the token in question.
  static constexpr uint32_t kOutside = 0x10000, kOpen = 0x10001;

  size_t token_at(size_t place) const {
    return shape_.order == DecisionOrder::kRightToLeft ? input_.length - 1 - place : place;
  }
  /// The label of a column at a place in the order of decision, in a state that decides about (place, c).
  uint32_t label_at(const State& s, size_t place, size_t c, size_t column, int offset) const;
  /// Calls emit(hash, [&] { return name; }) for what depends on the labels given before.
  template <typename Emit>
  void visit_entries(const State& s, const Emit& emit) const;

  const SequenceShape& shape_;
  JointInput input_;
  size_t columns_, slots_;
  std::vector<uint32_t> schedule_;  ///< per decision: place · columns + column
};

}  // namespace espalier::tasks

// Labelling a sequence in an order of its own choosing, the easiest token first, as a search.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/search/space.h"
#include "espalier/tasks/label_space.h"
#include "espalier/tasks/sequence_shape.h"

namespace espalier::tasks {

/// One decision is about any token that has no label yet: candidate t is the token, the label its label.
/// Every right label of an open token is an optimal action; each open token is an example by itself, and the
/// one whose label scores highest is labelled first, so that the hard ones see what their neighbours got
/// (section 6.1.8). Features are the token's, and the labels that its neighbours on both sides have by then.
/// A sequence of T tokens has T states with up to T candidates each: O(T²) rows, O(T²·L) costs. Different
/// orders lead to the same labelling, so a beam would fill with copies; this space is searched greedily.
class EasiestSpace {
 public:
  static constexpr bool kCandidatesApart = true;
  struct State {
    std::vector<data::Label> labels;  ///< kNoLabel: open
    uint32_t made = 0, errors = 0;
  };

  EasiestSpace(const SequenceShape& shape, const LabelInput& input) : shape_(shape), input_(input) {}

  State initial() const { return {std::vector<data::Label>(input_.length, data::kNoLabel), 0, 0}; }
  bool is_goal(const State& s) const { return s.made == input_.length; }
  void actions(const State& s, std::vector<search::Action>& out) const;
  State apply(const State& s, search::Action action) const;
  size_t labels() const { return shape_.labels.size(); }
  void features(const State& s, uint32_t candidate, search::FeatureSink& sink) const;

  double loss(const State& s) const { return best_loss(s); }
  double best_loss(const State& s) const {
    return shape_.loss == SequenceLoss::kZeroOne ? (s.errors > 0 ? 1 : 0) : s.errors;
  }
  void optimal_actions(const State& s, std::vector<search::Action>& out) const;
  /// The readable name of the i-th entry that features() adds for the candidate.
  std::string entry_name(const State& s, uint32_t candidate, size_t i) const;

 private:
  /// What stands so far from the token: a label, kNoLabel where it is open, kOutside beyond the ends.
  static constexpr uint32_t kOutside = 0x10000;
  uint32_t around(const State& s, size_t token, int distance) const {
    const int64_t at = static_cast<int64_t>(token) + distance;
    return at < 0 || at >= static_cast<int64_t>(input_.length) ? kOutside : s.labels[static_cast<size_t>(at)];
  }

  const SequenceShape& shape_;
  LabelInput input_;
};

}  // namespace espalier::tasks

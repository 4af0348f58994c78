// One sequence as its experts label it, token by token.
#pragma once

#include <span>
#include <vector>

#include "espalier/data/label_set.h"

namespace espalier::ensemble {

/// Labels of T tokens by p experts, row by row; data::kNoLabel where an expert says nothing. `gold` is empty
/// where there is none. If outputs of unequal length were aligned (multiple_alignment.h), a row
/// is a column of that alignment, and `target` holds the gold labels themselves.
struct TokenVotes {
  size_t experts = 0;
  std::vector<data::Label> gold;
  std::vector<data::Label> target;
  std::vector<data::Label> votes;
  std::vector<float> probability;  ///< like votes: the expert's probability of its label; empty: not used

  size_t length() const { return experts == 0 ? 0 : votes.size() / experts; }
  std::span<const data::Label> row(size_t token) const {
    return std::span(votes).subspan(token * experts, experts);
  }
  data::Label label(size_t token, size_t expert) const { return votes[token * experts + expert]; }
  void reset(size_t expert_count, size_t tokens) {
    experts = expert_count;
    gold.clear();
    target.clear();
    probability.clear();
    votes.assign(experts * tokens, data::kNoLabel);
  }
  /// Whether an expert abstains at every token.
  bool silent(size_t expert) const {
    for (size_t t = 0; t < length(); ++t)
      if (label(t, expert) != data::kNoLabel) return false;
    return true;
  }
};

}  // namespace espalier::ensemble

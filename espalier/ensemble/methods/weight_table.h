// Weights of experts, slot by slot, and the vote under them. Tested in online_test.cc and selection_test.cc.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

/// What every deterministic method ends in: a weight for each expert in each slot. The vote at an item goes
/// to the value with the largest total weight (equation 5; the product over items is largest where every
/// factor is). Immutable use is thread-safe.
struct WeightTable {
  size_t experts = 0;
  std::vector<double> weights;  ///< slots × p; not negative
  /// p: what a slot that learning never saw gets, the mean of the rows by how many items they saw.
  std::vector<double> elsewhere;
  /// Expert → place in the order that decides ties: the value said by the expert with the lowest place wins.
  /// Empty: the order in which they were given.
  std::vector<uint32_t> tie_order;

  size_t slots() const { return experts == 0 ? 0 : weights.size() / experts; }
  std::span<const double> row(size_t slot) const {
    if (slot >= slots()) return elsewhere;
    return std::span(weights).subspan(slot * experts, experts);
  }
  /// The same row for every slot.
  static WeightTable constant(std::span<const double> row);
  bool operator==(const WeightTable&) const = default;
};

/// How the scores of a labelling's items make one score where items depend on each other (an automaton, a
/// label scheme); taken one by one the best items are the same.
enum class VoteForm {
  kProduct,  ///< of the shares at each item (equation 5, and section 4.1's second form)
  kSum,      ///< of the weights at each item (ESPBoost's first form)
};

struct Winner {
  Value value = kAbsent;  ///< kAbsent if all experts abstain
  double share = 0;       ///< its share of the weight of the experts that vote
};

/// The vote at one item. Experts without a voice here leave their weight to the others, in proportion
/// (section 5.5). Where all who speak weigh nothing, they count alike. O(p²) at worst, O(p · distinct values)
/// in general; one comparison per expert where all agree.
Winner vote(std::span<const Value> item, std::span<const double> row,
            std::span<const uint32_t> tie_order = {});

/// The weights of the experts at item i: the row of its slot, each times the expert's probability where there
/// is one (then in `scratch`).
std::span<const double> item_row(const VoteView& view, size_t i, const WeightTable& table,
                                 std::vector<double>& scratch);

/// The share of each distinct value, in the order in which experts first say it.
struct Share {
  Value value;
  double share;
};
void shares(std::span<const Value> item, std::span<const double> row, std::vector<Share>& out);

/// Mean over sequences of the share of items that are wrong (the normalised Hamming loss of section 2). Items
/// whose gold value is not known are left out; a sequence without any others does not count.
class HammingMean {
 public:
  void add(size_t wrong, size_t known) {
    if (known == 0) return;
    sum_ += static_cast<double>(wrong) / static_cast<double>(known);
    ++sequences_;
  }
  double mean() const { return sequences_ == 0 ? 0 : sum_ / static_cast<double>(sequences_); }
  size_t sequences() const { return sequences_; }

 private:
  double sum_ = 0;
  size_t sequences_ = 0;
};

/// How many items of a sequence the vote gets wrong, and how many have a known gold value.
struct ItemErrors {
  size_t wrong = 0, known = 0;
};
ItemErrors vote_errors(const VoteView& view, const WeightTable& table);
/// The same for one expert alone. Where it is silent it is wrong.
ItemErrors expert_errors(const VoteView& view, size_t expert);

/// The vote's loss over a stream.
Result<HammingMean> evaluate(VoteSource& source, const WeightTable& table);

}  // namespace espalier::ensemble

#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

void VoteBatch::add(const VoteView& view) {
  ESPALIER_CHECK(view.experts == experts_);
  slot_.insert(slot_.end(), view.slot.begin(), view.slot.end());
  if (view.gold.empty())
    gold_.resize(gold_.size() + view.items(), kAbsent);
  else
    gold_.insert(gold_.end(), view.gold.begin(), view.gold.end());
  votes_.insert(votes_.end(), view.votes.begin(), view.votes.end());
  probability_.insert(probability_.end(), view.probability.begin(), view.probability.end());
  ESPALIER_CHECK(probability_.empty() || probability_.size() == votes_.size());
  end_sequence();
}

}  // namespace espalier::ensemble

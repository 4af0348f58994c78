#include "espalier/ensemble/votes.h"

#include "espalier/data/folds.h"

namespace espalier::ensemble {

void VoteBatch::add(const VoteView& view) {
  ESPALIER_CHECK(view.experts == experts_);
  slot_.insert(slot_.end(), view.slot.begin(), view.slot.end());
  if (view.gold.empty())
    gold_.resize(gold_.size() + view.items(), kAbsent);
  else
    gold_.insert(gold_.end(), view.gold.begin(), view.gold.end());
  votes_.insert(votes_.end(), view.votes.begin(), view.votes.end());
  end_sequence();
}

Result<bool> FilteredSource::next(VoteView& view) {
  while (true) {
    ESPALIER_ASSIGN(const bool more, all_.next(view));
    if (!more) return false;
    if ((data::fold_of(at_++, folds_, seed_) == fold_) == inside_) return true;
  }
}

}  // namespace espalier::ensemble

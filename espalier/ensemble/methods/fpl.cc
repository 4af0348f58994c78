#include "espalier/ensemble/methods/fpl.h"

#include <cmath>
#include <vector>

#include "espalier/ensemble/methods/item_losses.h"
#include "espalier/ensemble/methods/online_to_batch.h"
#include "espalier/ensemble/methods/slot_sums.h"

namespace espalier::ensemble {
namespace {

/// The game itself: the same seed plays the same rounds.
class PerturbedLeader {
 public:
  PerturbedLeader(size_t experts, size_t slots, double epsilon, uint64_t seed)
      : experts_(experts),
        reach_(1 / epsilon),
        random_(seed),
        losses_(experts),
        cost_(slots * experts, 0),
        perturbed_(slots * experts, 0),
        choice_(slots, 0) {
    for (size_t k = 0; k < slots; ++k) draw(k);
  }

  /// The normalised loss of the path drawn for this sequence.
  double predict(const VoteView& view) {
    losses_.measure(view);
    if (losses_.known() == 0) return 0;
    for (const uint32_t slot : losses_.used()) draw(slot);
    size_t wrong = 0;
    for (size_t i = 0; i < view.items(); ++i) {
      if (view.gold[i] == kAbsent) continue;
      wrong += said(view.item(i), view.slot[i]) != view.gold[i];
    }
    return static_cast<double>(wrong) / static_cast<double>(losses_.known());
  }
  void update() {
    for (const uint32_t slot : losses_.changed()) {
      const std::span<const double> charges = losses_.charges(slot);
      for (size_t j = 0; j < experts_; ++j) cost_[slot * experts_ + j] += charges[j];
    }
  }
  const ItemLosses& losses() const { return losses_; }
  uint32_t choice(size_t slot) const { return choice_[slot]; }

 private:
  void draw(size_t slot) {
    double* const perturbed = perturbed_.data() + slot * experts_;
    for (size_t j = 0; j < experts_; ++j)
      perturbed[j] = cost_[slot * experts_ + j] + random_.uniform() * reach_;
    size_t best = 0;
    for (size_t j = 1; j < experts_; ++j)
      if (perturbed[j] < perturbed[best]) best = j;
    choice_[slot] = static_cast<uint32_t>(best);
  }
  /// What the path says: the expert drawn, or the best of those who speak.
  Value said(std::span<const Value> item, size_t slot) const {
    if (item[choice_[slot]] != kAbsent) return item[choice_[slot]];
    const double* const perturbed = perturbed_.data() + slot * experts_;
    size_t best = experts_;
    for (size_t j = 0; j < experts_; ++j)
      if (item[j] != kAbsent && (best == experts_ || perturbed[j] < perturbed[best])) best = j;
    return best == experts_ ? kAbsent : item[best];
  }

  size_t experts_;
  double reach_;
  Random random_;
  ItemLosses losses_;
  std::vector<double> cost_, perturbed_;  ///< slots × p
  std::vector<uint32_t> choice_;
};

/// Counts by slot and expert that are reset in O(1).
class ChoiceCounts {
 public:
  ChoiceCounts(size_t slots, size_t experts)
      : experts_(experts), counts_(slots * experts, 0), started_(slots, 0) {}
  void restart() { ++start_; }
  void add(size_t slot, size_t expert) {
    if (started_[slot] != start_) clear(slot);
    counts_[slot * experts_ + expert] += 1;
  }
  /// Precondition for slots never added to since the restart: the caller fills them.
  bool empty(size_t slot) const { return started_[slot] != start_; }
  void clear(size_t slot) {
    for (size_t j = 0; j < experts_; ++j) counts_[slot * experts_ + j] = 0;
    started_[slot] = start_;
  }
  const std::vector<double>& counts() const { return counts_; }

 private:
  size_t experts_, start_ = 1;
  std::vector<double> counts_;
  std::vector<size_t> started_;
};

struct FplCensus {
  size_t slots = 0, rounds = 0;
  std::vector<double> arc_loss, used;
};

Result<FplCensus> fpl_census(VoteSource& source) {
  FplCensus census;
  const size_t p = source.experts();
  ItemLosses losses(p);
  ESPALIER_TRY(for_each_sequence(source, [&](const VoteView& view) {
    losses.measure(view);
    if (losses.known() == 0) return;
    ++census.rounds;
    census.arc_loss.resize(losses.slots() * p, 0);
    census.used.resize(losses.slots(), 0);
    for (const uint32_t slot : losses.used()) census.used[slot] += 1;
    for (const uint32_t slot : losses.changed())
      for (size_t j = 0; j < p; ++j)
        census.arc_loss[slot * p + j] += losses.charges(slot)[j] / static_cast<double>(losses.known());
  }));
  census.slots = losses.slots();
  return census;
}

std::vector<double> mean_choice(const WeightTable& table, std::span<const double> used) {
  std::vector<double> mean(table.experts, 0);
  double total = 0;
  for (size_t k = 0; k < table.slots(); ++k) {
    double row = 0;
    for (const double w : table.row(k)) row += w;
    if (!(row > 0)) continue;
    total += used[k];
    for (size_t j = 0; j < table.experts; ++j) mean[j] += used[k] * table.row(k)[j] / row;
  }
  for (double& m : mean) m /= total;
  return mean;
}

}  // namespace

Result<FplResult> learn_fpl(VoteSource& source, const FplOptions& options, const Monitor& monitor) {
  ESPALIER_ASSIGN(FplCensus census, fpl_census(source));
  if (census.rounds == 0) return fail("there is no sequence with gold labels to learn from");
  const size_t p = source.experts(), T = census.rounds, slots = census.slots;
  FplResult result;
  result.rounds = T;
  result.epsilon = options.epsilon > 0 ? options.epsilon : 0.5 / static_cast<double>(p * slots);
  result.fpl.experts = result.fpl_cv.experts = p;

  ESPALIER_ASSIGN(const double total,
                  total_loss(source, monitor, PerturbedLeader(p, slots, result.epsilon, options.seed)));
  BatchChoice choice(total, options.loss_bound, options.delta, result);

  PerturbedLeader game(p, slots, result.epsilon, options.seed);
  ChoiceCounts plurality(slots, p);
  std::vector<double>& remaining = census.arc_loss;
  SlotTotal cv_loss(slots);
  for (size_t k = 0; k < slots; ++k) cv_loss.set(k, remaining[k * p + game.choice(k)]);
  std::vector<uint32_t> cv_path(slots, 0);
  ESPALIER_TRY(for_each_sequence(source, [&](const VoteView& view) {
    const double loss = game.predict(view);
    if (game.losses().known() == 0) return;
    for (const uint32_t slot : game.losses().used())
      cv_loss.set(slot, remaining[slot * p + game.choice(slot)]);
    if (choice.begins_suffix()) plurality.restart();
    if (choice.is_best(cv_loss.total()))
      for (size_t k = 0; k < slots; ++k) cv_path[k] = game.choice(k);
    for (const uint32_t slot : game.losses().used()) plurality.add(slot, game.choice(slot));
    for (const uint32_t slot : game.losses().changed()) {
      for (size_t j = 0; j < p; ++j)
        remaining[slot * p + j] -=
            game.losses().charges(slot)[j] / static_cast<double>(game.losses().known());
      cv_loss.set(slot, remaining[slot * p + game.choice(slot)]);
    }
    game.update();
    choice.end_round(loss);
  }));
  for (size_t k = 0; k < slots; ++k)
    if (plurality.empty(k)) {  // not used in the suffix: the current leader
      plurality.clear(k);
      plurality.add(k, game.choice(k));
    }
  result.fpl.weights = plurality.counts();
  result.fpl.elsewhere = mean_choice(result.fpl, census.used);
  result.fpl_cv.weights.assign(slots * p, 0);
  for (size_t k = 0; k < slots; ++k) result.fpl_cv.weights[k * p + cv_path[k]] = 1;
  result.fpl_cv.elsewhere = mean_choice(result.fpl_cv, census.used);
  return result;
}

}  // namespace espalier::ensemble

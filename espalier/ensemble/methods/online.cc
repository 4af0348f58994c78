#include "espalier/ensemble/methods/online.h"

#include <cmath>

#include "espalier/ensemble/methods/online_to_batch.h"
#include "espalier/ensemble/methods/slot_sums.h"

namespace espalier::ensemble {
namespace {

/// What the first pass finds.
struct FirstPass {
  size_t rounds = 0;
  double loss = 0;                ///< S_T
  std::vector<double> arc_loss;   ///< C_T: slots × p
  std::vector<double> slot_used;  ///< items by slot
};

void add_arc_losses(const ItemLosses& losses, size_t experts, double sign, std::vector<double>& arc_loss) {
  const double unit = sign / static_cast<double>(losses.known());
  for (const uint32_t slot : losses.changed()) {
    const std::span<const double> charges = losses.charges(slot);
    for (size_t j = 0; j < experts; ++j) arc_loss[slot * experts + j] += unit * charges[j];
  }
}

Result<FirstPass> first_pass(VoteSource& source, const OnlineOptions& options, const Monitor& monitor) {
  FirstPass pass;
  const size_t p = source.experts();
  Wmwp wmwp(p, options.wmwp);
  ESPALIER_TRY(source.rewind());
  VoteView view;
  while (!monitor.stop_requested()) {
    ESPALIER_ASSIGN(const bool more, source.next(view));
    if (!more) break;
    const double loss = wmwp.predict(view);
    if (wmwp.losses().known() == 0) continue;
    pass.loss += loss;
    ++pass.rounds;
    pass.arc_loss.resize(wmwp.slots() * p, 0);
    pass.slot_used.resize(wmwp.slots(), 0);
    for (const uint32_t slot : wmwp.losses().used()) pass.slot_used[slot] += 1;
    add_arc_losses(wmwp.losses(), p, 1, pass.arc_loss);
    wmwp.update();
  }
  return pass;
}

/// The mean row, by how often each slot was used.
std::vector<double> mean_row(const WeightTable& table, std::span<const double> used) {
  std::vector<double> mean(table.experts, 0);
  double total = 0;
  for (size_t k = 0; k < table.slots(); ++k) {
    total += used[k];
    for (size_t j = 0; j < table.experts; ++j) mean[j] += used[k] * table.weights[k * table.experts + j];
  }
  for (double& m : mean) m /= total;
  return mean;
}

double remaining_loss(std::span<const double> weights, std::span<const double> arc_loss) {
  double loss = 0;
  for (size_t j = 0; j < weights.size(); ++j) loss += weights[j] * arc_loss[j];
  return loss;
}

}  // namespace

double suffix_penalty(double loss_bound, double delta, size_t size) {
  return loss_bound * std::sqrt(std::log(1 / delta) / static_cast<double>(size));
}

double cv_penalty(double loss_bound, double delta, size_t rounds, size_t size) {
  const auto t = static_cast<double>(rounds);
  return loss_bound * std::sqrt(std::log(t * (t + 1) / delta) / (2 * static_cast<double>(size)));
}

Result<OnlineResult> learn_online(VoteSource& source, const OnlineOptions& options, const Monitor& monitor) {
  ESPALIER_CHECK(options.delta > 0 && options.delta < 1 && options.loss_bound > 0);
  ESPALIER_ASSIGN(FirstPass pass, first_pass(source, options, monitor));
  if (pass.rounds == 0) return fail("there is no sequence with gold labels to learn from");
  const size_t p = source.experts(), T = pass.rounds, slots = pass.slot_used.size();

  OnlineResult result;
  result.rounds = T;
  result.mvote.experts = result.cv.experts = result.suffix.experts = p;
  result.suffix.slots = slots;

  Wmwp wmwp(p, options.wmwp);
  wmwp.reserve_slots(slots);
  SlotSums suffix(slots, p);
  std::vector<double>& remaining = pass.arc_loss;  // C_T − C_{t−1}
  SlotTotal cv_loss(slots);
  const auto arc_loss_of = [&](size_t slot) { return std::span(remaining).subspan(slot * p, p); };
  for (size_t k = 0; k < slots; ++k) cv_loss.set(k, remaining_loss(wmwp.weights(k), arc_loss_of(k)));

  BatchChoice choice(pass.loss, options.loss_bound, options.delta, result);
  ESPALIER_TRY(source.rewind());
  VoteView view;
  while (choice.round() < T) {
    ESPALIER_ASSIGN(const bool more, source.next(view));
    if (!more) return fail("the experts' predictions changed between two readings");
    const double loss = wmwp.predict(view);
    if (wmwp.losses().known() == 0) continue;
    const size_t t = choice.round();
    if (choice.begins_suffix()) {
      suffix.start(t);
      result.suffix.weights.clear();
    }
    if (choice.is_best(cv_loss.total()))
      result.cv.weights.assign(wmwp.all_weights().begin(), wmwp.all_weights().end());
    if (options.keep_suffix)
      result.suffix.weights.insert(result.suffix.weights.end(), wmwp.all_weights().begin(),
                                   wmwp.all_weights().end());
    for (const uint32_t slot : wmwp.losses().changed()) suffix.settle(slot, t, wmwp.weights(slot));
    add_arc_losses(wmwp.losses(), p, -1, remaining);
    wmwp.update();
    for (const uint32_t slot : wmwp.losses().changed())
      cv_loss.set(slot, remaining_loss(wmwp.weights(slot), arc_loss_of(slot)));
    choice.end_round(loss);
  }
  for (size_t k = 0; k < slots; ++k) suffix.settle(k, T - 1, wmwp.weights(k));
  result.mvote.weights = suffix.sums();
  for (double& w : result.mvote.weights) w /= static_cast<double>(T - result.suffix_begin);
  result.mvote.elsewhere = mean_row(result.mvote, pass.slot_used);
  result.cv.elsewhere = mean_row(result.cv, pass.slot_used);
  return result;
}

void DistributionSuffix::draw_path(Random& random, std::vector<uint32_t>& path) const {
  const size_t t = random.below(size());
  path.resize(slots);
  for (size_t k = 0; k < slots; ++k) {
    const float* const w = weights.data() + (t * slots + k) * experts;
    double rest = random.uniform();
    size_t j = 0;
    while (j + 1 < experts && rest >= w[j]) rest -= w[j++];
    path[k] = static_cast<uint32_t>(j);
  }
}

Result<double> expected_random_loss(VoteSource& source, const WeightTable& mvote) {
  double sum = 0;
  size_t sequences = 0;
  ESPALIER_TRY(for_each_sequence(source, [&](const VoteView& view) {
    size_t known = 0;
    double wrong = 0;
    for (size_t i = 0; i < view.items(); ++i) {
      if (view.gold[i] == kAbsent) continue;
      ++known;
      const std::span<const double> row = mvote.row(view.slot[i]);
      const std::span<const Value> item = view.item(i);
      double right = 0, awake = 0;
      for (size_t j = 0; j < item.size(); ++j) {
        if (item[j] == kAbsent) continue;
        awake += row[j];
        if (item[j] == view.gold[i]) right += row[j];
      }
      wrong += awake > 0 ? 1 - right / awake : 1;
    }
    if (known == 0) return;
    sum += wrong / static_cast<double>(known);
    ++sequences;
  }));
  return sequences == 0 ? 0 : sum / static_cast<double>(sequences);
}

}  // namespace espalier::ensemble

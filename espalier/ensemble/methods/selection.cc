#include "espalier/ensemble/methods/selection.h"

#include <algorithm>
#include <limits>

#include "espalier/ensemble/votes/patterns.h"

namespace espalier::ensemble {
namespace {

constexpr uint32_t kNever = 0xFFFFFFFF;

/// The votes of the experts added so far, for one pattern.
struct Tally {
  std::vector<uint32_t> count;  ///< per group
  std::vector<uint32_t> since;  ///< per group: the round in which its first expert was added
};

/// The group that wins, where `extra` (or kSilentCode) gets one vote more, cast in round `now`.
uint8_t winner(const Tally& tally, uint8_t extra, uint32_t now) {
  uint8_t best = kSilentCode;
  uint32_t best_count = 0, best_since = kNever;
  for (size_t g = 0; g < tally.count.size(); ++g) {
    const bool more = g == extra;
    const uint32_t count = tally.count[g] + more;
    const uint32_t since = more ? std::min(tally.since[g], now) : tally.since[g];
    if (count > best_count || (count == best_count && count > 0 && since < best_since)) {
      best = static_cast<uint8_t>(g);
      best_count = count;
      best_since = since;
    }
  }
  return best;
}

/// The expert with the lowest error. Ties go to one that was added before, the earliest of these; among
/// experts that are all new, to the first. Sums of the same weights in another order count as equal.
size_t next_expert(const std::vector<double>& error, const std::vector<uint32_t>& added) {
  constexpr double kSameSum = 1e-12;
  const double least = *std::min_element(error.begin(), error.end()) + kSameSum;
  for (const uint32_t expert : added)
    if (error[expert] <= least) return expert;
  return static_cast<size_t>(std::find_if(error.begin(), error.end(), [&](double e) { return e <= least; }) -
                             error.begin());
}

}  // namespace

Result<SleResult> learn_sle(VoteSource& source, const SleOptions& options, const Monitor& monitor) {
  ESPALIER_CHECK(options.rounds > 0);
  ESPALIER_ASSIGN(const std::vector<Pattern> patterns, collect_patterns(source, PatternKind::kAgreement));
  const size_t p = source.experts();
  std::vector<Tally> tallies(patterns.size());
  for (size_t i = 0; i < patterns.size(); ++i) {
    size_t groups = 0;
    for (const char c : patterns[i].codes)
      if (static_cast<uint8_t>(c) != kSilentCode)
        groups = std::max<size_t>(groups, static_cast<uint8_t>(c) + 1u);
    tallies[i].count.assign(groups, 0);
    tallies[i].since.assign(groups, kNever);
  }

  std::vector<uint32_t> order;
  size_t best_prefix = 0;
  SleResult result;
  result.error = std::numeric_limits<double>::infinity();
  std::vector<double> error(p);
  for (uint32_t t = 0; t < static_cast<uint32_t>(options.rounds) && !monitor.stop_requested(); ++t) {
    Progress progress;
    progress.phase = "selecting";
    progress.done = static_cast<double>(t);
    progress.total = static_cast<double>(options.rounds);
    monitor.report(progress);
    std::fill(error.begin(), error.end(), 0);
    for (size_t i = 0; i < patterns.size(); ++i)
      for (size_t j = 0; j < p; ++j) {
        const uint8_t won = winner(tallies[i], static_cast<uint8_t>(patterns[i].codes[j]), t);
        if (won != patterns[i].gold || won == kSilentCode) error[j] += patterns[i].weight;
      }
    const size_t chosen = next_expert(error, order);
    order.push_back(static_cast<uint32_t>(chosen));
    for (size_t i = 0; i < patterns.size(); ++i) {
      const auto group = static_cast<uint8_t>(patterns[i].codes[chosen]);
      if (group == kSilentCode) continue;
      ++tallies[i].count[group];
      tallies[i].since[group] = std::min(tallies[i].since[group], t);
    }
    if (error[chosen] < result.error) {
      result.error = error[chosen];
      best_prefix = order.size();
    }
  }
  if (order.empty()) return fail("interrupted before an expert was selected");
  result.added.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(best_prefix));
  std::vector<double> counts(p, 0);
  for (const uint32_t expert : result.added) counts[expert] += 1;
  result.table = WeightTable::constant(counts);
  // Those never added come last, in the order given; they decide only where no other speaks.
  result.table.tie_order.assign(p, kNever);
  uint32_t place = 0;
  for (const uint32_t expert : result.added)
    if (result.table.tie_order[expert] == kNever) result.table.tie_order[expert] = place++;
  for (uint32_t& at : result.table.tie_order)
    if (at == kNever) at = place++;
  return result;
}

WeightTable majority_table(size_t experts) { return WeightTable::constant(std::vector<double>(experts, 1)); }

WeightTable single_expert_table(size_t experts, size_t expert) {
  std::vector<double> row(experts, 0);
  row[expert] = 1;
  return WeightTable::constant(row);
}

Result<std::vector<HammingMean>> expert_losses(VoteSource& source) {
  std::vector<HammingMean> losses(source.experts());
  ESPALIER_TRY(for_each_sequence(source, [&](const VoteView& view) {
    for (size_t j = 0; j < losses.size(); ++j) {
      const ItemErrors errors = expert_errors(view, j);
      losses[j].add(errors.wrong, errors.known);
    }
  }));
  return losses;
}

Result<BestExpert> best_expert(VoteSource& source) {
  ESPALIER_ASSIGN(const std::vector<HammingMean> losses, expert_losses(source));
  if (losses.front().sequences() == 0) return fail("there is no sequence with gold labels to learn from");
  BestExpert best;
  for (size_t j = 1; j < losses.size(); ++j)
    if (losses[j].mean() < losses[best.expert].mean()) best.expert = j;
  best.loss = losses[best.expert].mean();
  best.table = single_expert_table(losses.size(), best.expert);
  return best;
}

}  // namespace espalier::ensemble

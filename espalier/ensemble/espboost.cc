#include "espalier/ensemble/espboost.h"

#include <algorithm>
#include <cmath>

#include "espalier/ensemble/patterns.h"

namespace espalier::ensemble {
namespace {

/// The vote's margin at an item: weight of the gold value minus that of the strongest other, over Σ weights.
double item_margin(std::span<const Value> item, Value gold, std::span<const double> row,
                   std::vector<Share>& tally) {
  tally.clear();
  double right = 0, total = 0;
  for (size_t j = 0; j < item.size(); ++j) {
    total += row[j];
    if (item[j] == kAbsent) continue;
    if (item[j] == gold) {
      right += row[j];
      continue;
    }
    size_t v = 0;
    while (v < tally.size() && tally[v].value != item[j]) ++v;
    if (v == tally.size())
      tally.push_back({item[j], row[j]});
    else
      tally[v].share += row[j];
  }
  double other = 0;
  for (const Share& share : tally) other = std::max(other, share.share);
  return total > 0 ? (right - other) / total : 0;
}

/// Calls use(margin, weight of the item); weights sum to 1.
template <typename Use>
Status for_each_margin(VoteSource& source, const WeightTable& table, const Use& use) {
  std::vector<Share> tally;
  return for_each_sequence(source, [&](const VoteView& view) {
    size_t known = 0;
    for (const Value gold : view.gold) known += gold != kAbsent;
    for (size_t i = 0; i < view.items(); ++i)
      if (view.gold[i] != kAbsent)
        use(item_margin(view.item(i), view.gold[i], table.row(view.slot[i]), tally),
            1 / static_cast<double>(known));
  });
}

struct Sides {
  double right = 0, wrong = 0;
};

}  // namespace

std::string BoostResult::in_words() const {
  switch (end) {
    case BoostEnd::kRounds:
      return fmt::format("{} rounds", rounds.size());
    case BoostEnd::kWeakLearning:
      return fmt::format(
          "ended after {} rounds: no path expert was better than chance on what was left (error {:.4f})",
          rounds.size(), failed_error);
    case BoostEnd::kPerfect:
      return "a path expert makes no error at all on the sample; it stands alone";
    case BoostEnd::kInterrupted:
      return fmt::format("interrupted after {} rounds", rounds.size());
  }
  return {};
}

Result<BoostResult> learn_espboost(VoteSource& source, const BoostOptions& options, const Monitor& monitor) {
  ESPALIER_CHECK(options.rounds > 0 && options.edge >= 0);
  ESPALIER_ASSIGN(std::vector<Pattern> patterns, collect_patterns(source, PatternKind::kCorrectness));
  const size_t p = source.experts();
  size_t slots = 0;
  std::vector<double> used;
  for (const Pattern& pattern : patterns) {
    slots = std::max<size_t>(slots, pattern.slot + 1);
    used.resize(slots, 0);
    used[pattern.slot] += static_cast<double>(pattern.items);
  }

  BoostResult result;
  WeightTable& table = result.table;
  table.experts = p;
  table.weights.assign(slots * p, 0);
  std::vector<Sides> sides(slots * p);
  for (int t = 0; t < options.rounds; ++t) {
    if (monitor.stop_requested()) {
      result.end = BoostEnd::kInterrupted;
      break;
    }
    Progress progress;
    progress.phase = "boosting";
    progress.done = static_cast<double>(t);
    progress.total = static_cast<double>(options.rounds);
    monitor.report(progress);
    std::fill(sides.begin(), sides.end(), Sides{});
    for (const Pattern& pattern : patterns)
      for (size_t j = 0; j < p; ++j) {
        Sides& side = sides[pattern.slot * p + j];
        const auto code = static_cast<uint8_t>(pattern.codes[j]);
        if (code == 1) side.right += pattern.weight;
        if (code == 0) side.wrong += pattern.weight;
      }
    // The best path takes in every slot the expert with the steepest descent, W₊ − W₋.
    BoostRound round;
    round.path.assign(slots, 0);
    Sides path;
    for (size_t k = 0; k < slots; ++k) {
      size_t best = 0;
      for (size_t j = 1; j < p; ++j)
        if (sides[k * p + j].right - sides[k * p + j].wrong >
            sides[k * p + best].right - sides[k * p + best].wrong)
          best = j;
      round.path[k] = static_cast<uint32_t>(best);
      path.right += sides[k * p + best].right;
      path.wrong += sides[k * p + best].wrong;
    }
    const double spoken = path.right + path.wrong;
    round.error = spoken > 0 ? path.wrong / spoken : 0.5;
    if (path.wrong <= 0 && path.right > 0) {
      // α would be infinite. D_t is positive everywhere, so this happens in the first round or never.
      result.end = BoostEnd::kPerfect;
      round.step = 1;
      round.normaliser = 0;
    } else if (!(round.error < 0.5 - options.edge)) {
      result.end = BoostEnd::kWeakLearning;
      result.failed_error = round.error;
      break;
    } else {
      round.step = 0.5 * std::log(path.right / path.wrong);
      round.normaliser = std::max(0.0, 1 - spoken) + 2 * std::sqrt(path.right * path.wrong);
    }
    for (size_t k = 0; k < slots; ++k) table.weights[k * p + round.path[k]] += round.step;
    result.objective *= round.normaliser;
    double sum = 0;
    for (Pattern& pattern : patterns) {
      const auto code = static_cast<uint8_t>(pattern.codes[round.path[pattern.slot]]);
      if (code != kSilentCode) pattern.weight *= std::exp(code == 1 ? -round.step : round.step);
      sum += pattern.weight;
    }
    for (Pattern& pattern : patterns) pattern.weight /= sum;
    result.rounds.push_back(std::move(round));
    if (result.end == BoostEnd::kPerfect) break;
  }
  if (result.rounds.empty())
    return fail("no path expert is right more often than wrong (error {:.4f}): there is nothing to boost",
                result.failed_error);
  double total = 0;
  table.elsewhere.assign(p, 0);
  for (size_t k = 0; k < slots; ++k) {
    total += used[k];
    for (size_t j = 0; j < p; ++j) table.elsewhere[j] += used[k] * table.weights[k * p + j];
  }
  for (double& w : table.elsewhere) w /= total;
  return result;
}

Result<std::vector<float>> vote_margins(VoteSource& source, const WeightTable& table) {
  std::vector<float> margins;
  ESPALIER_TRY(for_each_margin(
      source, table, [&](double margin, double) { margins.push_back(static_cast<float>(margin)); }));
  return margins;
}

Result<double> margin_loss(VoteSource& source, const WeightTable& table, double rho) {
  double below = 0, total = 0;
  ESPALIER_TRY(for_each_margin(source, table, [&](double margin, double weight) {
    total += weight;
    if (margin <= rho) below += weight;
  }));
  return total > 0 ? below / total : 0;
}

}  // namespace espalier::ensemble

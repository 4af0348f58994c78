#include "espalier/ensemble/methods/espboost.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "espalier/ensemble/methods/boost_sample.h"

namespace espalier::ensemble {
namespace {

/// After its own step a path has error ½ but for rounding; what is left of that is no edge.
constexpr double kRounding = 1e-12;

/// The vote's margin at an item: weight of the gold value minus that of the strongest other, over Σ weights.
double item_margin(const VoteView& view, size_t i, const WeightTable& table, std::vector<double>& scratch,
                   std::vector<Share>& tally) {
  const std::span<const Value> item = view.item(i);
  double total = 0;
  for (const double w : table.row(view.slot[i])) total += w;
  const std::span<const double> row = item_row(view, i, table, scratch);
  tally.clear();
  double right = 0;
  for (size_t j = 0; j < item.size(); ++j) {
    if (item[j] == kAbsent) continue;
    if (item[j] == view.gold[i]) {
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
  std::vector<double> scratch;
  return for_each_sequence(source, [&](const VoteView& view) {
    size_t known = 0;
    for (const Value gold : view.gold) known += gold != kAbsent;
    for (size_t i = 0; i < view.items(); ++i)
      if (view.gold[i] != kAbsent)
        use(item_margin(view, i, table, scratch, tally), 1 / static_cast<double>(known));
  });
}

/// Finds the path of steepest descent: in every slot the best expert, or the best path of an automaton.
class PathFinder {
 public:
  PathFinder(const BoostSample& sample, const ExpertAutomaton* automaton)
      : p_(sample.experts()), slots_(sample.slots()), automaton_(automaton) {
    if (automaton != nullptr) algorithms_.emplace(automaton->plain());
  }
  void find(std::span<const double> descent, std::vector<uint32_t>& path) {
    if (automaton_ == nullptr) {
      path.resize(slots_);
      for (size_t k = 0; k < slots_; ++k) {
        const auto row = descent.subspan(k * p_, p_);
        path[k] = static_cast<uint32_t>(std::max_element(row.begin(), row.end()) - row.begin());
      }
      return;
    }
    // All paths have as many arcs, so that a constant on every arc changes nothing; 1 keeps costs above 0.
    const std::span<const ExpertAutomaton::Arc> arcs = automaton_->arcs();
    cost_.resize(arcs.size());
    for (size_t a = 0; a < arcs.size(); ++a)
      cost_[a] = arcs[a].position < slots_ ? 1 - descent[arcs[a].position * p_ + arcs[a].expert] : 1;
    algorithms_->shortest_path(cost_, arcs_);
    path.resize(automaton_->positions());
    for (const int a : arcs_)
      path[arcs[static_cast<size_t>(a)].position] = arcs[static_cast<size_t>(a)].expert;
  }

 private:
  size_t p_, slots_;
  const ExpertAutomaton* automaton_;
  std::optional<openfst::Algorithms> algorithms_;
  std::vector<double> cost_;
  std::vector<int> arcs_;
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
      return "a path expert makes no error at all on the sample; the ensemble consists of it alone";
    case BoostEnd::kInterrupted:
      return fmt::format("interrupted after {} rounds", rounds.size());
  }
  return {};
}

Result<BoostResult> learn_espboost(VoteSource& source, const BoostOptions& options, const Monitor& monitor,
                                   const ExpertAutomaton* automaton) {
  ESPALIER_CHECK(options.rounds > 0 && options.edge >= 0);
  ESPALIER_ASSIGN(const std::unique_ptr<BoostSample> sample, read_boost_sample(source));
  const size_t p = source.experts(), slots = sample->slots();
  if (automaton != nullptr && slots > automaton->positions())
    return fail("a sequence has {} positions, but the automaton's paths have {}", slots,
                automaton->positions());

  BoostResult result;
  WeightTable& table = result.table;
  table.experts = p;
  table.weights.assign(slots * p, 0);
  PathFinder finder(*sample, automaton);
  std::vector<double> descent;
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
    sample->descent(descent);
    BoostRound round;
    finder.find(descent, round.path);
    const BoostStep step = sample->step(round.path);
    const double spoken = step.right + step.wrong;
    round.error = spoken > 0 ? step.wrong / spoken : 0.5;
    round.step = step.step;
    round.normaliser = step.normaliser;
    if (step.wrong <= 0 && step.right > 0) {
      // α would be infinite. D_t is positive everywhere, so this happens in the first round or never.
      result.end = BoostEnd::kPerfect;
      round.step = 1;
      round.normaliser = 0;
    } else if (!(round.error < 0.5 - options.edge - kRounding)) {
      result.end = BoostEnd::kWeakLearning;
      result.failed_error = round.error;
      break;
    }
    for (size_t k = 0; k < slots; ++k) table.weights[k * p + round.path[k]] += round.step;
    result.objective *= round.normaliser;
    sample->reweigh(round.path, round.step);
    result.rounds.push_back(std::move(round));
    if (result.end == BoostEnd::kPerfect) break;
  }
  if (result.rounds.empty())
    return fail("no path expert is right more often than wrong (error {:.4f}): there is nothing to boost",
                result.failed_error);
  double total = 0;
  table.elsewhere.assign(p, 0);
  for (size_t k = 0; k < slots; ++k) {
    total += sample->used()[k];
    for (size_t j = 0; j < p; ++j) table.elsewhere[j] += sample->used()[k] * table.weights[k * p + j];
  }
  for (double& w : table.elsewhere) w /= total;
  return result;
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

#include "espalier/cascade/training/tune.h"

#include <algorithm>

#include "espalier/data/refined_predictor.h"

namespace espalier::cascade {

using data::kNoLabel;
using data::Label;

namespace {

constexpr size_t kTunePieces = 16;

}  // namespace

Result<std::vector<TradeOff::Point>> level_curve(const CascadePredictor& cascade,
                                                 std::span<const data::Sequence> sequences,
                                                 std::span<const double> alphas, const Workers& workers) {
  const size_t level = alphas.size(), K = cascade.labels().size();
  std::vector<TradeOff> parts(kTunePieces, TradeOff(cascade.measure(level), cascade.loss_unit()));
  std::vector<Status> troubles(kTunePieces);
  workers.for_each(kTunePieces, [&](size_t piece) {
    const auto scratch = cascade.make_scratch();
    std::vector<Label> gold;
    std::vector<float> items, truth;
    const Range range = piece_of(sequences.size(), kTunePieces, piece);
    for (size_t s = range.first; s < range.last; ++s) {
      const data::Sequence& sequence = sequences[s];
      if (sequence.empty()) continue;
      data::gold_labels(sequence, cascade.labels(), cascade.scheme(), gold);
      cascade.look_up(sequence, *scratch);
      const Status done = cascade.filter(
          {}, alphas,
          [&](const CascadePredictor::LevelSight& sight) {
            if (sight.level != level) return;
            if (sight.trellis == nullptr) {
              truth.clear();
              for (size_t t = 0; t < gold.size(); ++t)
                truth.push_back(gold[t] == kNoLabel ? kAbsent : sight.items[t * K + gold[t]]);
              parts[piece].add(sight.items, truth);
              return;
            }
            const Unit unit = cascade.unit(level);
            truth_ratings(*sight.trellis, *sight.ratings, unit, gold, truth);
            const Ratings& all = *sight.ratings;
            if (unit == Unit::kStates) {
              parts[piece].add(all.state, truth);
              return;
            }
            const size_t first = sight.trellis->lattice.states_at(0).last;
            items.assign(all.state.begin(), all.state.begin() + static_cast<ptrdiff_t>(first));
            items.insert(items.end(), all.arc.begin(), all.arc.end());
            parts[piece].add(items, truth);
          },
          *scratch);
      if (!done.ok()) {
        troubles[piece] = done;
        return;
      }
    }
  });
  for (const Status& trouble : troubles) ESPALIER_TRY(trouble);
  for (size_t p = 1; p < kTunePieces; ++p) parts[0].merge(parts[p]);
  return parts[0].curve();
}

Result<TuneResult> tune(const CascadePredictor& cascade, std::span<const data::Sequence> sequences,
                        const TuneOptions& options, const Workers& workers, const Monitor& monitor) {
  if (cascade.levels() < 2)
    return fail("a cascade of one level filters nothing: there is no threshold to choose");
  bool any = false;
  for (const data::Sequence& sequence : sequences) {
    if (!sequence.empty() && !sequence.has_labels()) return fail("tuning needs labelled sequences");
    for (size_t t = 0; t < sequence.length() && !any; ++t)
      any = cascade.labels().find(sequence.label(t)).has_value();
  }
  if (!any) return fail("no label of the data is one of the model's");
  TuneResult result;
  for (size_t level = 0; level + 1 < cascade.levels(); ++level) {
    Progress progress;
    progress.phase = "tuning";
    progress.done = static_cast<double>(level);
    progress.total = static_cast<double>(cascade.levels() - 1);
    monitor.report(progress);
    if (monitor.stop_requested()) return fail("interrupted before all thresholds were chosen");
    ESPALIER_ASSIGN(auto curve, level_curve(cascade, sequences, result.alphas, workers));
    result.curves.push_back(std::move(curve));
    const double epsilon = options.filter_loss[std::min(level, options.filter_loss.size() - 1)];
    ESPALIER_ASSIGN(const TradeOff::Point point,
                    choose_point(result.curves.back(), level + 1, epsilon, options.budget));
    LevelReport report = cascade.report(level);
    report.alpha = point.alpha;
    report.filter_loss = point.filter_loss;
    report.efficiency = point.efficiency;
    report.alive = point.alive;
    result.alphas.push_back(point.alpha);
    result.reports.push_back(report);
  }
  return result;
}

}  // namespace espalier::cascade

// The library's report on an ensemble turned into the public one. Declared in combine/ensemble.h, tested in
// ensemble_test.cc.
#include <algorithm>

#include "espalier/combine/ensemble.h"

namespace espalier::api {
namespace {

EnsembleReport::Quality quality_of(const eval::TaggingScores& scores, const ensemble::WholeSequences& whole,
                                   double error) {
  EnsembleReport::Quality out;
  out.accuracy = scores.accuracy();
  out.sequence_accuracy = scores.sequence_accuracy();
  out.f1 = scores.f1();
  out.error = error;
  out.edit_distance = whole.edit_distance();
  out.exact = whole.exact_percent();
  return out;
}

}  // namespace

EnsembleReport public_report(const ensemble::EnsembleReport& report,
                             const std::vector<ensemble::BoundLine>& bounds, const data::LabelSet& labels) {
  EnsembleReport out;
  out.sequences = report.sequences;
  out.tokens = report.tokens;
  out.aligned = report.aligned;
  out.chunked = report.ensemble.chunked();
  out.ensemble = quality_of(report.ensemble, report.whole, report.loss);
  out.majority = quality_of(report.majority, report.majority_whole, report.majority_loss);
  out.calibration_error = report.ensemble.calibration().expected_calibration_error();
  out.sequence_calibration_error = report.sequence_calibration.expected_calibration_error();
  out.best_expert = report.best_expert;
  out.difference = report.against_best.difference;
  out.difference_low = report.against_best.low;
  out.difference_high = report.against_best.high;
  out.p_value = report.against_best.p_value;
  for (size_t c = 0; c < ensemble::kPositionClasses; ++c)
    out.places.emplace_back(ensemble::position_class_name(c));
  size_t seen = 0;
  for (const ensemble::ExpertReport& expert : report.experts) seen = std::max(seen, expert.by_label.size());
  for (size_t label = 0; label < seen; ++label)
    out.labels.push_back(labels.name(static_cast<data::Label>(label)));
  const size_t p = report.experts.size();
  for (size_t j = 0; j < p; ++j) {
    const ensemble::ExpertReport& from = report.experts[j];
    EnsembleReport::OfExpert& expert = out.experts.emplace_back();
    expert.name = from.name;
    expert.quality = quality_of(from.scores, from.whole, report.expert_loss[j]);
    expert.weight = from.weight;
    expert.worth = from.left_out_loss;
    expert.silent_sequences = from.silent_sequences;
    for (size_t k = 0; k < p; ++k) expert.agreement.push_back(report.agreement[j * p + k].percent());
    for (const ensemble::Hits& hits : from.by_class) expert.by_place.push_back(hits.percent());
    for (const ensemble::Hits& hits : from.by_label) expert.by_label.push_back({hits.total, hits.percent()});
    expert.by_label.resize(seen);
  }
  for (const ensemble::BoundLine& line : bounds)
    out.bounds.push_back({line.name, line.meaning, line.bound, line.measured});
  return out;
}

}  // namespace espalier::api

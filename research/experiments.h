// The functions behind the table of experiments in experiments.cc. Each has a source file PAPER/PAPER_*.cc of
// its own, or shares one with related experiments. Tested in apps/tests/reproduce_test.sh, which runs them
// all.
#pragma once

#include "research/experiment.h"

namespace espalier::research {

Result<Report> beam_counterexamples(const Request& request);
Result<Report> beam_bounds(const Request& request);
Result<Report> beam_consistency(const Request& request);
Result<Report> constrained_synthetic(const Request& request);
Result<Report> constrained_roles(const Request& request);
Result<Report> constrained_np(const Request& request);
Result<Report> constrained_bounds(const Request& request);
Result<Report> constrained_speed(const Request& request);
Result<Report> ensemble_ads1(const Request& request);
Result<Report> ensemble_ads2(const Request& request);
Result<Report> ensemble_ads3(const Request& request);
Result<Report> ensemble_pronunciation(const Request& request);
Result<Report> ensemble_ocr(const Request& request);
Result<Report> ensemble_pos(const Request& request);
Result<Report> ensemble_long(const Request& request);
Result<Report> ensemble_choice(const Request& request);
Result<Report> ensemble_speed(const Request& request);
Result<Report> cascade_handwriting(const Request& request);
Result<Report> cascade_pos(const Request& request);
Result<Report> cascade_tradeoff(const Request& request);
Result<Report> cascade_speed(const Request& request);
Result<Report> searn_handwriting(const Request& request);
Result<Report> searn_ner(const Request& request);
Result<Report> searn_chunking(const Request& request);
Result<Report> searn_joint(const Request& request);
Result<Report> searn_stacked(const Request& request);
Result<Report> searn_speed(const Request& request);
Result<Report> searn_iterations(const Request& request);
Result<Report> searn_order(const Request& request);
Result<Report> searn_costs(const Request& request);
Result<Report> searn_reductions(const Request& request);
Result<Report> searn_compounding(const Request& request);
Result<Report> searn_summary(const Request& request);
Result<Report> beam_width(const Request& request);

}  // namespace espalier::research

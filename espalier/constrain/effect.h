// What constraints did to one sequence: the outcome, the reasons for changed labels, and predictions with
// probabilities from a lattice of allowed labellings. Tested in constrained_predictor_test.cc.
#pragma once

#include <functional>
#include <vector>

#include "espalier/constrain/constrained_lattice.h"
#include "espalier/constrain/decode.h"
#include "espalier/data/predictor.h"

namespace espalier::constrain {

data::ConstraintEffect::Outcome effect_of(chain::Outcome outcome);

/// The constraints with each one left out in turn.
std::vector<Compiled> each_left_out(const Constraints& constraints);

/// Fills in out.constraints->changes and price: the tokens whose label differs from that without constraints,
/// and for each the constraints that, left out alone, would change the label, with their prices. `score` is
/// the model's score of the answer; `decode_under` decodes under other rules.
using DecodeUnder = std::function<Decoded(const Compiled&)>;
void explain_effect(const Compiled& compiled, const std::vector<Compiled>& without, const Instance& instance,
                    double score, const DecodeUnder& decode_under, data::Prediction& out);

/// The best labellings of a constrained lattice with their probabilities, P(y) ∝ exp((score − penalty) / τ)
/// among the allowed labellings; also confidences, marginals and (for labels of a span scheme) the
/// probabilities of spans, if asked for. Changes the lattice's scores.
Status predict_from_lattice(ConstrainedLattice& lattice, double temperature, const data::LabelSet& labels,
                            data::Scheme scheme, const data::PredictOptions& options, data::Prediction& out);

}  // namespace espalier::constrain

// What became of constraints in one sequence: outcomes, reasons, and what a lattice of legal labellings
// gives. Tested in constrained_predictor_test.cc.
#pragma once

#include <functional>
#include <vector>

#include "espalier/constrain/constrained_lattice.h"
#include "espalier/constrain/decode.h"
#include "espalier/data/predictor.h"

namespace espalier::constrain {

data::ConstraintEffect::Outcome effect_of(chain::Outcome outcome);

/// The constraints without each of them in turn.
std::vector<Compiled> each_left_out(const Constraints& constraints);

/// Fills in out.constraints->changes and price: tokens whose label is another than without constraints, and
/// which constraint, left out alone, would change it back or otherwise, at what price. `score` is the model's
/// score of the answer, `decode_under` the best labelling under other rules.
using DecodeUnder = std::function<Decoded(const Compiled&)>;
void explain_effect(const Compiled& compiled, const std::vector<Compiled>& without, const Instance& instance,
                    double score, const DecodeUnder& decode_under, data::Prediction& out);

/// The best labellings of a constrained lattice with their probabilities, P(y) ∝ exp((score − penalty) / τ)
/// among those that may be; confidences, marginals and (where labels are a span scheme) the probabilities of
/// spans where asked for. Changes the lattice's scores.
Status predict_from_lattice(ConstrainedLattice& lattice, double temperature, const data::LabelSet& labels,
                            data::Scheme scheme, const data::PredictOptions& options, data::Prediction& out);

}  // namespace espalier::constrain

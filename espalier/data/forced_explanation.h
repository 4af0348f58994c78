// Explanations of labellings in which some labels are forced.
//
// explain_with_forced() explains what predict() finds with forced labels. A forced token's runner-up is the
// label that the model would choose without forced labels, or its runner-up there where both agree; the
// margin is below zero where they do not: what forcing costs. Tested in
// espalier/chain/model/model_test.cc and espalier/api/tagger_test.cc.
#pragma once

#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/predictor.h"

namespace espalier::data {

/// Whether any row is forced.
bool any_forced(std::span<const Label> forced);

/// Costs twice as much as explain() where labels are forced; searches compare with every action anyway, and
/// cost the same.
Result<std::vector<Predictor::Explanation>> explain_with_forced(const Predictor& predictor,
                                                                const Sequence& sequence,
                                                                std::span<const Label> forced,
                                                                Predictor::Scratch& scratch);

}  // namespace espalier::data

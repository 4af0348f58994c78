// From a learner's name to trained weights: the one place that knows every chain learner.
#pragma once

#include <functional>

#include "espalier/base/result.h"
#include "espalier/chain/model.h"
#include "espalier/chain/round.h"
#include "espalier/predictor/registry.h"

namespace espalier::predictor {

/// What follows from a learner's name and parameters before any data is seen.
struct LearnerShape {
  bool transitions = true;
  chain::Normalisation normalisation = chain::Normalisation::kSequence;
  bool probabilistic = true;  ///< scores are log-probabilities as they stand; otherwise a temperature is fitted
};
LearnerShape shape_of(std::string_view learner, const ParameterValues& values);

/// How many rounds the learner makes at most.
int total_rounds(std::string_view learner, const ParameterValues& values);

/// Runs the learner.
Result<chain::ChainWeights> learn(std::string_view learner, const ParameterValues& values,
                                  chain::TrainingContext context);

}  // namespace espalier::predictor

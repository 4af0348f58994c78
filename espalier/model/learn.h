// From a learner's name to trained weights: the one place that knows every chain learner.
#pragma once

#include <functional>

#include "espalier/base/result.h"
#include "espalier/chain/learners/round.h"
#include "espalier/chain/model/model.h"
#include "espalier/linear/kernel_model.h"
#include "espalier/model/registry.h"

namespace espalier::model {

/// What follows from a learner's name and parameters before any data is seen.
struct LearnerShape {
  bool transitions = true;
  chain::Normalisation normalisation = chain::Normalisation::kSequence;
  bool probabilistic =
      true;  ///< scores are log-probabilities as they stand; otherwise a temperature is fitted
};
LearnerShape shape_of(std::string_view learner, const ParameterValues& values);

/// True where tokens are scored by a kernel machine (learn_kernel) instead of weights (learn).
bool uses_kernel(std::string_view learner, const ParameterValues& values);
Result<linear::KernelModel> learn_kernel(const ParameterValues& values, const linear::Dataset& data,
                                         size_t labels, uint64_t seed);

/// How many rounds the learner makes at most on so many tokens.
int total_rounds(std::string_view learner, const ParameterValues& values, size_t tokens);

/// The penalty asked for. Left to us, log losses that learn with dropout take less: it penalises, too.
double l2_penalty(const ParameterValues& values, double dropout);

/// Runs the learner.
Result<chain::ChainWeights> learn(std::string_view learner, const ParameterValues& values,
                                  chain::TrainingContext context);

}  // namespace espalier::model

// Training of bracket classifiers from files.
#pragma once

#include <vector>

#include "espalier/predictor/registry.h"
#include "espalier/predictor/training_job.h"

namespace espalier::predictor {

/// The parameters of --learner brackets.
std::vector<Parameter> bracket_parameters();

/// Learns and saves the model. Precondition: the job has read its data.
Status train_brackets(TrainingJob& job);

}  // namespace espalier::predictor

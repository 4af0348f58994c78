// Training of bracket classifiers from files.
#pragma once

#include <vector>

#include "espalier/model/registry.h"
#include "espalier/model/training_job.h"

namespace espalier::model {

/// The parameters of --learner brackets.
std::vector<Parameter> bracket_parameters();

/// Learns and saves the model. Precondition: the job has read its data.
Status train_brackets(TrainingJob& job);

}  // namespace espalier::model

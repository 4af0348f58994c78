// Training of searches (SEARN, the LaSO family, the incremental perceptron) from files.
#pragma once

#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/predictor/registry.h"
#include "espalier/predictor/training_job.h"

namespace espalier::predictor {

/// The parameters of --learner searn, and of the learners that update while they search.
std::vector<Parameter> searn_parameters();
std::vector<Parameter> laso_parameters(std::string_view learner);

/// Learns and saves the model. Precondition: the job has read its data.
Status train_search(TrainingJob& job);

}  // namespace espalier::predictor

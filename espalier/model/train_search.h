// Training of searches (SEARN, the LaSO family, the incremental perceptron) from files.
#pragma once

#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/model/registry.h"
#include "espalier/model/training_job.h"

namespace espalier::model {

/// The parameters of --learner searn, and of the learners that update while they search.
std::vector<Parameter> searn_parameters();
std::vector<Parameter> laso_parameters(std::string_view learner);

/// Where they mean something, and which do not go together.
std::vector<ParameterUse> searn_uses();
std::vector<ParameterUse> search_uses();  ///< of the others
std::vector<Clash> searn_clashes();
std::vector<Clash> search_clashes();
/// What a parameter of these comes to for a task. Beside the parameters: `learner`, `task`; `columns` of
/// labels (one, several); `decisions` (words, columns, easiest, chunks); `policies` that a mixture has (one,
/// several); `width` of the beam (one, several).
std::string search_choice(std::string_view learner, std::string_view task, const ParameterValues& values,
                          std::string_view name);

/// An error where the learner cannot do what the request asks for, whatever the data.
Status check_search(const TrainRequest& request, const ParameterValues& values);

/// Learns and saves the model. Precondition: the job has read its data.
Status train_search(TrainingJob& job);

}  // namespace espalier::model

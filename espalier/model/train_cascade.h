// Training of cascades.
#pragma once

#include "espalier/model/training_job.h"

namespace espalier::model {

/// Learns a cascade on the job's data and writes the model.
Status train_cascade(TrainingJob& job);

}  // namespace espalier::model

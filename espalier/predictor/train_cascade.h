// Training of cascades.
#pragma once

#include "espalier/predictor/training_job.h"

namespace espalier::predictor {

/// Learns a cascade on the job's data and writes the model.
Status train_cascade(TrainingJob& job);

}  // namespace espalier::predictor

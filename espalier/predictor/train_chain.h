// Training of first-order chains: crf, perceptron, svm, memm, local.
#pragma once

#include "espalier/predictor/training_job.h"

namespace espalier::predictor {

/// Learns weights on the job's data and writes the model.
Status train_chain(TrainingJob& job);

}  // namespace espalier::predictor

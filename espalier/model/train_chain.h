// Training of first-order chains: crf, perceptron, svm, memm, local.
#pragma once

#include "espalier/model/training_job.h"

namespace espalier::model {

/// Learns weights on the job's data and writes the model.
Status train_chain(TrainingJob& job);

}  // namespace espalier::model

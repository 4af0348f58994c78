// Training of chain models (crf, memm, perceptron, svm, local): what all of them share around the learner
// itself. Weights are laid out or taken from an older model, rounds are scored on the development set and the
// best kept, checkpoints are written, the temperature is fitted, the model saved.
//
// A learner describes itself by a ChainMethod and calls train_chain(). Tested by train_test.cc.
#pragma once

#include <functional>

#include "espalier/chain/learners/round.h"
#include "espalier/chain/model/model.h"
#include "espalier/linear/classifiers/kernel_model.h"
#include "espalier/model/training/training_job.h"

namespace espalier::model {

/// A learner of chains with all its options decided.
struct ChainMethod {
  bool transitions = true;  ///< labels of neighbours matter to each other
  chain::Normalisation normalisation = chain::Normalisation::kSequence;
  bool fit_temperature = false;  ///< scores are no log-probabilities: find what turns them into such
  int rounds = 1;                ///< at most
  double bytes_per_weight = 0;   ///< memory that learning takes for each weight; 0: not known
  std::function<Result<chain::ChainWeights>(chain::TrainingContext)> learn;
  /// In place of `learn`: tokens are scored by a kernel machine.
  std::function<Result<linear::KernelModel>(const linear::Dataset& data, size_t labels)> learn_kernel =
      nullptr;
};

/// Learns and saves the model. Precondition: the job has read its data.
Status train_chain(TrainingJob& job, const ChainMethod& method);

}  // namespace espalier::model

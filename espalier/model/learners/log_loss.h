// Options of the learners that minimise a log loss (crf, memm, local with classifier=logistic), and the two
// algorithms that do it. Tested by train_test.cc and learner_test.cc.
#pragma once

#include <optional>

#include "espalier/chain/learners/round.h"
#include "espalier/chain/learners/stochastic.h"
#include "espalier/model/learner.h"
#include "espalier/model/learners/mixing.h"

namespace espalier::model {

enum class LogLossAlgorithm { kAdagrad, kLbfgs };

struct LogLossOptions : CommonOptions {
  Mixing mixing = Mixing::kNone;
  std::optional<double> l2;
  double l1 = 0;
  LogLossAlgorithm algorithm = LogLossAlgorithm::kAdagrad;
  std::optional<int> passes;
  size_t batch = 8;
  double rate = 0.2;
  double dropout = 0;
  double average_from = 0.2;
  int iterations = 200;
  double epsilon = 1e-5;
};

void add_log_loss_parameters(ParameterTable<LogLossOptions> table);

/// How many rounds the options come to on so many tokens; `further`: for a model that is trained further.
int log_loss_rounds(const LogLossOptions& options, size_t tokens, bool further);

/// Runs the algorithm that the options name.
Result<chain::ChainWeights> learn_log_loss(const LogLossOptions& options, chain::LogLoss loss,
                                           chain::TrainingContext context);

}  // namespace espalier::model

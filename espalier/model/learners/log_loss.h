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

template <typename O>
void add_log_loss_parameters(ParameterTable<O>& table) {
  table.number("l2", &O::l2, {0},
               "L2 penalty: the objective is the loss summed over the data + l2·|w|² + l1·|w|; auto: 1, with "
               "dropout 0.3");
  table.number("l1", &O::l1, {0}, "L1 penalty; makes weights exactly 0, which are then not stored");
  table.choice("algorithm", &O::algorithm,
               {{"adagrad", LogLossAlgorithm::kAdagrad}, {"lbfgs", LogLossAlgorithm::kLbfgs}},
               "adagrad (stochastic) or lbfgs (batch; OWL-QN where l1 > 0)");
  table.whole("passes", &O::passes, {1, 1e6},
              "adagrad: passes over the training data; auto: 6, more where there are under 300,000 tokens; "
              "3 with --start-from");
  table.whole("batch", &O::batch, {1, 1e6}, "sequences per step (the same at any number of threads)",
              kAdvanced);
  table.number("rate", &O::rate, {1e-9, 1e3}, "adagrad: the step size");
  table.number(
      "dropout", &O::dropout, {0, 0.95},
      "adagrad: share of each token's features left out at random whenever it is learned from; 0.25 is "
      "good for many tasks, more for names");
  table.number("average-from", &O::average_from, {0, 1},
               "adagrad: average the weights after this part of the passes", kAdvanced);
  add_mixing(table);
  table.whole("iterations", &O::iterations, {1, 1e6}, "lbfgs: iterations at most");
  table.number("epsilon", &O::epsilon, {0, 1},
               "lbfgs: stop when the gradient is this small compared with the weights", kAdvanced);
}

/// How many rounds the options come to on so many tokens; `further`: for a model that is trained further.
int log_loss_rounds(const LogLossOptions& options, size_t tokens, bool further);

/// Runs the algorithm that the options name.
Result<chain::ChainWeights> learn_log_loss(const LogLossOptions& options, chain::LogLoss loss,
                                           chain::TrainingContext context);

}  // namespace espalier::model

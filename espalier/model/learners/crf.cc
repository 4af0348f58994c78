// The learners that maximise the probability of whole labellings (crf) or of each label given the one before
// (memm). Tested in train_test.cc and learner_test.cc.
#include "espalier/chain/learners/lbfgs.h"
#include "espalier/model/learners/learners.h"
#include "espalier/model/learners/log_loss.h"
#include "espalier/model/training/chain_training.h"

namespace espalier::model {

int log_loss_rounds(const LogLossOptions& options, size_t tokens, bool further) {
  return options.algorithm == LogLossAlgorithm::kLbfgs ? options.iterations
                                                       : log_loss_passes(options.passes, tokens, further);
}

Result<chain::ChainWeights> learn_log_loss(const LogLossOptions& options, chain::LogLoss loss,
                                           chain::TrainingContext context) {
  const double l2 = l2_penalty(options.l2, options.dropout);
  const int rounds = log_loss_rounds(options, context.training.data.all_tokens(), context.learned_tokens > 0);
  if (options.algorithm == LogLossAlgorithm::kLbfgs) {
    chain::LbfgsOptions lbfgs;
    lbfgs.loss = loss;
    lbfgs.l1 = options.l1;
    lbfgs.l2 = l2;
    lbfgs.passes = rounds;
    lbfgs.epsilon = options.epsilon;
    return chain::train_lbfgs(std::move(context), lbfgs);
  }
  chain::StochasticOptions stochastic;
  stochastic.loss = loss;
  stochastic.l1 = options.l1;
  stochastic.l2 = l2;
  stochastic.dropout = options.dropout;
  stochastic.rate = options.rate;
  stochastic.passes = rounds;
  stochastic.batch = options.batch;
  stochastic.average_from = options.average_from;
  stochastic.mixing = options.mixing == Mixing::kEveryPass;
  return chain::train_stochastic(std::move(context), stochastic);
}

void add_log_loss_parameters(ParameterTable<LogLossOptions> table) {
  using O = LogLossOptions;
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

namespace {

ParameterTable<LogLossOptions> log_loss_table() {
  ParameterTable<LogLossOptions> table;
  add_log_loss_parameters(table);
  add_common_parameters(table);
  add_full_rows(table);
  add_label_weights(table);
  add_scheme(table);
  const auto adagrad = [](const LogLossOptions& o, const Situation&) {
    return o.algorithm == LogLossAlgorithm::kAdagrad;
  };
  const auto lbfgs = [](const LogLossOptions& o, const Situation&) {
    return o.algorithm == LogLossAlgorithm::kLbfgs;
  };
  table.only_where({"passes", "batch", "rate", "dropout", "average-from", "mixing"}, adagrad,
                   "algorithm=adagrad; it is not supported with lbfgs");
  table.only_where({"iterations", "epsilon"}, lbfgs, "algorithm=lbfgs");
  return table;
}

Status train_log_loss(TrainingJob& job, const LogLossOptions& options, chain::LogLoss loss,
                      chain::Normalisation normalisation) {
  ChainMethod method;
  method.normalisation = normalisation;
  method.bytes_per_weight =
      options.algorithm == LogLossAlgorithm::kLbfgs ? chain::kLbfgsBytes : chain::kStochasticBytes;
  method.rounds = log_loss_rounds(options, job.training.data.all_tokens(), job.learned_tokens() > 0);
  method.learn = [&](chain::TrainingContext context) {
    return learn_log_loss(options, loss, std::move(context));
  };
  return train_chain(job, method);
}

}  // namespace

std::unique_ptr<const LearnerSpec> crf_learner() {
  return make_learner<LogLossOptions>(
      {.name = "crf",
       .summary = "conditional random field: probabilities of whole labellings; the default",
       .constraints = ConstraintUse::kRegular,
       .several_ranks = true,
       .bounds_memory = true},
      log_loss_table(), {.train = [](TrainingJob& job, const LogLossOptions& options) {
        return train_log_loss(job, options, chain::LogLoss::kSequence, chain::Normalisation::kSequence);
      }});
}

std::unique_ptr<const LearnerSpec> memm_learner() {
  return make_learner<LogLossOptions>(
      {.name = "memm",
       .summary = "maximum-entropy Markov model: each label given the one before",
       .several_ranks = true,
       .bounds_memory = true},
      log_loss_table(), {.train = [](TrainingJob& job, const LogLossOptions& options) {
        return train_log_loss(job, options, chain::LogLoss::kPosition, chain::Normalisation::kPosition);
      }});
}

}  // namespace espalier::model

#include "espalier/model/learn.h"

#include <algorithm>

#include "espalier/chain/learners/lbfgs.h"
#include "espalier/chain/learners/perceptron.h"
#include "espalier/chain/learners/stochastic.h"
#include "espalier/chain/learners/svm.h"
#include "espalier/linear/liblinear_classifier.h"
#include "espalier/linear/libsvm_classifier.h"

namespace espalier::model {

namespace {

chain::LogLoss loss_of(std::string_view learner) {
  return learner == "crf" ? chain::LogLoss::kSequence : chain::LogLoss::kPosition;
}

/// The passes asked for. Left to us, small data gets more of them: what counts is how many steps the weights
/// make, so that a pass is repeated until `tokens_wanted` were seen, within bounds.
int passes_for(const ParameterValues& values, size_t tokens, double tokens_wanted, int least, int most) {
  if (values.text("passes") != "auto") return static_cast<int>(values.integer("passes"));
  const double passes = tokens_wanted / static_cast<double>(std::max<size_t>(1, tokens));
  return static_cast<int>(std::clamp(passes, static_cast<double>(least), static_cast<double>(most)));
}
int log_loss_passes(const ParameterValues& values, size_t tokens) {
  return passes_for(values, tokens, 2e6, 6, 40);
}
int perceptron_passes(const ParameterValues& values, size_t tokens) {
  return passes_for(values, tokens, 5e6, 12, 100);
}

Result<chain::ChainWeights> learn_log_loss(std::string_view learner, const ParameterValues& values,
                                           chain::TrainingContext context) {
  const double dropout = values.number("dropout"), l2 = l2_penalty(values, dropout);
  if (values.text("algorithm") == "lbfgs") {
    if (dropout > 0) return fail("parameter dropout: lbfgs cannot do with it, algorithm=adagrad can");
    chain::LbfgsOptions options;
    options.loss = loss_of(learner);
    options.l1 = values.number("l1");
    options.l2 = l2;
    options.passes = static_cast<int>(values.integer("iterations"));
    options.epsilon = values.number("epsilon");
    return chain::train_lbfgs(std::move(context), options);
  }
  chain::StochasticOptions options;
  options.loss = loss_of(learner);
  options.l1 = values.number("l1");
  options.l2 = l2;
  options.dropout = dropout;
  options.rate = values.number("rate");
  options.passes = log_loss_passes(values, context.training.data.tokens());
  options.batch = static_cast<size_t>(values.integer("batch"));
  options.average_from = values.number("average-from");
  return chain::train_stochastic(std::move(context), options);
}

Result<chain::ChainWeights> learn_perceptron(const ParameterValues& values, chain::TrainingContext context) {
  chain::PerceptronOptions options;
  options.passes = perceptron_passes(values, context.training.data.tokens());
  options.batch = static_cast<size_t>(values.integer("batch"));
  options.average = values.flag("average");
  return chain::train_perceptron(std::move(context), options);
}

Result<chain::ChainWeights> learn_svm(const ParameterValues& values, chain::TrainingContext context) {
  chain::SvmOptions options;
  options.c = values.number("c");
  options.passes = static_cast<int>(values.integer("passes"));
  options.tolerance = values.number("gap");
  options.average = values.flag("average");
  return chain::train_svm(std::move(context), options);
}

/// One linear support vector machine a label against the rest, by liblinear. It gets no bias of its own: the
/// default features have one, and templates and ready-made attributes say themselves what is looked at.
Result<chain::ChainWeights> learn_liblinear(const ParameterValues& values, chain::TrainingContext context) {
  linear::LiblinearOptions options;
  if (values.text("c") != "auto") options.C = values.number("c");
  options.seed = context.seed;
  options.bias = 0;
  chain::ChainWeights weights = std::move(context.start);
  ESPALIER_ASSIGN(
      linear::LinearClassifier classifier,
      linear::train_liblinear(context.training.data, weights.state_rows, options, context.monitor));
  weights.state = std::move(classifier.weights);
  context.round_ended({1, 0, [&] { return weights; }, [](SectionWriter&) {}});
  return weights;
}

/// What decides: the learner itself, or the classifier it is told to use.
std::string_view method_of(std::string_view learner, const ParameterValues& values) {
  return learner == "local" ? std::string_view(values.text("classifier")) : learner;
}

}  // namespace

double l2_penalty(const ParameterValues& values, double dropout) {
  if (values.text("l2") != "auto") return values.number("l2");
  return dropout > 0 ? 0.3 : 1;
}

LearnerShape shape_of(std::string_view learner, const ParameterValues& values) {
  LearnerShape shape;
  shape.transitions = learner != "local";
  if (learner == "memm") shape.normalisation = chain::Normalisation::kPosition;
  const std::string_view method = method_of(learner, values);
  shape.probabilistic = method == "crf" || method == "memm" || method == "logistic";
  return shape;
}

bool uses_kernel(std::string_view learner, const ParameterValues& values) {
  return method_of(learner, values) == "quadratic-svm";
}

Result<linear::KernelModel> learn_kernel(const ParameterValues& values, const linear::Dataset& data,
                                         size_t labels, uint64_t seed) {
  linear::LibsvmOptions options;
  if (values.text("c") != "auto") options.C = values.number("c");
  options.max_tokens = static_cast<size_t>(values.integer("most-tokens"));
  options.seed = seed;
  return linear::train_libsvm(data, labels, options);
}

int total_rounds(std::string_view learner, const ParameterValues& values, size_t tokens) {
  const std::string_view method = method_of(learner, values);
  if (learner == "local" && (method == "svm" || method == "quadratic-svm")) return 1;
  if (learner == "svm") return static_cast<int>(values.integer("passes"));
  if (method == "perceptron") return perceptron_passes(values, tokens);
  return values.text("algorithm") == "lbfgs" ? static_cast<int>(values.integer("iterations"))
                                             : log_loss_passes(values, tokens);
}

Result<chain::ChainWeights> learn(std::string_view learner, const ParameterValues& values,
                                  chain::TrainingContext context) {
  const std::string_view method = method_of(learner, values);
  if (method == "perceptron") return learn_perceptron(values, std::move(context));
  if (learner == "svm") return learn_svm(values, std::move(context));
  if (method == "svm") return learn_liblinear(values, std::move(context));
  return learn_log_loss(learner, values, std::move(context));
}

}  // namespace espalier::model

#include "espalier/predictor/learn.h"

#include "espalier/chain/lbfgs.h"
#include "espalier/chain/perceptron.h"
#include "espalier/chain/stochastic.h"
#include "espalier/chain/svm.h"
#include "espalier/linear/liblinear_classifier.h"
#include "espalier/linear/libsvm_classifier.h"

namespace espalier::predictor {

namespace {

chain::LogLoss loss_of(std::string_view learner) {
  return learner == "crf" ? chain::LogLoss::kSequence : chain::LogLoss::kPosition;
}

Result<chain::ChainWeights> learn_log_loss(std::string_view learner, const ParameterValues& values,
                                           chain::TrainingContext context) {
  if (values.text("algorithm") == "lbfgs") {
    chain::LbfgsOptions options;
    options.loss = loss_of(learner);
    options.l1 = values.number("l1");
    options.l2 = values.number("l2");
    options.passes = static_cast<int>(values.integer("iterations"));
    options.epsilon = values.number("epsilon");
    return chain::train_lbfgs(std::move(context), options);
  }
  chain::StochasticOptions options;
  options.loss = loss_of(learner);
  options.l1 = values.number("l1");
  options.l2 = values.number("l2");
  options.rate = values.number("rate");
  options.passes = static_cast<int>(values.integer("passes"));
  options.batch = static_cast<size_t>(values.integer("batch"));
  options.average_from = values.number("average-from");
  return chain::train_stochastic(std::move(context), options);
}

Result<chain::ChainWeights> learn_perceptron(const ParameterValues& values, chain::TrainingContext context) {
  chain::PerceptronOptions options;
  options.passes = static_cast<int>(values.integer("passes"));
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

/// One linear support vector machine a label against the rest, by liblinear. It gets no bias of its own: the default
/// features have one, and templates and ready-made attributes say themselves what is looked at.
Result<chain::ChainWeights> learn_liblinear(const ParameterValues& values, chain::TrainingContext context) {
  linear::LiblinearOptions options;
  if (values.text("c") != "auto") options.C = values.number("c");
  options.seed = context.seed;
  options.bias = 0;
  chain::ChainWeights weights = std::move(context.start);
  ESPALIER_ASSIGN(linear::LinearClassifier classifier,
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

Result<linear::KernelModel> learn_kernel(const ParameterValues& values, const linear::Dataset& data, size_t labels,
                                         uint64_t seed) {
  linear::LibsvmOptions options;
  if (values.text("c") != "auto") options.C = values.number("c");
  options.max_tokens = static_cast<size_t>(values.integer("most-tokens"));
  options.seed = seed;
  return linear::train_libsvm(data, labels, options);
}

int total_rounds(std::string_view learner, const ParameterValues& values) {
  const std::string_view method = method_of(learner, values);
  const bool log_loss = method == "crf" || method == "memm" || method == "logistic";
  if (learner == "local" && (method == "svm" || method == "quadratic-svm")) return 1;
  return static_cast<int>(values.integer(log_loss && values.text("algorithm") == "lbfgs" ? "iterations" : "passes"));
}

Result<chain::ChainWeights> learn(std::string_view learner, const ParameterValues& values,
                                  chain::TrainingContext context) {
  const std::string_view method = method_of(learner, values);
  if (method == "perceptron") return learn_perceptron(values, std::move(context));
  if (learner == "svm") return learn_svm(values, std::move(context));
  if (method == "svm") return learn_liblinear(values, std::move(context));
  return learn_log_loss(learner, values, std::move(context));
}

}  // namespace espalier::predictor

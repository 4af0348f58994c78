// One classifier for each token, without the labels of its neighbours. Tested by train_test.cc and
// learner_test.cc.
#include "espalier/linear/classifiers/liblinear_classifier.h"
#include "espalier/linear/classifiers/libsvm_classifier.h"
#include "espalier/linear/run_until_stopped.h"
#include "espalier/model/learners/learners.h"
#include "espalier/model/learners/log_loss.h"
#include "espalier/model/learners/perceptron.h"
#include "espalier/model/training/chain_training.h"

namespace espalier::model {

namespace {

enum class TokenClassifier { kLogistic, kPerceptron, kSvm, kQuadraticSvm };

struct LocalOptions : LogLossOptions {
  TokenClassifier classifier = TokenClassifier::kLogistic;
  std::optional<double> c;
  size_t most_tokens = 60000;
  bool average = true;
  bool calibrate = true;
};

/// One linear support vector machine for each label against the rest, by liblinear. It gets no bias of its
/// own: the default features have one, and templates and ready-made attributes say themselves what is looked
/// at.
Result<chain::ChainWeights> learn_liblinear(std::optional<double> c, chain::TrainingContext context) {
  linear::LiblinearOptions options;
  if (c) options.C = *c;
  options.seed = context.seed;
  options.bias = 0;
  chain::ChainWeights weights = std::move(context.start);
  ESPALIER_ASSIGN(
      linear::LinearClassifier classifier,
      linear::train_liblinear(context.training.data, weights.state_rows, options, context.monitor));
  weights.state = std::move(classifier.weights);
  context.round_ended({{1, 0}, [&] { return weights; }});
  return weights;
}

/// Without constraints, each token is learned by itself. Under constraints, the same weights are learned
/// through inference: the perceptron corrects the best labelling that is allowed, logistic regression the
/// probabilities among those that are.
Status train_local(TrainingJob& job, const LocalOptions& options) {
  const bool through_inference = job.constraints.has_value();
  if (through_inference && options.classifier == TokenClassifier::kLogistic)
    ESPALIER_TRY(job.check_regular());
  const chain::LogLoss loss = through_inference ? chain::LogLoss::kSequence : chain::LogLoss::kPosition;
  const size_t tokens = job.training.data.all_tokens();
  ChainMethod method;
  method.transitions = false;
  method.fit_temperature = options.classifier != TokenClassifier::kLogistic && options.calibrate;
  switch (options.classifier) {
    case TokenClassifier::kLogistic:
      method.rounds = log_loss_rounds(options, tokens, job.learned_tokens() > 0);
      method.learn = [&](chain::TrainingContext context) {
        return learn_log_loss(options, loss, std::move(context));
      };
      break;
    case TokenClassifier::kPerceptron:
      method.rounds = perceptron_passes(options.passes, tokens);
      method.learn = [&](chain::TrainingContext context) {
        const int passes = perceptron_passes(options.passes, context.training.data.all_tokens());
        return learn_perceptron(passes, options.batch, options.average, options.mixing, std::move(context));
      };
      break;
    case TokenClassifier::kSvm:
      method.learn = [&](chain::TrainingContext context) {
        return learn_liblinear(options.c, std::move(context));
      };
      break;
    case TokenClassifier::kQuadraticSvm:
      method.learn_kernel = [&](const linear::Dataset& data, size_t labels) -> Result<linear::KernelModel> {
        linear::LibsvmOptions libsvm;
        if (options.c) libsvm.C = *options.c;
        libsvm.max_tokens = options.most_tokens;
        libsvm.seed = job.request.seed;
        // One machine may take minutes, and libsvm looks at no flag.
        auto trained = linear::run_until_stopped<Result<linear::KernelModel>>(
            job.monitor, [own = std::make_shared<const linear::Dataset>(data), labels, libsvm] {
              return linear::train_libsvm(*own, labels, libsvm);
            });
        if (!trained) return fail("training was stopped before every machine was trained");
        return std::move(*trained);
      };
      break;
  }
  return train_chain(job, method);
}

auto classifier_is(std::vector<TokenClassifier> those) {
  return [those](const LocalOptions& o, const Situation&) {
    return std::find(those.begin(), those.end(), o.classifier) != those.end();
  };
}

}  // namespace

std::unique_ptr<const LearnerSpec> local_learner() {
  using O = LocalOptions;
  using enum TokenClassifier;
  ParameterTable<O> table;
  table.choice(
      "classifier", &O::classifier,
      {{"logistic", kLogistic}, {"perceptron", kPerceptron}, {"svm", kSvm}, {"quadratic-svm", kQuadraticSvm}},
      "what decides each token by itself");
  add_log_loss_parameters(table);
  table.number("c", &O::c, {1e-9, 1e9}, "svm, quadratic-svm: weight of the errors");
  table.whole("most-tokens", &O::most_tokens, {1, 1e9},
              "quadratic-svm: refuse more training tokens than this, its time grows with their square");
  table.flag("average", &O::average, "perceptron: use the average of the weights");
  table.flag("calibrate", &O::calibrate, "perceptron, svm: fit the temperature");
  add_common_parameters(table);
  add_full_rows(table);
  add_label_weights(table);
  add_scheme(table);
  static constexpr std::string_view kShown[] = {"classifier",  "l2",      "l1",       "passes",
                                                "rate",        "dropout", "c",        "names",
                                                "weight-bits", "cutoff",  "patience", "label-weights"};
  table.show_only(kShown);

  table.only_where({"l2", "l1", "algorithm", "rate", "dropout", "average-from", "iterations", "epsilon"},
                   classifier_is({kLogistic}), "classifier=logistic");
  table.only_where({"passes", "batch", "patience", "label-weights", "mixing"},
                   classifier_is({kLogistic, kPerceptron}), "classifier=logistic and perceptron");
  table.only_where({"c"}, classifier_is({kSvm, kQuadraticSvm}), "classifier=svm and quadratic-svm");
  table.only_where({"most-tokens"}, classifier_is({kQuadraticSvm}), "classifier=quadratic-svm");
  table.only_where({"average"}, classifier_is({kPerceptron}), "classifier=perceptron");
  table.only_where({"calibrate"}, classifier_is({kPerceptron, kSvm, kQuadraticSvm}),
                   "classifiers that give no probabilities: perceptron, svm, quadratic-svm");
  table.only_where({"full-rows", "weight-bits"}, classifier_is({kLogistic, kPerceptron, kSvm}),
                   "classifiers with a weight for each feature; quadratic-svm has none");
  const auto by_adagrad = [](const O& o, const Situation&) {
    return o.classifier != kLogistic || o.algorithm == LogLossAlgorithm::kAdagrad;
  };
  table.only_where({"passes", "batch", "rate", "dropout", "average-from", "mixing"}, by_adagrad,
                   "algorithm=adagrad; it is not supported with lbfgs");
  table.only_where(
      {"iterations", "epsilon"},
      [](const O& o, const Situation&) { return o.algorithm == LogLossAlgorithm::kLbfgs; },
      "algorithm=lbfgs");
  table.clash(
      [](const O& o, const Situation& situation) {
        return (situation.start_from || situation.checkpoints) &&
               (o.classifier == kSvm || o.classifier == kQuadraticSvm);
      },
      "classifier=svm and quadratic-svm learn in one go: they can neither start from a model nor from a "
      "checkpoint");
  table.clash(
      [](const O& o, const Situation& situation) {
        return situation.ranks && (o.classifier == kSvm || o.classifier == kQuadraticSvm);
      },
      "classifier=svm and quadratic-svm do not train on several ranks; logistic and perceptron do");
  table.clash(
      [](const O& o, const Situation& situation) {
        return situation.constraints && (o.classifier == kSvm || o.classifier == kQuadraticSvm);
      },
      "classifier=svm and quadratic-svm cannot be trained with constraints; logistic and perceptron can. "
      "Give them to tag and eval instead");
  return make_learner<O>(
      {.name = "local",
       .summary = "one classifier for each token, which does not see the labels of its neighbours",
       .constraints = ConstraintUse::kAny,
       .several_ranks = true},
      std::move(table), {.train = train_local});
}

}  // namespace espalier::model

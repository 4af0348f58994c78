#include "espalier/model/learners/perceptron.h"

#include "espalier/chain/learners/perceptron.h"
#include "espalier/model/learners/learners.h"
#include "espalier/model/training/chain_training.h"

namespace espalier::model {

Result<chain::ChainWeights> learn_perceptron(int passes, size_t batch, bool average, Mixing mixing,
                                             chain::TrainingContext context) {
  chain::PerceptronOptions options;
  options.passes = passes;
  options.batch = batch;
  options.average = average;
  options.mixing = mixing == Mixing::kEveryPass;
  return chain::train_perceptron(std::move(context), options);
}

namespace {

Status train_perceptron_chain(TrainingJob& job, const PerceptronOptions& options) {
  ChainMethod method;
  method.fit_temperature = options.calibrate;
  method.bytes_per_weight = chain::kPerceptronBytes;
  method.rounds = perceptron_passes(options.passes, job.training.data.all_tokens());
  method.learn = [&](chain::TrainingContext context) {
    // A second run, for calibration, sees less data and may be given more passes; it ends with the first.
    const int passes = perceptron_passes(options.passes, context.training.data.all_tokens());
    return learn_perceptron(passes, options.batch, options.average, options.mixing, std::move(context));
  };
  return train_chain(job, method);
}

}  // namespace

std::unique_ptr<const LearnerSpec> perceptron_learner() {
  using O = PerceptronOptions;
  ParameterTable<O> table;
  table.whole("passes", &O::passes, {1, 1e6},
              "passes over the training data; auto: 12, more where there are under 400,000 tokens");
  table.whole("batch", &O::batch, {1, 1e6}, "sequences per step (the same at any number of threads)",
              kAdvanced);
  table.flag("average", &O::average, "use the average of the weights instead of the last ones");
  table.flag(
      "calibrate", &O::calibrate,
      "fit the temperature that turns scores into probabilities, on the dev set or on a tenth held out "
      "of a second training run");
  add_mixing(table);
  add_common_parameters(table);
  add_full_rows(table);
  add_label_weights(table);
  add_scheme(table);
  return make_learner<O>({.name = "perceptron",
                          .summary = "averaged structured perceptron: fast, no penalty to tune",
                          .constraints = ConstraintUse::kAny,
                          .several_ranks = true,
                          .bounds_memory = true},
                         std::move(table), {.train = train_perceptron_chain});
}

}  // namespace espalier::model

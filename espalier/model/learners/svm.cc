// The structured support vector machine. Tested by train_test.cc and learner_test.cc.
#include "espalier/chain/learners/svm.h"

#include "espalier/model/learners/learners.h"
#include "espalier/model/training/chain_training.h"

namespace espalier::model {

namespace {

struct StructuredSvmOptions : CommonOptions {
  double c = 0.05;
  int passes = 15;
  double gap = 0.01;
  bool average = true;
  bool calibrate = true;
};

Status train_structured_svm(TrainingJob& job, const StructuredSvmOptions& options) {
  chain::SvmOptions svm;
  svm.c = options.c;
  svm.passes = options.passes;
  svm.tolerance = options.gap;
  svm.average = options.average;
  ChainMethod method;
  method.fit_temperature = options.calibrate;
  method.rounds = options.passes;
  method.learn = [&](chain::TrainingContext context) { return chain::train_svm(std::move(context), svm); };
  return train_chain(job, method);
}

}  // namespace

std::unique_ptr<const LearnerSpec> svm_learner() {
  using O = StructuredSvmOptions;
  ParameterTable<O> table;
  table.number("c", &O::c, {1e-9, 1e9}, "weight of the errors against the size of the weights");
  table.whole("passes", &O::passes, {1, 1e6}, "passes over the training data");
  table.number("gap", &O::gap, {0, 1e9}, "stop when the duality gap per sequence is below this", kAdvanced);
  table.flag("average", &O::average, "use the weighted average of the iterates");
  table.flag("calibrate", &O::calibrate, "fit the temperature, as for perceptron");
  add_common_parameters(table);
  add_full_rows(table);
  add_label_weights(table);
  add_scheme(table);
  return make_learner<O>(
      {.name = "svm",
       .summary =
           "structured support vector machine: margin-rescaled Hamming loss, block-coordinate Frank-Wolfe",
       .constraints = ConstraintUse::kAny,
       .word_labels = true},
      std::move(table), {.train = train_structured_svm});
}

}  // namespace espalier::model

#include "espalier/tasks/structures/variables.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "espalier/constrain/decode.h"

namespace espalier::tasks {
namespace {

TEST(Variables, HalfOfTheAssignmentsAreLegalAndLabelsAreAmongThem) {
  Random random(1);
  const VariablesProblem problem = draw_problem(5, 10, random);
  EXPECT_EQ(problem.legal.size(), 16u);
  const VariablesData data = draw_examples(problem, 200, 0.5, random);
  size_t clashing = 0;
  for (size_t e = 0; e < data.size(); ++e) {
    EXPECT_TRUE(std::binary_search(problem.legal.begin(), problem.legal.end(), data.y[e]));
    clashing += free_assignment(data, e, problem.w) != data.y[e];
  }
  EXPECT_GT(clashing, 60u);
  EXPECT_LT(clashing, 140u);
}

TEST(Variables, KappaSetsHowManyLabelsNeedInference) {
  Random random(2);
  const VariablesProblem problem = draw_problem(5, 10, random);
  for (const double kappa : {0.0, 1.0}) {
    const VariablesData data = draw_examples(problem, 100, kappa, random);
    for (size_t e = 0; e < data.size(); ++e) {
      EXPECT_EQ(free_assignment(data, e, problem.w) == data.y[e], kappa == 0);
      EXPECT_EQ(best_assignment(problem, data, e, problem.w), data.y[e]);
    }
  }
}

TEST(Variables, GlobalTrainingSeparatesWhatLocalTrainingCannot) {
  Random random(3);
  const VariablesProblem problem = draw_problem(5, 20, random);
  const VariablesData data = draw_examples(problem, 300, 1.0, random);
  const VariablesModel global = train_variables(problem, data, 300, Regime::kGlobal, 5000);
  const VariablesModel local = train_variables(problem, data, 300, Regime::kLocal);
  EXPECT_TRUE(global.separated);
  EXPECT_EQ(variables_accuracy(problem, data, global.w, true), 1.0);
  EXPECT_FALSE(local.separated);
  EXPECT_EQ(local.cycles, 100);
}

TEST(Variables, LocalTrainingSeparatesWhatIsLocallySeparable) {
  Random random(4);
  const VariablesProblem problem = draw_problem(5, 20, random);
  const VariablesData data = draw_examples(problem, 300, 0.0, random);
  const VariablesModel local = train_variables(problem, data, 300, Regime::kLocal);
  EXPECT_TRUE(local.separated);
  EXPECT_EQ(variables_accuracy(problem, data, local.w, false), 1.0);
}

TEST(Variables, InferenceAgreesWithTheConstraintLanguage) {
  // The same list as a constraint: `assignments`, decoded by search and as an integer program.
  Random random(5);
  const VariablesProblem problem = draw_problem(5, 10, random);
  data::LabelSet labels;
  labels.add("0");
  labels.add("1");
  std::string list;
  for (const Assignment y : problem.legal) {
    for (size_t i = 0; i < 5; ++i) list += (y >> i & 1) != 0 ? "1 " : "0 ";
    list += "\n";
  }
  const constrain::ConstraintScope shape{.name = "variables", .length = size_t{5}};
  const auto constraints =
      constrain::Constraints::resolve("assignments legal", "c", shape, labels,
                                      [&](const std::string&) -> Result<std::string> { return list; });
  ASSERT_TRUE(constraints.ok()) << constraints.error().message;
  const constrain::Compiled compiled(*constraints);
  const constrain::Instance instance =
      constraints->instance(5, [](size_t, size_t) { return std::string_view(); });
  const VariablesData data = draw_examples(problem, 30, 0.5, random);
  for (size_t e = 0; e < data.size(); ++e) {
    AlignedVector<float> node(5 * 8, chain::kImpossible);
    for (size_t i = 0; i < 5; ++i) {
      float f = 0;
      for (size_t k = 0; k < data.width; ++k) f += problem.w[i * data.width + k] * data.row(e, i)[k];
      node[i * 8] = -f;
      node[i * 8 + 1] = f;
    }
    const constrain::Scores scores{5, 2, 8, node.data(), nullptr, nullptr};
    for (const constrain::Decoded& found :
         {constrain::decode(compiled, instance, scores, {}),
          constrain::decode_integer(compiled, instance, scores, Deadline::after(10))}) {
      ASSERT_EQ(found.labels.size(), 5u);
      Assignment y = 0;
      for (size_t i = 0; i < 5; ++i) y |= static_cast<Assignment>(found.labels[i]) << i;
      EXPECT_EQ(y, data.y[e]);
    }
  }
}

}  // namespace
}  // namespace espalier::tasks

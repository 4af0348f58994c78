#include "espalier/tasks/spaces/decision_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/tasks/spaces/space_checks.h"

namespace espalier::tasks {
namespace {

TEST(DecisionPlan, ColumnsKeepTheirLabelsThroughAModelFile) {
  const DecisionPlan plan = two_columns();
  const auto again = DecisionPlan::from_json(plan.to_json(), "m");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->column_begin, (std::vector<uint32_t>{0, 2, 5}));
  EXPECT_EQ(again->column_labels, plan.column_labels);
  EXPECT_EQ(again->label_name(1), "V");
  EXPECT_EQ(again->label_name(4), "V");
  EXPECT_EQ(again->column_of(4), 1u);
  DecisionPlan far = plan;
  far.history = kMostHistory + 1;
  EXPECT_FALSE(far.check().ok());
  far.history = kMostHistory;
  EXPECT_TRUE(far.check().ok());
  far.lead = kMostLead + 1;
  EXPECT_FALSE(far.check().ok());
  DecisionPlan segments = plan;
  segments.loss = SequenceLoss::kF1;
  EXPECT_FALSE(segments.check().ok());
}

TEST(DecisionPlan, SurvivesItsFileAndRefusesNonsense) {
  DecisionPlan plan = segments_plan(SequenceLoss::kF1);
  plan.history = 3;
  plan.max_length = 4;
  const auto again = DecisionPlan::from_json(plan.to_json(), "m");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->to_json(), plan.to_json());
  for (const char* bad : {"", "[]", "{}", R"({"labels":[]})"})
    EXPECT_FALSE(DecisionPlan::from_json(bad, "m").ok());
  plan.history = kMostHistory + 1;
  EXPECT_FALSE(DecisionPlan::from_json(plan.to_json(), "m").ok());
  data::LabelSet plain;
  plain.add("NN");
  DecisionPlan f1 = DecisionPlan::of(plain, data::Scheme::kNone);
  f1.loss = SequenceLoss::kF1;
  EXPECT_FALSE(f1.check().ok());
}

}  // namespace
}  // namespace espalier::tasks

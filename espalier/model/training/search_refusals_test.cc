// What training of searches refuses, stops at, or says a word about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "espalier/chain/weights.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/model/training/search_problem.h"
#include "espalier/model/training/search_test_support.h"

namespace espalier::model {
namespace {

using ::testing::HasSubstr;

TEST_F(SearchTraining, ADevelopmentSequenceThatCannotBeDecodedStopsTrainingAndIsNamed) {
  TrainRequest request;
  request.train = {train_};
  request.dev = {test_};
  request.model = model_;
  request.learner = "searn";
  const Monitor monitor;
  TrainingJob job(request, monitor);
  job.task = find_task("label").value();
  job.learner = find_learner("searn").value()->configure({}, {*job.task, true}).value();
  ASSERT_TRUE(job.read_data().ok());
  const tasks::DecisionPlan plan = tasks::DecisionPlan::of(job.training.labels, data::Scheme::kNone);
  const auto problem = tasks::label_problem(plan, job.training.data, job.training.edge);
  auto dev = tasks::label_problem(plan, job.dev.data, job.training.edge);
  // Nothing is allowed in the third sequence, everything in the others.
  const auto constraints = constrain::Constraints::resolve(
      "none: at most 0 of *", "c", {.name = "label", .neighbours = true, .columns = 2}, plan.labels,
      [](const std::string& file) -> Result<std::string> { return fail("{}", file); });
  ASSERT_TRUE(constraints.ok()) << constraints.error().message;
  auto nothing = constrain::Completion::make(constrain::Compiled(*constraints),
                                             constrain::instance_of_rows(*constraints, job.dev.sequences[2]),
                                             constrain::label_moves(plan.labels.size()));
  ASSERT_TRUE(nothing.ok() && nothing->infeasible());
  std::vector<tasks::LegalMoves> legal(dev.size());
  legal[2] = std::make_unique<const constrain::Completion>(std::move(*nothing));
  dev.legal = legal;
  SearchLearnerOptions asked;
  SearchMethod method;
  method.options.searn.iterations = 2;
  bool measured = false;
  const auto rows = [&] { return chain::make_weights(job.training, false, {1}, job.workers).state_rows; };
  const auto measure = [&](const std::vector<std::vector<data::Label>>&) {
    measured = true;
    return 50.0;
  };
  SearchRun run{job, asked, method, plan, measure, job.training, plan.labels.size(), nullptr};
  const Status status = run.run(problem, &dev, rows());
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("development set, sequence 3 (line "));
  EXPECT_THAT(status.error().message, HasSubstr("dead end"));
  EXPECT_FALSE(measured);
  EXPECT_FALSE(std::ifstream(model_).good()) << "no model is written";
  dev.legal = {};
  EXPECT_TRUE(run.run(problem, &dev, rows()).ok());
  EXPECT_TRUE(measured);
}

TEST_F(SearchTraining, ChunksLongerThanTheMaximumAreLearnedInPiecesWhichIsSaid) {
  const auto report = run("searn", "segment", {"max-length=2"});
  ASSERT_TRUE(report.ok());
  ASSERT_FALSE(report->notes.empty());
  EXPECT_THAT(report->notes.back(), HasSubstr("more than 2 words"));
}

TEST_F(SearchTraining, WhatCannotBeIsRefusedWithAReason) {
  const auto refusal = [&](const std::string& learner, const std::string& task,
                           std::vector<std::string> settings, const std::string& columns = {}) {
    const auto report = run(learner, task, std::move(settings), false, 1, columns);
    return report.ok() ? std::string("was trained") : report.error().message;
  };
  EXPECT_THAT(refusal("crf", "segment", {}), HasSubstr("searn, laso-br"));
  EXPECT_THAT(refusal("searn", "poem", {}), HasSubstr("no task"));
  EXPECT_THAT(refusal("searn", "joint", {}), HasSubstr("--label-column 2,3"));
  const auto joint_refusal = [&](const std::string& learner, const std::string& columns,
                                 std::vector<std::string> settings) {
    return refusal(learner, "joint", std::move(settings), columns);
  };
  EXPECT_THAT(joint_refusal("crf", "2,3", {}), HasSubstr("does not learn task joint"));
  EXPECT_THAT(joint_refusal("searn", "2,2", {}), HasSubstr("twice"));
  EXPECT_THAT(joint_refusal("searn", "1,2,3", {}), HasSubstr("all 3 columns are labels"));
  EXPECT_THAT(joint_refusal("searn", "2,3", {"loss=f1"}), HasSubstr("hamming or zero-one"));
  EXPECT_THAT(joint_refusal("searn", "2,3", {"history=256"}), HasSubstr("history"));
  EXPECT_THAT(joint_refusal("searn", "2,3", {"unit=chunk"}), HasSubstr("word by word"));
  EXPECT_THAT(refusal("searn", "label", {"beam=0"}), HasSubstr("beam"));
  EXPECT_THAT(refusal("searn", "label", {"direction=easiest-first", "beam=5"}), HasSubstr("greedily"));
  EXPECT_THAT(refusal("laso-br", "label", {"direction=easiest-first"}), HasSubstr("right-to-left"));
  EXPECT_THAT(refusal("searn", "label", {"interpolation=line-search"}), HasSubstr("development set"));
  EXPECT_THAT(refusal("searn", "segment", {"stemmer=klingon"}), HasSubstr("no stemmer"));
  EXPECT_THAT(refusal("searn", "segment", {"lists=/no/such/list"}), HasSubstr("/no/such/list"));
  EXPECT_THAT(refusal("searn", "segment", {"lists=,"}), HasSubstr("lacks a file name before a comma"));
  EXPECT_THAT(refusal("searn", "segment", {"meta=no", "stemmer=english"}), HasSubstr("meta=no leaves out"));
  EXPECT_THAT(refusal("searn", "segment", {"meta=pears"}), HasSubstr("'pears'"));
  // Classifiers that cannot be learned so, before anything is read.
  EXPECT_THAT(refusal("searn", "segment", {"classifier=quadratic-svm"}),
              HasSubstr("take classifier=liblinear"));
  EXPECT_THAT(refusal("searn", "label", {"classifier=quadratic-svm", "reduction=direct"}),
              HasSubstr("take reduction=all-pairs"));
  for (const char* reduction : {"reduction=all-pairs", "reduction=one-vs-all"})
    EXPECT_THAT(refusal("searn", "label", {"classifier=softmax-margin", reduction}),
                HasSubstr("take reduction=direct"));
  EXPECT_THAT(refusal("searn", "segment", {"classifier=liblinear", "reduction=direct"}),
              HasSubstr("Crammer and Singer"));
  EXPECT_THAT(joint_refusal("searn", "2,3", {"classifier=liblinear", "reduction=direct"}),
              HasSubstr("Crammer and Singer"));
  // Parameters that would mean nothing.
  const std::pair<std::vector<std::string>, const char*> idle[] = {
      {{"samples=3"}, "parameter samples is for costs=sample"},
      {{"oracle-roll-outs=0.5"}, "parameter oracle-roll-outs is for costs=sample"},
      {{"oracle-beam=5"}, "parameter oracle-beam is for oracle=search"},
      {{"oracle=search", "direction=easiest-first"}, "take oracle=analytic"},
      {{"rate=0.2"}, "parameter rate is for classifier=logistic"},
      {{"l2=1"}, "parameter l2 is for classifier=logistic"},
      {{"c=2"}, "parameter c is for classifier=liblinear"},
      {{"costing-samples=2"}, "parameter costing-samples is for classifier=liblinear"},
      {{"classifier=liblinear", "passes=2"}, "parameter passes is for classifiers that learn on line"},
      {{"classifier=liblinear", "average=no"}, "parameter average is for classifiers that learn on line"},
      {{"classifier=liblinear", "rate=0.2"}, "parameter rate is for classifier=logistic"},
      {{"policy=stochastic"}, "parameter policy is for mixtures"},
      {{"beta=0.5", "interpolation=analytic"}, "parameter beta is for interpolation=constant"},
      {{"beta=0.5", "roll-in=aggregate"}, "parameter beta is for roll-in=mixture"},
      {{"iterations=9", "interpolation=analytic"}, "parameter iterations is for"},
      {{"direction=easiest-first", "decoder=breadth-first"},
       "parameter decoder is for direction=left-to-right"},
      {{"lead=1"}, "parameter lead is for task joint"},
      {{"meta=no"}, "parameter meta is for unit=chunk"},
      {{"beta=0.5", "policy=stochastic", "beam=3"}, "beam=1 goes with it"},
      {{"unit=chunk", "direction=right-to-left"}, "from left to right"},
      {{"loss=f1", "direction=right-to-left"}, "take loss=hamming"},
  };
  for (const auto& [settings, reason] : idle) {
    EXPECT_THAT(refusal("searn", "label", settings), HasSubstr(reason));
    TrainRequest request;
    request.train = {folder_.path("no such file")};  // it is the request that is wrong
    request.learner = "searn";
    request.settings = settings;
    EXPECT_THAT(check_request(request).error().message, HasSubstr(reason));
  }
  EXPECT_THAT(refusal("searn", "label", {"stemmer=english"}), HasSubstr("unit=chunk"));
  EXPECT_THAT(refusal("laso-br", "label", {"label-weights=O:2"}), HasSubstr("label-weights"));
  ASSERT_TRUE(run("searn", "label", {}).ok());
  const auto model = Model::open(model_);
  const auto scratch = model->predictor().make_scratch();
  const auto sequences = data::read_all({test_}, model->about().reading_for_use());
  data::PredictOptions options;
  options.confidence = true;
  data::Prediction out;
  EXPECT_FALSE(model->predictor().predict((*sequences)[0], {}, options, *scratch, out).ok());
}

}  // namespace
}  // namespace espalier::model

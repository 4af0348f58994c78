// Every learner's table: names, defaults, and which settings are refused before any data is read.
#include "espalier/model/learner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "espalier/model/registry.h"
#include "espalier/model/train.h"

namespace espalier::model {
namespace {

using ::testing::HasSubstr;

/// What check_request says; the files do not exist, so that nothing can be read.
std::string refusal(const std::string& learner, std::vector<std::string> settings,
                    const std::string& task = "label") {
  TrainRequest request;
  request.train = {"/no/such/file"};
  request.learner = learner;
  request.task = task;
  request.settings = std::move(settings);
  const Status status = check_request(request);
  return status.ok() ? std::string("accepted") : status.error().message;
}

TEST(Learners, NamesAreUniqueAndFewParametersAreBasic) {
  std::set<std::string_view> learner_names;
  for (const LearnerSpec* const learner : learners()) {
    EXPECT_TRUE(learner_names.insert(learner->name()).second);
    std::set<std::string_view> names;
    size_t basic = 0;
    for (const Parameter& p : learner->parameters()) {
      EXPECT_TRUE(names.insert(p.name).second) << learner->name() << " " << p.name;
      EXPECT_FALSE(p.help.empty()) << p.name;
      basic += p.basic ? 1 : 0;
    }
    EXPECT_LE(basic, 12u) << learner->name();
    EXPECT_GT(basic, 3u) << learner->name();
  }
}

TEST(Learners, DefaultsAreAcceptedForEveryTaskAlsoWhenSetByHand) {
  for (const Task& task : all_tasks())
    for (const std::string_view name : task.learners) {
      const LearnerSpec* const learner = find_learner(name).value();
      std::vector<std::string> settings;
      for (const Parameter& p : learner->parameters())
        settings.push_back(fmt::format("{}={}", p.name, p.fallback));
      const Situation situation{task};
      const auto configured = learner->configure(settings, situation);
      EXPECT_TRUE(configured.ok()) << task.name << " " << name << ": " << configured.error().message;
      EXPECT_TRUE(learner->configure({}, situation).ok());
    }
}

struct Refused {
  std::string learner;
  std::vector<std::string> settings;
  std::string says;
};

TEST(Learners, ParametersWithoutEffectAreRefused) {
  const std::vector<Refused> cases = {
      {"crf", {"algorithm=lbfgs", "rate=0.5"}, "parameter rate is for algorithm=adagrad"},
      {"crf", {"algorithm=lbfgs", "dropout=0.2"}, "parameter dropout is for algorithm=adagrad"},
      {"memm", {"algorithm=lbfgs", "batch=2"}, "parameter batch is for"},
      {"crf", {"algorithm=lbfgs", "passes=2"}, "parameter passes is for"},
      {"crf", {"algorithm=lbfgs", "average-from=0.5"}, "parameter average-from is for"},
      {"crf", {"iterations=20"}, "parameter iterations is for algorithm=lbfgs"},
      {"memm", {"epsilon=0.1"}, "parameter epsilon is for algorithm=lbfgs"},
      {"crf", {"patience=3"}, "parameter patience is for training with a development set"},
      {"local", {"classifier=svm", "l2=7", "dropout=0.5"}, "parameter l2 is for classifier=logistic"},
      {"local", {"classifier=svm", "dropout=0.5"}, "parameter dropout is for classifier=logistic"},
      {"local", {"classifier=svm", "passes=3"}, "parameter passes is for classifier=logistic and perceptron"},
      {"local", {"classifier=svm", "label-weights=O:2"}, "parameter label-weights is for"},
      {"local", {"classifier=perceptron", "rate=1"}, "parameter rate is for classifier=logistic"},
      {"local", {"classifier=quadratic-svm", "weight-bits=16"}, "parameter weight-bits is for"},
      {"local", {"algorithm=lbfgs", "passes=2"}, "parameter passes is for algorithm=adagrad"},
      {"local", {"c=2"}, "parameter c is for classifier=svm"},
      {"local", {"average=no"}, "parameter average is for classifier=perceptron"},
      {"local", {"calibrate=no"}, "parameter calibrate is for"},
      {"local", {"most-tokens=9", "classifier=svm"}, "parameter most-tokens is for classifier=quadratic-svm"},
      {"cascade", {"filter=none", "warm-up=9"}, "parameter warm-up is for filter=cascade"},
      {"cascade",
       {"filter=none", "filter-loss=0.1"},
       "parameter filter-loss is for cascades of several levels"},
      {"cascade", {"filter=crf", "train-alphas=0.25"}, "parameter train-alphas is for filter=cascade"},
      {"cascade", {"filter=crf", "filter-lambda=0.1"}, "parameter filter-lambda is for"},
      {"cascade", {"filter=crf", "threshold-prior-length=5"}, "parameter threshold-prior-length is for"},
      {"cascade",
       {"filter=dictionary", "filter-passes=5"},
       "parameter filter-passes is for filters that learn"},
      {"cascade", {"filter=perceptron", "filter-rate=1"}, "parameter filter-rate is for filter=cascade"},
      {"cascade", {"word-feature=w"}, "parameter word-feature is for filter=dictionary"},
      {"cascade", {"order=1", "budget=3"}, "parameter budget is for cascades of several levels"},
      {"cascade", {"order=2", "loss-in-use=0.1"}, "parameter loss-in-use is for"},
      {"cascade", {"order=2", "edge-order=3"}, "parameter edge-order is for"},
      {"cascade", {"calibrate=no"}, "parameter calibrate is for last=perceptron and margin"},
      {"cascade", {"last=perceptron", "average-from=0.5"}, "parameter average-from is for"},
      {"cascade", {"last=perceptron", "filter=perceptron", "rate=1"}, "parameter rate is for last=crf"},
      {"searn", {"samples=3"}, "parameter samples is for costs=sample"},
      {"searn", {"lead=1"}, "parameter lead is for task joint"},
      {"searn", {"classifier=quadratic-svm", "weight-bits=16"}, "parameter weight-bits is for"},
      {"searn", {"classifier=quadratic-svm", "full-rows=2"}, "parameter full-rows is for"},
      {"searn", {"iterations=1", "beta=0.5"}, "parameter beta is for several iterations"},
      {"searn", {"iterations=1", "folds=3"}, "parameter folds is for several iterations"},
      {"searn", {"iterations=1", "roll-in=aggregate"}, "parameter roll-in is for several iterations"},
      {"cascade", {"levels=1,2", "filter-unit=states"}, "parameter filter-unit is for"},
      {"committee", {"members=crf:patience=3,svm"}, "members: crf: parameter patience is for"},
      {"committee", {"members=cascade:filter=none:warm-up=3,svm"}, "parameter warm-up is for"},
  };
  for (const auto& [learner, settings, says] : cases)
    EXPECT_THAT(refusal(learner, settings), HasSubstr(says))
        << learner << " " << ::testing::PrintToString(settings);
  EXPECT_THAT(refusal("brackets", {"full-rows=3"}, "brackets"), HasSubstr("no parameter 'full-rows'"));
  EXPECT_THAT(refusal("brackets", {"label-weights=O:2"}, "brackets"), HasSubstr("no parameter"));
  EXPECT_THAT(refusal("searn", {"label-weights=O:2"}), HasSubstr("no parameter 'label-weights'"));
  EXPECT_THAT(refusal("laso", {"update=early"}), HasSubstr("no parameter 'update'"));
  for (const char* learner : {"laso-br", "laso-bst", "laso", "incremental"})
    EXPECT_THAT(refusal(learner, {"loss=f1"}), HasSubstr("no parameter 'loss'"));
}

TEST(Learners, ContradictionsAndBadSyntaxAreRefusedBeforeDataAreRead) {
  const std::vector<Refused> cases = {
      {"cascade", {"budget=5", "filter-loss=0.1"}, "budget and filter-loss exclude each other"},
      {"cascade", {"budget=5", "loss-in-use=0.1"}, "exclude each other"},
      {"cascade", {"budget=0.5"}, "one label per position"},
      {"cascade", {"levels=3,2"}, "lower order"},
      {"cascade", {"levels=1,x"}, "'x' is not a number from 1 to 5"},
      {"cascade", {"levels=1,1.5"}, "whole number"},
      {"crf", {"passes=0"}, "'0' is not a whole number from 1 to 1,000,000"},
      {"cascade", {"levels=1,2", "order=4"}, "another order"},
      {"cascade", {"levels=1,2", "order=3"}, "another order"},
      {"cascade", {"levels=1,2", "filter=none"}, "one level"},
      {"cascade", {"order=6"}, "'6' is not a whole number from 1 to 5"},
      {"cascade", {"filter-loss=2"}, "filter-loss"},
      {"cascade", {"order=3", "filter-loss=0.1,0.2,0.3"}, "3 numbers, but the cascade has 2 filters"},
      {"committee", {"members=crf:algorithm=lbfgs:rate=.5,svm"}, "members: crf: parameter rate is for"},
      {"committee", {"names=no", "members=cascade:filter=dictionary,svm"}, "leave names=yes"},
      {"committee", {"names=no", "members=crf:names=yes,svm"}, "contradicts names=no"},
      {"cascade", {"filter=dictionary", "names=no"}, "leave names=yes"},
      {"cascade", {"filter-steps=plain", "filter-rate=2", "filter-lambda=0.5"}, "product"},
      {"crf", {"label-weights=O"}, "'O' is not LABEL:WEIGHT"},
      {"crf", {"label-weights=O:-1"}, "at least 0"},
      {"crf", {"l2=-1"}, "'-1' is not a number of at least 0"},
      {"searn", {"unit=chunk", "meta=nonsense"}, "meta"},
      {"searn", {"unit=chunk", "stemmer=klingon"}, "no stemmer"},
      {"searn", {"unit=chunk", "meta=no", "stemmer=english"}, "meta=no leaves out"},
      {"searn", {"direction=easiest-first", "beam=5"}, "greedily"},
      {"searn", {"order=right-to-left"}, "no parameter 'order'"},
  };
  for (const auto& [learner, settings, says] : cases)
    EXPECT_THAT(refusal(learner, settings), HasSubstr(says))
        << learner << " " << ::testing::PrintToString(settings);
  EXPECT_EQ(refusal("crf", {"algorithm=lbfgs", "iterations=5", "label-weights=B-NP:2,O:0.5"}), "accepted");
  EXPECT_EQ(refusal("cascade", {"filter=dictionary", "word-feature=w"}), "accepted");
  EXPECT_EQ(refusal("local", {"classifier=svm", "c=2", "calibrate=no"}), "accepted");
}

/// A model of two tokens.
Model tiny_model() {
  auto sequences = std::make_shared<std::vector<data::Sequence>>(1);
  EXPECT_TRUE((*data::read_text("a A\nb B\n", "text", {}))->next(sequences->front()).ok());
  TrainRequest request;
  request.train = {data::Source(sequences, "text")};
  return std::move(train(request, {}).value().model);
}

TEST(Learners, WhatASituationExcludesIsRefused) {
  TrainRequest request;
  request.train = {"/no/such/file"};
  const auto says = [&] {
    const Status status = check_request(request);
    return status.ok() ? std::string("accepted") : status.error().message;
  };
  request.learner = "cascade";
  request.start_from = std::make_shared<const Model>(tiny_model());
  EXPECT_THAT(says(), HasSubstr("a model of learner crf, which learner cascade cannot train further"));
  request.start_from.reset();
  request.model = "/no/such/model";
  request.resume = true;
  EXPECT_EQ(says(), "accepted");
  request.learner = "searn";
  EXPECT_THAT(says(), HasSubstr("checkpoints"));
  request.learner = "local";
  request.settings = {"classifier=svm"};
  EXPECT_THAT(says(), HasSubstr("checkpoint"));
  request.resume = false;
  request.settings = {};
  request.constraints = ConstraintFile{"/no/such/constraints", "", {}};
  EXPECT_EQ(says(), "accepted");
  request.settings = {"classifier=svm"};
  EXPECT_THAT(says(), HasSubstr("cannot be trained with constraints"));
  request.learner = "memm";
  request.settings = {};
  EXPECT_THAT(says(), HasSubstr("cannot be trained with constraints"));
  request.learner = "cascade";
  request.settings = {"order=1"};
  EXPECT_THAT(says(), HasSubstr("labels each token by itself"));
}

}  // namespace
}  // namespace espalier::model

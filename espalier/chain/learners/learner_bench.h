// For tests: every chain learner behind one call.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "espalier/chain/learners/lbfgs.h"
#include "espalier/chain/learners/perceptron.h"
#include "espalier/chain/learners/stochastic.h"
#include "espalier/chain/learners/svm.h"
#include "espalier/chain/learners/toy_data.h"

namespace espalier::chain {

struct ChainLearner {
  std::string name;
  bool transitions;
  /// Trains for that many passes.
  std::function<Result<ChainWeights>(TrainingContext, int passes)> train;
};
inline std::ostream& operator<<(std::ostream& out, const ChainLearner& learner) {
  return out << learner.name;
}

inline std::vector<ChainLearner> chain_learners() {
  const auto stochastic = [](LogLoss loss, double dropout = 0) {
    return [loss, dropout](TrainingContext context, int passes) {
      return train_stochastic(std::move(context),
                              {.loss = loss, .l2 = 0.01, .passes = passes, .dropout = dropout});
    };
  };
  const auto perceptron = [](TrainingContext context, int passes) {
    return train_perceptron(std::move(context), {.passes = passes});
  };
  const auto svm = [](TrainingContext context, int passes) {
    return train_svm(std::move(context), {.c = 1, .passes = passes, .tolerance = 0});
  };
  const auto lbfgs = [](LogLoss loss) {
    return [loss](TrainingContext context, int passes) {
      return train_lbfgs(std::move(context), {.loss = loss, .l2 = 0.01, .passes = passes});
    };
  };
  return {{"crf", true, stochastic(LogLoss::kSequence)},
          {"crf_dropout", true, stochastic(LogLoss::kSequence, 0.2)},
          {"memm", true, stochastic(LogLoss::kPosition)},
          {"logistic", false, stochastic(LogLoss::kPosition)},
          {"perceptron", true, perceptron},
          {"local_perceptron", false, perceptron},
          {"svm", true, svm},
          {"local_svm", false, svm},
          {"lbfgs_crf", true, lbfgs(LogLoss::kSequence)},
          {"lbfgs_memm", true, lbfgs(LogLoss::kPosition)}};
}

/// The smallest context a learner can be called with.
struct Session {
  const linear::EncodedTraining& training;
  bool transitions = true;
  int threads = 1;
  std::vector<float> label_weight = {};
  std::function<bool(const Round&)> round_ended = [](const Round&) { return true; };
  const SectionFile* resume = nullptr;
  Monitor monitor = {};

  template <typename Train>
  ChainWeights run(Train&& train) {
    Result<ChainWeights> result = try_run(std::forward<Train>(train));
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return std::move(result).value();
  }
  template <typename Train>
  Result<ChainWeights> try_run(Train&& train) {
    const Workers workers(threads);
    return train(TrainingContext{
        {monitor, [this](const Round& round) { return Verdict{.go_on = round_ended(round)}; }},
        training,
        make_weights(training, transitions, {}),
        workers,
        7,
        resume,
        label_weight});
  }
};

/// The labels that the weights give to every token.
inline std::vector<data::Label> decode_all(const ChainWeights& weights, const linear::Dataset& data) {
  std::vector<data::Label> labels(data.tokens());
  SequenceScores scores;
  ChainScratch scratch;
  for (size_t s = 0; s < data.sequences(); ++s) {
    score_sequence(weights, data, s, scores);
    viterbi(scores.view, scratch, labels.data() + data.sequence_begin[s]);
  }
  return labels;
}

/// The share of tokens with a known label that get it.
inline double accuracy(const ChainWeights& weights, const linear::Dataset& data) {
  const std::vector<data::Label> labels = decode_all(weights, data);
  double right = 0, known = 0;
  for (size_t t = 0; t < labels.size(); ++t) {
    known += data.gold[t] != data::kNoLabel;
    right += data.gold[t] == labels[t];
  }
  return right / known;
}

inline bool same_bytes(const ChainWeights& a, const ChainWeights& b) {
  return a.state == b.state && a.trans == b.trans && a.edge == b.edge;
}

}  // namespace espalier::chain

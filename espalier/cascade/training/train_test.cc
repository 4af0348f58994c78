#include "espalier/cascade/training/train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "espalier/cascade/model/model.h"
#include "espalier/chain/learners/toy_data.h"

namespace espalier::cascade {
namespace {

using data::Label;

linear::EncodedTraining toy(size_t labels = 4, bool edges = false) {
  chain::ToyOptions options;
  options.sequences = 120;
  options.labels = labels;
  options.features = std::max(options.features, 2 * labels);
  options.noise = 0.2;
  options.edges = edges;
  return chain::toy_data(3, options);
}

Options small_options() {
  Options options;
  options.filter_loss = {0.01};
  options.train_alphas = {0, 0.5};
  options.filter_passes = 2;
  options.passes = 8;
  return options;
}

Result<Cascade> train_toy(const linear::EncodedTraining& training, const Options& options, int threads = 1,
                          std::vector<std::vector<Label>>* decoded = nullptr) {
  const Workers workers(threads);
  const Monitor monitor;
  TrainContext context{{monitor, nullptr}, training, &training.data, workers};
  context.round_ended = [&](const Round& round) {
    if (decoded != nullptr) {
      decoded->assign(training.data.sequences(), {});
      const DevDecoder decode = round.model();
      for (size_t s = 0; s < training.data.sequences(); ++s) decode(s, (*decoded)[s]);
    }
    return Verdict{};
  };
  return train_cascade(context, options);
}

double accuracy(const linear::EncodedTraining& training, const std::vector<std::vector<Label>>& decoded) {
  size_t right = 0;
  for (size_t s = 0; s < decoded.size(); ++s)
    for (size_t t = 0; t < decoded[s].size(); ++t) right += decoded[s][t] == training.data.gold_of(s)[t];
  return static_cast<double>(right) / static_cast<double>(training.data.tokens());
}

std::vector<std::byte> file_of(const linear::EncodedTraining& training, const Cascade& cascade) {
  SectionWriter out;
  save_model({training.labels, cascade, training.state, training.edge, data::Scheme::kNone, false, 32}, out);
  return out.to_bytes();
}

TEST(TrainCascade, LearnsEveryOrderWithEveryFilterAndLastLevel) {
  const linear::EncodedTraining training = toy(4, true);
  for (const size_t order : {1, 2, 3, 5}) {
    Options options = small_options();
    options.orders.clear();
    for (size_t n = 1; n <= order; ++n) options.orders.push_back(n);
    options.edge_order = 3;
    std::vector<std::vector<Label>> decoded;
    const auto cascade = train_toy(training, options, 1, &decoded);
    ASSERT_TRUE(cascade.ok()) << cascade.error().message;
    ASSERT_EQ(cascade->levels.size(), order);
    EXPECT_GT(accuracy(training, decoded), 0.9) << order;
  }
  for (const Filter filter : {Filter::kCascade, Filter::kPerceptron, Filter::kCrf})
    for (const Loss last : {Loss::kLog, Loss::kPerceptron, Loss::kMargin})
      for (const Unit unit : {Unit::kStates, Unit::kCliques}) {
        Options options = small_options();
        options.filter = filter;
        options.last = last;
        options.unit = unit;
        std::vector<std::vector<Label>> decoded;
        const auto cascade = train_toy(training, options, 1, &decoded);
        ASSERT_TRUE(cascade.ok()) << cascade.error().message;
        EXPECT_GT(accuracy(training, decoded), 0.9);
        for (size_t l = 0; l + 1 < cascade->levels.size(); ++l)
          EXPECT_TRUE(cascade->levels[l].report.filter_loss <= 0.01 || !cascade->notes.empty()) << l;
      }
}

TEST(TrainCascade, FiltersLeaveLessAliveWithinTheirLoss) {
  const linear::EncodedTraining training = toy(6);
  Options options = small_options();
  options.filter_loss = {0.03};
  const auto cascade = train_toy(training, options);
  ASSERT_TRUE(cascade.ok());
  EXPECT_LT(cascade->levels[0].report.alive, 6);
  EXPECT_LT(cascade->levels[1].report.alive, 0.5 * 36);
  EXPECT_EQ(cascade->levels[0].report.states, 6);
  EXPECT_LE(cascade->levels[1].report.filter_loss, 0.03);
}

TEST(TrainCascade, LearnedFiltersBeginWithLogLossAndKeepItWhereTheirOwnLossDoesNotHelp) {
  const linear::EncodedTraining training = toy();
  Options options = small_options();
  options.orders = {1, 2};
  options.passes = 1;
  const auto alive = [&](int warm_up, int own) {
    options.warm_up = warm_up;
    options.filter_passes = own;
    const auto cascade = train_toy(training, options);
    EXPECT_TRUE(cascade.ok());
    const LevelReport& report = cascade->levels[0].report;
    EXPECT_GE(report.passes, warm_up);
    EXPECT_LE(report.passes, warm_up + own);
    EXPECT_EQ(cascade->levels[0].weights.prior.positions, options.threshold_prior_length);
    EXPECT_GT(cascade->levels[0].weights.prior.regret, 0);
    return report.alive;
  };
  EXPECT_LT(alive(4, 2), alive(0, 1));
}

TEST(TrainCascade, PegasosStepsKeepTheWeightsWithinTheirBall) {
  const linear::EncodedTraining training = toy();
  Options options = small_options();
  options.warm_up = 0;
  options.adaptive_filters = false;
  options.filter_rate = 0;
  options.filter_batch = 1;
  options.threshold_prior_length = 0;
  const auto norm = [](const LevelWeights& weights) {
    double square = 0;
    for (const float w : weights.state) square += double{w} * w;
    for (const float w : weights.gram) square += double{w} * w;
    return std::sqrt(square);
  };
  for (const double lambda : {0.01, 1.0}) {
    options.filter_lambda = lambda;
    const auto cascade = train_toy(training, options);
    ASSERT_TRUE(cascade.ok()) << cascade.error().message;
    for (size_t level = 0; level + 1 < cascade->levels.size(); ++level) {
      const double own = norm(cascade->levels[level].weights);
      EXPECT_GT(own, 0) << lambda;
      EXPECT_LE(own, 1 / std::sqrt(lambda) + 1e-4) << lambda;
      EXPECT_LT(cascade->levels[level].report.efficiency, 1) << lambda;
    }
  }
}

TEST(TrainCascade, DoesNotBlameAFilterForWhatOneBeforeItLost) {
  // The first filter keeps little more than the best label. What it loses is put back to learn from, and the
  // second, which does the same, drops it again; nothing else is there to be lost.
  const linear::EncodedTraining training = toy();
  Options options = small_options();
  options.budget = 1;
  options.passes = 1;
  for (const Unit unit : {Unit::kCliques, Unit::kStates}) {
    options.unit = unit;
    const auto cascade = train_toy(training, options);
    ASSERT_TRUE(cascade.ok());
    EXPECT_GT(cascade->levels[0].report.filter_loss, 0.05);
    EXPECT_LT(cascade->levels[1].report.filter_loss, 0.1 * cascade->levels[0].report.filter_loss);
  }
}

TEST(TrainCascade, KeepsToItsBudget) {
  const linear::EncodedTraining training = toy(6);
  Options options = small_options();
  options.budget = 2.5;
  options.insist = true;
  const auto cascade = train_toy(training, options);
  ASSERT_TRUE(cascade.ok()) << cascade.error().message;
  for (size_t l = 0; l + 1 < cascade->levels.size(); ++l) EXPECT_LE(cascade->levels[l].report.alive, 2.5);
}

TEST(TrainCascade, KeepsEverythingBeforeItSaysThatALossCannotBeHad) {
  chain::ToyOptions noisy;
  noisy.sequences = 150;
  noisy.labels = 4;
  noisy.noise = 0.9;
  const linear::EncodedTraining training = chain::toy_data(5, noisy);
  Options options = small_options();
  options.filter_loss = {0};
  options.insist = true;
  const auto all = train_toy(training, options);
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_EQ(all->levels[0].report.filter_loss, 0);
  EXPECT_LT(all->levels[0].alpha, kLeastUsualAlpha);
  options.most_arcs = 2 * 2 * training.data.tokens();  // room for two of four labels
  const auto refused = train_toy(training, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("level 1: a filter loss of 0 cannot be met"), std::string::npos);
  EXPECT_NE(refused.error().message.find("the nearest is"), std::string::npos) << refused.error().message;
  options.insist = false;
  const auto noted = train_toy(training, options);
  ASSERT_TRUE(noted.ok());
  ASSERT_FALSE(noted->notes.empty());
  EXPECT_NE(noted->notes.front().find("cannot be met"), std::string::npos);
}

TEST(TrainCascade, GivesTheSameBytesAtAnyNumberOfThreads) {
  for (const bool quick : {false, true}) {
    const linear::EncodedTraining training = toy(5, !quick);  // with and without edge features
    Options options = small_options();
    options.quick_filters = quick;
    const auto one = train_toy(training, options, 1);
    ASSERT_TRUE(one.ok());
    const std::vector<std::byte> bytes = file_of(training, *one);
    for (const int threads : {2, 3}) {
      const auto more = train_toy(training, options, threads);
      ASSERT_TRUE(more.ok());
      EXPECT_EQ(file_of(training, *more), bytes) << threads;
    }
  }
}

TEST(TrainCascade, QuickFiltersKeepTheTruthWithFewerPasses) {
  const linear::EncodedTraining training = toy(6);
  Options options = small_options();
  options.filter_loss = {0.03};
  options.folds = 2;
  options.warm_up = 4;
  options.filter_passes = 1;
  options.quick_filters = true;
  std::vector<std::vector<Label>> decoded;
  const auto cascade = train_toy(training, options, 1, &decoded);
  ASSERT_TRUE(cascade.ok()) << cascade.error().message;
  EXPECT_EQ(cascade->levels[0].report.passes, 5);
  EXPECT_EQ(cascade->levels[1].report.passes, 2);
  for (size_t l = 0; l < 2; ++l) EXPECT_LE(cascade->levels[l].report.filter_loss, 0.03);
  EXPECT_LT(cascade->levels[0].report.alive, 6);
  EXPECT_LT(cascade->levels[1].report.alive, 0.5 * 36);
  EXPECT_GT(accuracy(training, decoded), 0.9);
}

TEST(TrainCascade, GoesOnFromAnyCheckpointAsIfItHadNeverBeenCutOff) {
  const linear::EncodedTraining training = toy(4, true);
  Options options = small_options();
  options.passes = 3;
  options.quantiles = true;
  const Workers workers(1);
  const Monitor monitor;
  std::vector<std::vector<std::byte>> kept;
  TrainContext context{{monitor, nullptr}, training, nullptr, workers};
  context.checkpoints = true;
  context.round_ended = [&](const Round& round) {
    SectionWriter out;
    round.save(out);
    kept.push_back(out.to_bytes());
    return Verdict();
  };
  for (const Loss last : {Loss::kLog, Loss::kPerceptron}) {
    options.last = last;
    options.quick_filters = last == Loss::kLog;
    options.quantiles = !options.quick_filters;
    kept.clear();
    const auto whole = train_cascade(context, options);
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    const std::vector<std::byte> wanted = file_of(training, *whole);
    ASSERT_EQ(kept.size(), 2u + 3u);  // two filters, three passes
    const auto checkpoints = kept;
    for (size_t i = 0; i < checkpoints.size(); ++i) {
      const auto file = SectionFile::from_bytes(checkpoints[i], "checkpoint");
      ASSERT_TRUE(file.ok());
      TrainContext later = context;
      later.resume = &*file;
      kept.clear();
      const auto resumed = train_cascade(later, options);
      ASSERT_TRUE(resumed.ok()) << resumed.error().message;
      EXPECT_EQ(file_of(training, *resumed), wanted) << i;
      EXPECT_EQ(kept.size(), checkpoints.size() - 1 - i);
      EXPECT_EQ(resumed->notes, whole->notes);
    }
  }
}

TEST(TrainCascade, EndsAfterAFilterOrAPassWhereTheCallerSaysSo) {
  const linear::EncodedTraining training = toy(4, true);
  const Workers workers(1);
  const Monitor monitor;
  TrainContext context{{monitor, nullptr}, training, nullptr, workers};
  context.checkpoints = true;
  context.round_ended = [&](const Round& round) { return Verdict{.go_on = round.number > 0}; };
  const auto refused = train_cascade(context, small_options());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "training was ended after the filter of level 1");
  context.round_ended = [&](const Round& round) { return Verdict{.go_on = round.number < 3}; };
  const auto trained = train_cascade(context, small_options());
  ASSERT_TRUE(trained.ok()) << trained.error().message;
  EXPECT_EQ(trained->levels.back().report.passes, 3);
}

TEST(CascadePredictor, CountsTheWeightsThatTrainingCountsLessThoseThatAreZero) {
  for (const size_t labels : {4, 40, 80}) {  // rows with a set of columns in one word, in two, with a list
    const linear::EncodedTraining training = toy(labels, true);
    Options options = small_options();
    options.orders = {1, 2};
    options.edge_order = 2;
    const auto cascade = train_toy(training, options);
    ASSERT_TRUE(cascade.ok()) << cascade.error().message;
    size_t counted = 0, zeros = 0;
    const Layout& layout = cascade->layout;
    for (const Level& level : cascade->levels) {
      counted += layout.weights_of(level.weights);
      const AlignedVector<float>&state = level.weights.state, &edge = level.weights.edge;
      zeros += std::count(state.begin(), state.begin() + layout.state.weights(), 0.0f);
      if (!edge.empty()) zeros += std::count(edge.begin(), edge.begin() + layout.edge.weights(), 0.0f);
    }
    const auto file = SectionFile::from_bytes(file_of(training, *cascade), "model");
    ASSERT_TRUE(file.ok());
    data::FeatureOptions features;
    features.attributes = true;
    auto extractor = data::FeatureExtractor::make(features);
    ASSERT_TRUE(extractor.ok());
    const auto model = CascadePredictor::load(*file, std::move(extractor).value());
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_GT(counted, zeros);
    EXPECT_EQ((*model)->size().weights, counted - zeros) << labels << " labels";
  }
}

TEST(TrainCascades, AreThoseThatEndAtEachLevel) {
  const linear::EncodedTraining training = toy();
  const Options options = small_options();
  const Workers workers(1);
  const Monitor monitor;
  const TrainContext context{{monitor, [](const Round&) { return Verdict(); }}, training, nullptr, workers};
  const auto all = train_cascades(context, options);
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_EQ(all->size(), 3u);
  for (size_t n = 1; n <= 3; ++n) {
    ASSERT_EQ((*all)[n - 1].levels.size(), n);
    EXPECT_EQ((*all)[n - 1].levels.back().report.order, n);
  }
  const auto alone = train_cascade(context, options);
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(alone->levels.back().weights.state, all->back().levels.back().weights.state);
  EXPECT_EQ(alone->levels[1].alpha, all->back().levels[1].alpha);
}

TEST(TrainCascade, WorksWithOneLabelShortSequencesAndUnknownLabels) {
  chain::ToyOptions shape;
  shape.sequences = 60;
  shape.longest = 2;  // shorter than the order
  shape.labels = 1;
  shape.unknown = 0.1;
  const linear::EncodedTraining training = chain::toy_data(7, shape);
  Options options = small_options();
  options.orders = {1, 2, 3, 4};
  const auto cascade = train_toy(training, options);
  ASSERT_TRUE(cascade.ok()) << cascade.error().message;
  EXPECT_NE(cascade->notes.front().find("unknown labels"), std::string::npos);
  shape.unknown = 1;
  const auto refused = train_toy(chain::toy_data(8, shape), options);
  ASSERT_FALSE(refused.ok());
}

}  // namespace
}  // namespace espalier::cascade

// Cascades through the same door as every other model: trained from files, saved, opened, used.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/cascade/model/model.h"
#include "espalier/cascade/training/tune.h"
#include "espalier/chain/lattice/lattice_viterbi.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/segment_choice.h"
#include "espalier/model/model.h"
#include "espalier/model/train.h"
#include "espalier/model/training/training_test_support.h"

namespace espalier::model {
namespace {

class CascadeTest : public ChunkingTest {
 protected:
  CascadeTest() : ChunkingTest(200, 40) {}

  TrainRequest request(std::vector<std::string> settings = {}) const {
    TrainRequest r;
    r.train = {path("train.txt")};
    r.model = path("out.model");
    r.learner = "cascade";
    // Less work than the defaults ask for, as far as the settings leave something to filter and to learn.
    const auto has = [&](std::string_view setting) {
      return std::find(settings.begin(), settings.end(), setting) != settings.end();
    };
    const bool filters = !has("order=1") && !has("filter=none"),
               learned = filters && !has("filter=dictionary");
    r.settings = {"passes=3"};
    if (filters) r.settings.push_back("filter-loss=0.02");
    if (learned) r.settings.push_back("filter-passes=2");
    if (learned && !has("filter=crf") && !has("filter=perceptron")) r.settings.push_back("train-alphas=0.25");
    r.settings.insert(r.settings.end(), settings.begin(), settings.end());
    r.threads = 1;
    return r;
  }

  Model trained(std::vector<std::string> settings = {}) const {
    const auto report = train(request(std::move(settings)), {});
    EXPECT_TRUE(report.ok()) << report.error().message;
    auto model = Model::open(path("out.model"));
    EXPECT_TRUE(model.ok()) << model.error().message;
    return std::move(model).value();
  }
};

const cascade::CascadePredictor& cascade_of(const Model& model) {
  return *model.as<cascade::CascadePredictor>();
}

TEST_F(CascadeTest, TheSameBytesAtAnyNumberOfThreads) {
  // With the labels of words as features, which each sentence is described with as if it had not been seen,
  // and with labels that are finer inside.
  const std::string alone = [&] {
    const Model model = trained({"scheme=iobes"});
    EXPECT_EQ(model.about().features.lists.size(), 1u);
    EXPECT_TRUE(model.inner_labels().refined());
    return file_bytes(path("out.model"));
  }();
  for (const int threads : {2, 3}) {
    TrainRequest r = request({"scheme=iobes"});
    r.threads = threads;
    r.model = path("threads.model");
    ASSERT_TRUE(train(r, {}).ok());
    EXPECT_EQ(file_bytes(r.model), alone) << threads;
  }
}

TEST_F(CascadeTest, TrainsSavesAndPredicts) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{},
        {"order=1"},
        {"order=2", "last=margin"},
        {"order=4", "last=perceptron", "filter-loss=auto"},
        {"filter=crf"},
        {"filter=perceptron", "filter-unit=states", "filter-loss=auto"},
        {"filter=dictionary", "filter-loss=auto"},
        {"filter=none", "order=2"},
        {"levels=2,3"},
        {"levels=1,3"},
        {"weight-bits=16", "names=no", "quantiles=yes"}}) {
    const Model model = trained(settings);
    EXPECT_GT(token_accuracy(model, path("dev.txt")), 90) << fmt::format("{}", fmt::join(settings, " "));
  }
}

TEST_F(CascadeTest, FiltersThatDropNothingLeaveTheUnfilteredModel) {
  const Model model = trained({"quantiles=no", "filter-unit=states"});
  const cascade::CascadePredictor& cascade = cascade_of(model);
  const auto scratch = cascade.make_scratch();
  const std::vector<double> nothing(cascade.levels() - 1, -1e9);
  for (const data::Sequence& sequence : dev()) {
    cascade.look_up(sequence, *scratch);
    ASSERT_TRUE(cascade.search({}, nullptr, *scratch).ok());
    const chain::Lattice unfiltered = cascade::CascadePredictor::trellis_of(*scratch).lattice;
    ASSERT_TRUE(cascade.search({}, &nothing, *scratch).ok());
    EXPECT_TRUE(cascade::CascadePredictor::trellis_of(*scratch).lattice == unfiltered);
  }
}

TEST_F(CascadeTest, FilteredAnswersAreTheBestOfWhatIsLeft) {
  const Model model = trained();
  const cascade::CascadePredictor& cascade = cascade_of(model);
  const auto scratch = cascade.make_scratch();
  for (const data::Sequence& sequence : dev()) {
    cascade.look_up(sequence, *scratch);
    ASSERT_TRUE(cascade.search({}, nullptr, *scratch).ok());
    const size_t arcs = cascade::CascadePredictor::trellis_of(*scratch).lattice.arcs();
    ASSERT_TRUE(cascade.search({}, &cascade.alphas(), *scratch).ok());
    EXPECT_LE(cascade::CascadePredictor::trellis_of(*scratch).lattice.arcs(), arcs);
  }
}

TEST_F(CascadeTest, GivesNBestMarginalsAndForcedLabels) {
  const Model model = trained();
  const data::Predictor& predictor = model.predictor();
  const auto scratch = predictor.make_scratch();
  data::PredictOptions options;
  options.nbest = 3;
  options.confidence = options.marginals = true;
  const size_t K = model.labels().size();
  for (const data::Sequence& sequence : dev()) {
    data::Prediction prediction, best;
    ASSERT_TRUE(predictor.predict(sequence, {}, options, *scratch, prediction).ok());
    data::PredictOptions whole;
    whole.decoder = data::Decoder::kViterbi;
    ASSERT_TRUE(predictor.predict(sequence, {}, whole, *scratch, best).ok());
    EXPECT_EQ(prediction.labels(), best.labels());
    double total = 0;
    for (size_t i = 0; i < prediction.best.size(); ++i) {
      total += prediction.best[i].probability;
      if (i > 0) {
        EXPECT_LE(prediction.best[i].score, prediction.best[i - 1].score + 1e-6);
      }
    }
    EXPECT_LE(total, 1 + 1e-6);
    for (size_t t = 0; t < sequence.length(); ++t) {
      double sum = 0;
      for (size_t j = 0; j < K; ++j) sum += prediction.marginals[t * K + j];
      EXPECT_NEAR(sum, 1, 1e-4);
    }
    // The paths that hold a segment, one by one; what the n best leave out bounds the difference.
    data::PredictOptions many = options;
    many.nbest = 300;
    data::Prediction all;
    ASSERT_TRUE(predictor.predict(sequence, {}, many, *scratch, all).ok());
    double covered = 0;
    for (const data::Labelling& labelling : all.best) covered += labelling.probability;
    for (const data::SpanConfidence& span : prediction.spans) {
      double held = 0;
      for (const data::Labelling& labelling : all.best) {
        std::vector<std::string_view> names;
        for (const data::Label label : labelling.labels) names.push_back(model.labels().name(label));
        for (const data::Span& found : data::spans(names, data::Scheme::kIob2))
          if (found.first == span.first && found.last == span.last && found.type == span.type)
            held += labelling.probability;
      }
      EXPECT_GE(span.probability, held - 1e-4);
      EXPECT_LE(span.probability, held + (1 - covered) + 1e-4);
    }
    std::vector<data::Label> forced(sequence.length(), data::kNoLabel);
    for (data::Label label = 0; label < K; ++label) {
      forced[0] = forced.back() = label;
      ASSERT_TRUE(predictor.predict(sequence, forced, {}, *scratch, best).ok());
      EXPECT_EQ(best.labels().front(), label);
      EXPECT_EQ(best.labels().back(), label);
    }
    ASSERT_TRUE(predictor.predict(sequence, {}, {}, *scratch, best).ok());
    const auto why = predictor.explain(sequence, *scratch);
    ASSERT_TRUE(why.ok());
    for (size_t t = 0; t < sequence.length(); ++t) EXPECT_EQ((*why)[t].label, best.labels()[t]);
  }
}

TEST_F(CascadeTest, AnswersWithTheSegmentsOfTheLargestExpectedScore) {
  // Trained too little to be sure.
  size_t differ = 0;
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"passes=1", "l2=30"}, {"passes=1", "l2=30", "order=2"}}) {
    const Model model = trained(settings);
    ASSERT_TRUE(cascade_of(model).answers_segments());
    const data::Predictor& predictor = model.predictor();
    const auto scratch = predictor.make_scratch();
    data::PredictOptions sure, whole, all;
    sure.confidence = whole.confidence = all.confidence = true;
    whole.decoder = data::Decoder::kViterbi;
    all.nbest = 2000;
    for (const data::Sequence& sequence : dev()) {
      data::Prediction answer, asked, best, list;
      ASSERT_TRUE(predictor.predict(sequence, {}, {}, *scratch, answer).ok());
      ASSERT_TRUE(predictor.predict(sequence, {}, sure, *scratch, asked).ok());
      ASSERT_TRUE(predictor.predict(sequence, {}, whole, *scratch, best).ok());
      EXPECT_EQ(answer.labels(), asked.labels()) << "with and without a lattice";
      const auto gain = [](const data::Prediction& prediction) {
        double sum = 0;
        for (const data::SpanConfidence& span : prediction.spans)
          sum += span.probability - data::kSegmentPrice;
        return sum;
      };
      EXPECT_GE(gain(asked), gain(best) - 1e-4);
      differ += asked.labels() != best.labels();
      if (asked.labels() == best.labels()) continue;
      // The score is that of the labelling.
      ASSERT_TRUE(predictor.predict(sequence, {}, all, *scratch, list).ok());
      for (const data::Labelling& labelling : list.best)
        if (labelling.labels == asked.labels() && !cascade_of(model).labels().refined()) {
          EXPECT_NEAR(asked.best.front().score, labelling.score, 1e-3);
          EXPECT_NEAR(answer.best.front().score, labelling.score, 1e-3);
        }
      std::vector<data::Label> forced = best.labels();
      data::Prediction held;
      ASSERT_TRUE(predictor.predict(sequence, forced, {}, *scratch, held).ok());
      EXPECT_EQ(held.labels(), forced);
    }
  }
  EXPECT_GT(differ, 0u);
  EXPECT_FALSE(cascade_of(trained({"last=perceptron", "filter-loss=auto"})).answers_segments());
}

TEST_F(CascadeTest, TheLabelsOfWordsAreFeatures) {
  const auto lists = [](const Model& model) { return model.about().features.lists; };
  const Model model = trained();
  ASSERT_EQ(lists(model).size(), 1u);
  EXPECT_EQ(lists(model)[0].kind, data::WordList::Kind::kLabels);
  const auto names = cascade_of(model).strongest(100000, std::nullopt);
  ASSERT_TRUE(names.ok());
  EXPECT_TRUE(std::any_of(names->begin(), names->end(),
                          [](const auto& weight) { return weight.feature.starts_with("labels[0]="); }));
  // A model that is trained further keeps those it has.
  TrainRequest further = request();
  further.model = path("further.model");
  further.start_from = std::make_shared<const Model>(trained());
  const auto report = train(further, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(lists(report->model), lists(model));
  // Templates say themselves what is a feature, and chains must be the same on many machines.
  TrainRequest own = request();
  own.feature_text = TemplateText{"template", "U00:%x[0,0]\nB\n"};
  EXPECT_TRUE(lists(train(own, {})->model).empty());
  TrainRequest chain = request();
  chain.learner = "crf";
  chain.settings = {"passes=1"};
  EXPECT_TRUE(lists(train(chain, {})->model).empty());
}

TEST_F(CascadeTest, TunesToALossOrABudgetAndNamesTheNearestWhereNeitherCanBe) {
  const Model model = trained();
  const cascade::CascadePredictor& cascade = cascade_of(model);
  cascade::TuneOptions options;
  options.budget = 1.5;
  const auto tight = cascade::tune(cascade, dev(), options, Workers(1), {});
  ASSERT_TRUE(tight.ok()) << tight.error().message;
  for (const cascade::LevelReport& report : tight->reports) EXPECT_LE(report.alive, 1.5);
  options.budget = 0;
  options.filter_loss = {0.02};
  const auto loose = cascade::tune(cascade, dev(), options, Workers(2), {});
  ASSERT_TRUE(loose.ok());
  for (const cascade::LevelReport& report : loose->reports) EXPECT_LE(report.filter_loss, 0.02);
  SectionWriter out;
  ASSERT_TRUE(cascade::replace_thresholds(model.file(), loose->alphas, loose->reports, out).ok());
  const auto again = Model::from_bytes(out.to_bytes(), "tuned");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(cascade_of(*again).alphas(), loose->alphas);
  options.budget = 0.5;  // one label a position must stay
  const auto refused = cascade::tune(cascade, dev(), options, Workers(1), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("the least is"), std::string::npos);
}

TEST_F(CascadeTest, AnInterruptedRunResumesToTheSameBytes) {
  ASSERT_TRUE(train(request(), {}).ok());
  const std::string wanted = file_bytes(path("out.model"));
  TrainRequest first = request();
  first.model = path("resumed.model");
  first.checkpoint_every = 1;
  train_two_rounds(first);
  first.resume = true;
  const auto resumed = train(first, {});
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_EQ(resumed->report.log.front().number, 3);
  EXPECT_EQ(file_bytes(first.model), wanted);
  EXPECT_FALSE(train(first, {}).ok()) << "no checkpoint is left";
}

TEST_F(CascadeTest, IsNoModelIfStoppedBeforeItsLastLevel) {
  TrainRequest stopped = request();
  stopped.model = path("stopped.model");
  std::atomic<bool> stop{false};
  Monitor monitor;
  monitor.stop = &stop;
  monitor.on_progress = [&](const Progress& p) { stop = stop || p.phase.starts_with("filter"); };
  const auto trained = train(stopped, monitor);
  ASSERT_FALSE(trained.ok());
  EXPECT_NE(trained.error().message.find("before the last level"), std::string::npos)
      << trained.error().message;
  EXPECT_FALSE(std::filesystem::exists(stopped.model));
}

TEST_F(CascadeTest, TheLastLevelLearnsAgainstMoreThanItMeets) {
  const Model narrow = trained({"filter-loss=0.002", "loss-in-use=0.05"});
  const Model wide = trained({"filter-loss=0.002"});
  const cascade::LevelReport &used = cascade_of(narrow).report(1), &kept = cascade_of(wide).report(1);
  EXPECT_LT(used.alive, kept.alive);
  EXPECT_LE(used.filter_loss, 0.05);
  EXPECT_LE(kept.filter_loss, 0.002);
  // They learned from the same lattices.
  EXPECT_EQ(cascade_of(narrow).report(2).states, cascade_of(wide).report(2).states);
  EXPECT_GT(cascade_of(narrow).report(2).states, used.alive);
}

TEST_F(CascadeTest, RefusesWhatMakesNoSense) {
  const auto refused = [&](std::vector<std::string> settings, std::string_view says) {
    const auto report = train(request(std::move(settings)), {});
    ASSERT_FALSE(report.ok());
    EXPECT_NE(report.error().message.find(says), std::string::npos) << report.error().message;
  };
  refused({"levels=3,2"}, "lower order");
  refused({"levels=1,x"}, "not a number");
  refused({"levels=1,2", "order=4"}, "another order");
  refused({"filter-loss=2"}, "filter-loss");
  refused({"budget=0.5"}, "budget");
  refused({"budget=3"}, "exclude each other");
  refused({"filter-loss=auto", "budget=3", "loss-in-use=0.1"}, "exclude each other");
  refused({"filter=dictionary", "filter-loss=0"}, "cannot be met");
  refused({"filter=dictionary", "word-feature=nothing-like-it"}, "word-feature");
  refused({"filter-steps=plain", "filter-rate=2", "filter-lambda=0.5"}, "product");
}

TEST_F(CascadeTest, DamagedModelsAreRefusedNotUsed) {
  trained();
  std::ifstream file(path("out.model"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (size_t at = 40; at < bytes.size(); at += bytes.size() / 50 + 1) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    std::vector<std::byte> raw(damaged.size());
    std::transform(damaged.begin(), damaged.end(), raw.begin(),
                   [](char c) { return static_cast<std::byte>(c); });
    EXPECT_FALSE(Model::from_bytes(raw, "damaged").ok()) << at;
  }
}

}  // namespace
}  // namespace espalier::model

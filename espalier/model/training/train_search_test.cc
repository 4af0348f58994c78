// Searches trained from files like every other model: all learners, tasks and choices learn what can be
// learned.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "espalier/model/training/search_test_support.h"

namespace espalier::model {
namespace {

TEST_F(SearchTraining, EveryLearnerLearnsSegmentsByWordsAndByChunks) {
  for (const char* learner : {"searn", "laso-br", "laso-bst", "laso", "incremental"})
    for (const char* unit : {"unit=word", "unit=chunk"}) {
      const auto report = run(learner, "segment", {unit}, true);
      ASSERT_TRUE(report.ok()) << learner << ": " << report.error().message;
      EXPECT_TRUE(report->log.front().dev_score.has_value());
      EXPECT_GE(f1(), 97) << learner << " " << unit;
    }
}

TEST_F(SearchTraining, ABeamOfOneTagsAsItWasTrained) {
  // Chunks of all lengths compete at their ends, in training and in tagging.
  for (const char* learner : {"laso-br", "incremental"}) {
    ASSERT_TRUE(run(learner, "segment", {"beam=1"}).ok());
    EXPECT_GE(f1(), 97) << learner;
  }
}

TEST_F(SearchTraining, ChunksLookAtTheLabelsOfWords) {
  ASSERT_TRUE(run("searn", "segment", {"iterations=1"}).ok());
  const auto model = Model::open(model_);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto& lists = model->about().features.lists;
  ASSERT_EQ(lists.size(), 1u);
  EXPECT_EQ(lists[0].kind, data::WordList::Kind::kLabels);
  const auto names = model->predictor().strongest(100000, std::nullopt);
  ASSERT_TRUE(names.ok());
  const auto is_about_labels = [](const auto& weight) {
    return weight.feature.starts_with("begin labels[0]=");
  };
  EXPECT_TRUE(std::any_of(names->begin(), names->end(), is_about_labels));
  EXPECT_GE(f1(), 97);
}

TEST_F(SearchTraining, SearnTakesEveryChoiceItOffers) {
  // All learn what can be learned …
  std::ofstream(train_) << chunk_text(1, 60);
  std::ofstream(test_) << chunk_text(2, 20);
  const auto learns = [&](const std::string& task, std::vector<std::string> settings, double least) {
    settings.push_back("iterations=2");
    const std::string text = ::testing::PrintToString(settings);
    const auto report = run("searn", task, std::move(settings), true);
    ASSERT_TRUE(report.ok()) << text << ": " << report.error().message;
    EXPECT_GE(f1(), least) << text;
  };
  for (const char* setting : {"interpolation=line-search", "costs=sample", "roll-in=aggregate", "folds=3",
                              "direction=right-to-left", "direction=easiest-first", "loss=zero-one",
                              "history=4", "beam=5", "decoder=best-first"})
    learns("label", {setting}, 95);
  for (const char* classifier : {"perceptron", "logistic", "svm", "liblinear"})
    for (const char* reduction : {"reduction=direct", "reduction=one-vs-all", "reduction=all-pairs"})
      learns("label", {std::string("classifier=") + classifier, reduction}, 95);
  for (const char* reduction : {"reduction=one-vs-all", "reduction=all-pairs"}) {
    learns("label", {"classifier=quadratic-svm", reduction}, 95);
    learns("label", {"classifier=quadratic-svm", reduction, "beta=0.5"}, 95);
    learns("label", {"classifier=liblinear", reduction, "direction=easiest-first"}, 95);
    learns("segment", {"classifier=liblinear", reduction, "costing-samples=2"}, 95);
    learns("segment", {"classifier=liblinear", reduction, "unit=word", "costing-samples=2"}, 95);
  }
  learns("label", {"classifier=softmax-margin"}, 95);
  learns("label", {"beta=0.5", "policy=stochastic"}, 90);
}

TEST_F(SearchTraining, NoChoiceIsWithoutEffect) {
  // … and where labels are noisy, each labels otherwise, or scores otherwise, than what it is set beside.
  const auto noisy = [](uint64_t seed, size_t sentences) {
    Random random(seed);
    std::istringstream clean(chunk_text(seed, sentences));
    std::string line, text;
    while (std::getline(clean, line)) {
      if (random.uniform() < 0.12 && !line.empty())
        line.replace(line.rfind(' '), std::string::npos, random.below(2) == 0 ? " B-NP" : " I-NP");
      text += line + "\n";
    }
    return text;
  };
  std::ofstream(train_) << noisy(1, 25);
  std::ofstream(test_) << noisy(2, 25);
  const auto outputs = [&](const std::string& learner, const std::string& task,
                           const std::vector<std::string>& settings) {
    const auto report = run(learner, task, settings);
    EXPECT_TRUE(report.ok()) << ::testing::PrintToString(settings) << report.error().message;
    const auto model = Model::open(model_);
    const auto sequences = data::read_all({test_}, model->about().reading_for_use());
    const auto scratch = model->predictor().make_scratch();
    data::Prediction out;
    std::vector<std::pair<double, std::vector<data::Label>>> all;
    for (const data::Sequence& sequence : *sequences) {
      EXPECT_TRUE(model->predictor().predict(sequence, {}, {}, *scratch, out).ok());
      all.emplace_back(out.best[0].score, out.labels());
    }
    return all;
  };
  using Outputs = std::vector<std::pair<double, std::vector<data::Label>>>;
  const auto differ = [](const Outputs& a, const Outputs& b) {
    constexpr double kRounding = 1e-2;  // relative; 16-bit weights are off by up to 4e-3
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i].second != b[i].second ||
          std::abs(a[i].first - b[i].first) > kRounding * std::max(1.0, std::abs(a[i].first)))
        return true;
    return false;
  };
  struct Beside {
    std::string learner, task;
    std::vector<std::string> base;
    std::vector<std::string> others;  ///< each beside the base alone
  };
  const std::vector<Beside> beside = {
      {"searn",
       "label",
       {"iterations=3"},
       {"classifier=logistic", "classifier=svm", "classifier=liblinear", "reduction=one-vs-all",
        "reduction=all-pairs", "beta=0.4", "roll-in=aggregate", "folds=3", "direction=right-to-left",
        "direction=easiest-first", "loss=zero-one", "history=0", "history=4", "passes=1", "average=no",
        "cutoff=5"}},
      {"searn",
       "label",
       {"classifier=logistic", "iterations=2"},
       {"rate=0.5", "l2=5", "reduction=all-pairs", "reduction=one-vs-all", "classifier=softmax-margin",
        "iterations=1"}},
      {"searn",
       "label",
       {"classifier=liblinear", "iterations=1"},
       {"c=0.01", "reduction=direct", "reduction=all-pairs"}},
      {"searn", "label", {"classifier=quadratic-svm", "iterations=1"}, {"c=0.01", "reduction=one-vs-all"}},
      {"searn",
       "segment",
       {"unit=word", "classifier=liblinear", "iterations=1"},
       {"costing-samples=1", "loss=hamming"}},
      {"searn",
       "label",
       {"costs=sample", "beta=0.5", "iterations=3"},
       {"costs=optimal", "samples=5", "oracle-roll-outs=1", "policy=stochastic"}},
      {"searn",
       "segment",
       {"iterations=2"},
       {"max-length=2", "meta=no", "stemmer=english", "unit=word", "loss=hamming", "history=0"}},
      {"laso-br", "label", {"passes=2", "beam=3"}, {"beam=6", "rate=0.1", "average=no", "history=0"}},
      {"incremental", "label", {"passes=2", "beam=3"}, {"update=early", "beam=1", "average=no"}},
  };
  for (const Beside& one : beside) {
    const auto base = outputs(one.learner, one.task, one.base);
    for (const std::string& other : one.others) {
      std::vector<std::string> settings = one.base;
      const std::string name = other.substr(0, other.find('=') + 1);
      std::erase_if(settings, [&](const std::string& s) { return s.starts_with(name); });
      settings.push_back(other);
      EXPECT_TRUE(differ(outputs(one.learner, one.task, settings), base))
          << one.learner << " " << ::testing::PrintToString(one.base) << " compared with " << other;
    }
  }
  // What only changes the file leaves labels and scores alone, so that the comparison above can fail.
  const auto base = outputs("searn", "label", {"iterations=2"});
  EXPECT_FALSE(differ(outputs("searn", "label", {"iterations=2", "names=no"}), base));
  EXPECT_FALSE(differ(outputs("searn", "label", {"iterations=2", "weight-bits=32"}), base));
}

TEST_F(SearchTraining, TheSameSeedGivesTheSameFileAtAnyNumberOfThreads) {
  for (const char* unit : {"unit=word", "unit=chunk"}) {
    ASSERT_TRUE(run("searn", "segment", {unit}, false, 1).ok());
    const std::string one = bytes();
    ASSERT_TRUE(run("searn", "segment", {unit}, false, 3).ok());
    EXPECT_EQ(bytes(), one);
  }
}

TEST_F(SearchTraining, SeveralColumnsAreLearnedTogether) {
  const auto sequences = data::read_all({test_}, {});
  for (const char* learner : {"searn", "laso-br", "incremental"})
    for (const char* columns : {"2,3", "3,2"}) {
      // Chunks that are decided first cannot wait for tags; they see those before best without a lead.
      const std::string lead = columns[0] == '2' ? "lead=2" : "lead=0";
      const auto report = run_joint(learner, columns, {lead}, true);
      ASSERT_TRUE(report.ok()) << learner << ": " << report.error().message;
      // LaSO-BR takes all that the beam holds for equally wrong, and learns less from so little.
      const double least = learner == std::string("laso-br") ? 95 : 99;
      EXPECT_GE(report->log.back().dev_score.value(), least) << learner;
      const auto model = Model::open(model_);
      ASSERT_TRUE(model.ok()) << model.error().message;
      const data::Predictor& predictor = model->predictor();
      ASSERT_EQ(predictor.label_columns(), 2u);
      const size_t first = columns[0] == '2' ? 1 : 2, last = columns[0] == '2' ? 2 : 1;
      const auto scratch = predictor.make_scratch();
      data::Prediction out;
      size_t right = 0, all = 0;
      for (const data::Sequence& sequence : *sequences) {
        ASSERT_TRUE(predictor.predict(sequence, {}, {}, *scratch, out).ok());
        for (size_t t = 0; t < sequence.length(); ++t) {
          const auto& best = out.best.front();
          right += predictor.labels_of_column(0).name(best.others.at(0)[t]) == sequence.cell(t, first);
          right += predictor.labels().name(best.labels[t]) == sequence.cell(t, last);
          all += 2;
        }
      }
      EXPECT_GE(100 * static_cast<double>(right), least * static_cast<double>(all)) << learner;
      const auto reasons = predictor.explain((*sequences)[0], *scratch);
      ASSERT_TRUE(reasons.ok());
      ASSERT_EQ(reasons->size(), 2 * (*sequences)[0].length());
      EXPECT_EQ((*reasons)[1].column, 1u);
      bool both[2] = {false, false};
      const auto strongest = predictor.strongest(200, std::nullopt);
      for (const auto& f : *strongest) {
        both[f.column] = true;
        EXPECT_LT(f.label, predictor.labels_of_column(f.column).size());
      }
      EXPECT_TRUE(both[0] && both[1]);
    }
  ASSERT_TRUE(run_joint("searn", "2,3", {"direction=right-to-left"}, false, 1).ok());
  const std::string one = bytes();
  ASSERT_TRUE(run_joint("searn", "2,3", {"direction=right-to-left"}, false, 3).ok());
  EXPECT_EQ(bytes(), one);
}

TEST_F(SearchTraining, WordListsAreFeaturesOfChunks) {
  // Words whose shape and letters say nothing: only the list tells what they are.
  const auto listed = [](uint64_t n) { return (n * 0x9E3779B97F4A7C15ull >> 40 & 1) == 0; };
  constexpr uint64_t kWords = 20000;
  const auto text = [&](uint64_t seed) {
    Random random(seed);
    std::string lines;
    for (size_t s = 0; s < 150; ++s) {
      const uint64_t n = random.below(kWords);
      lines += fmt::format("x{} B-{}\nand O\n\n", n, listed(n) ? "IN" : "OUT");
    }
    return lines;
  };
  std::ofstream(train_) << text(1);
  std::ofstream(test_) << text(2);
  const std::string list = folder_.path("in.txt");
  {
    std::ofstream out(list);
    for (uint64_t n = 0; n < kWords; ++n)
      if (listed(n)) out << "x" << n << "\n";
  }
  ASSERT_TRUE(run("searn", "segment", {}).ok());
  const double without = f1();
  ASSERT_TRUE(run("searn", "segment", {"lists=" + list}).ok());
  EXPECT_GE(f1(), 99);
  EXPECT_LT(without, 90);
}

TEST_F(SearchTraining, ProgressOnlyGoesForward) {
  const std::pair<const char*, std::vector<std::string>> runs[] = {
      {"searn", {"unit=chunk", "iterations=3"}},
      {"searn", {"unit=word", "classifier=liblinear", "costing-samples=2"}},  // costs differ under F1
      {"searn", {"unit=word", "folds=2", "beta=0.5", "iterations=2"}},
      {"laso-br", {"passes=3"}}};
  for (const auto& [learner, settings] : runs) {
    TrainRequest request;
    request.train = {train_};
    request.model = model_;
    request.learner = learner;
    request.task = "segment";
    request.settings = settings;
    request.threads = 1;
    double done = 0;
    size_t between = 0;
    Monitor monitor;
    monitor.on_progress = [&](const Progress& progress) {
      if (progress.phase != "training") return;
      EXPECT_GE(progress.done, done) << learner << " " << settings[0];
      EXPECT_LE(progress.done, progress.total);
      done = progress.done;
      if (!progress.round_ended) ++between;
    };
    const auto report = train(request, monitor);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_GT(between, 10u) << learner << " " << settings[0];
    // SEARN that is rid of its initial policy at once has nothing to measure.
    const bool at_once = std::find(settings.begin(), settings.end(), "beta=0.5") == settings.end();
    EXPECT_EQ(report->report.log.back().objective.has_value(), learner != std::string("searn") || !at_once);
  }
}

}  // namespace
}  // namespace espalier::model

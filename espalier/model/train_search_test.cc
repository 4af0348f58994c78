// Searches through the same door as every other model: trained from files, saved, opened, used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "espalier/base/random.h"
#include "espalier/base/temporary_directory.h"
#include "espalier/chain/weights.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/eval/scores.h"
#include "espalier/model/model.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/search_problem.h"
#include "espalier/model/train.h"

namespace espalier::model {
namespace {

using ::testing::HasSubstr;

/// Word, tag and chunk, learnable from the words.
std::string chunk_text(uint64_t seed, size_t sentences) {
  Random random(seed);
  std::string text;
  const char* const nouns[] = {"dog", "cat", "tree", "river"};
  const auto phrase = [&] {
    if (random.below(5) == 0) {
      text += "it PRP B-NP\n";
      return;
    }
    text += "the DT B-NP\n";
    if (random.below(2) == 0) text += "old JJ I-NP\n";
    text += std::string(nouns[random.below(4)]) + " NN I-NP\n";
  };
  for (size_t s = 0; s < sentences; ++s) {
    phrase();
    text += "sees VB B-VP\n";
    phrase();
    text += ". . O\n\n";
  }
  return text;
}

class SearchTraining : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(train_) << chunk_text(1, 120);
    std::ofstream(test_) << chunk_text(2, 40);
  }
  Result<TrainReport> run(const std::string& learner, const std::string& task,
                          std::vector<std::string> settings, bool dev = false, int threads = 1) {
    TrainRequest request;
    request.train = {train_};
    if (dev) request.dev = {test_};
    request.model = model_;
    request.learner = learner;
    request.task = task;
    request.settings = std::move(settings);
    request.threads = threads;
    ESPALIER_ASSIGN(Trained trained, train(request, {}));
    return std::move(trained.report);
  }
  Result<TrainReport> run_joint(const std::string& learner, const std::string& columns,
                                std::vector<std::string> settings, bool dev = false, int threads = 1) {
    TrainRequest request;
    request.train = {train_};
    if (dev) request.dev = {test_};
    request.model = model_;
    request.learner = learner;
    request.task = "joint";
    request.reading.label_column = columns;
    request.settings = std::move(settings);
    request.threads = threads;
    ESPALIER_ASSIGN(Trained trained, train(request, {}));
    return std::move(trained.report);
  }
  double f1() const {
    const auto model = Model::open(model_);
    EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().message);
    if (!model.ok()) return 0;
    eval::TaggingScores scores;
    const auto reader = data::open_reader(test_, model->about().reading_for_use());
    const Status ran = run_pipeline(
        **reader, model->predictor(), {}, Workers(1), {},
        [](const data::Sequence&, const data::Prediction&, std::string&) {},
        [&](const data::Sequence& sequence, const data::Prediction& prediction, std::string_view) -> Status {
          std::vector<std::string_view> gold, predicted;
          for (size_t t = 0; t < sequence.length(); ++t) {
            gold.push_back(sequence.label(t));
            predicted.push_back(model->labels().name(prediction.labels()[t]));
          }
          scores.add(gold, predicted);
          return {};
        });
    EXPECT_TRUE(ran.ok());
    return scores.f1();
  }
  std::string bytes() const {
    std::stringstream all;
    all << std::ifstream(model_).rdbuf();
    return all.str();
  }
  TemporaryDirectory folder_;
  std::string train_ = folder_.path("train.txt"), test_ = folder_.path("test.txt"),
              model_ = folder_.path("m.model");
};

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
  const tasks::DecisionPlan shape = tasks::DecisionPlan::of(job.training.labels, data::Scheme::kNone);
  const auto problem = tasks::label_problem(shape, job.training.data, job.training.edge);
  auto dev = tasks::label_problem(shape, job.dev.data, job.training.edge);
  // Nothing is allowed in the third sequence, everything in the others.
  const auto constraints = constrain::Constraints::resolve(
      "none: at most 0 of *", "c", {.name = "label", .neighbours = true, .columns = 2}, shape.labels,
      [](const std::string& file) -> Result<std::string> { return fail("{}", file); });
  ASSERT_TRUE(constraints.ok()) << constraints.error().message;
  auto nothing = constrain::Completion::make(constrain::Compiled(*constraints),
                                             constrain::instance_of_rows(*constraints, job.dev.sequences[2]),
                                             constrain::label_moves(shape.labels.size()));
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
  SearchRun run{job, asked, method, shape, measure, job.training, shape.labels.size(), nullptr};
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

TEST_F(SearchTraining, NamesAndBitsChangeTheFileAndNotTheLabels) {
  ASSERT_TRUE(run("searn", "label", {"weight-bits=32"}).ok());
  const double score = f1();
  const size_t size = bytes().size();
  ASSERT_TRUE(run("searn", "label", {"weight-bits=32", "names=no"}).ok());
  EXPECT_LT(bytes().size(), size);
  EXPECT_EQ(f1(), score);
  EXPECT_FALSE(Model::open(model_)->predictor().strongest(5, std::nullopt).ok());
  ASSERT_TRUE(run("searn", "label", {"weight-bits=16"}).ok());
  EXPECT_LT(bytes().size(), size);
  EXPECT_EQ(f1(), score);
}

TEST_F(SearchTraining, ModelsSayWhichClassifierTheyShowAndWhatHistoryIsCalled) {
  ASSERT_TRUE(run("searn", "label", {"beta=0.7", "iterations=3"}).ok());
  const auto mixed = Model::open(model_);
  ASSERT_TRUE(mixed.ok());
  EXPECT_EQ(mixed->predictor().about_weights(),
            "of the classifier with the largest share, number 3 of 3 (71.9 %)");  // 0.7 / (1 − 0.3³)
  EXPECT_THAT(mixed->predictor().details(), HasSubstr("perceptron, reduction direct"));
  const auto named = mixed->predictor().strongest(100000, std::nullopt);
  ASSERT_TRUE(named.ok());
  // What explain adds up is what inspect lists: the weights of the same classifier.
  const auto sequences = data::read_all({test_}, mixed->about().reading_for_use());
  const auto scratch = mixed->predictor().make_scratch();
  const auto reasons = mixed->predictor().explain((*sequences)[0], *scratch);
  size_t found = 0;
  for (const auto& c : (*reasons)[1].contributions) {
    if (!c.feature.starts_with("history")) continue;
    for (const auto& f : *named)
      found += f.feature == c.feature && f.label == (*reasons)[1].label && f.weight == c.weight ? 1 : 0;
  }
  EXPECT_GT(found, 0u);
  EXPECT_THAT(mixed->predictor().no_transitions(), HasSubstr("decided before"));
  ASSERT_TRUE(run("searn", "label", {"history=0"}).ok());
  EXPECT_THAT(Model::open(model_)->predictor().no_transitions(), HasSubstr("history=0"));
  ASSERT_TRUE(run("searn", "label", {"classifier=quadratic-svm", "iterations=1"}).ok());
  EXPECT_THAT(Model::open(model_)->predictor().about_weights(), HasSubstr("kernel machine"));
}

TEST_F(SearchTraining, ExplanationsOfChunksSayHowFarTheChunksReach) {
  ASSERT_TRUE(run("searn", "segment", {"iterations=1"}).ok());
  const auto model = Model::open(model_);
  ASSERT_TRUE(model.ok());
  const auto sequences = data::read_all({test_}, model->about().reading_for_use());
  const auto scratch = model->predictor().make_scratch();
  for (const data::Sequence& sequence : *sequences) {
    const auto reasons = model->predictor().explain(sequence, *scratch);
    ASSERT_TRUE(reasons.ok());
    EXPECT_EQ(reasons->back().decision, fmt::format("outside, word {}", sequence.length()));
    for (const auto& reason : *reasons) {
      EXPECT_NE(reason.decision, reason.runner_up_decision);
      EXPECT_THAT(reason.runner_up_decision, HasSubstr("word"));
    }
  }
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

TEST_F(SearchTraining, TheDecoderOfASearchCanBeChosenWhenItIsUsed) {
  ASSERT_TRUE(run("searn", "label", {"iterations=2"}).ok());
  const auto model = Model::open(model_);
  const auto scratch = model->predictor().make_scratch();
  const auto sequences = data::read_all({test_}, model->about().reading_for_use());
  const data::Sequence& sequence = (*sequences)[0];
  using Method = data::SearchChoice::Method;
  data::Prediction out;
  data::PredictOptions options;
  const auto predict = [&] { return model->predictor().predict(sequence, {}, options, *scratch, out); };
  options.search = {Method::kBeam, 4};
  options.nbest = 3;
  ASSERT_TRUE(predict().ok());
  ASSERT_EQ(out.best.size(), 3u);
  EXPECT_EQ(out.search_end, data::SearchEnd::kApproximate);
  EXPECT_GE(out.best[0].score, out.best[1].score);
  EXPECT_GE(out.best[1].score, out.best[2].score);
  EXPECT_NE(out.best[0].labels, out.best[1].labels);
  options.nbest = 5;  // more than the beam is wide
  EXPECT_FALSE(predict().ok());
  options.nbest = 1;
  options.search = {Method::kBeam, 100000};  // wider than there are labellings
  data::Sequence two;
  two.clear(2);
  for (size_t row = 0; row < 2; ++row) {
    two.begin_row("", row + 1);
    for (size_t c = 0; c < 2; ++c) two.add_cell(sequence.cell(row, c));
  }
  ASSERT_TRUE(model->predictor().predict(two, {}, options, *scratch, out).ok());
  EXPECT_EQ(out.search_end, data::SearchEnd::kExact);
  options.search = {Method::kBestFirst, 10};
  ASSERT_TRUE(predict().ok());
  options.search = {Method::kGreedy, 5};
  EXPECT_FALSE(predict().ok());
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

TEST_F(SearchTraining, ChunksLearnedForABeamAreExplainedBesideChunksOfTheSameWords) {
  ASSERT_TRUE(run("laso-br", "segment", {"beam=1", "passes=3"}).ok());
  const auto model = Model::open(model_);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto sequences = data::read_all({test_}, model->about().reading_for_use());
  ASSERT_TRUE(sequences.ok());
  const auto scratch = model->predictor().make_scratch();
  for (const data::Sequence& sequence : *sequences) {
    const auto reasons = model->predictor().explain(sequence, *scratch);
    ASSERT_TRUE(reasons.ok()) << reasons.error().message;
    // A beam of one keeps the best that covers these words, so nothing of the same words is above it.
    for (const auto& reason : *reasons) EXPECT_GE(reason.margin, 0);
  }
}

TEST_F(SearchTraining, ModelsExplainAndShowThemselves) {
  for (const char* unit : {"unit=word", "unit=chunk"}) {
    ASSERT_TRUE(run("searn", "segment", {unit}).ok());
    const auto model = Model::open(model_);
    ASSERT_TRUE(model.ok());
    const auto scratch = model->predictor().make_scratch();
    const auto sequences = data::read_all({test_}, model->about().reading_for_use());
    const auto reasons = model->predictor().explain((*sequences)[0], *scratch);
    ASSERT_TRUE(reasons.ok());
    ASSERT_EQ(reasons->size(), (*sequences)[0].length());
    for (const auto& reason : *reasons) {
      EXPECT_GE(reason.margin, 0);
      ASSERT_FALSE(reason.contributions.empty());
      double taken = 0, other = 0;
      for (const auto& c : reason.contributions) {
        EXPECT_FALSE(c.feature.empty());
        taken += c.weight;
        other += c.runner_up;
      }
      EXPECT_NEAR(taken - other, reason.margin, 1e-3);  // nothing is left out
    }
    const auto strongest = model->predictor().strongest(5, std::nullopt);
    ASSERT_TRUE(strongest.ok());
    EXPECT_EQ(strongest->size(), 5u);
    EXPECT_THAT(model->predictor().details(), HasSubstr("classifiers"));
    EXPECT_GT(model->predictor().size().weights, 0u);
  }
}

TEST_F(SearchTraining, ChunksLongerThanTheMaximumAreLearnedInPiecesWhichIsSaid) {
  const auto report = run("searn", "segment", {"max-length=2"});
  ASSERT_TRUE(report.ok());
  ASSERT_FALSE(report->notes.empty());
  EXPECT_THAT(report->notes.back(), HasSubstr("more than 2 words"));
}

TEST_F(SearchTraining, WhatCannotBeIsRefusedWithAReason) {
  const auto refusal = [&](const std::string& learner, const std::string& task,
                           std::vector<std::string> settings) {
    const auto report = run(learner, task, std::move(settings));
    return report.ok() ? std::string("was trained") : report.error().message;
  };
  EXPECT_THAT(refusal("crf", "segment", {}), HasSubstr("searn, laso-br"));
  EXPECT_THAT(refusal("searn", "poem", {}), HasSubstr("no task"));
  EXPECT_THAT(refusal("searn", "joint", {}), HasSubstr("--label-column 2,3"));
  const auto joint_refusal = [&](const std::string& learner, const std::string& columns,
                                 std::vector<std::string> settings) {
    const auto report = run_joint(learner, columns, std::move(settings));
    return report.ok() ? std::string("was trained") : report.error().message;
  };
  EXPECT_THAT(joint_refusal("crf", "2,3", {}), HasSubstr("does not learn task joint"));
  EXPECT_THAT(joint_refusal("searn", "2,2", {}), HasSubstr("twice"));
  EXPECT_THAT(joint_refusal("searn", "1,2,3", {}), HasSubstr("all 3 columns are labels"));
  EXPECT_THAT(joint_refusal("searn", "2,3", {"loss=f1"}), HasSubstr("hamming or zero-one"));
  EXPECT_THAT(joint_refusal("searn", "2,3", {"history=256"}), HasSubstr("history"));
  EXPECT_THAT(joint_refusal("searn", "2,3", {"unit=chunk"}), HasSubstr("word by word"));
  EXPECT_THAT(refusal("searn", "label", {"beam=0"}), HasSubstr("beam"));
  EXPECT_THAT(refusal("searn", "label", {"direction=easiest-first", "beam=5"}), HasSubstr("greedily"));
  EXPECT_THAT(refusal("laso-br", "label", {"direction=easiest-first"}), HasSubstr("searn"));
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

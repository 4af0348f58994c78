// Comparisons: candidates.cc, trial.cc, measurements.cc, compare.cc and compare_output.cc.
#include "espalier/public/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/report/candidates.h"
#include "espalier/report/compare_output.h"
#include "espalier/report/trial.h"

namespace espalier {
namespace {

using report::Trial;
using report::TrialResult;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Sentences that the word alone does not decide: every fifth is labelled in another way.
std::string sentences(size_t count) {
  std::string out;
  const char* const nouns[] = {"cat", "dog", "bird", "fish"};
  for (size_t i = 0; i < count; ++i)
    out += fmt::format("the B-NP\n{} {}\nsang B-VP\n. O\n\n", nouns[i * 7 % 4], i % 5 == 0 ? "O" : "I-NP");
  return out;
}

class CompareTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  Files train_{{directory_.write("train.txt", sentences(60))}, {}};

  CompareOptions small() const {
    CompareOptions options;
    options.learners = {"perceptron", "crf"};
    options.folds = 2;
    options.threads = 1;
    return options;
  }
};

TEST_F(CompareTest, PartsAreNestedAndFoldsAreLeftOut) {
  Trial trial;
  trial.folds = 4;
  trial.fold = 1;
  size_t held = 0;
  for (size_t i = 0; i < 800; ++i) {
    bool smaller = false;
    for (const int eighths : {1, 2, 4, 8}) {
      trial.eighths = eighths;
      const bool in = report::trained_on(trial, i);
      EXPECT_FALSE(smaller && !in) << "what is in an eighth is in a quarter";
      EXPECT_FALSE(in && report::held_out(trial, i));
      smaller = in;
    }
    held += report::held_out(trial, i) ? 1 : 0;
    EXPECT_NE(smaller, report::held_out(trial, i)) << "all of the rest is trained on in the end";
  }
  EXPECT_EQ(held, 200u);
}

TEST_F(CompareTest, ATrialTravelsAsText) {
  Trial trial;
  trial.train = train_;
  trial.train.reading.separator = "tab";
  trial.candidate = {"segment", "laso-br", {{"beam", "5"}}};
  trial.feature_template = "U00:%x[0,0]\n";
  trial.feature_columns = {1, 2};
  trial.seed = 7;
  trial.folds = 5;
  trial.fold = 3;
  trial.eighths = 2;
  const Trial again = Trial::from_json(trial.to_json()).value();
  EXPECT_EQ(again.to_json(), trial.to_json());
  EXPECT_EQ(again.candidate.name(), "laso-br beam=5, task segment");
  EXPECT_EQ(again.train.reading.separator, "tab");
  EXPECT_FALSE(Trial::from_json("{}").ok());
  EXPECT_FALSE(Trial::from_json("nonsense").ok());
  trial.fold = 5;
  EXPECT_FALSE(Trial::from_json(trial.to_json()).ok()) << "there is no such fold";
}

TEST_F(CompareTest, ATrialScoresWhatItDidNotTrainOn) {
  Trial trial;
  trial.train = train_;
  trial.candidate = {"label", "perceptron", {}};
  trial.folds = 3;
  trial.fold = 0;
  trial.threads = 1;
  size_t reports = 0;
  const auto answer = run_trial(
      trial.to_json(), [] { return size_t{12345}; }, nullptr,
      [&](const Progress&) {
        ++reports;
        return true;
      });
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const TrialResult result = TrialResult::from_json(*answer).value();
  EXPECT_EQ(result.train_sequences, 40u);
  EXPECT_EQ(result.statistics.size(), 20u);
  EXPECT_TRUE(result.spans);
  EXPECT_EQ(result.peak_bytes, 12345u);
  EXPECT_GT(reports, 0u);
  EXPECT_FALSE(run_trial(trial.to_json(), {}, nullptr, [](const Progress&) { return false; }).ok());
  EXPECT_GT(result.model_bytes, 0u);
  EXPECT_GT(result.tokens_per_second, 0);
  EXPECT_GE(result.legal, 0);
  EXPECT_EQ(TrialResult::from_json(result.to_json()).value().to_json(), result.to_json());
}

TEST_F(CompareTest, CandidatesFollowFromLearnersGridAndLabels) {
  CompareOptions options = small();
  options.learners = {"crf", "laso-br"};
  options.grid = {"crf:l2=0.5,2", "beam=3"};
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates(train_, options).value()) names.push_back(candidate.name());
  for (const char* name :
       {"crf", "crf l2=0.5", "crf l2=2", "laso-br", "laso-br beam=3", "laso-br beam=3, task segment"})
    EXPECT_THAT(names, Contains(name));
  EXPECT_THAT(names, Not(Contains("crf beam=3")));
  options.grid = {"l2=0.5,", "l2=1"};
  EXPECT_FALSE(candidates(train_, options).ok());
  options.grid = {"no-such=1"};
  EXPECT_THAT(candidates(train_, options).error().message, HasSubstr("no learner that is compared"));
  options.grid = {"crf:l2=-1"};
  EXPECT_THAT(candidates(train_, options).error().message, HasSubstr("crf l2=-1"));
  options.grid.clear();
  options.learners = {"crff"};
  EXPECT_THAT(candidates(train_, options).error().message, HasSubstr("did you mean crf?"));
  // Plain labels: nothing is segmented.
  const Files plain{{directory_.write("plain.txt", "the DT\ncat NN\n\na DT\n\n")}, {}};
  options.learners = {"laso-br"};
  for (const Candidate& candidate : candidates(plain, options).value()) EXPECT_EQ(candidate.task, "label");
}

TEST_F(CompareTest, TheSameSeedGivesTheSameScores) {
  const Comparison first = compare(train_, small()).value(), second = compare(train_, small()).value();
  ASSERT_EQ(first.candidates.size(), second.candidates.size());
  ASSERT_GE(first.candidates.size(), 2u);
  for (size_t i = 0; i < first.candidates.size(); ++i) {
    EXPECT_EQ(first.candidates[i].candidate.name(), second.candidates[i].candidate.name());
    EXPECT_EQ(first.candidates[i].score, second.candidates[i].score);
    EXPECT_EQ(first.candidates[i].low, second.candidates[i].low);
    EXPECT_EQ(first.candidates[i].folds, 2u);
    EXPECT_EQ(first.candidates[i].share, 1);
    EXPECT_LE(first.candidates[i].low, first.candidates[i].score);
    EXPECT_GE(first.candidates[i].high, first.candidates[i].score);
    EXPECT_TRUE(first.candidates[i].behind >= 0 || first.candidates[i].p_value >= 0.05)
        << "the best is first";
  }
  EXPECT_EQ(first.measure, "F1");
  EXPECT_THAT(first.advice, HasSubstr("take " + first.candidates.front().candidate.name()));
  EXPECT_THAT(first.command, HasSubstr("--learner " + first.candidates.front().candidate.learner));
  EXPECT_THAT(first.text, HasSubstr(first.command));
  EXPECT_THAT(first.html, HasSubstr("<section id=\"candidates\">"));
}

TEST_F(CompareTest, MeasurementsAreKeptAndUsedAgain) {
  CompareOptions options = small();
  options.work = directory_.path("work");
  size_t trials = 0;
  options.run_trial = [&](const std::string& trial, double) {
    ++trials;
    return run_trial(trial);
  };
  const Comparison first = compare(train_, options).value();
  EXPECT_EQ(trials, first.candidates.size() * 2);
  trials = 0;
  const Comparison second = compare(train_, options).value();
  EXPECT_EQ(trials, 0u);
  EXPECT_EQ(first.json, second.json);
  // A damaged measurement is taken again, and other data has none.
  for (const auto& file : std::filesystem::directory_iterator(options.work)) {
    std::filesystem::resize_file(file.path(), 10);
    break;
  }
  EXPECT_TRUE(compare(train_, options).ok());
  EXPECT_EQ(trials, 1u);
  directory_.write("train.txt", sentences(62));
  trials = 0;
  EXPECT_TRUE(compare(train_, options).ok());
  EXPECT_EQ(trials, first.candidates.size() * 2);
}

TEST_F(CompareTest, AnEarlyEndReportsWhatIsKnown) {
  CompareOptions options = small();
  std::atomic<bool> stop{false};
  options.stop = &stop;
  size_t trials = 0;
  options.run_trial = [&](const std::string& trial, double) -> Result<std::string> {
    if (++trials == 4) {
      stop = true;
      return Error{"stopped"};
    }
    return run_trial(trial);
  };
  const Comparison comparison = compare(train_, options).value();
  EXPECT_TRUE(comparison.interrupted);
  EXPECT_GT(comparison.candidates.front().score, 0);
  EXPECT_THAT(comparison.text, HasSubstr("Interrupted"));
  stop = true;
  EXPECT_FALSE(compare(train_, options).ok()) << "nothing is known";
}

TEST_F(CompareTest, ACandidateThatFailsDoesNotEndTheOthers) {
  CompareOptions options = small();
  options.run_trial = [&](const std::string& trial, double) -> Result<std::string> {
    if (trial.find("\"perceptron\"") != std::string::npos) return Error{"out of memory"};
    return run_trial(trial);
  };
  const Comparison comparison = compare(train_, options).value();
  EXPECT_EQ(comparison.candidates.front().candidate.learner, "crf");
  EXPECT_EQ(comparison.candidates.back().failure, "out of memory");
  EXPECT_THAT(comparison.text, HasSubstr("out of memory"));
}

TEST_F(CompareTest, ATimeBudgetHalvesTheFieldOnGrowingParts) {
  CompareOptions options = small();
  train_.paths = {directory_.write("more.txt", sentences(600))};
  options.grid = {"passes=1,2,3"};
  options.time_budget = 3600;
  std::vector<int> eighths;
  // Scores that depend on the candidate alone, so that it is known who goes on.
  options.run_trial = [&](const std::string& text, double limit) -> Result<std::string> {
    const Trial trial = Trial::from_json(text).value();
    EXPECT_GT(limit, 0);
    eighths.push_back(trial.eighths);
    TrialResult result;
    result.spans = true;
    result.train_seconds = trial.eighths;
    result.tokens_per_second = trial.candidate.learner == "crf" ? 1000 : 5000;
    const auto right = static_cast<uint64_t>(trial.candidate.learner == "crf" ? 9 : 5);
    for (int i = 0; i < 200; ++i)
      result.statistics.push_back({10, static_cast<uint32_t>(right), {10, 10, right}});
    return result.to_json();
  };
  const Comparison comparison = compare(train_, options).value();
  const auto at = [&](int e) { return std::count(eighths.begin(), eighths.end(), e); };
  EXPECT_EQ(static_cast<size_t>(at(1)), comparison.candidates.size());
  EXPECT_LT(at(2), at(1)) << "those that are clearly worse are given up";
  EXPECT_EQ(comparison.candidates.front().candidate.learner, "crf");
  EXPECT_EQ(comparison.candidates.front().share, 1);
  EXPECT_EQ(comparison.candidates.front().folds, 2u) << "finalists are scored on all folds";
  EXPECT_LT(comparison.candidates.back().share, 1);
  EXPECT_NEAR(comparison.candidates.back().behind, 40, 1e-9) << "on the part that both were measured on";
  EXPECT_LT(comparison.candidates.back().p_value, 0.01);
}

TEST_F(CompareTest, ASettingIsRecommendedOnlyIfItIsBetterBeyondChance) {
  CompareOptions options = small();
  options.learners = {"crf"};
  options.grid = {"l2=2"};
  for (const bool clear : {false, true}) {
    // With the setting, one sequence in a hundred has a segment more; or all have.
    options.run_trial = [&](const std::string& text, double) -> Result<std::string> {
      const Trial trial = Trial::from_json(text).value();
      TrialResult result;
      result.spans = true;
      for (int i = 0; i < 100; ++i) {
        const uint64_t right = !trial.candidate.settings.empty() && (clear || i == 0) ? 9 : 8;
        result.statistics.push_back({10, static_cast<uint32_t>(right), {10, 10, right}});
      }
      return result.to_json();
    };
    const Comparison comparison = compare(train_, options).value();
    EXPECT_EQ(comparison.candidates.front().candidate.settings.empty(), !clear);
    EXPECT_EQ(comparison.candidates.back().behind > 0, clear);
  }
}

TEST_F(CompareTest, TimeThatIsLeftGoesToWhoWasTooSlowForItsTurn) {
  CompareOptions options = small();
  train_.paths = {directory_.write("more.txt", sentences(600))};
  options.learners = {"crf", "svm"};
  options.time_budget = 1000;
  std::vector<std::string> full, half;
  // All are equally good. The svm says that a quarter took it 160 s: too much for its part of the time on
  // half of the data, but not for what is left in the end.
  options.run_trial = [&](const std::string& text, double) -> Result<std::string> {
    const Trial trial = Trial::from_json(text).value();
    if (trial.eighths >= 4) (trial.eighths == 8 ? full : half).push_back(trial.candidate.learner);
    TrialResult result;
    result.spans = true;
    result.train_seconds = trial.candidate.learner != "svm" ? 1 : trial.eighths == 1 ? 50 : 160;
    result.tokens_per_second = 1e9;
    for (int i = 0; i < 50; ++i) result.statistics.push_back({10, 9, {10, 10, 9}});
    return result.to_json();
  };
  ASSERT_TRUE(compare(train_, options).ok());
  EXPECT_THAT(half, Not(Contains("svm")));
  EXPECT_THAT(full, Contains("crf"));
  EXPECT_THAT(full, Contains("svm"));
}

TEST_F(CompareTest, TheLearningCurveTellsWhatMoreDataWouldGive) {
  CompareOptions options = small();
  options.learners = {"perceptron"};
  options.learning_curve = true;
  options.run_trial = [&](const std::string& text, double) -> Result<std::string> {
    const Trial trial = Trial::from_json(text).value();
    TrialResult result;
    result.spans = true;
    result.train_sequences = 100u * static_cast<size_t>(trial.eighths);
    // 60, 70, 80, 85 of 100 are right: the error falls with every doubling.
    const int right = trial.eighths == 1 ? 60 : trial.eighths == 2 ? 70 : trial.eighths == 4 ? 80 : 85;
    for (int i = 0; i < 300; ++i) {
      const auto here = static_cast<uint64_t>(right + i % 3 - 1);
      result.statistics.push_back({100, static_cast<uint32_t>(here), {100, 100, here}});
    }
    return result.to_json();
  };
  const Comparison comparison = compare(train_, options).value();
  ASSERT_TRUE(comparison.curve.has_value());
  EXPECT_THAT(comparison.curve->sequences, testing::ElementsAre(100, 200, 400, 800));
  EXPECT_GT(comparison.curve->twice, 85);
  EXPECT_LE(comparison.curve->twice_low, comparison.curve->twice);
  EXPECT_GE(comparison.curve->twice_high, comparison.curve->twice);
  EXPECT_THAT(comparison.text, HasSubstr("more data would help."));
  EXPECT_THAT(comparison.html, HasSubstr("Learning curve"));
}

TEST_F(CompareTest, DevelopmentAndTestDataAreScoredInsteadOfFolds) {
  CompareOptions options = small();
  options.learners = {"perceptron"};
  options.dev = Files{{directory_.write("dev.txt", sentences(10))}, {}};
  options.test = Files{{directory_.write("test.txt", sentences(15))}, {}};
  std::vector<size_t> scored;
  options.run_trial = [&](const std::string& trial, double) -> Result<std::string> {
    auto result = run_trial(trial);
    if (result.ok()) scored.push_back(TrialResult::from_json(*result).value().statistics.size());
    return result;
  };
  const Comparison comparison = compare(train_, options).value();
  EXPECT_THAT(scored, testing::ElementsAre(10, 10, 15));  // two candidates: plain and scheme=iobes
  ASSERT_TRUE(comparison.test_score.has_value());
  EXPECT_THAT(comparison.text, HasSubstr("on the test data: F1"));
}

TEST(CompareOutput, AdviceNamesTheFasterOneAndWhetherTheDifferenceMayBeChance) {
  Comparison comparison;
  comparison.measure = "F1";
  Measured best, other;
  best.candidate.learner = "cascade";
  best.share = other.share = 1;
  best.tokens_per_second = 25000;
  other.candidate.learner = "crf";
  other.tokens_per_second = 100000;
  other.behind = 0.9;
  other.p_value = 0.0005;
  comparison.candidates = {best, other};
  EXPECT_EQ(
      report::advice_of(comparison),
      "take cascade: +0.90 F1 over crf (p below 0.001), tagging 4.0 times slower; if speed matters, crf");
  comparison.candidates[1].p_value = 0.4;
  EXPECT_THAT(report::advice_of(comparison), HasSubstr("may be chance (p = 0.40)"));
  comparison.candidates[1].tokens_per_second = 1000;
  EXPECT_THAT(report::advice_of(comparison), HasSubstr("tagging 25.0 times faster"));
  comparison.candidates[1].tokens_per_second = 100000;
  comparison.candidates[1].share = 0.25;
  comparison.candidates[1].p_value = 0.002;
  EXPECT_EQ(
      report::advice_of(comparison),
      "take cascade: +0.90 F1 over crf (p = 0.002, on 1/4 of the data), tagging 4.0 times slower; if speed "
      "matters, crf");
  comparison.candidates.resize(1);
  EXPECT_EQ(report::advice_of(comparison), "take cascade");
}

TEST(CompareOutput, TheCommandIsQuotedForAShell) {
  CompareOptions options;
  options.feature_columns = {1, 3};
  options.seed = 4;
  ReadOptions reading;
  reading.comment = "#";
  EXPECT_EQ(report::train_command({"segment", "laso-br", {{"beam", "5"}}}, Files{{"my data's.txt"}, reading},
                                  options),
            "espalier train 'my data'\\''s.txt' -m best.model --task segment --learner laso-br -p beam=5 "
            "--feature-columns 1,3 --comment '#' --seed 4");
}

}  // namespace
}  // namespace espalier

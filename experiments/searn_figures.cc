// Daumé, Langford and Marcu 2009: iterations (Figure 6), search order (6.1.8), cost estimates (3.2.2),
// compounding errors (Theorem 3); Xu and Fern 2007: what the width of the beam does.
#include <cmath>
#include <string>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/eval/plot.h"
#include "experiments/experiments.h"
#include "experiments/searn_study.h"

namespace espalier::experiments {

namespace {

SearnRun letters_run(const Request& request, std::vector<std::string> settings) {
  SearnRun run;
  run.learner = "searn";
  run.settings = std::move(settings);
  run.train = run.test = request.corpus("ocr/letter.data.gz");
  run.train_reading.format = run.test_reading.format = data::Format::kLetters;
  run.train_reading.folds = {0};
  run.test_reading.folds = request.quick ? std::vector<int>{1} : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9};
  return run;
}

SearnRun entities_run(const Request& request, std::string learner, std::vector<std::string> settings) {
  SearnRun run;
  run.learner = std::move(learner);
  run.settings = std::move(settings);
  run.train = request.corpus("conll2002-esp/esp.train.gz");
  run.test = request.corpus("conll2002-esp/esp.testb.gz");
  run.most_sequences = request.quick ? 100 : 1000;
  return run;
}

/// Theorem 3's Hamming loss for a classifier that errs with probability e given the true label before:
/// T/2 + 1/2 − (1 − (1−2e)^{T+1}) / (4e).
double theorem_3(double T, double e) { return T / 2 + 0.5 - (1 - std::pow(1 - 2 * e, T + 1)) / (4 * e); }

/// A binary chain whose label is that of the step before, and a classifier that copies what it is told but
/// errs with probability e: mean errors in T steps when it is told its own answers.
double copied_errors(size_t T, double e, size_t runs, Random random) {
  double sum = 0;
  for (size_t r = 0; r < runs; ++r) {
    bool wrong = false;
    for (size_t t = 0; t < T; ++t) {
      if (random.uniform() < e) wrong = !wrong;
      sum += wrong ? 1 : 0;
    }
  }
  return sum / static_cast<double>(runs);
}

}  // namespace

Result<Report> searn_iterations(const Request& request) {
  Report report;
  report.set("beta",
             "1: pure policy iteration; scores of the learned policy on test data after each iteration");
  const std::string iterations = request.quick ? "iterations=3" : "iterations=15";
  const std::vector<std::pair<std::string, SearnRun>> curves = {
      {"handwriting small, perceptron", letters_run(request, {iterations, "passes=5", "history=1"})},
      {"Spanish entities, perceptron", entities_run(request, "searn", {iterations, "passes=5"})},
  };
  eval::Plot plot;
  plot.title = "SEARN: iterations with beta = 1";
  plot.x_label = "iteration";
  plot.y_label = "accuracy or F1";
  for (const auto& [name, run] : curves) {
    ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run, true));
    eval::PlotSeries series;
    series.name = name;
    for (size_t i = 0; i < outcome.dev.size(); ++i) {
      series.x.push_back(static_cast<double>(i + 1));
      series.y.push_back(outcome.dev[i]);
      report.add(name, fmt::format("iteration {}", i + 1), std::nullopt, outcome.dev[i]);
    }
    plot.series.push_back(std::move(series));
  }
  const std::string path = request.out + "/searn-iterations.svg";
  ESPALIER_TRY(eval::save_plot(plot, path));
  report.plots.push_back(path);
  return report;
}

Result<Report> searn_order(const Request& request) {
  Report report;
  report.set("data", "Spanish entities, word by word, Hamming loss, token accuracy on testb");
  const std::string passes = request.quick ? "passes=2" : "passes=8";
  struct Line {
    const char* classifier;
    const char* order;
    double paper;
  };
  for (const Line& line :
       {Line{"perceptron", "left-to-right", 97.67}, Line{"perceptron", "right-to-left", 97.40},
        Line{"logistic", "left-to-right", 98.17}, Line{"logistic", "right-to-left", 97.98}}) {
    SearnRun run = entities_run(request, "searn",
                                {passes, "iterations=3", fmt::format("classifier={}", line.classifier),
                                 fmt::format("order={}", line.order)});
    ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run));
    report.add(fmt::format("searn classifier={}", line.classifier), line.order, line.paper,
               outcome.scores.accuracy());
    report.add(fmt::format("searn classifier={}", line.classifier), fmt::format("{} F1", line.order),
               std::nullopt, outcome.scores.f1());
  }
  return report;
}

Result<Report> searn_costs(const Request& request) {
  Report report;
  report.set("data", "handwriting small; costs by the best completion, one path, four paths");
  const std::string few = request.quick ? "iterations=2" : "iterations=4";
  for (const std::string costs : {"optimal", "sample", "samples"}) {
    std::vector<std::string> settings = {few, "passes=5", "history=1", "beta=0.5"};
    if (costs != "optimal") settings.push_back("costs=sample");
    if (costs == "samples") settings.push_back("samples=4");
    SearnRun run = letters_run(request, settings);
    run.test_reading.folds = {1};
    ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run));
    report.add("costs=" + costs, "accuracy", std::nullopt, outcome.scores.accuracy());
    report.add("costs=" + costs, "seconds", std::nullopt, outcome.train_seconds);
  }
  return report;
}

Result<Report> searn_compounding(const Request& request) {
  Report report;
  const size_t runs = request.quick ? 2000 : 200000;
  report.set("chain", "a label copied from step to step; errors of a copier with error rate e, in T steps");
  for (const double e : {0.001, 0.01, 0.1})
    for (const size_t T : {10, 100, 1000}) {
      const double simulated =
          copied_errors(T, e, std::max<size_t>(200, runs / T), Random(request.seed).split(T));
      const double formula = theorem_3(static_cast<double>(T), e);
      const std::string row = fmt::format("e={} T={}", e, T);
      report.add(row, "own history", formula, simulated);
      report.add(row, "true history", e * static_cast<double>(T), e * static_cast<double>(T));
      // One run's errors are at most T and far from independent: five standard errors of the widest case.
      const double tolerance =
          5 * static_cast<double>(T) / 2 / std::sqrt(static_cast<double>(std::max<size_t>(200, runs / T)));
      report.check("formula of Theorem 3, " + row, std::abs(simulated - formula) <= tolerance + 1e-9,
                   fmt::format("{:.4f} simulated, {:.4f} by the formula", simulated, formula));
    }
  return report;
}

Result<Report> beam_width(const Request& request) {
  Report report;
  report.set("data",
             "Spanish entities, word by word; F1 on testb by the width of the beam in training and tagging");
  const std::string passes = request.quick ? "passes=2" : "passes=6";
  eval::Plot plot;
  plot.title = "F1 by the width of the beam";
  plot.x_label = "width";
  plot.y_label = "F1";
  for (const std::string learner : {"laso-br", "laso-bst", "incremental"}) {
    eval::PlotSeries series;
    series.name = learner;
    for (const int width : request.quick ? std::vector<int>{1, 3} : std::vector<int>{1, 2, 5, 10, 20}) {
      SearnRun run = entities_run(request, learner, {passes, fmt::format("beam={}", width)});
      if (learner == "laso-bst") run.settings.push_back("decoder=best-first");
      ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run));
      report.add(learner, fmt::format("beam {} F1", width), std::nullopt, outcome.scores.f1());
      report.add(learner, fmt::format("beam {} accuracy", width), std::nullopt, outcome.scores.accuracy());
      report.add(learner, fmt::format("beam {} seconds", width), std::nullopt, outcome.train_seconds);
      series.x.push_back(width);
      series.y.push_back(outcome.scores.f1());
    }
    plot.series.push_back(std::move(series));
  }
  const std::string path = request.out + "/beam-width.svg";
  ESPALIER_TRY(eval::save_plot(plot, path));
  report.plots.push_back(path);
  return report;
}

}  // namespace espalier::experiments

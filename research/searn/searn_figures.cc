// Daumé, Langford and Marcu 2009: iterations (Figure 6), cost estimates (3.2.2); Xu and Fern 2007: the effect
// of the beam width.
#include <algorithm>
#include <string>
#include <vector>

#include "espalier/eval/plot.h"
#include "espalier/eval/significance.h"
#include "research/experiments.h"
#include "research/searn/searn_runs.h"
#include "research/searn/searn_table.h"

namespace espalier::research {

Result<Report> searn_iterations(const Request& request) {
  Report report;
  report.set("beta",
             "1: pure policy iteration; scores of the learned policy on test data after each iteration");
  report.set("choice", "none: every iteration is shown, and no iteration is chosen by its score");
  report.set("labels", "joint: the share of right labels over both columns");
  report.set("beam", "10, as in the paper");
  report.set("entities", "chunk by chunk, F1 as the loss, as in the paper");
  report.set("chunking", "chunk by chunk, F1 as the loss, features of section 6.1.3, one chunk of history");
  report.depart("the SVM is trained on line, over all actions at once, as are the other classifiers");
  report.depart("entities and tags have our default features, which are more than those of section 6.1.2");
  report.depart(kInsteadOfLists);
  const std::string iterations = request.quick ? "iterations=2" : "iterations=15",
                    passes = request.quick ? "passes=1" : "passes=5";
  const std::string beam = request.quick ? "beam=2" : "beam=10";
  SearnRun joint = chunks_run(request, "joint", {iterations, passes, beam});
  joint.train_reading.label_column = joint.test_reading.label_column = "2,3";
  joint.feature_columns = {1};
  SearnRun entities = entities_run(request, "searn", {iterations, passes, beam, "names=no"});
  entities.task = "segment";
  const struct {
    std::string name, measure;
    SearnRun run;
  } panels[] = {
      {"handwriting", "accuracy", letters_run(request, {iterations, passes, beam, "history=1"})},
      {"Spanish entities", "F1", entities},
      {"chunking", "F1",
       chunks_run(request, "segment",
                  {iterations, passes, beam, "names=no", "meta=all", "stemmer=english", "history=1"})},
      {"joint", "labels", joint},
  };
  eval::PlotPanels all_panels{"SEARN: iterations with beta = 1", {}, 2};
  size_t compared = 0, same = 0;
  for (const auto& panel : panels) {
    eval::Plot plot;
    plot.title = panel.name;
    plot.x_label = "iteration";
    plot.y_label = panel.measure;
    for (const std::string classifier : {"perceptron", "logistic", "svm"}) {
      if (request.quick && classifier == "svm") continue;
      SearnRun run = panel.run;
      run.settings.push_back("classifier=" + classifier);
      ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run, true));
      // An iteration must not depend on those after it: a shorter run is the beginning of a longer one.
      if (classifier == "perceptron") {
        SearnRun shorter = run;
        for (std::string& setting : shorter.settings)
          if (setting.starts_with("iterations=")) setting = "iterations=1";
        ESPALIER_ASSIGN(const SearnOutcome first, train_and_score(request, shorter, true));
        ++compared;
        same += first.dev.size() == 1 && !outcome.dev.empty() && first.dev[0] == outcome.dev[0];
      }
      eval::PlotSeries series;
      series.name = fmt::format("{}, {}", panel.name, classifier);
      for (size_t i = 0; i < outcome.dev.size(); ++i) {
        series.x.push_back(static_cast<double>(i + 1));
        series.y.push_back(outcome.dev[i]);
        report
            .add(series.name, fmt::format("{} after {}", panel.measure, i + 1), std::nullopt, outcome.dev[i])
            .printed();
      }
      // Section 6.1.9: the best policy comes after 5 to 15 iterations; after that, scores level off or drop.
      // What is best is known only by the test data, so the gain of iterating is told by means instead.
      if (const auto& y = series.y; y.size() >= 5) {
        const auto best = std::max_element(y.begin(), y.end());
        const auto figure = fmt::format("{:.2f} after one, {:.2f} after {}, {:.2f} at the end", y.front(),
                                        *best, best - y.begin() + 1, y.back());
        const auto later = eval::mean_and_deviation(std::span(y).subspan(4));
        report.claim(
            series.name + ": iterating improves on the first policy", later.mean > y.front(),
            fmt::format("{:.2f} after one, {:.2f} on average from the fifth on", y.front(), later.mean),
            "the first policy is already as good as later ones");
        report.claim(series.name + ": the optimum is reached in 5 to 15 iterations", best - y.begin() >= 4,
                     figure, "later iterations differ more from each other than from the best one");
        const auto [low, high] = std::minmax_element(y.begin() + 4, y.end());
        report.claim(series.name + ": from the fifth iteration on, scores stay within half a point",
                     *high - *low <= 0.5, fmt::format("{:.2f} to {:.2f}", *low, *high),
                     "every iteration learns from other states, and the tests are small");
      }
      series.name = classifier;
      plot.series.push_back(std::move(series));
    }
    all_panels.panels.push_back(std::move(plot));
  }
  report.check("a run of one iteration scores as the first iteration of a longer one", same == compared,
               fmt::format("{} of {} tasks", same, compared));
  const std::string path = request.out + "/searn-iterations.svg";
  ESPALIER_TRY(eval::save_plot(all_panels, path));
  report.plots.push_back(path);
  return report;
}

Result<Report> searn_costs(const Request& request) {
  Report report;
  report.set("data", "handwriting small; costs by the best completion, one path, four paths");
  const std::string few = request.quick ? "iterations=2" : "iterations=4";
  // In the first iteration the policy is the initial one, which completes every path in the best way: all
  // three estimates are then the same numbers.
  std::vector<std::vector<std::string>> first;
  for (const std::string costs : {"optimal", "sample", "samples"}) {
    std::vector<std::string> settings = {few, "passes=5", "history=1", "beta=0.5"};
    if (costs != "optimal") settings.push_back("costs=sample");
    if (costs == "samples") settings.push_back("samples=4");
    SearnRun run = letters_run(request, settings);
    run.test_reading.folds = "1";
    ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run));
    report.add("costs=" + costs, "accuracy", std::nullopt, outcome.scores.accuracy()).printed();
    report.add("costs=" + costs, "words", std::nullopt, outcome.scores.sequence_accuracy()).printed();
    run.settings.front() = "iterations=1";
    std::erase(run.settings, "beta=0.5");  // a single iteration does without
    run.keep_labels = true;
    ESPALIER_ASSIGN(SearnOutcome alone, train_and_score(request, run));
    first.push_back(std::move(alone.predicted.at(0)));
    report.add("costs=" + costs, "seconds", std::nullopt, outcome.train_seconds);
  }
  report.check("after one iteration all estimates give the same labels",
               first[0] == first[1] && first[0] == first[2] && !first[0].empty(),
               fmt::format("{} letters", first[0].size()));
  return report;
}

Result<Report> beam_width(const Request& request) {
  Report report;
  report.set(
      "data",
      "Spanish entities, the first 1,000 sentences, word by word; F1 on testb by the width of the beam in "
      "training and tagging");
  report.notes.push_back("The paper has no such experiment: all rows are ours.");
  size_t converged = 0, runs = 0;
  const std::string passes = request.quick ? "passes=2" : "passes=6";
  eval::Plot f1, updates;
  f1.title = "F1 by the width of the beam";
  updates.title = "Updates by the width of the beam";
  f1.x_label = updates.x_label = "width";
  f1.y_label = "F1";
  updates.y_label = "updates a sentence, all passes";
  for (const std::string learner : {"laso-br", "laso-bst", "incremental"}) {
    eval::PlotSeries f1_series, update_series;
    f1_series.name = update_series.name = learner;
    for (const int width : request.quick ? std::vector<int>{1, 3} : std::vector<int>{1, 2, 5, 10, 20}) {
      SearnRun run = entities_run(request, learner, {passes, fmt::format("beam={}", width)});
      if (!request.quick) run.most_sequences = 1000;
      if (learner == "laso-bst") run.settings.push_back("decoder=best-first");
      ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run));
      // Few sentences are separable, and then the updates must come to an end.
      SearnRun few = run;
      few.settings.front() = "passes=40";
      few.most_sequences = 15;
      ESPALIER_ASSIGN(const SearnOutcome separated, train_and_score(request, few));
      ++runs;
      converged += !separated.objectives.empty() && separated.objectives.back() == 0;
      double total = 0;
      for (const double of_pass : outcome.objectives) total += of_pass;
      report.add(learner, fmt::format("beam {} F1", width), std::nullopt, outcome.scores.f1());
      report.add(learner, fmt::format("beam {} accuracy", width), std::nullopt, outcome.scores.accuracy());
      report.add(learner, fmt::format("beam {} sentences", width), std::nullopt,
                 outcome.scores.sequence_accuracy());
      report.add(learner, fmt::format("beam {} updates a sentence", width), std::nullopt, total);
      report.add(learner, fmt::format("beam {} seconds", width), std::nullopt, outcome.train_seconds);
      for (eval::PlotSeries* series : {&f1_series, &update_series}) series->x.push_back(width);
      f1_series.y.push_back(outcome.scores.f1());
      update_series.y.push_back(total);
    }
    f1.series.push_back(std::move(f1_series));
    updates.series.push_back(std::move(update_series));
  }
  report.check("on 15 sentences every learner reaches a pass without an update, at every width",
               converged == runs, fmt::format("{} of {}", converged, runs));
  for (const auto& [plot, name] : {std::pair<const eval::Plot&, std::string>(f1, "beam-width.svg"),
                                   {updates, "beam-width-updates.svg"}}) {
    const std::string path = request.out + "/" + name;
    ESPALIER_TRY(eval::save_plot(plot, path));
    report.plots.push_back(path);
  }
  return report;
}

}  // namespace espalier::research

// Daumé, Langford and Marcu 2009: iterations (Figure 6), search order (6.1.8), cost estimates (3.2.2); Xu and
// Fern 2007: the effect of the beam width.
#include <algorithm>
#include <string>
#include <vector>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/label_scheme.h"
#include "espalier/eval/plot.h"
#include "espalier/eval/significance.h"
#include "research/experiments.h"
#include "research/searn/searn_study.h"

namespace espalier::research {

namespace {

SearnRun letters_run(const Request& request, std::vector<std::string> settings) {
  SearnRun run;
  run.learner = "searn";
  run.settings = std::move(settings);
  run.train = run.test = request.corpus("ocr/letter.data.gz");
  run.train_reading.format = run.test_reading.format = "letters";
  run.train_reading.folds = "0";
  run.test_reading.folds = request.quick ? "1" : "1-9";
  return run;
}

/// SEARN on a corpus, or with `quick` on its first sentences.
SearnRun sentences_run(const Request& request, const char* train, const char* test, size_t quick,
                       std::vector<std::string> settings) {
  SearnRun run;
  run.learner = "searn";
  run.settings = std::move(settings);
  run.train = request.corpus(train);
  run.test = request.corpus(test);
  if (request.quick) run.most_sequences = quick;
  return run;
}

SearnRun entities_run(const Request& request, std::string learner, std::vector<std::string> settings) {
  SearnRun run = sentences_run(request, "conll2002-esp/esp.train.gz", "conll2002-esp/esp.testb.gz", 100,
                               std::move(settings));
  run.learner = std::move(learner);
  return run;
}

SearnRun chunks_run(const Request& request, std::string task, std::vector<std::string> settings) {
  SearnRun run =
      sentences_run(request, "conll2000/train.txt.gz", "conll2000/test.txt.gz", 60, std::move(settings));
  run.task = std::move(task);
  return run;
}

/// IOB2 labels of a sentence, as they are when it is read back to front.
std::vector<std::string> flipped(std::span<const std::string_view> labels) {
  std::vector<data::Span> spans = data::spans(labels, data::Scheme::kIob2);
  std::reverse(spans.begin(), spans.end());
  for (data::Span& span : spans) span = {labels.size() - span.last, labels.size() - span.first, span.type};
  return data::encode(spans, labels.size(), data::Scheme::kIob2);
}

/// Writes a file of words, tags and labels with every sentence back to front. What decides chunks from left
/// to right then decides them from right to left.
Result<std::string> back_to_front(const std::string& file, const std::string& name,
                                  const TemporaryDirectory& folder) {
  ESPALIER_ASSIGN(const std::vector<data::Sequence> all, data::read_all({file}, {}));
  std::string text;
  std::vector<std::string_view> labels;
  for (const data::Sequence& sentence : all) {
    labels.clear();
    for (size_t t = 0; t < sentence.length(); ++t) labels.push_back(sentence.label(t));
    const std::vector<std::string> turned = flipped(labels);
    for (size_t t = 0; t < sentence.length(); ++t) {
      const size_t from = sentence.length() - 1 - t;
      text += fmt::format("{} {} {}\n", sentence.cell(from, 0), sentence.cell(from, 1), turned[t]);
    }
    text += "\n";
  }
  return folder.write(name, text);
}

/// How many tokens only the first of two outputs gets right, and how many only the second; the second may be
/// of sentences back to front.
Result<eval::Discordance> discordance(const SearnRun& run, const SearnOutcome& first,
                                      const SearnOutcome& second, bool second_is_turned) {
  ESPALIER_ASSIGN(const Corpus test, Corpus::read(run.test, run.test_reading));
  eval::Discordance found;
  std::vector<std::string_view> by_first, by_second;
  size_t at = 0;
  for (size_t s = 0; s < test.size(); ++s) {
    by_first.clear();
    by_second.clear();
    const std::vector<std::string> gold = test[s].labels;
    for (size_t t = 0; t < gold.size(); ++t, ++at) {
      by_first.push_back(first.predicted[0][at]);
      by_second.push_back(second.predicted[0][at]);
    }
    std::vector<std::string> turned;
    if (second_is_turned) {
      turned = flipped(by_second);
      by_second.assign(turned.begin(), turned.end());
    }
    found.add(std::vector<std::string_view>(gold.begin(), gold.end()), by_first, by_second);
  }
  return found;
}

}  // namespace

Result<Report> searn_iterations(const Request& request) {
  Report report;
  report.set("beta",
             "1: pure policy iteration; scores of the learned policy on test data after each iteration");
  report.set("choice", "none: every iteration is shown, and no iteration is chosen by its score");
  report.set("labels", "joint: the share of right labels over both columns");
  report.depart("default features; the SVM is trained on line, over all actions at once");
  report.depart(
      "the beam is 5 for chunks by logistic regression, and 1 otherwise; the paper's is 10 everywhere");
  report.depart("entities are decided word by word under Hamming loss, the paper's chunk by chunk under F1");
  const std::string iterations = request.quick ? "iterations=2" : "iterations=15",
                    passes = request.quick ? "passes=1" : "passes=5";
  SearnRun joint = chunks_run(request, "joint", {iterations, passes});
  joint.train_reading.label_column = joint.test_reading.label_column = "2,3";
  joint.feature_columns = {1};
  const struct {
    std::string name, measure;
    SearnRun run;
  } panels[] = {
      {"handwriting", "accuracy", letters_run(request, {iterations, passes, "history=1"})},
      {"Spanish entities", "F1", entities_run(request, "searn", {iterations, passes})},
      {"chunking", "F1", chunks_run(request, "segment", {iterations, passes, "names=no"})},
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
      if (const auto& y = series.y; y.size() >= 5) {
        const auto best = std::max_element(y.begin(), y.end());
        const auto figure = fmt::format("{:.2f} after one, {:.2f} after {}, {:.2f} at the end", y.front(),
                                        *best, best - y.begin() + 1, y.back());
        report.claim(series.name + ": iterating improves on the first policy", *best > y.front(), figure,
                     "the first policy is already as good as any later one");
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

namespace {

/// Made-up sequences in which only the last token tells the label of all: what a search from the right sees
/// at once and one from the left never does.
Status check_directions(const Request& request, Report& report) {
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  std::string text;
  for (int i = 0; i < 60; ++i)
    for (const char* label : {"a", "b"}) text += fmt::format("x {0}\nx {0}\nx {0}\nlast-{0} {0}\n\n", label);
  SearnRun run;
  run.learner = "searn";
  run.train = run.test = folder.write("made.txt", text);
  run.template_file = folder.write("template", "U00:%x[0,0]\n");
  std::vector<double> accuracy;
  for (const char* order : {"left-to-right", "right-to-left"}) {
    run.settings = {"history=1", "passes=5", fmt::format("direction={}", order)};
    ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run));
    accuracy.push_back(outcome.scores.accuracy());
  }
  report.check("where only the last token tells, right to left is right and left to right is not",
               accuracy[0] < 75 && accuracy[1] == 100,
               fmt::format("{:.1f} from the right, {:.1f} from the left", accuracy[1], accuracy[0]));
  return {};
}

}  // namespace

namespace {

/// Left to right against another order, with the paper's claim that it makes no significant difference.
struct OrderPair {
  std::string row;
  SearnRun forward;
  const SearnOutcome& by_forward;
  const SearnOutcome& by_other;
  const char* order;
  bool turned = false;     ///< the sentences of the other order are back to front
  std::string cause = {};  ///< empty: the paper has no such order
};
Status compare_orders(const OrderPair& pair, const Request& request, Report& report) {
  ESPALIER_ASSIGN(const eval::Discordance tokens,
                  discordance(pair.forward, pair.by_forward, pair.by_other, pair.turned));
  const double p = eval::mcnemar_exact(tokens);
  report.add(pair.row, fmt::format("{} against left-to-right, p", pair.order), std::nullopt, p);
  if (request.quick || pair.cause.empty()) return {};
  const double difference = pair.by_other.scores.accuracy() - pair.by_forward.scores.accuracy();
  report.claim(pair.row + ": left to right and right to left do not differ significantly", p >= 0.05,
               fmt::format("{:+.2f} points from the right, p = {:.2g}", difference, p), pair.cause);
  return {};
}

void add_order(const std::string& row, const char* order, std::optional<double> paper, bool printed,
               const SearnOutcome& outcome, Report& report) {
  report.add(row, order, paper, outcome.scores.accuracy()).printed(printed);
  report.add(row, fmt::format("{} F1", order), std::nullopt, outcome.scores.f1()).printed(printed);
  report.add(row, fmt::format("{} sentences", order), std::nullopt, outcome.scores.sequence_accuracy())
      .printed(printed);
}

}  // namespace

Result<Report> searn_order(const Request& request) {
  Report report;
  report.set("data", request.quick ? "Spanish entities, 100 sentences" : "Spanish entities, all sentences");
  report.set("measure", "token accuracy on testb, compared with the paper's");
  report.set(
      "unit=chunk",
      "chunk by chunk with F1 as the loss, as the paper does; from the right: sentences back to front");
  report.set("unit=word", "word by word, Hamming loss, labels in IOB2 from either side");
  report.depart("default features");
  report.depart("the beam is 5 for chunks by logistic regression, and 1 otherwise; the paper's is 10");
  ESPALIER_TRY(check_directions(request, report));
  const std::string passes = request.quick ? "passes=2" : "passes=5";
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  SearnRun by_chunk = entities_run(request, "searn", {passes, "iterations=2", "names=no"});
  by_chunk.task = "segment";
  by_chunk.keep_labels = true;
  SearnRun turned = by_chunk;
  ESPALIER_ASSIGN(turned.train, back_to_front(by_chunk.train, "train.txt", folder));
  ESPALIER_ASSIGN(turned.test, back_to_front(by_chunk.test, "test.txt", folder));
  for (const std::string classifier : {"perceptron", "logistic"}) {
    const bool first = classifier == "perceptron";
    const std::string row = "searn unit=chunk classifier=" + classifier;
    SearnRun left = by_chunk, right = turned;
    for (SearnRun* run : {&left, &right}) run->settings.push_back("classifier=" + classifier);
    ESPALIER_ASSIGN(const SearnOutcome forward, train_and_score(request, left));
    ESPALIER_ASSIGN(const SearnOutcome backward, train_and_score(request, right));
    add_order(row, "left-to-right", first ? 97.67 : 98.17, true, forward, report);
    add_order(row, "right-to-left", first ? 97.40 : 97.98, true, backward, report);
    ESPALIER_TRY(compare_orders({row, left, forward, backward, "right-to-left", true,
                                 "McNemar's test over tokens is stricter than a test over sentences"},
                                request, report));
  }
  for (const std::string classifier : {"perceptron", "logistic"}) {
    std::optional<SearnOutcome> forward;
    const std::string row = "searn unit=word classifier=" + classifier;
    for (const char* order : {"left-to-right", "right-to-left", "easiest-first"}) {
      SearnRun run = entities_run(
          request, "searn",
          {passes, "iterations=3", "classifier=" + classifier, fmt::format("direction={}", order)});
      run.keep_labels = true;
      ESPALIER_ASSIGN(SearnOutcome outcome, train_and_score(request, run));
      add_order(row, order, std::nullopt, false, outcome, report);
      if (!forward) {
        forward = std::move(outcome);
        continue;
      }
      const bool from_right = std::string_view(order) == "right-to-left";
      ESPALIER_TRY(
          compare_orders({row, run, *forward, outcome, order, false,
                          from_right ? "in IOB2 the first word of an entity says that one begins; from the "
                                       "right, its last word must be recognised without that"
                                     : ""},
                         request, report));
    }
  }
  report.notes.push_back(
      "p is from McNemar's exact test over tokens, which assumes that they are independent.");
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

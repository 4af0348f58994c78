// Sections of a report about scores: all together, per label, confusions. Tested in report_test.cc.
#include <algorithm>
#include <cmath>
#include <map>

#include "espalier/base/text/counted.h"
#include "espalier/report/sections.h"

namespace espalier::report {
namespace {

constexpr size_t kMostLabels = 40;      // in the table and the bars; the most frequent ones
constexpr size_t kMostConfusions = 16;  // rows and columns of the heat map
constexpr size_t kSamples = 1000;       // of the bootstrap, per label

eval::BootstrapOptions label_bootstrap() { return {kSamples, 0.95}; }

struct LabelCounts {
  std::vector<eval::RatioCounts> by_sequence;  ///< F1: 2 · correct of gold + found
  size_t gold = 0, found = 0, correct = 0;
};

/// Counts of types, or of labels if these do not form spans.
std::map<std::string, LabelCounts> counts_by_label(const Runs& runs, const Run& run) {
  std::map<std::string, LabelCounts> out;
  const auto at = [&](std::string_view name) -> LabelCounts& {
    LabelCounts& counts = out[std::string(name)];
    counts.by_sequence.resize(runs.sentences.size());
    return counts;
  };
  for (size_t s = 0; s < runs.sentences.size(); ++s) {
    const auto gold = views_of(runs.sentences[s].gold), found = views_of(run.labels[s]);
    const auto add = [&](std::string_view name, size_t g, size_t f, size_t correct) {
      LabelCounts& counts = at(name);
      counts.gold += g;
      counts.found += f;
      counts.correct += correct;
      counts.by_sequence[s] += {2 * correct, g + f};
    };
    if (runs.spans()) {
      const auto right = data::spans(gold, runs.scheme), answer = data::spans(found, runs.scheme);
      for (const data::Span& span : right)
        add(span.type, 1, 0, std::find(answer.begin(), answer.end(), span) != answer.end() ? 1 : 0);
      for (const data::Span& span : answer) add(span.type, 0, 1, 0);
    } else {
      for (size_t t = 0; t < gold.size(); ++t) {
        if (gold[t] == "_") continue;
        add(gold[t], 1, 0, gold[t] == found[t] ? 1 : 0);
        add(found[t], 0, 1, 0);
      }
    }
  }
  return out;
}

}  // namespace

std::string interval_text(const eval::ScoreInterval& interval) {
  return fmt::format("{:.2f} ({:.2f}–{:.2f})", interval.score, interval.low, interval.high);
}

std::string p_text(double p) { return p < 0.001 ? "below 0.001" : fmt::format("{:.3f}", p); }
std::string p_statement(double p) { return (p < 0.001 ? "p " : "p = ") + p_text(p); }

void add_summary(const SectionContext& context, Page& page) {
  const Runs& runs = context.runs;
  page.section("scores", "Scores");
  page.paragraph(fmt::format("{} with {}. In brackets: intervals of 95 % (bootstrap over sequences).",
                             counted(runs.sentences.size(), "sequence"), counted(runs.tokens, "token")));
  std::vector<std::string> head = {"model", "learner"};
  if (runs.spans()) head.push_back("F1");
  for (const char* name : {"token accuracy", "sequences right", "tokens/s", "size"}) head.push_back(name);
  std::vector<Page::Row> rows;
  for (const Run& run : runs.runs) {
    const Random random(context.options.seed);
    Page::Row row{{run.name, run.info.task == "label" ? run.info.learner
                                                      : run.info.learner + ", task " + run.info.task}};
    if (runs.spans())
      row.cells.push_back(interval_text(
          eval::bootstrap_interval(run.statistics, eval::Metric::kF1, random, {}, &context.workers)));
    row.cells.push_back(interval_text(
        eval::bootstrap_interval(run.statistics, eval::Metric::kAccuracy, random, {}, &context.workers)));
    row.cells.push_back(fmt::format("{:.2f} %", run.scores.sequence_accuracy));
    row.cells.push_back(count_text(static_cast<size_t>(std::max(0.0, run.scores.tokens_per_second))));
    row.cells.push_back(fmt::format("{:.1f} MB", static_cast<double>(run.model_bytes) / 1e6));
    rows.push_back(std::move(row));
  }
  page.table(head, rows);
}

void add_labels(const SectionContext& context, Page& page) {
  const Runs& runs = context.runs;
  page.section("labels", runs.spans() ? "Types of spans" : "Labels");
  eval::BarPlot bars;
  bars.title = runs.spans() ? "F1 of each type" : "F1 of each label";
  bars.x_label = "F1, with intervals of 95 %";
  std::vector<std::string> names;
  for (size_t m = 0; m < runs.runs.size(); ++m) {
    const Run& run = runs.runs[m];
    const auto counts = counts_by_label(runs, run);
    if (m == 0) {
      for (const auto& [name, one] : counts) names.push_back(name);
      std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
        return counts.at(a).gold > counts.at(b).gold;
      });
      if (names.size() > kMostLabels) {
        page.paragraph(fmt::format("The {} most frequent of {}.", kMostLabels, names.size()), "soft");
        names.resize(kMostLabels);
      }
    }
    eval::BarPlot::Series series{run.name, {}, {}, {}};
    std::vector<Page::Row> rows;
    for (const std::string& name : names) {
      const auto it = counts.find(name);
      const LabelCounts one = it == counts.end() ? LabelCounts() : it->second;
      const auto interval = eval::bootstrap_interval(one.by_sequence, Random(context.options.seed),
                                                     label_bootstrap(), &context.workers);
      series.values.push_back(interval.score);
      series.low.push_back(interval.low);
      series.high.push_back(interval.high);
      const eval::Counts totals{one.gold, one.found, one.correct};
      rows.push_back(
          {{name, count_text(one.gold), count_text(one.found), fmt::format("{:.2f}", totals.precision()),
            fmt::format("{:.2f}", totals.recall()), interval_text(interval)}});
    }
    bars.series.push_back(std::move(series));
    if (m == 0) bars.categories = names;
    if (runs.runs.size() > 1) page.heading(run.name);
    page.table(std::vector<std::string>{runs.spans() ? "type" : "label", "gold", "predicted", "precision",
                                        "recall", "F1"},
               rows);
  }
  page.plot(bars);
}

void add_confusions(const SectionContext& context, Page& page) {
  const Runs& runs = context.runs;
  page.section("confusions", "Confusions");
  page.paragraph(
      "Tokens by gold label (rows) and predicted label (columns). The colour is the share of the row; the "
      "labels with the most errors are shown.");
  for (const Run& run : runs.runs) {
    std::map<std::pair<std::string, std::string>, size_t> cells;
    std::map<std::string, size_t> errors, gold_counts;
    for (size_t s = 0; s < runs.sentences.size(); ++s)
      for (size_t t = 0; t < runs.sentences[s].gold.size(); ++t) {
        const std::string &gold = runs.sentences[s].gold[t], &found = run.labels[s][t];
        if (gold == "_") continue;
        ++cells[{gold, found}];
        ++gold_counts[gold];
        errors[gold] += gold != found ? 1 : 0;
        errors[found] += gold != found ? 1 : 0;
      }
    std::vector<std::string> names;
    for (const auto& [name, count] : errors) names.push_back(name);
    std::stable_sort(names.begin(), names.end(),
                     [&](const std::string& a, const std::string& b) { return errors[a] > errors[b]; });
    if (names.size() > kMostConfusions) names.resize(kMostConfusions);
    eval::HeatMap map;
    map.title = runs.runs.size() > 1 ? run.name : std::string();
    map.row_label = "gold";
    map.column_label = "predicted";
    map.rows = map.columns = names;
    for (const std::string& gold : names)
      for (const std::string& found : names) {
        const auto it = cells.find({gold, found});
        const size_t count = it == cells.end() ? 0 : it->second;
        // The root makes rare confusions visible next to the diagonal.
        map.shades.push_back(
            count == 0 ? 0 : std::sqrt(static_cast<double>(count) / static_cast<double>(gold_counts[gold])));
        map.texts.push_back(count == 0 ? "" : count_text(count));
      }
    page.plot(map);
  }
}

}  // namespace espalier::report

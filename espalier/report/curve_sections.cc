// Sections of a report that are curves: training, calibration, coverage, length, rareness. Tested in
// report_test.cc.
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/json.h"
#include "espalier/eval/calibration.h"
#include "espalier/report/sections.h"

namespace espalier::report {
namespace {

constexpr size_t kBucketSamples = 1000;

struct Bucket {
  size_t from, to;  ///< both included
  std::string name() const {
    if (to == SIZE_MAX) return fmt::format("{} or more", from);
    return from == to ? std::to_string(from) : fmt::format("{}–{}", from, to);
  }
};

/// Bars of a score over buckets, one series per model; `ratios(run, bucket)` is by sequence.
template <typename Ratios>
void add_bars(const SectionContext& context, eval::BarPlot bars, std::span<const Bucket> buckets,
              const Ratios& ratios, Page& page) {
  std::vector<size_t> shown;
  for (const Run& run : context.runs.runs) {
    eval::BarPlot::Series series{run.name, {}, {}, {}};
    for (size_t b = 0; b < buckets.size(); ++b) {
      const std::vector<eval::RatioCounts> counts = ratios(run, buckets[b]);
      eval::RatioCounts total;
      for (const eval::RatioCounts& one : counts) total += one;
      if (total.whole == 0) continue;
      const auto interval = eval::bootstrap_interval(counts, Random(context.options.seed),
                                                     {kBucketSamples, 0.95}, &context.workers);
      series.values.push_back(interval.score);
      series.low.push_back(interval.low);
      series.high.push_back(interval.high);
      if (&run == &context.runs.runs.front()) shown.push_back(b);
    }
    bars.series.push_back(std::move(series));
  }
  for (const size_t b : shown) bars.categories.push_back(buckets[b].name());
  page.plot(bars);
}

struct Token {
  double probability;
  bool right;
};

std::vector<Token> tokens_of(const Runs& runs, const Run& run) {
  std::vector<Token> tokens;
  for (size_t s = 0; s < runs.sentences.size(); ++s)
    for (size_t t = 0; t < runs.sentences[s].gold.size(); ++t)
      if (runs.sentences[s].gold[t] != "_" && t < run.probability[s].size())
        tokens.push_back({run.probability[s][t], runs.sentences[s].gold[t] == run.labels[s][t]});
  return tokens;
}

/// Says which models have no probabilities; whether any has.
bool some_probabilities(const Runs& runs, Page& page) {
  bool some = false;
  for (const Run& run : runs.runs) {
    some = some || run.has_probabilities();
    if (!run.has_probabilities())
      page.paragraph(
          fmt::format("{} has no probabilities: it is a search, which has scores only.", run.name));
  }
  return some;
}

}  // namespace

Status add_training(const SectionContext& context, Page& page) {
  eval::PlotPanels figure{"", {}, 2};
  eval::Plot objective, dev;
  for (const Run& run : context.runs.runs) {
    if (run.training_log.empty()) continue;
    const auto json = try_parse_json(run.training_log);
    if (!json.is_object() || !json.contains("log") || !json["log"].is_array())
      return fail("the training log of {} is not what espalier train --json prints: there is no list \"log\"",
                  run.name);
    const auto text = [&](const char* key) {
      return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
    };
    const auto add = [&](eval::Plot& plot, const char* key, const std::string& label) {
      eval::PlotSeries series;
      series.name = run.name;
      for (const auto& entry : json["log"]) {
        if (!entry.is_object() || !entry.contains(key) || !entry[key].is_number()) continue;
        series.x.push_back(entry.contains("round") && entry["round"].is_number()
                               ? entry["round"].get<double>()
                               : static_cast<double>(series.x.size() + 1));
        series.y.push_back(entry[key].get<double>());
      }
      if (series.x.empty()) return;
      plot.title = label;
      plot.x_label = "pass";
      plot.y_label = label;
      plot.series.push_back(std::move(series));
    };
    add(objective, "objective", text("objective_name").empty() ? "objective" : text("objective_name"));
    add(dev, "dev_score", "development " + (text("dev_measure").empty() ? "score" : text("dev_measure")));
  }
  for (eval::Plot* plot : {&dev, &objective})
    if (!plot->series.empty()) figure.panels.push_back(std::move(*plot));
  if (figure.panels.empty()) return {};
  page.section("training", "Training");
  page.plot(figure);
  return {};
}

void add_calibration(const SectionContext& context, Page& page) {
  page.section("calibration", "Calibration");
  if (!some_probabilities(context.runs, page)) return;
  page.paragraph(
      "How often predictions of a given confidence are right. On the dashed line, a token that the model is "
      "80 "
      "% sure of is right in 80 % of the cases; below it, the model is too sure.");
  eval::Plot plot;
  plot.x_label = "confidence";
  plot.y_label = "share right";
  plot.y_from = 0;
  plot.y_to = 1;
  std::vector<Page::Row> rows;
  for (const Run& run : context.runs.runs) {
    if (!run.has_probabilities()) continue;
    eval::Reliability reliability;
    for (const Token& token : tokens_of(context.runs, run)) reliability.add(token.probability, token.right);
    eval::PlotSeries series;
    series.name = run.name;
    for (const auto& bin : reliability.bins()) {
      if (bin.count == 0) continue;
      // Wilson's interval of a proportion.
      const auto n = static_cast<double>(bin.count);
      constexpr double z = 1.96;
      const double centre = (bin.accuracy + z * z / (2 * n)) / (1 + z * z / n);
      const double half =
          z / (1 + z * z / n) * std::sqrt(bin.accuracy * (1 - bin.accuracy) / n + z * z / (4 * n * n));
      series.x.push_back(bin.confidence);
      series.y.push_back(bin.accuracy);
      series.low.push_back(std::max(0.0, centre - half));
      series.high.push_back(std::min(1.0, centre + half));
    }
    rows.push_back({{run.name, fmt::format("{:.4f}", reliability.expected_calibration_error()),
                     fmt::format("{:.4f}", reliability.brier_score())}});
    plot.series.push_back(std::move(series));
  }
  plot.series.push_back({"perfect", {0, 1}, {0, 1}, {}, {}, true});
  page.plot(plot);
  page.table(std::vector<std::string>{"model", "expected calibration error", "Brier score"}, rows);
}

void add_coverage(const SectionContext& context, Page& page) {
  page.section("coverage", "Coverage");
  if (!some_probabilities(context.runs, page)) return;
  page.paragraph(
      "Token accuracy when only the surest share is kept and people decide the rest. A curve that rises "
      "steeply to the left means that the confidence tells errors from right answers.");
  eval::Plot plot;
  plot.x_label = "percent of tokens kept, the surest first";
  plot.y_label = "accuracy of these, percent";
  std::vector<Page::Row> rows;
  for (const Run& run : context.runs.runs) {
    if (!run.has_probabilities()) continue;
    std::vector<Token> tokens = tokens_of(context.runs, run);
    std::stable_sort(tokens.begin(), tokens.end(),
                     [](const Token& a, const Token& b) { return a.probability > b.probability; });
    eval::PlotSeries series;
    series.name = run.name;
    Page::Row row{{run.name}};
    size_t right = 0, next = 5;
    for (size_t i = 0; i < tokens.size(); ++i) {
      right += tokens[i].right ? 1 : 0;
      if ((i + 1) * 100 < next * tokens.size()) continue;
      const double accuracy = 100 * static_cast<double>(right) / static_cast<double>(i + 1);
      series.x.push_back(static_cast<double>(next));
      series.y.push_back(accuracy);
      if (next == 50 || next == 80 || next == 90 || next == 100)
        row.cells.push_back(fmt::format("{:.2f}", accuracy));
      while ((i + 1) * 100 >= next * tokens.size() && next <= 100) next += 5;
      if (next > 100 && i + 1 < tokens.size()) next = 100;
    }
    row.cells.resize(5);
    rows.push_back(std::move(row));
    plot.series.push_back(std::move(series));
  }
  page.plot(plot);
  page.table(std::vector<std::string>{"accuracy of the surest", "50 %", "80 %", "90 %", "all"}, rows);
}

void add_lengths(const SectionContext& context, Page& page) {
  constexpr std::array<Bucket, 7> kLengths = {
      {{1, 5}, {6, 10}, {11, 20}, {21, 30}, {31, 40}, {41, 60}, {61, SIZE_MAX}}};
  const Runs& runs = context.runs;
  page.section("length", "Length of sequences");
  eval::BarPlot bars;
  bars.x_label = fmt::format("{} by number of tokens in the sequence", runs.measure());
  bars.from_zero = false;
  add_bars(
      context, bars, kLengths,
      [&](const Run& run, const Bucket& bucket) {
        std::vector<eval::RatioCounts> out;
        for (size_t s = 0; s < runs.sentences.size(); ++s)
          if (const size_t length = runs.sentences[s].gold.size();
              length >= bucket.from && length <= bucket.to)
            out.push_back(eval::ratio_of(run.statistics[s], runs.metric()));
        return out;
      },
      page);
}

void add_rareness(const SectionContext& context, Page& page) {
  constexpr std::array<Bucket, 7> kCounts = {
      {{0, 0}, {1, 1}, {2, 4}, {5, 9}, {10, 99}, {100, 999}, {1000, SIZE_MAX}}};
  const Runs& runs = context.runs;
  page.section("rareness", "Rare words");
  page.paragraph(
      context.trained_on
          ? "Token accuracy by how often the word is in the training data; 0: never seen."
          : "Token accuracy by how often the word is in the test data itself; with the training data "
            "(--train) this would be by how often it was seen in training.");
  eval::BarPlot bars;
  bars.x_label = "token accuracy by occurrences of the word";
  bars.from_zero = false;
  add_bars(
      context, bars, kCounts,
      [&](const Run& run, const Bucket& bucket) {
        std::vector<eval::RatioCounts> out;
        for (size_t s = 0; s < runs.sentences.size(); ++s) {
          const Sentence& sentence = runs.sentences[s];
          eval::RatioCounts counts;
          for (size_t t = 0; t < sentence.gold.size(); ++t) {
            if (sentence.gold[t] == "_" || sentence.words[t].empty()) continue;
            const auto it = context.word_counts.find(sentence.words[t]);
            const size_t seen = it == context.word_counts.end() ? 0 : it->second;
            if (seen < bucket.from || seen > bucket.to) continue;
            counts += {sentence.gold[t] == run.labels[s][t] ? 1u : 0u, 1};
          }
          if (counts.whole > 0) out.push_back(counts);
        }
        return out;
      },
      page);
}

}  // namespace espalier::report

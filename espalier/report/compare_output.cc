#include "espalier/report/compare_output.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/json.h"
#include "espalier/base/text/layout.h"
#include "espalier/eval/plot.h"
#include "espalier/report/page.h"
#include "espalier/report/sections.h"

namespace espalier::report {
namespace {

constexpr double kMuchFaster = 1.3;  // tagging speeds nearer than this are not worth a word

bool is_measured(const Measured& one) { return one.share > 0; }

std::string part_text(const Measured& one) {
  const std::string share = one.share == 1     ? "all"
                            : one.share == 0.5 ? "half"
                                               : fmt::format("1/{:.0f}", 1 / one.share);
  return one.folds > 1 ? fmt::format("{}, {} folds", share, one.folds) : share;
}

std::string short_bytes(size_t bytes) {
  return bytes == 0 ? "–" : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

/// A word for a shell: quoted where it needs it.
std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./=,:+@%").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

const std::vector<std::string>& heads() {
  static const std::vector<std::string> kHeads = {"candidate", "",       "to the best", "p",     "training",
                                                  "tokens/s",  "memory", "model",       "legal", "data"};
  return kHeads;
}

std::vector<std::string> cells_of(const Measured& one, bool best) {
  if (!is_measured(one)) return {one.candidate.name(), one.failure, "", "", "", "", "", "", "", ""};
  return {one.candidate.name(),
          interval_text({one.score, one.low, one.high}),
          best ? "" : fmt::format("{:+.2f}", -one.behind + 0.0),
          best ? "" : p_text(one.p_value),
          fmt::format("{:.1f} s", one.train_seconds),
          count_text(static_cast<size_t>(one.tokens_per_second)),
          short_bytes(one.peak_bytes),
          short_bytes(one.model_bytes),
          one.legal ? fmt::format("{:.1f} %", *one.legal) : "–",
          part_text(one)};
}

std::vector<std::vector<std::string>> table_of(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows = {heads()};
  rows.front()[1] = comparison.measure + " (95 %)";
  for (size_t i = 0; i < comparison.candidates.size(); ++i)
    rows.push_back(cells_of(comparison.candidates[i], i == 0));
  return rows;
}

std::string ending_text(const Comparison& comparison) {
  if (comparison.interrupted) return "Interrupted: this is what is known so far.";
  if (comparison.out_of_time) return "The time budget is over: this is what is known by then.";
  return "";
}

/// The candidate to take if speed matters: of those that tag clearly faster, the one that is least behind the
/// best on the data that both were scored on; null: none tags faster.
const Measured* faster_one(const Comparison& comparison) {
  const Measured& best = comparison.candidates.front();
  const Measured* found = nullptr;
  for (const Measured& one : comparison.candidates)
    if (is_measured(one) && &one != &best && one.tokens_per_second > kMuchFaster * best.tokens_per_second &&
        (found == nullptr || one.behind < found->behind))
      found = &one;
  return found;
}

}  // namespace

std::string advice_of(const Comparison& comparison) {
  const Measured& best = comparison.candidates.front();
  std::string out = "take " + best.candidate.name();
  if (best.share < 1)
    out +=
        fmt::format(" (measured on {} of the data only; a larger time budget tells more)", part_text(best));
  const Measured* rival = faster_one(comparison);
  const bool faster = rival != nullptr;
  // Otherwise the best of another learner says more than other settings of the same one.
  for (const Measured& one : comparison.candidates) {
    if (rival != nullptr || !is_measured(one) || &one == &best) continue;
    if (one.candidate.learner != best.candidate.learner) rival = &one;
  }
  if (rival == nullptr && comparison.candidates.size() > 1 && is_measured(comparison.candidates[1]))
    rival = &comparison.candidates[1];
  if (rival == nullptr) return out;
  const std::string name = rival->candidate.name();
  out += fmt::format(": {:+.2f} {} over {}", rival->behind + 0.0, comparison.measure, name);
  const std::string where =
      rival->share < best.share ? fmt::format(", on {} of the data", part_text(*rival)) : "";
  const bool significant = rival->p_value < 0.05;
  out += significant ? fmt::format(" ({}{})", p_statement(rival->p_value), where)
                     : fmt::format(", which may be chance (p = {:.2f}{})", rival->p_value, where);
  const double ratio = rival->tokens_per_second / std::max(1.0, best.tokens_per_second);
  if (faster)
    out += fmt::format(", tagging {:.1f} times slower; if speed matters, {}", ratio, name);
  else if (ratio > 0 && 1 / ratio > kMuchFaster)
    out += fmt::format(", tagging {:.1f} times faster", 1 / ratio);
  return out;
}

std::string train_command(const Candidate& candidate, const Files& train, const CompareOptions& options) {
  std::string out = "espalier train";
  const auto add = [&](const std::string& word) { out += " " + shell_word(word); };
  const auto option = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    add(name);
    add(value);
  };
  for (const std::string& path : train.paths) add(path);
  option("-m", "best.model");
  if (candidate.task != "label") option("--task", candidate.task);
  option("--learner", candidate.learner);
  for (const auto& [name, value] : candidate.settings) option("-p", name + "=" + value);
  if (options.feature_template) option("-t", options.template_name);
  if (!options.feature_columns.empty()) {
    std::string columns;
    for (const size_t column : options.feature_columns)
      columns += (columns.empty() ? "" : ",") + std::to_string(column);
    option("--feature-columns", columns);
  }
  const ReadOptions& reading = train.reading;
  option("--format", reading.format);
  option("--label-column", reading.label_column);
  option("--folds", reading.folds);
  if (reading.encoding != "utf-8") option("--encoding", reading.encoding);
  option("--separator", reading.separator);
  option("--comment", reading.comment);
  if (options.seed != 1) option("--seed", std::to_string(options.seed));
  return out;
}

std::string curve_text(const LearningCurve& curve, const std::string& measure) {
  const double gain = curve.twice - curve.scores.back();
  std::string out = fmt::format("Twice the data would give about {:.2f} {} ({:.2f}–{:.2f}), {:+.2f} to now; ",
                                curve.twice, measure, curve.twice_low, curve.twice_high, gain + 0.0);
  const bool sure = curve.twice_low > curve.scores.back() + 0.1;
  out += gain < 0.1 ? "more data of this kind would help little."
         : sure     ? "more data would help."
                    : "whether more data would help is not certain.";
  return out;
}

std::string comparison_text(const Comparison& comparison) {
  const auto rows = table_of(comparison);
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (size_t c = 0; c < row.size(); ++c)
      if (c != 1 || row[2] != "" || row[4] != "") widths[c] = std::max(widths[c], display_width(row[c]));
  std::string out;
  for (const auto& row : rows) {
    std::string line = pad_right(row[0], widths[0]);
    for (size_t c = 1; c < row.size(); ++c)
      line +=
          "  " + (c == 1 || c + 1 == row.size() ? pad_right(row[c], widths[c]) : pad_left(row[c], widths[c]));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  for (const Measured& one : comparison.candidates)
    if (is_measured(one) && !one.failure.empty())
      out += fmt::format("{}: {}\n", one.candidate.name(), one.failure);
  out += "\n";
  if (const std::string ending = ending_text(comparison); !ending.empty()) out += ending + "\n";
  if (comparison.curve) {
    const LearningCurve& curve = *comparison.curve;
    out += "learning curve:";
    for (size_t i = 0; i < curve.scores.size(); ++i)
      out += fmt::format("{} {:.2f} with {:.0f} sequences", i == 0 ? "" : ",", curve.scores[i],
                         curve.sequences[i]);
    out += fmt::format("\npower law: {} = {:.2f} − {:.4g} · n^−{:.2f}\n{}\n\n", comparison.measure,
                       curve.limit, curve.scale, curve.exponent, curve_text(curve, comparison.measure));
  }
  out += comparison.advice + "\n";
  if (comparison.test_score)
    out += fmt::format("on the test data: {} {}\n", comparison.measure,
                       interval_text({*comparison.test_score, *comparison.test_low, *comparison.test_high}));
  return out + "  " + comparison.command + "\n";
}

std::string comparison_json(const Comparison& comparison) {
  Json list = Json::array();
  for (const Measured& one : comparison.candidates) {
    Json settings = Json::object();
    for (const auto& [name, value] : one.candidate.settings) settings[name] = value;
    Json entry = {{"name", one.candidate.name()},
                  {"task", one.candidate.task},
                  {"learner", one.candidate.learner},
                  {"settings", std::move(settings)}};
    if (!one.failure.empty()) entry["failure"] = one.failure;
    if (is_measured(one)) {
      entry["score"] = one.score;
      entry["interval"] = {one.low, one.high};
      entry["behind"] = one.behind;
      entry["p_value"] = one.p_value;
      entry["train_seconds"] = one.train_seconds;
      entry["tokens_per_second"] = one.tokens_per_second;
      entry["peak_rss_bytes"] = one.peak_bytes > 0 ? Json(one.peak_bytes) : Json(nullptr);
      entry["model_bytes"] = one.model_bytes;
      entry["legal_percent"] = one.legal ? Json(*one.legal) : Json(nullptr);
      entry["share"] = one.share;
      entry["folds"] = one.folds;
    }
    list.push_back(std::move(entry));
  }
  Json json = {{"measure", comparison.measure},         {"sequences", comparison.sequences},
               {"tokens", comparison.tokens},           {"candidates", std::move(list)},
               {"interrupted", comparison.interrupted}, {"out_of_time", comparison.out_of_time},
               {"advice", comparison.advice},           {"command", comparison.command}};
  if (comparison.curve) {
    const LearningCurve& curve = *comparison.curve;
    json["learning_curve"] = {{"sequences", curve.sequences},
                              {"scores", curve.scores},
                              {"limit", curve.limit},
                              {"scale", curve.scale},
                              {"exponent", curve.exponent},
                              {"twice", curve.twice},
                              {"twice_interval", {curve.twice_low, curve.twice_high}}};
  }
  if (comparison.test_score)
    json["test"] = {{"score", *comparison.test_score},
                    {"interval", {*comparison.test_low, *comparison.test_high}}};
  return json_text(json);
}

std::string comparison_html(const Comparison& comparison, const std::string& data_name) {
  Page page("Which model for " + data_name);
  page.section("advice", "Advice");
  page.paragraph(comparison.advice + ".", "advice");
  page.command(comparison.command);
  if (const std::string ending = ending_text(comparison); !ending.empty()) page.paragraph(ending);
  if (comparison.test_score)
    page.paragraph(
        fmt::format("On the test data: {} {}.", comparison.measure,
                    interval_text({*comparison.test_score, *comparison.test_low, *comparison.test_high})));
  page.section("candidates", "Candidates");
  page.paragraph(fmt::format(
      "{} with {}. Intervals are of 95 %; p is that of the difference to the best (paired bootstrap "
      "over sequences, not corrected for the number of candidates). Training seconds and tokens "
      "per second are wall time on the machine that ran this; memory is the peak of a training "
      "process.",
      counted(comparison.sequences, "sequence"), counted(comparison.tokens, "token")));
  auto rows = table_of(comparison);
  std::vector<Page::Row> table;
  for (size_t i = 1; i < rows.size(); ++i) table.push_back({rows[i], i == 1 ? "best" : ""});
  page.table(rows.front(), table);
  eval::BarPlot bars;
  bars.title = "Scores";
  bars.x_label = comparison.measure + ", with intervals of 95 %";
  bars.from_zero = false;
  bars.series.resize(1);
  eval::Plot speed;
  speed.title = "Score and speed";
  speed.x_label = "tokens per second when tagging";
  speed.y_label = comparison.measure + ", by the difference to the first";
  speed.log_x = true;
  const Measured& first = comparison.candidates.front();
  for (const Measured& one : comparison.candidates) {
    if (!is_measured(one)) continue;
    // Candidates that were given up have scores of models of less data. The difference to the first is on the
    // same data.
    if (one.tokens_per_second > 0) {
      eval::PlotSeries point;
      point.name = one.candidate.name();
      point.x = {one.tokens_per_second};
      point.y = {first.score - one.behind};
      point.scattered = true;
      speed.series.push_back(std::move(point));
    }
    if (one.share != first.share) continue;
    bars.categories.push_back(one.candidate.name());
    bars.series[0].values.push_back(one.score);
    bars.series[0].low.push_back(one.low);
    bars.series[0].high.push_back(one.high);
  }
  page.plot(bars);
  page.plot(speed);
  if (comparison.curve) {
    const LearningCurve& curve = *comparison.curve;
    page.section("curve", "Learning curve");
    page.paragraph(curve_text(curve, comparison.measure));
    eval::Plot plot;
    plot.x_label = "training sequences";
    plot.y_label = comparison.measure;
    plot.series.push_back(
        {comparison.candidates.front().candidate.name(), curve.sequences, curve.scores, {}, {}});
    eval::PlotSeries law;
    law.name = fmt::format("{:.2f} − {:.4g} · n^−{:.2f}", curve.limit, curve.scale, curve.exponent);
    law.dashed = true;
    for (int i = 0; i <= 40; ++i) {
      const double n =
          curve.sequences.front() * std::pow(2 * curve.sequences.back() / curve.sequences.front(), i / 40.0);
      law.x.push_back(n);
      law.y.push_back(curve.limit - curve.scale * std::pow(n, -curve.exponent));
    }
    plot.series.push_back(std::move(law));
    eval::PlotSeries twice;
    twice.name = "twice the data, with an interval of 95 %";
    for (const double end : {curve.twice_low, curve.twice, curve.twice_high}) {
      twice.x.push_back(2 * curve.sequences.back());
      twice.y.push_back(end);
    }
    plot.series.push_back(std::move(twice));
    page.plot(plot);
  }
  return page.finish();
}

}  // namespace espalier::report

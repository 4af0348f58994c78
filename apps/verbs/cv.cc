// espalier cv: cross-validation. Tested in verbs_test.sh and tasks_test.sh.
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "apps/command.h"
#include "apps/long_work.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "apps/verbs/help.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kCvHelp =
    R"(Cross-validate: for each fold, train on the others and score on it

Uses the folds that the data has (letters, jsonl), or else draws ten, sequence by sequence; -k draws that many new ones.
Reports each fold, mean and standard deviation over folds, and the scores of all predictions together. With
--constraints each fold is trained and tagged under them.)";

constexpr const char* kCvExamples = R"(
Examples:
  espalier cv train.txt -k 5
  espalier cv train.txt -k 5 --save-predictions held-out.txt
  espalier cv letter.data.gz --format letters -p l2=0.5 --json
  espalier cv roles.jsonl --task roles --constraints roles.txt -k 5)";

struct CvFlags {
  TrainingFlags training;
  OutputFlags output;
  std::vector<std::string> data;
  std::optional<int> k;
  std::string predictions;
};

/// A score of every fold: its name in JSON, where the scores of a fold have it, and its column in the table.
struct Measure {
  const char* name;
  const char* path;
  const char* title;
};
constexpr Measure kLabelMeasures[] = {{"accuracy", "/accuracy", "accuracy"},
                                      {"sequence_accuracy", "/sequence_accuracy", "whole seq."},
                                      {"precision", "/precision", "precision"},
                                      {"recall", "/recall", "recall"},
                                      {"f1", "/f1", "F1"}};
constexpr Measure kTreeMeasures[] = {
    {"uas", "/uas", "UAS"}, {"las", "/las", "LAS"}, {"clas", "/clas", "CLAS"}};
constexpr Measure kSummaryMeasures[] = {{"rouge_1", "/rouge_1/recall", "ROUGE-1"},
                                        {"rouge_2", "/rouge_2/recall", "ROUGE-2"},
                                        {"rouge_l", "/rouge_l/recall", "ROUGE-L"},
                                        {"rouge_su4", "/rouge_su4/recall", "ROUGE-SU4"}};

/// The folds' scores as JSON, and what of them is shown.
struct Table {
  explicit Table(const CrossValidation& cv) : pooled(parse_json(cv.pooled.json())) {
    for (const CrossValidation::Fold& fold : cv.folds) folds.push_back(parse_json(fold.scores.json()));
    measures = pooled.contains("las")       ? std::span<const Measure>(kTreeMeasures)
               : pooled.contains("rouge_2") ? std::span<const Measure>(kSummaryMeasures)
                                            : std::span<const Measure>(kLabelMeasures);
    unit = pooled.contains("rouge_2") ? "summaries" : "sequences";
  }
  static double value(const Json& scores, const Measure& measure) {
    return scores.at(Json::json_pointer(measure.path)).get<double>();
  }
  struct Spread {
    double mean = 0, deviation = 0;
  };
  Spread spread(const Measure& measure) const {
    Spread out;
    const auto n = static_cast<double>(folds.size());
    for (const Json& fold : folds) out.mean += value(fold, measure) / n;
    for (const Json& fold : folds) out.deviation += std::pow(value(fold, measure) - out.mean, 2) / (n - 1);
    out.deviation = std::sqrt(out.deviation);
    return out;
  }

  std::vector<Json> folds;
  Json pooled;
  std::span<const Measure> measures;
  const char* unit;
};

Json to_json(const CrossValidation& cv, double seconds) {
  const Table table(cv);
  Json json = {{"folds", Json::array()},
               {"own_folds", cv.own_folds},
               {"mean", Json::object()},
               {"deviation", Json::object()}};
  for (size_t f = 0; f < cv.folds.size(); ++f) {
    const Json& scores = table.folds[f];
    Json entry = {{"fold", cv.folds[f].fold}, {table.unit, scores[table.unit]}, {"tokens", scores["tokens"]}};
    for (const Measure& measure : table.measures) entry[measure.name] = Table::value(scores, measure);
    entry["train_seconds"] = cv.folds[f].train_seconds;
    json["folds"].push_back(std::move(entry));
  }
  for (const Measure& measure : table.measures) {
    const Table::Spread spread = table.spread(measure);
    json["mean"][measure.name] = spread.mean;
    json["deviation"][measure.name] = spread.deviation;
  }
  json["pooled"] = table.pooled;
  json["seconds"] = seconds;
  json["peak_rss_bytes"] = peak_resident_bytes();
  return json;
}

std::string to_text(const CrossValidation& cv) {
  const Table table(cv);
  std::string out = fmt::format("fold     {:>9} {:>9}", table.unit, "tokens");
  const auto width = [](const Measure& measure) {
    return std::max<size_t>(6, std::string_view(measure.title).size());
  };
  for (const Measure& measure : table.measures) append_format(out, "  {:>{}}", measure.title, width(measure));
  out += '\n';
  const auto row = [&](std::string_view name, const Json& scores) {
    append_format(out, "{:<8} {:9} {:9}", name, scores[table.unit].get<size_t>(),
                  scores["tokens"].get<size_t>());
    for (const Measure& measure : table.measures)
      append_format(out, "  {:{}.2f}", Table::value(scores, measure), width(measure));
    out += '\n';
  };
  for (size_t f = 0; f < cv.folds.size(); ++f) row(std::to_string(cv.folds[f].fold), table.folds[f]);
  row("pooled", table.pooled);
  out += "\nmean ± standard deviation over folds\n";
  for (const Measure& measure : table.measures) {
    const Table::Spread spread = table.spread(measure);
    append_format(out, "  {:<18} {:6.2f} ± {:.2f}\n", measure.name, spread.mean, spread.deviation);
  }
  return out + "\npooled\n" + cv.pooled.report();
}

/// What is said of a fold when it is done: "F1 94.10, accuracy 96.00".
std::string in_short(const Scores& scores) {
  const auto json = parse_json(scores.json());
  if (json.contains("las")) return fmt::format("LAS {:.2f}", json["las"].get<double>());
  if (json.contains("rouge_2")) return fmt::format("ROUGE-2 {:.2f}", json["rouge_2"]["recall"].get<double>());
  return fmt::format("F1 {:.2f}, accuracy {:.2f}", scores.f1, scores.accuracy);
}

Outcome run(const CvFlags& flags) {
  auto options = flags.training.resolve();
  if (!options) return usage_error(options.error());
  Ranks* const ranks = std::exchange(options->ranks, nullptr);  // they share folds, not trainings
  const Files data{flags.data, flags.training.reading.resolve()};
  if (const Status status = check_options(data, *options); !status.ok()) return usage_error(status.error());
  if (const std::string twice = named_twice(flags.data); !twice.empty())
    return fail("'{}' is given twice: folds would be scored on sequences that they were trained on", twice);
  ESPALIER_TRY(flags.training.read_files(*options));
  std::optional<Sink> predictions;
  if (!flags.predictions.empty()) {
    if (flags.predictions == "-")
      return usage_error("--save-predictions needs the name of a file: the scores go to standard output");
    ESPALIER_TRY(check_no_input(flags.predictions, flags.data));
    ESPALIER_TRY(check_no_input(flags.predictions, flags.training.files()));
    if (speaks_for_all()) ESPALIER_TRY(check_writable(flags.predictions));
    predictions = Sink::file(flags.predictions);
  }
  const auto start = std::chrono::steady_clock::now();
  LongWork work(flags.output.quiet);
  work.watch_training(*options);
  const auto tell = [&](const CrossValidation::Fold& fold) {
    work.display().clear();
    if (!flags.output.quiet)
      say(fmt::format("fold {} of {}: {}, trained in {}", fold.number, fold.total, in_short(fold.scores),
                      duration_text(fold.train_seconds)));
    return true;
  };
  options->ranks = ranks;
  const auto cv = cross_validate(data, *options, flags.k.value_or(0), tell, predictions);
  if (auto outcome = work.interrupted("interrupted before all folds were done")) return *outcome;
  if (!cv) return cv.error();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!flags.output.quiet) tell_outcomes(cv->pooled.rules, {}, false);
  ESPALIER_TRY(flags.output.json ? print_json(to_json(*cv, seconds)) : print(to_text(*cv)));
  return {};
}

}  // namespace

void add_cv(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<CvFlags>(app, action, "cv", kCvHelp, run);
  verb.add_option("DATA", flags.data, "labelled files, - for standard input")->type_name("")->required();
  add_number_option(verb, "-k,--k", flags.k, "draw this many folds [the data's own, or 10]", 2, 200);
  verb.add_option(
          "--save-predictions", flags.predictions,
          "write all sequences in their order, each with the labels predicted\nwhen its fold was held out")
      ->type_name("FILE");
  flags.training.add_to(verb);
  flags.output.add_to(verb);
  verb.footer([] { return learners_help() + kCvExamples; });
}

}  // namespace espalier::apps

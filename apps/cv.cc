// espalier cv: cross-validation. Tested in verbs_test.sh and tasks_test.sh.
#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/help.h"
#include "apps/long_work.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verb.h"
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

/// A score of every fold by its name in JSON.
struct Measure {
  const char* name;
  double Scores::*of;
};
constexpr std::array<Measure, 5> kMeasures = {{
    {"accuracy", &Scores::accuracy},
    {"sequence_accuracy", &Scores::sequence_accuracy},
    {"precision", &Scores::precision},
    {"recall", &Scores::recall},
    {"f1", &Scores::f1},
}};

Json to_json(const CrossValidation& cv, double seconds) {
  Json json = {{"folds", Json::array()},
               {"own_folds", cv.own_folds},
               {"mean", Json::object()},
               {"deviation", Json::object()}};
  for (const CrossValidation::Fold& fold : cv.folds) {
    Json entry = {{"fold", fold.fold}, {"sequences", fold.scores.sequences}, {"tokens", fold.scores.tokens}};
    for (const Measure& measure : kMeasures) entry[measure.name] = fold.scores.*measure.of;
    entry["train_seconds"] = fold.train_seconds;
    json["folds"].push_back(std::move(entry));
  }
  for (const Measure& measure : kMeasures) {
    json["mean"][measure.name] = cv.mean(measure.of);
    json["deviation"][measure.name] = cv.deviation(measure.of);
  }
  json["pooled"] = parse_json(cv.pooled.json());
  json["seconds"] = seconds;
  json["peak_rss_bytes"] = peak_resident_bytes();
  return json;
}

std::string to_text(const CrossValidation& cv) {
  std::string out = "fold     sequences    tokens  accuracy  whole seq.  precision  recall      F1\n";
  const auto row = [&](std::string_view name, const Scores& scores) {
    append_format(out, "{:<8} {:9} {:9}", name, scores.sequences, scores.tokens);
    constexpr std::array<int, kMeasures.size()> kWidths = {8, 10, 9, 6, 6};
    for (size_t m = 0; m < kMeasures.size(); ++m)
      append_format(out, "  {:{}.2f}", scores.*kMeasures[m].of, kWidths[m]);
    out += '\n';
  };
  for (const CrossValidation::Fold& fold : cv.folds) row(std::to_string(fold.fold), fold.scores);
  row("pooled", cv.pooled);
  out += "\nmean ± standard deviation over folds\n";
  for (const Measure& measure : kMeasures)
    append_format(out, "  {:<18} {:6.2f} ± {:.2f}\n", measure.name, cv.mean(measure.of),
                  cv.deviation(measure.of));
  return out + "\npooled\n" + cv.pooled.report();
}

Outcome run(const CvFlags& flags) {
  auto options = flags.training.resolve();
  if (!options) return usage_error(options.error());
  Ranks* const ranks = std::exchange(options->ranks, nullptr);  // they share folds, not trainings
  const Files data{flags.data, flags.training.reading.resolve()};
  if (const Status status = check_options(data, *options); !status.ok()) return usage_error(status.error());
  ESPALIER_TRY(flags.training.read_files(*options));
  std::optional<Sink> predictions;
  if (!flags.predictions.empty()) {
    if (flags.predictions == "-")
      return usage_error("--save-predictions needs the name of a file: the scores go to standard output");
    for (const std::string& input : flags.data) {
      std::error_code none;
      if (std::filesystem::equivalent(input, flags.predictions, none))
        return Error{
            fmt::format("'{}' is both an input and the file for the predictions; nothing was done", input)};
    }
    if (speaks_for_all()) ESPALIER_TRY(check_writable(flags.predictions));
    predictions = Sink::file(flags.predictions);
  }
  const auto start = std::chrono::steady_clock::now();
  LongWork work(flags.output.quiet, InterruptGuard::Input::kLeave);
  work.watch(*options);
  const auto tell = [&](const CrossValidation::Fold& fold) {
    work.display().clear();
    if (!flags.output.quiet)
      say(fmt::format("fold {} of {}: F1 {:.2f}, accuracy {:.2f}, trained in {}", fold.number, fold.total,
                      fold.scores.f1, fold.scores.accuracy, duration_text(fold.train_seconds)));
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

// espalier cv: cross-validation.
#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/evaluate.h"
#include "apps/fold_files.h"
#include "apps/interrupt.h"
#include "apps/options.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "espalier/model/model.h"

namespace espalier::apps {
namespace {

constexpr const char* kCvHelp =
    R"(Cross-validate: train on all folds but one, score on that one, for each

Where the data has folds of its own (letters, jsonl) these are used; otherwise ten are drawn, sequence by sequence. -k
draws that many anew. Reports each fold, mean and standard deviation over folds, and the scores of all predictions
pooled. With --constraints each fold is learned and labelled under them.)";

constexpr const char* kCvExamples = R"(
Examples:
  espalier cv train.txt -k 5
  espalier cv letter.data.gz --format letters -p l2=0.5 --json
  espalier cv roles.jsonl --task roles --constraints roles.txt -k 5)";

struct CvFlags {
  TrainingFlags training;
  OutputFlags output;
  std::vector<std::string> data;
  std::optional<int> k;
};

struct FoldResult {
  int fold = 0;
  double train_seconds = 0;
  Evaluation evaluation;
};

/// A score of every fold by its name in JSON.
struct Measure {
  const char* name;
  double (*of)(const Evaluation&);
};
/// Of roles, arguments are what precision, recall and F1 count.
constexpr std::array<Measure, 5> kMeasures = {{
    {"accuracy", [](const Evaluation& e) { return e.scores.accuracy(); }},
    {"sequence_accuracy", [](const Evaluation& e) { return e.scores.sequence_accuracy(); }},
    {"precision", [](const Evaluation& e) { return e.roles ? e.roles->precision() : e.scores.precision(); }},
    {"recall", [](const Evaluation& e) { return e.roles ? e.roles->recall() : e.scores.recall(); }},
    {"f1", [](const Evaluation& e) { return e.roles ? e.roles->f1() : e.scores.f1(); }},
}};

struct Spread {
  double mean = 0;
  double deviation = 0;  ///< of the sample: divided by n − 1
};
Spread spread(const std::vector<FoldResult>& folds, const Measure& measure) {
  const auto n = static_cast<double>(folds.size());
  Spread result;
  for (const FoldResult& fold : folds) result.mean += measure.of(fold.evaluation) / n;
  double squares = 0;
  for (const FoldResult& fold : folds) squares += std::pow(measure.of(fold.evaluation) - result.mean, 2);
  result.deviation = folds.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
  return result;
}

nlohmann::ordered_json to_json(const std::vector<FoldResult>& folds, const Evaluation& pooled, bool own,
                               double seconds) {
  using Json = nlohmann::ordered_json;
  Json json = {
      {"folds", Json::array()}, {"own_folds", own}, {"mean", Json::object()}, {"deviation", Json::object()}};
  for (const FoldResult& fold : folds) {
    Json entry = {{"fold", fold.fold},
                  {"sequences", fold.evaluation.scores.sequences()},
                  {"tokens", fold.evaluation.scores.tokens()}};
    for (const Measure& measure : kMeasures) entry[measure.name] = measure.of(fold.evaluation);
    entry["train_seconds"] = fold.train_seconds;
    json["folds"].push_back(std::move(entry));
  }
  for (const Measure& measure : kMeasures) {
    const Spread s = spread(folds, measure);
    json["mean"][measure.name] = s.mean;
    json["deviation"][measure.name] = s.deviation;
  }
  json["pooled"] = evaluation_json(pooled);
  json["seconds"] = seconds;
  json["peak_rss_bytes"] = peak_resident_bytes();
  return json;
}

std::string to_text(const std::vector<FoldResult>& folds, const Evaluation& pooled) {
  std::string out = "fold     sequences    tokens  accuracy  whole seq.  precision  recall      F1\n";
  const auto to = std::back_inserter(out);
  const auto row = [&](std::string_view name, const Evaluation& e) {
    fmt::format_to(to, "{:<8} {:9} {:9}", name, e.scores.sequences(), e.scores.tokens());
    constexpr std::array<int, kMeasures.size()> kWidths = {8, 10, 9, 6, 6};
    for (size_t m = 0; m < kMeasures.size(); ++m)
      fmt::format_to(to, "  {:{}.2f}", kMeasures[m].of(e), kWidths[m]);
    out += '\n';
  };
  for (const FoldResult& fold : folds) row(std::to_string(fold.fold), fold.evaluation);
  row("pooled", pooled);
  out += "\nmean ± standard deviation over folds\n";
  for (const Measure& measure : kMeasures) {
    const Spread s = spread(folds, measure);
    fmt::format_to(to, "  {:<18} {:6.2f} ± {:.2f}\n", measure.name, s.mean, s.deviation);
  }
  if (pooled.joint.any()) out += "\npooled, all columns of labels\n" + pooled.joint.table(pooled.scores);
  out += "\n" + task_report(pooled);
  return pooled.roles ? out : out + pooled.scores.conlleval_report();
}

Outcome run(const CvFlags& flags) {
  const auto resolved = flags.training.resolve();
  if (!resolved) return usage_error(resolved.error());
  model::TrainRequest request = *resolved;
  request.train = flags.data;
  if (const Status possible = model::check_request(request); !possible.ok())
    return usage_error(possible.error());
  const auto start = std::chrono::steady_clock::now();

  std::vector<FoldResult> results;
  Evaluation pooled;
  bool own = false;
  {
    ESPALIER_ASSIGN(const TemporaryDirectory directory, TemporaryDirectory::make());
    ESPALIER_ASSIGN(const FoldFiles folds, write_fold_files(flags.data, request.task, request.reading,
                                                            flags.k, request.seed, directory));
    own = folds.own;
    request.reading = folds.reading;
    request.model = directory.path("model");

    ProgressDisplay display(flags.output.quiet ? ProgressDisplay::Mode::kQuiet
                                               : ProgressDisplay::Mode::kBarOnly);
    const InterruptGuard interrupt(InterruptGuard::Input::kLeave);
    const Workers workers(request.threads);
    for (const auto& [fold, file] : folds.files) {
      request.train.clear();
      for (const auto& [other, other_file] : folds.files)
        if (other != fold) request.train.push_back(other_file);
      Monitor monitor = display.monitor(interrupt.flag());
      const std::string place = fmt::format("fold {} of {}, ", results.size() + 1, folds.files.size());
      monitor.on_progress = [&display, &place](Progress progress) {
        progress.phase = place + progress.phase;
        display.show(progress);
      };
      FoldResult result;
      result.fold = fold;
      ESPALIER_ASSIGN(const model::TrainReport report, model::train(request, monitor));
      result.train_seconds = report.seconds;
      ESPALIER_ASSIGN(const model::Model model, model::Model::open(request.model));
      ESPALIER_ASSIGN(const auto constrained, ConstraintFlags().apply(model));  // those of the training
      if (interrupt.signal() == 0)
        ESPALIER_TRY(evaluate(constrained ? *constrained : model.predictor(), {file}, folds.reading, {},
                              workers, monitor, result.evaluation, {.task = request.task}));
      display.clear();
      if (interrupt.signal() != 0)
        return {128 + interrupt.signal(), "interrupted before all folds were done"};
      if (!flags.output.quiet)
        say(fmt::format("fold {} of {}: F1 {:.2f}, accuracy {:.2f}, trained in {}", results.size() + 1,
                        folds.files.size(), kMeasures.back().of(result.evaluation),
                        result.evaluation.scores.accuracy(), duration_text(result.train_seconds)));
      pooled.merge(result.evaluation);
      results.push_back(std::move(result));
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!flags.output.quiet) pooled.tally.warn();
  if (flags.output.json) {
    ESPALIER_TRY(print_json(to_json(results, pooled, own, seconds)));
  } else {
    ESPALIER_TRY(print(to_text(results, pooled)));
  }
  return {};
}

}  // namespace

void add_cv(CLI::App& app, Action& action) {
  CLI::App& verb = *app.add_subcommand("cv", kCvHelp);
  const auto flags = std::make_shared<CvFlags>();
  verb.add_option("DATA", flags->data, "labelled files, - for standard input")->type_name("")->required();
  verb.add_option("-k,--k", flags->k, "draw this many folds [the data's own, or 10]")
      ->type_name("N")
      ->check(CLI::Range(2, 200).description(""));
  flags->training.add_to(verb);
  flags->output.add_to(verb);
  verb.footer([] { return learners_help() + kCvExamples; });
  verb.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps

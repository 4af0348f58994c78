// espalier train: files in, a model out.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/interrupt.h"
#include "apps/options.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "apps/train_report.h"
#include "espalier/base/atomic_file.h"

namespace espalier::apps {
namespace {

constexpr const char* kTrainHelp =
    R"(Train a model

TRAIN is columns by default: one token a line, cells separated by blanks or tabs, the label
last, a blank line between sequences; .gz is read as it is. Label _ where it is not known.)";

constexpr const char* kTrainExamples = R"(
Examples:
  espalier train train.txt -m chunks.model
  espalier train train.txt -m chunks.model --dev dev.txt -t chunking.template -p l2=1
  espalier train en-train.conllu -m upos.model --format conllu
  espalier train letter.data.gz -m letters.model --format letters --folds 1-9 --dev-folds 0
  espalier train more.txt -m better.model --start-from chunks.model

The first Ctrl-C ends training early with a usable model, the second at once without one.
--json prints seconds, features, labels, model_bytes, peak_rss_bytes, log (one entry a pass) and more.)";

struct TrainFlags {
  TrainingFlags training;
  OutputFlags output;
  std::vector<std::string> train;
  std::vector<std::string> dev;
  std::string dev_folds;
  std::string model;
  std::string start_from;
  bool resume = false;
  int checkpoint_every = 0;
};

Result<model::TrainRequest> make_request(const TrainFlags& flags) {
  ESPALIER_ASSIGN(model::TrainRequest request, flags.training.resolve());
  request.train = flags.train;
  request.dev = flags.dev;
  request.model = flags.model;
  request.start_from = flags.start_from;
  request.resume = flags.resume;
  request.checkpoint_every = flags.checkpoint_every;
  if (request.model == "-")
    return fail("--model needs the name of a file; a model cannot go to standard output");
  // The folds that are trained on say nothing about a development file of its own.
  request.dev_reading = request.reading;
  request.dev_reading->folds.clear();
  if (!flags.dev_folds.empty()) {
    ESPALIER_ASSIGN(request.dev_reading->folds, data::parse_folds(flags.dev_folds));
    if (request.dev.empty()) {
      if (request.reading.folds.empty())
        return fail(
            "--dev-folds without --dev takes the development data from the training files: say with --folds "
            "what is left to train on");
      request.dev = request.train;
    }
  }
  ESPALIER_TRY(model::check_request(request));
  return request;
}

/// Whether writing the model would overwrite what it is trained on.
Status check_not_an_input(const model::TrainRequest& request) {
  std::vector<std::string> inputs = request.train;
  inputs.insert(inputs.end(), request.dev.begin(), request.dev.end());
  if (!request.template_file.empty()) inputs.push_back(request.template_file);
  for (const std::string& input : inputs) {
    std::error_code none;
    if (std::filesystem::equivalent(input, request.model, none))
      return fail("'{}' is both the model to be written and an input; nothing was done", request.model);
  }
  return {};
}

Outcome run(const TrainFlags& flags) {
  const auto request = make_request(flags);
  if (!request) return usage_error(request.error());
  ESPALIER_TRY(check_not_an_input(*request));
  ESPALIER_TRY(AtomicFile::check_writable(request->model));

  using Mode = ProgressDisplay::Mode;
  ProgressDisplay display(flags.output.quiet ? Mode::kQuiet : Mode::kAuto);
  const InterruptGuard interrupt(InterruptGuard::Input::kLeave);
  const auto report = model::train(*request, display.monitor(interrupt.flag()));
  display.clear();
  if (!report) return report.error();

  if (report->interrupted) say("espalier: stopped early as asked; the model is usable");
  if (flags.output.json) {
    ESPALIER_TRY(print_json(train_report_json(*report, *request)));
  } else if (!flags.output.quiet) {
    ESPALIER_TRY(print(train_report_text(*report, *request)));
  }
  return {};
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  CLI::App& verb = *app.add_subcommand("train", kTrainHelp);
  const auto flags = std::make_shared<TrainFlags>();
  verb.add_option("TRAIN", flags->train, "files to train on, - for standard input")
      ->type_name("")
      ->required();
  add_model_option(verb, flags->model);
  verb.add_option("--dev", flags->dev,
                  "development file: training stops when the score on it no longer\nrises, and the best pass "
                  "is kept; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  verb.add_option("--dev-folds", flags->dev_folds, "folds of the development data; without --dev from TRAIN")
      ->type_name("LIST");
  flags->training.add_to(verb);
  verb.add_option("--start-from", flags->start_from, "go on from the weights of this model")
      ->type_name("MODEL");
  verb.add_option("--checkpoint-every", flags->checkpoint_every,
                  "write MODEL.checkpoint after every N passes [never]")
      ->type_name("N")
      ->check(CLI::Validator(CLI::NonNegativeNumber).description(""));
  verb.add_flag("--resume", flags->resume, "go on from MODEL.checkpoint of a run that was cut off");
  flags->output.add_to(verb);
  verb.footer([] { return learners_help() + kTrainExamples; });
  verb.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps

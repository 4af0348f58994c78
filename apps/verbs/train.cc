// espalier train: trains a model from files. Tested in verbs_test.sh, search_test.sh and tasks_test.sh.
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/free_memory.h"
#include "apps/interrupt.h"
#include "apps/options.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "apps/verbs/help.h"
#include "apps/verbs/train_report.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kTrainHelp =
    R"(Train a model

TRAIN has one token per line: cells separated by blanks or tabs, the label last, a blank line between sequences. The names
.conllu, .jsonl and .crfsuite mean these formats. Unknown labels are _. Files may be gzipped.)";

constexpr const char* kTrainExamples = R"(
Examples:
  espalier train train.txt -m chunks.model
  espalier train train.txt -m chunks.model --dev dev.txt -t chunking.template -p l2=1

The first Ctrl-C ends training early with a usable model and status 130, the second at once without one.
--json prints seconds, features, labels, model_bytes, peak_rss_bytes, log (one entry per pass) and more.)";

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
  std::optional<std::string> memory;
};

/// The least that --memory may be: the program, its buffers and a small model.
constexpr uint64_t kLeastMemory = 64'000'000;

/// The files to train on, and the development files.
struct TrainData {
  Files train;
  std::optional<Files> dev;
};

Result<TrainData> data_of(const TrainFlags& flags) {
  if (flags.model == "-")
    return fail("--model needs the name of a file; a model cannot go to standard output");
  TrainData data{{flags.train, flags.training.reading.resolve()}, {}};
  if (!flags.dev.empty() || !flags.dev_folds.empty()) {
    // The training folds do not apply to a separate development file.
    data.dev = Files{flags.dev, data.train.reading};
    data.dev->reading.folds = flags.dev_folds;
    if (flags.dev.empty()) {
      if (data.train.reading.folds.empty())
        return fail(
            "--dev-folds without --dev takes the development data from the training files; choose the "
            "folds to train on with --folds");
      data.dev->paths = flags.train;
    }
  }
  return data;
}

/// An error if writing the model would overwrite an input.
Status check_not_an_input(const TrainFlags& flags) {
  std::vector<std::string> inputs = flags.train;
  inputs.insert(inputs.end(), flags.dev.begin(), flags.dev.end());
  for (const std::string& file : flags.training.files()) inputs.push_back(file);
  if (flags.checkpoint_every > 0) ESPALIER_TRY(check_no_input(flags.model + ".checkpoint", inputs));
  return check_no_input(flags.model, inputs);
}

Outcome run(const TrainFlags& flags) {
  const auto data = data_of(flags);
  if (!data) return usage_error(data.error());
  auto options = flags.training.resolve();
  if (!options) return usage_error(options.error());
  options->dev = data->dev;
  options->save_to = flags.model;
  options->resume = flags.resume;
  options->checkpoint_every = flags.checkpoint_every;
  if (flags.memory) {
    const auto memory = parse_size(*flags.memory);
    if (!memory) return usage_error(memory.error());
    if (*memory < kLeastMemory)
      return usage_error(fail("--memory {}: {} is the least", *flags.memory, bytes_text(kLeastMemory)));
    options->memory = *memory;
  }
  if (!flags.start_from.empty()) {
    ESPALIER_ASSIGN(options->start_from, Tagger::open(flags.start_from));
  }
  if (const Status status = check_options(data->train, *options); !status.ok())
    return usage_error(status.error());
  ESPALIER_TRY(check_not_an_input(flags));
  ESPALIER_TRY(flags.training.read_files(*options));
  // Check again now that files are read: templates and models can contradict the other options, too.
  if (const Status status = check_options(data->train, *options); !status.ok())
    return usage_error(status.error());
  if (speaks_for_all()) ESPALIER_TRY(check_writable(flags.model));
  if (!flags.output.quiet) warn_of_repeats(flags.train);

  using Mode = ProgressDisplay::Mode;
  ProgressDisplay display(flags.output.quiet ? Mode::kQuiet : Mode::kAuto);
  const InterruptGuard interrupt;
  options->on_progress = returning_free_memory(display.callback());
  options->stop = interrupt.flag();
  waiting_display() = display.callback();
  const auto training = train_with_report(data->train, *options);
  waiting_display() = nullptr;
  display.clear();
  if (!training && interrupt.signal() != 0) return {128 + interrupt.signal(), training.error().message};
  if (!training) return training.error();

  const std::vector<RankUse> use = use_of_ranks();
  if (flags.output.json) {
    ESPALIER_TRY(print_json(train_report_json(*training, flags.model, use)));
  } else if (!flags.output.quiet) {
    ESPALIER_TRY(print(train_report_text(*training, flags.model, use)));
  }
  if (training->interrupted)
    return {128 + interrupt.signal(),
            flags.output.quiet ? "" : fmt::format("stopped early as requested; {} is usable", flags.model)};
  return {};
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<TrainFlags>(app, action, "train", kTrainHelp, run);
  verb.add_option("TRAIN", flags.train, "files to train on, - for standard input")->type_name("")->required();
  add_model_option(verb, flags.model);
  add_repeated_option(verb, "--dev", flags.dev,
                      "development file: training stops by it, and keeps its best pass; may be repeated",
                      "FILE");
  verb.add_option("--dev-folds", flags.dev_folds, "folds of the development data; without --dev from TRAIN")
      ->type_name("LIST");
  flags.training.add_to(verb);
  verb.add_option("--start-from", flags.start_from,
                  "train this model further, by its own learner, on new data")
      ->type_name("MODEL");
  add_number_option(verb, "--checkpoint-every", flags.checkpoint_every,
                    "write MODEL.checkpoint after every N passes [never]", 0, 1000000);
  verb.add_flag("--resume", flags.resume, "continue an interrupted run from MODEL.checkpoint");
  verb.add_option("--memory", flags.memory,
                  "memory to train within, such as 2G; what is too large goes to temporary files")
      ->type_name("SIZE");
  flags.output.add_to(verb);
  verb.footer([] { return learners_help() + kTrainExamples; });
}

}  // namespace espalier::apps

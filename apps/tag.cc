// espalier tag: input in, input with predicted labels out.
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/command.h"
#include "apps/constraint_flags.h"
#include "apps/interrupt.h"
#include "apps/options.h"
#include "apps/progress_display.h"
#include "apps/search_flags.h"
#include "apps/tag_format.h"
#include "apps/terminal.h"
#include "espalier/base/atomic_file.h"
#include "espalier/model/model.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/registry.h"
#include "espalier/model/task_data.h"

namespace espalier::apps {
namespace {

constexpr const char* kTagHelp =
    R"(Label sequences with a model

INPUT is in the format the model was trained on, with or without the label column; what is predicted becomes the
last column. .gz is read as it is.)";

constexpr const char* kTagExamples = R"(What is added to each row:
  (default)       the label
  --confidence    the label, its probability, and for span labels such as B-NP the probability that exactly this span
                  is there, on its first token, _ on the others
  --marginals     the label, then label:probability for every label, most probable first
                  (--confidence --marginals: label, probability, span, then these)
  --nbest N       N blocks a sequence, best first, each after a line
                  # n-best 1 score 12.5 probability 0.93
  --why           on tokens that constraints changed, the label they had and what each constraint responsible costs:
                  I-LOC/scheme:0.53, _ on the others
  --json          {"sequences": [{"tokens", "labels", "score", ...}, ...], "tokens", "seconds", "tokens_per_second"}
A model that decides several columns adds them all, in the order of decision. A search has scores but no probabilities:
--nbest takes the labellings of its beam, --confidence and --marginals are refused; --verbose and --json say how it ended.
In CoNLL-U the label replaces its column and the rest goes to MISC; in the JSON lines of the tasks roles and variables
the labels take their place ("role" of each candidate, "y") and the rest stands beside them.

Examples:
  espalier tag new.txt -m chunks.model -o tagged.txt
  zcat new.txt.gz | espalier tag -m chunks.model | head
  espalier tag new.txt -m chunks.model --confidence
  espalier tag new.txt -m entities.model --constraints scheme.txt --why
  espalier tag part.txt -m chunks.model --forced-column -1
The last takes labels that are known already from the last column; where it holds _ the model decides.)";

struct TagFlags {
  std::string input = "-";
  std::string model;
  std::string output = "-";
  std::string format;
  std::optional<int> forced_column;
  size_t nbest = 1;
  bool confidence = false;
  bool marginals = false;
  int threads = 0;
  ConstraintFlags constraints;
  OutputFlags flags;
};

/// What contradicts itself before any file is opened.
Status check(const TagFlags& flags) {
  ESPALIER_TRY(flags.constraints.check());
  if (flags.nbest > 1 && flags.constraints.why && !flags.flags.json)
    return fail("--why speaks of the best labelling: print it apart from --nbest, or --json");
  if (flags.nbest > 1 && flags.constraints.posterior())
    return fail("--nbest ranks labellings as wholes; --decoder posterior has only one");
  if (flags.nbest > 1 && !flags.flags.json && (flags.confidence || flags.marginals))
    return fail(
        "--confidence and --marginals speak of the best labelling: print them apart from --nbest, or --json");
  if (flags.flags.json && !flags.format.empty())
    return fail("--json and --format both say how the output looks");
  return {};
}

/// The forced column from 0, or an error; the model's data has `columns`.
Result<int> forced_column(int column, const data::ReadOptions& reading) {
  const int columns = static_cast<int>(reading.columns);
  if (columns == 0)
    return fail("--forced-column: rows of the format {} have no columns", data::format_name(reading.format));
  const int index = column > 0 ? column - 1 : columns + column;
  if (column == 0 || index < 0 || index >= columns)
    return fail("--forced-column {}: the model's data has {} columns, label included", column, columns);
  return index;
}

Result<data::Format> output_format(const TagFlags& flags, const model::About& about) {
  const data::ReadOptions& reading = about.reading;
  ESPALIER_ASSIGN(const model::Task* const task, model::find_task(about.task));
  if (task->json && !flags.format.empty() && flags.format != "jsonl")
    return fail("--format {}: what task {} predicts is written into its JSON lines", flags.format,
                about.task);
  if (flags.flags.json) return data::Format::kJsonLines;
  if (flags.format.empty()) return reading.format;
  ESPALIER_ASSIGN(const data::Format format, data::parse_format(flags.format));
  return format;
}

Outcome run(const TagFlags& flags) {
  if (const Status status = check(flags); !status.ok()) return usage_error(status.error());
  ESPALIER_ASSIGN(const model::Model model, model::Model::open(flags.model));
  const data::ReadOptions reading = model.about().reading_for_use();

  model::PipelineOptions options;
  const auto search = flags.constraints.search(model);
  if (!search) return usage_error(search.error());
  options.predict.search = *search;
  ESPALIER_ASSIGN(const auto constrained, flags.constraints.apply(model));
  const data::Predictor& labeller = constrained ? *constrained : model.predictor();
  options.predict.decoder =
      flags.constraints.posterior() ? data::Decoder::kPosterior : data::Decoder::kViterbi;
  options.predict.nbest = flags.nbest;
  options.predict.confidence = flags.confidence || (flags.nbest > 1 && !labeller.is_search());
  options.predict.marginals = flags.marginals;
  if (flags.forced_column) {
    const auto column = forced_column(*flags.forced_column, reading);
    if (!column) return usage_error(column.error());
    options.forced_column = *column;
  }
  const auto format = output_format(flags, model.about());
  if (!format) return usage_error(format.error());
  const bool block_heads = flags.nbest > 1 && !flags.flags.json;
  if (block_heads && (*format == data::Format::kJsonLines || *format == data::Format::kLetters))
    return usage_error("--nbest: the format {} has no place for more than one labelling; --json has",
                       data::format_name(*format));
  const TagLayout layout{flags.flags.json, flags.nbest > 1, flags.confidence, flags.marginals,
                         flags.constraints.why};
  const auto formatter = TagFormatter::make(model, reading, *format, layout);
  if (!formatter) return usage_error(formatter.error());

  // Before the output is opened: input that is not there must not cost a file that is.
  ESPALIER_ASSIGN(const auto reader, model::open_task_reader(flags.input, model.about().task, reading));
  ESPALIER_ASSIGN(AtomicFile out, AtomicFile::open(flags.output));
  if (flags.flags.json) ESPALIER_TRY(out.write("{\"sequences\":["));

  size_t sequences = 0;
  size_t tokens = 0;
  const auto work = [&](const data::Sequence& sequence, const data::Prediction& prediction,
                        std::string& text) { formatter->append(sequence, prediction, text); };
  ConstraintTally tally;
  SearchTally searches;
  const auto done = [&](const data::Sequence& sequence, const data::Prediction& prediction,
                        std::string_view text) -> Status {
    tally.add(prediction);
    searches.add(prediction);
    if (flags.flags.json) ESPALIER_TRY(out.write(sequences == 0 ? "\n" : ",\n"));
    ++sequences;
    tokens += sequence.length();
    return out.write(text);
  };

  using Mode = ProgressDisplay::Mode;
  ProgressDisplay display(flags.flags.quiet || flags.output == "-" ? Mode::kQuiet : Mode::kBarOnly);
  const InterruptGuard interrupt(InterruptGuard::Input::kEnd);
  const Workers workers(flags.threads);
  const auto start = std::chrono::steady_clock::now();
  const Status status =
      model::run_pipeline(*reader, labeller, options, workers, display.monitor(interrupt.flag()), work, done);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  display.clear();
  if (interrupt.signal() != 0) return {128 + interrupt.signal(), "interrupted; the output is not complete"};
  ESPALIER_TRY(status);
  const double speed = seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
  if (flags.flags.json)
    ESPALIER_TRY(out.write(fmt::format(
        "\n],\n{}\"tokens\":{},\"seconds\":{:.6f},\"tokens_per_second\":{:.1f}}}\n",
        searches.sequences() == 0 ? "" : fmt::format("\"searches\":{},", searches.to_json().dump()), tokens,
        seconds, speed)));
  ESPALIER_TRY(out.commit());
  if (!flags.flags.quiet) tally.warn();
  if (!flags.flags.quiet) searches.tell(flags.constraints.verbose);
  if (!flags.flags.quiet && flags.output != "-")
    say(fmt::format("espalier: {} sequences, {} tokens in {} ({} tokens a second) written to {}",
                    count_text(sequences), count_text(tokens), duration_text(seconds),
                    count_text(static_cast<size_t>(speed)), flags.output));
  return {};
}

}  // namespace

void add_tag(CLI::App& app, Action& action) {
  CLI::App& verb = *app.add_subcommand("tag", kTagHelp);
  const auto flags = std::make_shared<TagFlags>();
  verb.add_option("INPUT", flags->input, "what to label [-, standard input]")->type_name("");
  add_model_option(verb, flags->model);
  verb.add_option("-o,--output", flags->output,
                  "where it goes; written whole or not at all [-, standard output]")
      ->type_name("OUT");
  verb.add_option("--nbest", flags->nbest, "the N best labellings [1]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000).description(""));
  verb.add_flag("--confidence", flags->confidence, "probabilities of the labels and spans");
  verb.add_flag("--marginals", flags->marginals, "probabilities of all labels");
  flags->constraints.add_to(verb, /*with_why=*/true);
  verb.add_option("--forced-column", flags->forced_column,
                  "take labels that stand in this column as given: from 1, or\n-1 for the last")
      ->type_name("C");
  verb.add_option("--format", flags->format, "format of the output [that of the input]")->type_name("F");
  add_threads_option(verb, flags->threads);
  flags->flags.add_to(verb);
  verb.footer(kTagExamples);
  verb.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps

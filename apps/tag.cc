// espalier tag: reads sequences and writes them with predicted labels. Tested in verbs_test.sh.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "apps/command.h"
#include "apps/interrupt.h"
#include "apps/options.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kTagHelp =
    R"(Label sequences with a model

INPUT is in the format that the model was trained on, with or without the label column; the predicted label becomes the
last column. Files may be gzipped.)";

constexpr const char* kTagExamples = R"(What is added to each row:
  (default)       the label
  --confidence    the label, its probability, and for span labels such as B-NP the probability of exactly this span,
                  on its first token, _ on the others
  --marginals     the label, then label:probability for every label, most probable first
                  (--confidence --marginals: label, probability, span, then these)
  --nbest N       N blocks per sequence, best first, each after a line
                  # n-best 1 score 12.5 probability 0.93
  --why           on tokens that constraints changed, the label they had and what each constraint responsible costs:
                  I-LOC/scheme:0.53, _ on the others
  --json          {"sequences": [{"tokens", "labels", "score", ...}, ...], "tokens", "seconds", "tokens_per_second"}
A model of several label columns adds them all, in the order of decision. A search has scores but no probabilities:
--nbest takes the labellings of its beam, --confidence and --marginals are refused; --verbose and --json say how it ended.
In CoNLL-U the label replaces its column and the rest goes to MISC; in the JSON lines of the tasks roles and variables
the labels take their place ("role" of each candidate, "y") and the rest is added next to them.

Examples:
  espalier tag new.txt -m chunks.model -o tagged.txt
  zcat new.txt.gz | espalier tag -m chunks.model | head
  espalier tag new.txt -m chunks.model --confidence
  espalier tag new.txt -m entities.model --constraints scheme.txt --why
  espalier tag part.txt -m chunks.model --forced-column -1
The last one takes known labels from the last column; where that is _ the model decides.)";

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
  DecodeFlags decode;
  std::string encoding;
  OutputFlags flags;
};

Outcome run(const TagFlags& flags) {
  if (flags.flags.json && !flags.format.empty())
    return usage_error("--json and --format both set the output format; give one of them");
  ESPALIER_ASSIGN(const Tagger tagger, Tagger::open(flags.model));
  StreamOptions options;
  ESPALIER_ASSIGN(options.tag.decode, flags.decode.resolve());
  if (flags.confidence) options.tag.confidence = true;
  options.tag.marginals = flags.marginals;
  options.tag.nbest = flags.nbest;
  options.tag.threads = flags.threads;
  options.output_format = flags.flags.json ? "json" : flags.format;
  options.encoding = flags.encoding;
  if (flags.forced_column && *flags.forced_column == 0)
    return usage_error("--forced-column 0: columns are numbered from 1, or from -1 for the last");
  options.forced_column = flags.forced_column.value_or(0);
  if (const Status status = check_options(tagger, options); !status.ok()) return usage_error(status.error());

  using Mode = ProgressDisplay::Mode;
  ProgressDisplay display(flags.flags.quiet || flags.output == "-" ? Mode::kQuiet : Mode::kBarOnly);
  const InterruptGuard interrupt(InterruptGuard::Input::kEnd);
  options.on_progress = display.callback();
  options.stop = interrupt.flag();
  const auto report = tag_stream(tagger, Source::file(flags.input), Sink::file(flags.output), options);
  display.clear();
  if (interrupt.signal() != 0) return {128 + interrupt.signal(), "interrupted; the output is not complete"};
  if (!report) return report.error();
  if (flags.flags.quiet) return {};
  if (flags.decode.verbose && !report->how_rules_are_decoded.empty()) say(report->how_rules_are_decoded);
  tell_outcomes(report->rules, report->searches, flags.decode.verbose);
  if (flags.output != "-")
    say(fmt::format("espalier: {} and {} in {} ({} tokens per second) written to {}",
                    counted(report->sequences, "sequence"), counted(report->tokens, "token"),
                    duration_text(report->seconds),
                    count_text(static_cast<size_t>(
                        report->seconds > 0 ? static_cast<double>(report->tokens) / report->seconds : 0)),
                    flags.output));
  return {};
}

}  // namespace

void add_tag(CLI::App& app, Action& action) {
  CLI::App& verb = *app.add_subcommand("tag", kTagHelp);
  const auto flags = std::make_shared<TagFlags>();
  verb.add_option("INPUT", flags->input, "file to label [-, standard input]")->type_name("");
  add_model_option(verb, flags->model);
  verb.add_option("-o,--output", flags->output,
                  "the output file; left unchanged if an error occurs [-, standard output]")
      ->type_name("OUT");
  verb.add_option("--nbest", flags->nbest, "write the N best labellings [1]")
      ->type_name("N")
      ->check(whole_number(1, 100000));
  verb.add_flag("--confidence", flags->confidence, "add probabilities of labels and spans");
  verb.add_flag("--marginals", flags->marginals, "add probabilities of all labels");
  flags->decode.add_to(verb, /*with_why=*/true);
  verb.add_option("--forced-column", flags->forced_column,
                  "column of labels that tokens must get: from 1, or -1 for the last")
      ->type_name("C");
  verb.add_option("--format", flags->format, "format of the output [that of the input]")->type_name("F");
  verb.add_option("--encoding", flags->encoding, "of the input: utf-8, latin1 or bytes [that of the model]")
      ->type_name("E");
  add_threads_option(verb, flags->threads);
  flags->flags.add_to(verb);
  verb.footer(kTagExamples);
  verb.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps

// espalier ensemble apply: combines the experts' predictions. Tested in ensemble_test.sh.
#include <chrono>

#include "apps/ensemble.h"
#include "apps/long_work.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "espalier/public/ensemble.h"

namespace espalier::apps {
namespace {

constexpr const char* kApplyHelp =
    R"(Combine the predictions of experts

EXPERTs are given in the order of `ensemble learn`. The output has the rows of --input, or else of the first expert that
is a file, with the combined label as the last column (CoNLL-U: in place of the label). If the files have labels only, or
the model aligns outputs of unequal length, the output has labels only, in the layout of the first file.)";

constexpr const char* kApplyExamples = R"(What is added to each row:
  (default)       the label; _ if no expert has one
  --confidence    the label, the probability that it is right, and on a sequence's first row the probability that the
                  whole sequence is, _ on the others

Examples:
  espalier ensemble apply a.txt b.txt c.txt -m votes.model -o combined.txt
  espalier ensemble apply a.jsonl b.jsonl c.jsonl -m votes.model --confidence --to columns
  espalier ensemble apply crf.model other-tool.txt --input new.txt -m votes.model)";

struct ApplyFlags {
  std::vector<std::string> experts;
  std::string model, input, output = "-", to;
  bool confidence = false, any_sequence = false;
  ExpertFlags reading;
  bool quiet = false;
};

Outcome run(const ApplyFlags& flags) {
  ESPALIER_ASSIGN(const Ensemble ensemble, Ensemble::open(flags.model));
  ESPALIER_TRY(check_probabilities(flags.reading, ensemble, flags.model));
  ApplyOptions options;
  if (!flags.input.empty()) options.text = flags.reading.reference(flags.input);
  options.output_format = flags.to;
  options.confidence = flags.confidence;
  options.any_sequence = flags.any_sequence;
  options.missing = flags.reading.missing;
  options.files = flags.reading.files();
  if (const Status status = options.check(); !status.ok()) return usage_error(status.error());
  LongWork work(flags.quiet || flags.output == "-");
  work.watch(options);
  const auto start = std::chrono::steady_clock::now();
  const auto applied = ensemble.apply(expert_files(flags.experts), Sink::file(flags.output), options);
  if (auto outcome = work.interrupted("interrupted; the output is not complete")) return *outcome;
  if (!applied.ok()) return applied.error();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!flags.quiet && flags.output != "-")
    say(fmt::format("espalier: {}, {} of {} in {} written to {}", counted(applied->sequences, "sequence"),
                    counted(applied->tokens, "token"), counted(ensemble.experts().size(), "expert"),
                    duration_text(seconds), flags.output));
  return {};
}

}  // namespace

void add_ensemble_apply(CLI::App& group, Action& action) {
  const auto [verb, flags] = add_verb<ApplyFlags>(group, action, "apply", kApplyHelp, run);
  add_experts(verb, flags.experts);
  add_model_option(verb, flags.model);
  verb.add_option("--input", flags.input, "the text that the experts labelled [rows of the first file]")
      ->type_name("FILE");
  verb.add_option("-o,--output", flags.output,
                  "the output file; left unchanged if an error occurs [-, standard output]")
      ->type_name("OUT");
  verb.add_option("--to", flags.to, "format of the output [that of the input]")->type_name("F");
  verb.add_flag("--confidence", flags.confidence, "add probabilities that labels and sequences are right");
  verb.add_flag("--any-sequence", flags.any_sequence, "allow label sequences that break their scheme");
  flags.reading.add_to(verb);
  verb.add_flag("-q,--quiet", flags.quiet, "print errors only");
  verb.footer(kApplyExamples);
}

}  // namespace espalier::apps

// espalier explain: why each token got its label. Tested in verbs_test.sh and search_test.sh.
#include <memory>

#include "apps/command.h"
#include "apps/interrupt.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kExplainHelp =
    R"(Show why each token got its label

For each token: the label, the runner-up and the margin between them (how much the score of the best labelling would
fall with the runner-up at this token), then the features that decide, with what each adds to the score of the label and
of the runner-up. A model that was trained under constraints is explained under them.)";

constexpr const char* kExplainExamples = R"(Examples:
  espalier explain new.txt -m chunks.model | less
  espalier explain new.txt -m chunks.model --sequence 3 --top 10
--json prints {"about_weights", "sequences": [{"sequence", "tokens": [{"token", "label", "runner_up", "margin",
"contributions"}]}]}, for chunks also "decision" and "runner_up_decision". "margin" is null if no other label was possible.)";

struct ExplainFlags {
  std::string input = "-";
  std::string model;
  ExplainOptions options;
  DecodeFlags decode;
  OutputFlags output;
};

Outcome run(const ExplainFlags& flags) {
  ESPALIER_ASSIGN(const Tagger tagger, Tagger::open(flags.model));
  ExplainOptions options = flags.options;
  if (const Status status = check_options(tagger, options); !status.ok()) return usage_error(status.error());
  ESPALIER_ASSIGN(options.decode, flags.decode.resolve());
  options.json = flags.output.json;
  options.colour = in_colour(Stream::kOutput);
  const InterruptGuard interrupt;
  options.stop = interrupt.flag();
  const Status status = explain_stream(tagger, Source::file(flags.input), Sink::file("-"), options);
  if (interrupt.signal() != 0) return {128 + interrupt.signal(), "interrupted; the output is not complete"};
  ESPALIER_TRY(status);
  return {};
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<ExplainFlags>(app, action, "explain", kExplainHelp, run);
  verb.add_option("INPUT", flags.input, "file to label and explain [-, standard input]")->type_name("");
  add_model_option(verb, flags.model);
  add_input_format_option(verb, flags.options.input_format);
  verb.add_option("--encoding", flags.options.encoding, "utf-8, latin1 or bytes [that of the model]")
      ->type_name("E");
  add_number_option(verb, "--sequence", flags.options.sequence,
                    "explain only this sequence, counted from 1 [all]", 1);
  add_number_option(verb, "--top", flags.options.top, "features shown per token [5]", 0, 1000000);
  verb.add_option(
          "--constraints", flags.decode.constraints,
          "obey the constraints in this file; none: no constraints\n[those that the model was trained with]")
      ->type_name("FILE");
  add_threads_option(verb, flags.options.threads);
  flags.output.add_to(verb);
  verb.footer(kExplainExamples);
}

}  // namespace espalier::apps

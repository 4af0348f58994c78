// espalier tag: reads sequences and writes them with predicted labels. Tested in verbs_test.sh and
// input_test.sh.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/command.h"
#include "apps/long_work.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kTagHelp =
    R"(Label sequences with a model

INPUT is in the format that the model was trained on, with or without the label column, in another format with the same
cells (known by the name of the file, .conllu, .jsonl, .crfsuite, or by --input-format), or raw text (--text). The predicted
label becomes the last column. Files may be gzipped; several are tagged one after the other. Empty input is empty output.
With --pipeline, several models run one after the other; each reads the labels of those before it as columns after the input's
and adds its own. Options such as --confidence and --constraints are about the last one.)";

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
  --json          {"sequences": [{"tokens", "labels", "score", ...}, ...], "tokens", "seconds", "tokens_per_second"};
                  with --text also "offsets": where each token begins and ends, in characters
A model of several label columns adds them all, in the order of decision. A search has scores but no probabilities:
--nbest takes the labellings of its beam, --confidence and --marginals are refused; --verbose and --json say how it ended.
In CoNLL-U the label replaces its column and the rest goes to MISC. JSON lines keep all their keys. In the JSON lines of the tasks roles and variables
the labels take their place ("role" of each candidate, "y") and the rest is added next to them.

Examples:
  espalier tag new.txt -m chunks.model -o tagged.txt
  zcat new.txt.gz | espalier tag -m chunks.model | head
  espalier tag new.txt -m chunks.model --confidence
  espalier tag letter.txt -m pos.model --text
  espalier tag letter.txt --pipeline pos.model,chunks.model --text
  espalier tag day1.txt day2.txt -m chunks.model -o tagged/ --keep-going
  espalier tag new.txt -m entities.model --constraints scheme.txt --why
  espalier tag part.txt -m chunks.model --forced-column -1
The last one takes known labels from the last column; where that is _ the model decides.)";

struct TagFlags {
  std::vector<std::string> inputs;  ///< none: standard input
  std::string input_format;
  std::string text;  ///< empty: not raw text; otherwise true, words or blanks
  ColumnFlags columns;
  bool keep_going = false;
  std::string model;
  std::vector<std::string> pipeline;  ///< several models instead
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

/// Inputs that go to one output.
struct TagJob {
  std::vector<std::string> inputs;
  std::string output;
};

/// The name of the output for an input, in a folder: that of the input without .gz, with the extension of the
/// output format if one was chosen.
std::filesystem::path output_name(const TagFlags& flags, const std::string& input) {
  std::filesystem::path name = std::filesystem::path(input).filename();
  if (name.extension() == ".gz") name = name.stem();
  const std::string& format = flags.format;
  if (flags.flags.json) return name.replace_extension(".json");
  if (format == "conllu" || format == "jsonl" || format == "crfsuite")
    return name.replace_extension("." + format);
  return format.empty() ? name : name.replace_extension(".txt");
}

/// All inputs to one output, or each to its own if the output is a folder.
Result<std::vector<TagJob>> jobs_of(const TagFlags& flags) {
  namespace fs = std::filesystem;
  std::vector<std::string> inputs = flags.inputs;
  if (inputs.empty()) inputs = {"-"};
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) return fail("standard input can be read only once");
  std::error_code problem;
  std::vector<std::string> read = inputs;  // everything that must not be lost
  read.insert(read.end(), flags.pipeline.begin(), flags.pipeline.end());
  read.push_back(flags.model);
  read.push_back(flags.decode.constraints);
  if (!flags.output.ends_with('/') && !fs::is_directory(flags.output, problem)) {
    ESPALIER_TRY(check_no_input(flags.output, read));
    return std::vector<TagJob>{{inputs, flags.output}};
  }
  std::vector<TagJob> jobs;
  for (const std::string& input : inputs) {
    if (input == "-")
      return fail("{} is a folder: text from standard input has no name to be stored under", flags.output);
    const std::string output = (fs::path(flags.output) / output_name(flags, input)).string();
    for (const TagJob& other : jobs)
      if (other.output == output)
        return fail("{} and {} would both be written to {}", other.inputs.front(), input, output);
    ESPALIER_TRY(check_no_input(output, read));
    jobs.push_back({{input}, output});
  }
  fs::create_directories(flags.output, problem);
  if (problem) return fail("cannot create the folder '{}': {}", flags.output, problem.message());
  return jobs;
}

Result<StreamOptions> options_of(const TagFlags& flags) {
  StreamOptions options;
  if (flags.confidence) options.tag.confidence = true;
  options.tag.marginals = flags.marginals;
  options.tag.nbest = flags.nbest;
  options.tag.threads = flags.threads;
  options.output_format = flags.flags.json ? "json" : flags.format;
  options.encoding = flags.encoding;
  options.input_format = flags.input_format;
  options.separator = flags.columns.separator;
  options.comment = flags.columns.comment;
  if (flags.flags.json && !flags.format.empty())
    return fail("--json and --format both set the output format; give one of them");
  if (flags.text == "blanks") {
    options.text = TextSplit::blanks;
  } else if (flags.text == "true" || flags.text == "words") {
    options.text = TextSplit::words;
  } else if (!flags.text.empty()) {
    return fail("--text={}: expected --text or --text=blanks", flags.text);
  }
  if (flags.forced_column && *flags.forced_column == 0)
    return fail("--forced-column 0: columns are numbered from 1, or from -1 for the last");
  options.forced_column = flags.forced_column.value_or(0);
  return options;
}

/// What several streams did together.
void add_report(const StreamReport& more, StreamReport& all) {
  all.sequences += more.sequences;
  all.tokens += more.tokens;
  all.bad_sequences += more.bad_sequences;
  all.seconds += more.seconds;
  all.rules.exact += more.rules.exact;
  all.rules.approximate += more.rules.approximate;
  all.rules.infeasible += more.rules.infeasible;
  all.rules.out_of_time += more.rules.out_of_time;
  all.rules.none_in_time += more.rules.none_in_time;
  if (all.rules.example.empty()) all.rules.example = more.rules.example;
  all.searches.exact += more.searches.exact;
  all.searches.approximate += more.searches.approximate;
  all.searches.out_of_steps += more.searches.out_of_steps;
  all.how_rules_are_decoded = more.how_rules_are_decoded;
}

void tell(const TagFlags& flags, const StreamReport& report) {
  if (flags.decode.verbose && !report.how_rules_are_decoded.empty()) say(report.how_rules_are_decoded);
  tell_outcomes(report.rules, report.searches, flags.decode.verbose);
  if (flags.output == "-") return;
  const double speed = report.seconds > 0 ? static_cast<double>(report.tokens) / report.seconds : 0;
  say(fmt::format("espalier: {} and {} in {} ({} tokens per second) written to {}",
                  counted(report.sequences, "sequence"), counted(report.tokens, "token"),
                  duration_text(report.seconds), count_text(static_cast<size_t>(speed)), flags.output));
}

/// The model whose labels are found.
const Tagger& last_of(const Tagger& tagger) { return tagger; }
const Tagger& last_of(const Pipeline& pipeline) { return pipeline.last(); }

/// Tags all inputs; `Model` is a Tagger or a Pipeline.
template <typename Model>
Outcome tag_with(const Model& model, const TagFlags& flags, StreamOptions& options) {
  if (const Status status = flags.decode.check(last_of(model).info().constrained); !status.ok())
    return usage_error(status.error());
  ESPALIER_ASSIGN(options.tag.decode, flags.decode.resolve());
  if (const Status status = check_options(model, options); !status.ok()) return usage_error(status.error());
  ESPALIER_ASSIGN(const std::vector<TagJob> jobs, jobs_of(flags));

  LongWork work(flags.flags.quiet || flags.output == "-");
  work.watch(options);
  if (flags.keep_going)
    options.on_bad_sequence = [&](const Error& error) {
      work.display().clear();
      say("espalier: " + shortened_message(error.message));
    };
  StreamReport all;
  for (const TagJob& job : jobs) {
    std::vector<Source> sources;
    for (const std::string& input : job.inputs) sources.push_back(Source::file(input));
    const auto report = tag_stream(model, sources, Sink::file(job.output), options);
    if (auto outcome = work.interrupted("interrupted; the output is not complete")) return *outcome;
    if (!report) return report.error();
    add_report(*report, all);
  }
  if (!flags.flags.quiet) tell(flags, all);
  if (all.bad_sequences > 0)
    return fail("{} left out because of the errors above", counted(all.bad_sequences, "sequence"));
  return {};
}

Outcome run(const TagFlags& flags) {
  auto options = options_of(flags);
  if (!options) return usage_error(options.error());
  if (flags.model.empty() == flags.pipeline.empty())
    return usage_error(Error{flags.model.empty() ? "which model? -m MODEL or --pipeline MODEL,MODEL names it"
                                                 : "-m and --pipeline both name models; give one of them"});
  if (flags.pipeline.empty()) {
    ESPALIER_ASSIGN(const Tagger tagger, Tagger::open(flags.model));
    return tag_with(tagger, flags, *options);
  }
  ESPALIER_ASSIGN(const Pipeline pipeline, Pipeline::open(flags.pipeline));
  return tag_with(pipeline, flags, *options);
}

}  // namespace

void add_tag(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<TagFlags>(app, action, "tag", kTagHelp, run);
  verb.add_option("INPUT", flags.inputs, "files to label [-, standard input]")->type_name("");
  verb.add_option("-m,--model", flags.model, "the model file")->type_name("MODEL");
  verb.add_option("--pipeline", flags.pipeline,
                  "several models instead, separated by commas: each reads the labels of\nthose before it")
      ->type_name("MODEL,MODEL")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option(
          "-o,--output", flags.output,
          "the output file; left unchanged if an error occurs; a folder (its\nname may end in /): one output "
          "per input [-, standard output]")
      ->type_name("OUT");
  add_input_format_option(verb, flags.input_format);
  verb.add_flag(
      "--text", flags.text,
      "INPUT is raw text: sentences and words are found; --text=blanks:\nwords are separated by blanks, each "
      "line is a sentence");
  flags.columns.add_to(verb);
  add_keep_going_flag(verb, flags.keep_going);
  add_number_option(verb, "--nbest", flags.nbest, "write the N best labellings [1]", 1, 100000);
  verb.add_flag("--confidence", flags.confidence, "add probabilities of labels and spans");
  verb.add_flag("--marginals", flags.marginals, "add probabilities of all labels");
  flags.decode.add_to(verb, /*with_why=*/true);
  verb.add_option("--forced-column", flags.forced_column,
                  "column of labels that tokens must get: from 1, or -1 for the last")
      ->type_name("C");
  verb.add_option("--format", flags.format, "format of the output [that of the input]")->type_name("F");
  verb.add_option("--encoding", flags.encoding, "of the input: utf-8, latin1 or bytes [that of the model]")
      ->type_name("E");
  add_threads_option(verb, flags.threads);
  flags.flags.add_to(verb);
  verb.footer(kTagExamples);
}

}  // namespace espalier::apps

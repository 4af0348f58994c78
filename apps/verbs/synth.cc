// espalier synth: generated corpora, for tests and for measuring how time and memory grow. Tested in
// verbs_test.sh and tasks_test.sh.
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/long_work.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "apps/verbs/train_report.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kSynthHelp =
    R"(Generate a corpus for tests and benchmarks

Writes train.txt, dev.txt and test.txt to a directory: different sentences of the same artificial language. The corpus
copies has train.txt only. The same seed gives the same files, and a longer corpus begins with the shorter one. The
corpus variables is for train --task variables: JSON lines, a list of legal assignments, and constraints that name it.)";

constexpr const char* kSynthExamples = R"(
Examples:
  espalier synth chunking -o toy
  espalier train toy/train.txt -m toy.model --dev toy/dev.txt
  espalier synth labels -o many --labels 500 --sequences 20000
  espalier synth copies -o large --source train.txt --copies 10
  espalier synth variables -o clash --kappa 1
  espalier train clash/train.jsonl --task variables -m clash.model --constraints clash/constraints.txt)";

struct SynthFlags {
  SynthOptions options;
  ReadingFlags reading;
  OutputFlags output;
  std::string directory;
};

Outcome run(const SynthFlags& flags) {
  SynthOptions options = flags.options;
  options.reading = flags.reading.resolve();
  if (const Status status = check_options(options); !status.ok()) return usage_error(status.error());
  ESPALIER_TRY(check_no_input(flags.directory + "/train.txt", {options.source}));
  LongWork work(flags.output.quiet);
  const auto files = synthesize(flags.directory, options, work.display().callback(), work.stop());
  if (auto outcome = work.interrupted("interrupted before everything was written")) return *outcome;
  if (!files) return files.error();
  if (flags.output.json) {
    Json all = Json::array();
    for (const SynthFile& file : *files)
      all.push_back({{"file", file.path}, {"bytes", file.bytes}, {"seed", file.seed}});
    ESPALIER_TRY(print_json({{"name", options.name}, {"files", std::move(all)}}));
  } else if (!flags.output.quiet) {
    std::string text;
    for (const SynthFile& file : *files)
      append_format(text, "{}  {}\n", file.path, bytes_text(static_cast<double>(file.bytes)));
    append_format(text, "\nnext:  espalier train {}{} -m MODEL\n", shell_word(files->front().path),
                  options.name == "variables" ? " --task variables" : "");
    ESPALIER_TRY(print(text));
  }
  return {};
}

std::string kinds_help() {
  std::string out = "Corpora:\n";
  for (const SynthKind& kind : synth_kinds()) append_format(out, "  {:<12} {}\n", kind.name, kind.summary);
  return out;
}

}  // namespace

void add_synth(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<SynthFlags>(app, action, "synth", kSynthHelp, run);
  SynthOptions& options = flags.options;
  verb.add_option("NAME", options.name, "which corpus, see below")->type_name("")->required();
  verb.add_option("-o,--output", flags.directory, "directory to write to, created if it does not exist")
      ->type_name("DIR")
      ->required();
  add_number_option(verb, "--sequences", options.sequences,
                    "sequences of train.txt; dev.txt has a tenth, test.txt a fifth as many [1000]", 1);
  add_seed_option(verb, options.seed, "the same seed gives the same files [1]");
  add_number_option(verb, "--labels", options.labels, "labels: number of labels [50]", 2, 5000);
  add_number_option(verb, "--length", options.length, "labels: mean number of tokens of a sequence [20]", 1);
  verb.add_option("--noise", options.noise,
                  "labels: share of words that say nothing about the label, 0 to 1 [0.1]")
      ->type_name("X");
  verb.add_option("--source", options.source, "copies: file to repeat")->type_name("FILE");
  add_number_option(verb, "--copies", options.copies, "copies: how many; the first is the source itself [2]",
                    1);
  add_number_option(verb, "--variables", options.variables, "variables: how many [5]", 1);
  add_number_option(verb, "--dimensions", options.dimensions, "variables: numbers that describe each [100]",
                    1);
  verb.add_option("--kappa", options.kappa,
                  "variables: share of examples that no classifier of single variables\ngets right [0.15]")
      ->type_name("X");
  flags.reading.add_to(verb);
  flags.output.add_to(verb);
  verb.footer([] { return kinds_help() + kSynthExamples; });
}

}  // namespace espalier::apps

// espalier synth: made corpora, to try things on and to measure how time and memory grow.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/interrupt.h"
#include "apps/options.h"
#include "apps/progress_display.h"
#include "apps/synth_variables.h"
#include "apps/terminal.h"
#include "apps/train_report.h"
#include "espalier/base/atomic_file.h"
#include "espalier/data/synth/synth.h"

namespace espalier::apps {
namespace {

constexpr const char* kSynthHelp =
    R"(Make a corpus to try things on

Writes train.txt, dev.txt and test.txt to a directory: the same made-up language, other sentences. The corpus copies
has train.txt alone. The same seed gives the same files, and a longer corpus begins with the shorter one. The corpus
variables is for train --task variables: JSON lines, the list of legal assignments, and constraints that name it.)";

constexpr const char* kSynthExamples = R"(
Examples:
  espalier synth chunking -o toy
  espalier train toy/train.txt -m toy.model --dev toy/dev.txt
  espalier synth labels -o many --labels 500 --sequences 20000
  espalier synth copies -o large --source train.txt --copies 10
  espalier synth variables -o clash --kappa 1
  espalier train clash/train.jsonl --task variables -m clash.model --constraints clash/constraints.txt)";

constexpr std::string_view kVariables = "variables";
// Of the training data.
constexpr size_t kDevShare = 10;
constexpr size_t kTestShare = 5;

struct SynthFlags {
  data::SynthOptions options;
  ReadingFlags reading;
  OutputFlags output;
  std::string directory;
  SynthVariables variables;  ///< of the corpus of that name
};

struct Part {
  std::string file;
  data::SynthOptions options;
  size_t bytes = 0;
};

std::vector<Part> parts(const SynthFlags& flags) {
  const auto path = [&](std::string_view name) {
    return (std::filesystem::path(flags.directory) / name).string();
  };
  data::SynthOptions options = flags.options;
  if (options.name == "copies") {
    const bool conllu = options.source_format.format == data::Format::kConllu;
    return {{path(conllu ? "train.conllu" : "train.txt"), options}};
  }
  std::vector<Part> all = {{path("train.txt"), options}};
  for (const auto& [name, share] : {std::pair{"dev.txt", kDevShare}, std::pair{"test.txt", kTestShare}}) {
    ++options.seed;
    options.sequences = std::max<size_t>(1, flags.options.sequences / share);
    all.push_back({path(name), options});
  }
  return all;
}

/// What can be wrong with the options, found out by making a corpus of one sequence.
Status check(const SynthFlags& flags) {
  if (flags.options.name == kVariables) return check_synth_variables(flags.variables);
  if (flags.options.name == "copies") {
    if (flags.options.source.empty()) return fail("copies needs --source, the file to be multiplied");
    return {};
  }
  data::SynthOptions one = flags.options;
  one.sequences = 1;
  return data::synthesize(one, [](std::string_view) { return Status(); });
}

Outcome run(SynthFlags flags) {
  const auto reading = flags.reading.resolve();
  if (!reading) return usage_error(reading.error());
  flags.options.source_format = *reading;
  flags.variables.examples = flags.options.sequences;
  flags.variables.seed = flags.options.seed;
  if (const Status status = check(flags); !status.ok()) return usage_error(status.error());
  std::error_code code;
  std::filesystem::create_directories(flags.directory, code);
  if (code) return fail("cannot make the directory '{}': {}", flags.directory, code.message());

  ProgressDisplay display(flags.output.quiet ? ProgressDisplay::Mode::kQuiet
                                             : ProgressDisplay::Mode::kBarOnly);
  const InterruptGuard interrupt(InterruptGuard::Input::kEnd);
  std::vector<Part> all;
  if (flags.options.name == kVariables) {
    auto files = write_synth_variables(flags.variables, flags.directory, display.monitor(interrupt.flag()));
    if (interrupt.signal() != 0) return {128 + interrupt.signal(), "interrupted before all was written"};
    ESPALIER_TRY(files);
    for (const SynthFile& file : *files) all.push_back({file.file, flags.options, file.bytes});
  } else {
    all = parts(flags);
  }
  for (Part& part : all) {
    if (part.bytes > 0) continue;  // written already
    ESPALIER_ASSIGN(AtomicFile out, AtomicFile::open(part.file));
    const auto sink = [&](std::string_view text) {
      part.bytes += text.size();
      return out.write(text);
    };
    ESPALIER_TRY(data::synthesize(part.options, sink, display.monitor(interrupt.flag())));
    if (interrupt.signal() != 0) return {128 + interrupt.signal(), "interrupted before all was written"};
    ESPALIER_TRY(out.commit());
  }
  display.clear();

  if (flags.output.json) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const Part& part : all)
      files.push_back({{"file", part.file}, {"bytes", part.bytes}, {"seed", part.options.seed}});
    ESPALIER_TRY(print_json({{"name", flags.options.name}, {"files", std::move(files)}}));
  } else if (!flags.output.quiet) {
    std::string text;
    for (const Part& part : all)
      fmt::format_to(std::back_inserter(text), "{}  {}\n", part.file,
                     bytes_text(static_cast<double>(part.bytes)));
    fmt::format_to(std::back_inserter(text), "\nnext:  espalier train {}{} -m MODEL\n",
                   shell_word(all.front().file), flags.options.name == kVariables ? " --task variables" : "");
    ESPALIER_TRY(print(text));
  }
  return {};
}

std::string kinds_help() {
  std::string out = "Corpora:\n";
  for (const data::SynthKind& kind : data::synth_kinds())
    fmt::format_to(std::back_inserter(out), "  {:<12} {}\n", kind.name, kind.description);
  fmt::format_to(std::back_inserter(out), "  {:<12} {}\n", kVariables,
                 "binary variables under a random list of legal assignments, for --task variables");
  return out;
}

}  // namespace

void add_synth(CLI::App& app, Action& action) {
  CLI::App& verb = *app.add_subcommand("synth", kSynthHelp);
  const auto flags = std::make_shared<SynthFlags>();
  data::SynthOptions& options = flags->options;
  verb.add_option("NAME", options.name, "which corpus, see below")->type_name("")->required();
  verb.add_option("-o,--output", flags->directory, "directory to write to, made where it is not there")
      ->type_name("DIR")
      ->required();
  verb.add_option("--sequences", options.sequences,
                  "of train.txt; dev.txt has a tenth, test.txt a fifth as many [1000]")
      ->type_name("N");
  verb.add_option("--seed", options.seed, "the same seed gives the same files [1]")->type_name("N");
  verb.add_option("--labels", options.labels, "labels: how many there are [50]")->type_name("N");
  verb.add_option("--length", options.length, "labels: mean number of tokens of a sequence [20]")
      ->type_name("N");
  verb.add_option("--noise", options.noise, "labels: share of words that say nothing, from 0 to 1 [0.1]")
      ->type_name("X");
  verb.add_option("--source", options.source, "copies: file to be multiplied")->type_name("FILE");
  verb.add_option("--copies", options.copies, "copies: how many; the first is the source itself [2]")
      ->type_name("N");
  verb.add_option("--variables", flags->variables.variables, "variables: how many [5]")->type_name("N");
  verb.add_option("--dimensions", flags->variables.dimensions, "variables: numbers of each [100]")
      ->type_name("N");
  verb.add_option("--kappa", flags->variables.kappa,
                  "variables: share of examples that no classifier of single variables\ngets right [0.15]")
      ->type_name("X");
  flags->reading.add_to(verb);
  flags->output.add_to(verb);
  verb.footer([] { return kinds_help() + kSynthExamples; });
  verb.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps

// espalier decode: the best labellings of scores that another program computed. Tested in decode_test.sh.
#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <sstream>

#include "apps/command.h"
#include "apps/interrupt.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kDecodeHelp =
    R"(Find the best labels for scores of another program

INPUT is a file of scores, for example of a neural network: a line with the names of the labels, then one row of numbers
per token, a blank line between sequences (the format scores); or an array of numpy, tokens × labels (.npy, with --labels),
or several and their labels (.npz). Nothing is learned. The label becomes the last column. Scores count as logarithms:
probabilities are those of a chain with these scores and transitions.)";

constexpr const char* kDecodeExamples = R"(Examples:
  espalier decode network.scores --constraints scheme.txt
  espalier decode network.npy --labels O,B-PER,I-PER --transitions crf.txt --json --nbest 3 --marginals
With a model trained on scores (espalier train --format scores), espalier tag reads them like any other input.)";

struct DecodeVerbFlags {
  std::string input, output = "-", labels, transitions;
  size_t nbest = 1;
  bool confidence = false, marginals = false;
  int threads = 0;
  DecodeFlags decode;
  OutputFlags flags;
};

/// Rows of numbers: one row per label before, one column per label.
Result<std::vector<float>> read_transitions(const std::string& path, size_t labels) {
  std::vector<float> out;
  if (path.empty()) return out;
  ESPALIER_ASSIGN(const std::string text, read_text(path));
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool never = word == "-inf";
    const auto number = never ? Result<double>(0.0) : parse_number(word);
    if (!number.ok()) return fail("{}: {}", path, number.error().message);
    out.push_back(never ? -std::numeric_limits<float>::infinity() : static_cast<float>(*number));
  }
  if (out.size() != labels * labels)
    return fail("{}: {} for {}: expected {}, a row per label before, a column per label", path,
                counted(out.size(), "number"), counted(labels, "label"), labels * labels);
  return out;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream rest(text);
  for (std::string part; std::getline(rest, part, ',');) parts.push_back(part);
  return parts;
}

Outcome run(const DecodeVerbFlags& flags) {
  ESPALIER_ASSIGN(std::vector<std::string> labels, labels_of_scores(flags.input));
  if (!flags.labels.empty()) {
    if (!labels.empty()) return usage_error("--labels: {} names its labels itself", flags.input);
    labels = split_at_commas(flags.labels);
  }
  if (labels.empty()) return usage_error("{} does not name its labels; give --labels L,L,...", flags.input);
  ESPALIER_ASSIGN(std::vector<float> transitions, read_transitions(flags.transitions, labels.size()));
  ESPALIER_ASSIGN(const Tagger tagger,
                  Decoder(std::move(labels), {.transitions = std::move(transitions)}).tagger());
  StreamOptions options;
  options.input_format = "scores";
  options.output_format = flags.flags.json ? "json" : "";
  options.tag.nbest = flags.nbest;
  if (flags.confidence) options.tag.confidence = true;
  options.tag.marginals = flags.marginals;
  options.tag.threads = flags.threads;
  if (const Status status = flags.decode.check(false); !status.ok()) return usage_error(status.error());
  ESPALIER_ASSIGN(options.tag.decode, flags.decode.resolve());
  if (const Status status = check_options(tagger, options); !status.ok()) return usage_error(status.error());
  const InterruptGuard interrupt;
  options.stop = interrupt.flag();
  const auto report = tag_stream(tagger, Source::file(flags.input), Sink::file(flags.output), options);
  if (interrupt.signal() != 0) return {128 + interrupt.signal(), "interrupted; the output is not complete"};
  if (!report) return report.error();
  if (flags.flags.quiet) return {};
  if (flags.decode.verbose && !report->how_rules_are_decoded.empty()) say(report->how_rules_are_decoded);
  tell_outcomes(report->rules, report->searches, flags.decode.verbose);
  if (flags.output != "-")
    say(fmt::format("espalier: {} and {} written to {}", counted(report->sequences, "sequence"),
                    counted(report->tokens, "token"), flags.output));
  return {};
}

}  // namespace

void add_decode(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<DecodeVerbFlags>(app, action, "decode", kDecodeHelp, run);
  verb.add_option("INPUT", flags.input, "file of scores")->type_name("")->required();
  verb.add_option("-o,--output", flags.output,
                  "the output file; left unchanged if an error occurs [-, standard output]")
      ->type_name("OUT");
  verb.add_option("--labels", flags.labels, "labels of the columns of a .npy file, with commas between")
      ->type_name("L");
  verb.add_option("--transitions", flags.transitions,
                  "scores of neighbouring labels: a row of numbers per label\nbefore, a column per label "
                  "[neighbours do not interact]")
      ->type_name("FILE");
  add_number_option(verb, "--nbest", flags.nbest, "the N best labellings; needs --json [1]", 1, 100000);
  verb.add_flag("--confidence", flags.confidence, "add probabilities of labels and spans");
  verb.add_flag("--marginals", flags.marginals, "add probabilities of all labels");
  flags.decode.add_to(verb, /*with_why=*/true);
  // There is no model here whose constraints or way of searching could be meant.
  verb.get_option("--constraints")->description("obey the constraints in this file (docs/constraints.md)");
  verb.get_option("--decoder")
      ->description(
          "viterbi: the best whole labelling; posterior: the most probable\nlabel of each token; under "
          "constraints also ilp (integer program) and\nbeam; auto: viterbi, or what the constraints need "
          "[auto]");
  verb.get_option("--beam")->description("labellings that --decoder beam keeps [16]");
  add_threads_option(verb, flags.threads);
  flags.flags.add_to(verb);
  verb.footer(kDecodeExamples);
}

}  // namespace espalier::apps

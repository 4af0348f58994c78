// espalier ensemble: the options of the group of verbs that combine the predictions of several experts. The
// command passes its command line to the program that does the work (ensemble_main.cc).
#include "apps/verbs/ensemble.h"

#include <CLI/CLI.hpp>

#include "apps/other_program.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kEnsembleHelp =
    R"(Combine the predictions of several programs, models or people

EXPERTs are files of predictions for the same tokens (columns with the label last, JSON lines, CoNLL-U), files with
labels only (one label or one sequence per line), n-best lists, or models made by `espalier train`. `learn` finds out
from a few hundred labelled sequences which expert to trust where, `apply` combines new predictions, `report` shows how
much each expert contributes.)";

constexpr const char* kEnsembleExamples = R"(Examples:
  espalier ensemble learn gold.txt a.txt b.jsonl c.conllu -m votes.model
  espalier ensemble apply new-a.txt new-b.jsonl new-c.conllu -m votes.model --confidence -o combined.txt
  espalier ensemble report test.txt a.txt b.jsonl c.conllu -m votes.model
Each of the three has its own help: espalier ensemble learn --help)";

constexpr const char* kLearnHelp =
    R"(Learn from labelled sequences how to combine experts

GOLD has the correct labels, EXPERT... the labels of each expert for the same tokens. The model has weights per expert
and substructure; it does not contain the experts.)";

constexpr const char* kLearnExamples = R"(Substructures: what an expert can be good or bad at
  positions       tokens by position from the front: sequences of one length, or short ones
  classes         tokens by place: first, second, third, middle, third last, second last, last
  tokens          tokens, the same everywhere
  ngrams:2        labels of two (three) tokens in a row, put together by Viterbi
  spans           whole spans of labels such as B-NP I-NP O, by type
  dimensions:|    the parts of labels such as NN|Sing, each separately
Without --substructures: positions if all sequences are equally long (64 tokens at most), otherwise classes.

Examples:
  espalier ensemble learn gold.txt a.txt b.txt c.txt -m votes.model
  espalier ensemble learn gold.txt a.txt b.txt c.txt -m votes.model --method mvote --beta 0.95
  espalier ensemble learn gold.txt crf.model svm.model other-tool.jsonl -m votes.model
  espalier ensemble learn gold.txt list.txt --nbest 10 -m votes.model --missing spread)";

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

constexpr const char* kReportHelp =
    R"(Show what an ensemble and each of its experts are worth on labelled data

For every expert: its scores, its part of the weight, what the ensemble loses without it, how often it agrees with each
other expert, and where it is good: labels and places in the sequence, against the mean of the experts.)";

constexpr const char* kReportExamples = R"(Examples:
  espalier ensemble report test.txt a.txt b.txt c.txt -m votes.model
  espalier ensemble report gold.txt a.txt b.txt c.txt -m votes.model --bounds
--bounds computes the guarantees of Theorems 1, 4, 5 and Proposition 2 of the paper; give the data that was learned from.)";

std::string methods_help() {
  std::string out =
      "Methods:\n  auto          the best of the others, except rand and fpl-cv, on held-out data\n";
  for (const MethodInfo& info : ensemble_methods())
    out += fmt::format("  {:<12}  {}\n", info.name, info.summary);
  return out;
}

void add_experts(CLI::App& verb, std::vector<std::string>& experts) {
  verb.add_option("EXPERT", experts, "predictions or models")->type_name("")->required();
}

void add_gold_and_experts(CLI::App& verb, std::string& gold, std::vector<std::string>& experts) {
  verb.add_option("GOLD", gold, "labelled sequences")->type_name("")->required();
  add_experts(verb, experts);
}

void add_learn_options(CLI::App& group, Action& action, Outcome (*run)(const EnsembleLearnFlags&)) {
  const auto [verb, flags] = add_verb<EnsembleLearnFlags>(group, action, "learn", kLearnHelp, run);
  add_gold_and_experts(verb, flags.gold, flags.experts);
  add_model_option(verb, flags.model);
  verb.add_option("--method", flags.options.method, "how to combine, see below [auto]")->type_name("M");
  verb.add_option("--beta", flags.options.beta,
                  "factor by which an error multiplies a weight [chosen on held-out data]")
      ->type_name("B");
  verb.add_option("--delta", flags.options.delta, "confidence of the bound that selects distributions [0.05]")
      ->type_name("D");
  verb.add_option("--epsilon", flags.options.epsilon,
                  "perturbations of fpl are up to 1/epsilon [0.5/(experts × slots)]")
      ->type_name("E");
  verb.add_option("--loss-bound", flags.options.loss_bound,
                  "the largest possible loss of a sequence, M in that bound [1]")
      ->type_name("M");
  verb.add_flag("--normalised-exponent", flags.options.normalised_exponent,
                "an error counts 1/length instead of 1 in the exponent of beta");
  add_number_option(verb, "--rounds", flags.options.rounds, "rounds of espboost and sle [100]", 1, 1000000);
  verb.add_option("--form", flags.options.form,
                  "espboost under an automaton or label scheme: best sum of weights,\nor best product [sum]")
      ->type_name("FORM");
  verb.add_option("--substructures", flags.options.substructures, "what is combined, see below")
      ->type_name("S");
  verb.add_option(
          "--automaton", flags.options.automaton,
          "an OpenFst file, binary or text, with the allowed paths through\nthe experts; label j is expert j")
      ->type_name("FST");
  verb.add_option("--align", flags.options.align,
                  "align outputs of unequal length: yes, no, or auto (if gold and\nexperts have "
                  "labels only and the numbers of labels differ)\n[auto]")
      ->type_name("HOW");
  verb.add_flag("--switch", flags.options.learn_switch,
                "give short sequences to the best expert if that is better");
  verb.add_flag("--any-sequence", flags.options.any_sequence,
                "allow label sequences that break their scheme");
  verb.add_flag("--no-calibration", flags.no_calibration, "use the vote's shares as confidences, unchanged");
  verb.add_option("--memory", flags.options.memory_megabytes,
                  "megabytes of votes kept in memory; further ones go to a\ntemporary file [8]")
      ->type_name("MB")
      ->check(whole_number(0, 1000000));
  add_seed_option(verb, flags.options.seed, "the same seed gives the same model [1]");
  add_threads_option(verb, flags.options.threads);
  flags.reading.add_to(verb);
  flags.output.add_to(verb);
  verb.footer(methods_help() + "\n" + kLearnExamples);
}

void add_apply_options(CLI::App& group, Action& action, Outcome (*run)(const EnsembleApplyFlags&)) {
  const auto [verb, flags] = add_verb<EnsembleApplyFlags>(group, action, "apply", kApplyHelp, run);
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

void add_report_options(CLI::App& group, Action& action, Outcome (*run)(const EnsembleReportFlags&)) {
  const auto [verb, flags] = add_verb<EnsembleReportFlags>(group, action, "report", kReportHelp, run);
  add_gold_and_experts(verb, flags.gold, flags.experts);
  add_model_option(verb, flags.model);
  verb.add_flag("--bounds", flags.bounds, "the paper's guarantees for this model on this data");
  verb.add_option("--rho", flags.rho, "the margin in Theorems 4 and 5 [0.1]")->type_name("R");
  verb.add_flag("--any-sequence", flags.any_sequence, "do not keep labels to their scheme");
  add_seed_option(verb, flags.seed, "of the bootstrap [1]");
  flags.reading.add_to(verb);
  flags.output.add_to(verb);
  verb.footer(kReportExamples);
}

template <typename Flags>
Outcome become_ensemble(const Flags&) {
  return become_program("espalier-ensemble", "ensembles are");
}

}  // namespace

void ExpertFlags::add_to(CLI::App& verb) {
  verb.add_option("--column", column,
                  "column of the label in experts' files: from 1, or -1 for the\nlast [last]; in CoNLL-U "
                  "also a name [upos]")
      ->type_name("C");
  add_number_option(verb, "--nbest", nbest,
                    "experts give up to N labellings of each sequence, best first;\neach rank is a separate "
                    "expert [1]",
                    1, 1000);
  verb.add_option(
          "--labels-only", labels_only,
          "files have labels and no words: rows (one label per line, blank\nlines between sequences) or "
          "lines (one sequence per line; text\nbefore a tab is its name) [rows, if files have one "
          "column]")
      ->type_name("HOW")
      ->check(CLI::IsMember({"rows", "lines"}).description(""));
  verb.add_flag(
      "--probabilities", probabilities,
      "use the experts' probabilities: in the column after the label\nof a file; models compute them");
  verb.add_option("--probability-column", probability_column, "column of the probability, as for --column")
      ->type_name("C");
  verb.add_option("--missing", missing,
                  "sequences that an expert lacks: error, spread (the others share\nits weight) or "
                  "leave-out [error]")
      ->type_name("HOW");
  reading.add_to(verb);
}

Files ExpertFlags::reference(const std::string& path) const {
  Files out;
  out.paths = {path};
  out.reading = reading.resolve();
  return out;
}

ExpertFiles ExpertFlags::files() const {
  ExpertFiles out;
  out.format = reading.format.empty() ? "columns" : reading.format;
  out.encoding = reading.encoding;
  out.separator = reading.columns.separator;
  out.comment = reading.columns.comment;
  out.label_column = column;
  out.labels_only = labels_only;
  out.probability_column = probability_column;
  out.nbest = nbest;
  return out;
}

void add_ensemble_verbs(CLI::App& app, Action& action, const EnsembleActions& actions) {
  CLI::App& group = *app.add_subcommand("ensemble", kEnsembleHelp);
  group.require_subcommand(1);
  add_learn_options(group, action, actions.learn);
  add_apply_options(group, action, actions.apply);
  add_report_options(group, action, actions.report);
  group.footer(kEnsembleExamples);
}

void add_ensemble(CLI::App& app, Action& action) {
  add_ensemble_verbs(app, action, {become_ensemble, become_ensemble, become_ensemble});
}

}  // namespace espalier::apps

// espalier ensemble: the group of verbs that combine the predictions of several experts.
#include "apps/ensemble.h"
#include "apps/whole_number.h"

#include <CLI/CLI.hpp>

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

}  // namespace

void add_experts(CLI::App& verb, std::vector<std::string>& experts) {
  verb.add_option("EXPERT", experts, "predictions or models")->type_name("")->required();
}

void add_gold_and_experts(CLI::App& verb, std::string& gold, std::vector<std::string>& experts) {
  verb.add_option("GOLD", gold, "labelled sequences")->type_name("")->required();
  add_experts(verb, experts);
}

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

std::vector<Expert> expert_files(const std::vector<std::string>& paths) {
  std::vector<Expert> experts;
  for (const std::string& path : paths) experts.push_back(Expert::file(path));
  return experts;
}

Status check_probabilities(const ExpertFlags& flags, const Ensemble& ensemble, const std::string& path) {
  const bool wanted = ensemble.info().probabilities;
  if (wanted && !flags.probabilities)
    return Error{path + ": the ensemble was learned with --probabilities, which is needed here, too"};
  if (!wanted && flags.probabilities)
    return Error{path + ": the ensemble was learned without --probabilities and cannot use them"};
  return {};
}

void add_ensemble(CLI::App& app, Action& action) {
  CLI::App& group = *app.add_subcommand("ensemble", kEnsembleHelp);
  group.require_subcommand(1);
  add_ensemble_learn(group, action);
  add_ensemble_apply(group, action);
  add_ensemble_report(group, action);
  group.footer(kEnsembleExamples);
}

}  // namespace espalier::apps

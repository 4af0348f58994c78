// espalier ensemble: several predictors' outputs combined into one.
#include "apps/ensemble.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

namespace espalier::apps {
namespace {

constexpr const char* kEnsembleHelp =
    R"(Combine the predictions of several programs, models or people

EXPERTs are files of predictions for the same tokens (columns with the label last, JSON lines, CoNLL-U), files of labels
alone (one label or one sequence a line), n-best lists, or models that `espalier train` made. `learn` finds out from a few hundred labelled sequences whom to trust where,
`apply` combines new predictions, `report` shows what every expert is worth.)";

constexpr const char* kEnsembleExamples = R"(Examples:
  espalier ensemble learn gold.txt a.txt b.jsonl c.conllu -m votes.model
  espalier ensemble apply new-a.txt new-b.jsonl new-c.conllu -m votes.model --confidence -o combined.txt
  espalier ensemble report test.txt a.txt b.jsonl c.conllu -m votes.model
Each of the three has its own help: espalier ensemble learn --help)";

/// Model files begin with these bytes. A pipe is no model: looking at it would take its bytes away.
bool is_model_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream in(path, std::ios::binary);
  std::string magic(8, '\0');
  in.read(magic.data(), 8);
  return in && magic == "ESPALIER";
}

Result<data::ReadOptions> reading_of(const std::string& path, const ExpertFlags& flags, bool reference) {
  ESPALIER_ASSIGN(data::ReadOptions options, flags.reading.resolve());
  options.format = ensemble::guess_format(path, options.format);
  if (!reference) {
    options.label_column = flags.column;
    options.folds.clear();
  }
  return options;
}

/// How a file of labels alone is laid out, by the option or by its first line.
Result<ensemble::LabelLayout> layout_of(const std::string& path, const ExpertFlags& flags,
                                        const data::ReadOptions& reading) {
  if (flags.labels_only.empty() || reading.format != data::Format::kColumns)
    return ensemble::find_label_layout(path, reading);
  return ensemble::parse_label_layout(flags.labels_only);
}

}  // namespace

void ExpertFlags::add_to(CLI::App& verb) {
  verb.add_option("--column", column,
                  "column of the label in experts' files: from 1, or -1 for the\nlast [last]; in CoNLL-U "
                  "also a name [upos]")
      ->type_name("C");
  verb.add_option("--nbest", nbest,
                  "experts give up to N labellings of each sequence, best first;\neach rank is an expert of "
                  "its own [1]")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""));
  verb.add_option(
          "--labels-only", labels_only,
          "files hold labels and no words: rows (one label a line, blank\nlines between sequences) or "
          "lines (one sequence a line; what\nstands before a tab names it) [rows, where files have one "
          "column]")
      ->type_name("HOW")
      ->check(CLI::IsMember({"rows", "lines"}).description(""));
  verb.add_flag(
      "--probabilities", probabilities,
      "experts say how sure they are of their labels: in the column\nafter the label; models are asked");
  verb.add_option("--probability-column", probability_column, "the column of that, as for --column")
      ->type_name("C");
  verb.add_option("--missing", missing,
                  "sequences that an expert does not have: error, spread (the\nothers share its weight) or "
                  "leave-out [error]")
      ->type_name("HOW");
  reading.add_to(verb);
}

Result<OpenExperts> open_experts(const std::string& reference, bool has_gold,
                                 const std::vector<std::string>& experts, const ExpertFlags& flags,
                                 data::LabelSet& labels) {
  OpenExperts out;
  ESPALIER_ASSIGN(const ensemble::Missing missing, ensemble::parse_missing(flags.missing));
  std::string reference_path = reference;
  for (const std::string& path : experts)
    if (reference_path.empty() && !is_model_file(path)) reference_path = path;
  if (reference_path.empty())
    return fail("all experts are models: the text they are to label is missing (--input FILE)");
  const bool first_expert = reference.empty();
  ESPALIER_ASSIGN(out.reference_reading, reading_of(reference_path, flags, !first_expert));
  if (!has_gold && !first_expert) out.reference_reading.labels_required = false;
  ESPALIER_ASSIGN(out.reference_layout, layout_of(reference_path, flags, out.reference_reading));
  if (!has_gold && !first_expert && flags.labels_only.empty())
    out.reference_layout = ensemble::LabelLayout::kWithTokens;  // a column of words, to be labelled
  std::vector<std::unique_ptr<ensemble::ExpertStream>> streams;
  size_t lead = experts.size();  // the expert that is the reference
  for (const std::string& path : experts) {
    if (first_expert && path == reference_path) lead = std::min(lead, streams.size());
    if (is_model_file(path)) {
      ESPALIER_ASSIGN(model::Model model, model::Model::open(path));
      out.models.push_back(std::make_unique<model::Model>(std::move(model)));
      const model::Model& held = *out.models.back();
      data::ReadOptions reading = held.about().reading_for_use();
      reading.folds = out.reference_reading.folds;
      ESPALIER_ASSIGN(auto stream, ensemble::open_predictor_expert(path, held.predictor(), reference_path,
                                                                   reading, flags.nbest));
      streams.push_back(std::move(stream));
      continue;
    }
    ESPALIER_ASSIGN(const data::ReadOptions reading, reading_of(path, flags, false));
    ESPALIER_ASSIGN(const ensemble::LabelLayout layout, layout_of(path, flags, reading));
    auto stream = flags.nbest > 1 ? ensemble::open_nbest_expert(path, reading, flags.nbest, layout)
                                  : ensemble::open_expert(path, reading, layout);
    if (!stream.ok()) return stream.error();
    streams.push_back(std::move(*stream));
  }
  if (first_expert) {
    out.aligned = std::make_unique<ensemble::AlignedExperts>(std::move(streams), lead, missing, labels);
    return out;
  }
  ESPALIER_ASSIGN(auto reference_stream,
                  ensemble::open_expert(reference_path, out.reference_reading, out.reference_layout));
  out.aligned = std::make_unique<ensemble::AlignedExperts>(std::move(reference_stream), std::move(streams),
                                                           has_gold, missing, labels);
  return out;
}

Status ask_probabilities(const ExpertFlags& flags, const ensemble::EnsembleModel& model,
                         const std::string& path, ensemble::AlignedExperts& aligned) {
  if (model.probabilities && !flags.probabilities)
    return fail("{}: the ensemble was learned with --probabilities; they are wanted here, too", path);
  if (!model.probabilities && flags.probabilities)
    return fail("{}: the ensemble was learned without --probabilities and has no use for them", path);
  return flags.probabilities ? aligned.ask_probabilities(flags.probability_column) : Status();
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

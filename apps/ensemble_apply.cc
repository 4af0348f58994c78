// espalier ensemble apply: experts' predictions in, one labelling out.
#include <CLI/CLI.hpp>
#include <chrono>

#include "apps/ensemble.h"
#include "apps/interrupt.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "espalier/base/atomic_file.h"
#include "espalier/data/writer.h"
#include "espalier/ensemble/model.h"

namespace espalier::apps {
namespace {

constexpr const char* kApplyHelp =
    R"(Combine the predictions of experts

EXPERTs are given in the order of `ensemble learn`. The output has the rows of --input, or else of the first expert that
is a file, with the combined label as the last column (CoNLL-U: in the place of the label).)";

constexpr const char* kApplyExamples = R"(What is added to each row:
  (default)       the label; _ where no expert says anything
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
  ESPALIER_ASSIGN(const ensemble::EnsembleModel model, ensemble::EnsembleModel::open(flags.model));
  data::LabelSet labels = model.labels;
  ESPALIER_ASSIGN(OpenExperts experts,
                  open_experts(flags.input, false, flags.experts, flags.reading, labels));
  ensemble::AlignedExperts& aligned = *experts.aligned;
  if (aligned.experts() != model.experts.size())
    return fail("{}: the ensemble combines {} experts ({}), but {} are given", flags.model,
                model.experts.size(), fmt::join(model.experts, ", "), aligned.experts());
  data::Format format = experts.reference_reading.format;
  if (!flags.to.empty()) {
    const auto to = data::parse_format(flags.to);
    if (!to.ok()) return usage_error(to.error());
    format = *to;
  }
  const auto writer = data::Writer::make(experts.reference_reading, format);
  if (!writer.ok()) return usage_error(writer.error());
  ensemble::Substructures substructures(model.substructures, labels, model.scheme);
  const ensemble::WeightTable short_table =
      ensemble::single_expert_table(model.experts.size(), model.best_expert);
  ensemble::Combiner combiner(model.rule(!flags.any_sequence, short_table), substructures, labels);

  ESPALIER_TRY(aligned.rewind());
  ESPALIER_ASSIGN(AtomicFile out, AtomicFile::open(flags.output));
  using Mode = ProgressDisplay::Mode;
  ProgressDisplay display(flags.quiet || flags.output == "-" ? Mode::kQuiet : Mode::kBarOnly);
  const InterruptGuard interrupt(InterruptGuard::Input::kEnd);
  const Monitor monitor = display.monitor(interrupt.flag());
  const auto start = std::chrono::steady_clock::now();
  ensemble::TokenVotes votes;
  ensemble::Combined combined;
  std::vector<std::string_view> texts, values;
  std::vector<std::string> numbers;
  std::vector<double> confidence;
  const std::vector<std::string_view> names{"confidence", "sequence_confidence"};
  std::string text;
  size_t sequences = 0, tokens = 0;
  while (!monitor.stop_requested()) {
    bool left_out = false;
    ESPALIER_ASSIGN(const bool more, aligned.next(votes, left_out));
    if (!more) break;
    if (left_out) {
      combined.labels.assign(votes.length(), data::kNoLabel);
      combined.share.assign(votes.length(), 0);
    } else {
      ESPALIER_TRY(combiner.combine(votes, sequences, combined));
    }
    texts.clear();
    for (const data::Label label : combined.labels)
      texts.push_back(label == data::kNoLabel ? data::kUnknownLabelText
                                              : std::string_view(labels.name(label)));
    text.clear();
    if (flags.confidence) {
      confidence.clear();
      numbers.clear();
      values.clear();
      for (size_t t = 0; t < combined.labels.size(); ++t) {
        const bool said = combined.labels[t] != data::kNoLabel;
        confidence.push_back(said ? model.token_confidence(combined.share[t]) : 0);
      }
      const double whole = left_out ? 0 : model.sequence_confidence(ensemble::sequence_score(confidence));
      for (size_t t = 0; t < confidence.size(); ++t) {
        numbers.push_back(fmt::format("{:.4f}", confidence[t]));
        numbers.push_back(t == 0 ? fmt::format("{:.4f}", whole) : "_");
      }
      values.assign(numbers.begin(), numbers.end());
      writer->append(aligned.sequence(), texts, {names, values}, text);
    } else {
      writer->append(aligned.sequence(), texts, text);
    }
    ESPALIER_TRY(out.write(text));
    ++sequences;
    tokens += votes.length();
  }
  display.clear();
  if (interrupt.signal() != 0) return {128 + interrupt.signal(), "interrupted; the output is not complete"};
  ESPALIER_TRY(out.commit());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!flags.quiet && flags.output != "-")
    say(fmt::format("espalier: {} sequences, {} tokens of {} experts in {} written to {}",
                    count_text(sequences), count_text(tokens), aligned.experts(), duration_text(seconds),
                    flags.output));
  return {};
}

}  // namespace

void add_ensemble_apply(CLI::App& group, Action& action) {
  CLI::App& verb = *group.add_subcommand("apply", kApplyHelp);
  const auto flags = std::make_shared<ApplyFlags>();
  verb.add_option("EXPERT", flags->experts, "predictions or models")->type_name("")->required();
  add_model_option(verb, flags->model);
  verb.add_option("--input", flags->input, "the text that the experts labelled [rows of the first file]")
      ->type_name("FILE");
  verb.add_option("-o,--output", flags->output,
                  "where it goes; written whole or not at all [-, standard output]")
      ->type_name("OUT");
  verb.add_option("--to", flags->to, "format of the output [that of the input]")->type_name("F");
  verb.add_flag("--confidence", flags->confidence, "probabilities that labels and sequences are right");
  verb.add_flag("--any-sequence", flags->any_sequence, "do not hold the labels to their scheme");
  flags->reading.add_to(verb);
  verb.add_flag("-q,--quiet", flags->quiet, "no progress and no messages but errors");
  verb.footer(kApplyExamples);
  verb.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps

// espalier ensemble apply: experts' predictions in, one labelling out.
#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>

#include "apps/ensemble.h"
#include "apps/interrupt.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "espalier/base/atomic_file.h"
#include "espalier/data/formats/writer.h"
#include "espalier/ensemble/model.h"

namespace espalier::apps {
namespace {

constexpr const char* kApplyHelp =
    R"(Combine the predictions of experts

EXPERTs are given in the order of `ensemble learn`. The output has the rows of --input, or else of the first expert that
is a file, with the combined label as the last column (CoNLL-U: in the place of the label). Where the files hold labels
alone, or the model puts outputs of unequal length side by side, it is labels alone in the layout of the first file.)";

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

/// What comes out for one sequence.
struct Answer {
  std::vector<std::string_view> labels;
  std::vector<double> confidence;  ///< one a label, where asked for
  std::optional<double> whole;
  void clear() {
    labels.clear();
    confidence.clear();
    whole.reset();
  }
};

/// Writes answers beside the rows they belong to, or, where there are no such rows, as labels alone.
class AnswerWriter {
 public:
  static Result<AnswerWriter> make(const OpenExperts& experts, const std::string& to, bool aligned) {
    AnswerWriter out;
    data::Format format = experts.reference_reading.format;
    if (!to.empty()) {
      ESPALIER_ASSIGN(format, data::parse_format(to));
    }
    out.layout_ = experts.reference_layout;
    if (aligned && out.layout_ == LabelLayout::kWithTokens)
      out.layout_ = format == data::Format::kJsonLines ? LabelLayout::kJson : LabelLayout::kRows;
    if (out.layout_ == LabelLayout::kWithTokens) {
      ESPALIER_ASSIGN(out.rows_, data::Writer::make(experts.reference_reading, format));
    } else if (!to.empty()) {
      if (format != data::Format::kColumns && format != data::Format::kJsonLines)
        return fail("--to {}: labels alone are written as columns or jsonl", to);
      out.layout_ = format == data::Format::kJsonLines ? LabelLayout::kJson : LabelLayout::kRows;
    }
    return out;
  }

  void append(const data::Sequence& sequence, const Answer& answer, std::string& out) const {
    if (!rows_) {
      ensemble::append_labels(layout_, ensemble::sequence_name(sequence), answer.labels, answer.confidence,
                              answer.whole, out);
      return;
    }
    if (!answer.whole) {
      rows_->append(sequence, answer.labels, out);
      return;
    }
    std::vector<std::string> numbers;
    for (size_t t = 0; t < answer.confidence.size(); ++t) {
      numbers.push_back(fmt::format("{:.4f}", answer.confidence[t]));
      numbers.push_back(t == 0 ? fmt::format("{:.4f}", *answer.whole) : "_");
    }
    const std::vector<std::string_view> names{"confidence", "sequence_confidence"};
    const std::vector<std::string_view> values(numbers.begin(), numbers.end());
    rows_->append(sequence, answer.labels, {names, values}, out);
  }

 private:
  using LabelLayout = ensemble::LabelLayout;
  LabelLayout layout_ = LabelLayout::kWithTokens;
  std::optional<data::Writer> rows_;
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
  if (model.aligned) aligned.align();
  ESPALIER_TRY(ask_probabilities(flags.reading, model, flags.model, aligned));
  auto made = AnswerWriter::make(experts, flags.to, model.aligned);
  if (!made.ok()) return usage_error(made.error());
  const AnswerWriter& writer = *made;
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
  Answer answer;
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
    answer.clear();
    std::vector<double> confidence;
    for (size_t t = 0; t < combined.labels.size(); ++t) {
      const data::Label label = combined.labels[t];
      const bool said = label != data::kNoLabel;
      if (flags.confidence) confidence.push_back(said ? model.token_confidence(combined.share[t]) : 0);
      if (model.aligned && (!said || label == aligned.gap())) continue;
      answer.labels.push_back(said ? std::string_view(labels.name(label)) : data::kUnknownLabelText);
      if (flags.confidence) answer.confidence.push_back(confidence.back());
    }
    if (model.aligned && left_out) answer.labels.assign(1, data::kUnknownLabelText);
    if (model.aligned && left_out) answer.confidence.assign(flags.confidence ? 1 : 0, 0);
    if (flags.confidence)
      answer.whole = left_out ? 0 : model.sequence_confidence(ensemble::sequence_score(confidence));
    text.clear();
    writer.append(aligned.sequence(), answer, text);
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

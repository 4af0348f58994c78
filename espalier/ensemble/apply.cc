#include "espalier/ensemble/apply.h"

#include "espalier/ensemble/methods/selection.h"

namespace espalier::ensemble {

Applier::Applier(const EnsembleModel& model, bool legal)
    : model_(model),
      labels_(model.labels),
      short_table_(single_expert_table(model.experts.size(), model.best_expert)),
      substructures_(model.substructures, labels_, model.scheme),
      combiner_(model.rule(legal, short_table_), substructures_, labels_) {}

Status Applier::answer(const TokenVotes& votes, size_t number, bool left_out, Answer& out) {
  out.labels.clear();
  out.confidence.clear();
  if (left_out) {
    // If the experts determine the number of labels, one unknown label represents all of them.
    const size_t length = model_.aligned ? 1 : votes.length();
    out.labels.assign(length, data::kUnknownLabelText);
    out.confidence.assign(length, 0);
    out.whole = 0;
    return {};
  }
  ESPALIER_TRY(combiner_.combine(votes, number, combined_));
  confidence_.clear();
  for (size_t t = 0; t < combined_.labels.size(); ++t) {
    const data::Label label = combined_.labels[t];
    const bool said = label != data::kNoLabel;
    confidence_.push_back(said ? model_.token_confidence(combined_.share[t]) : 0);
    if (model_.aligned && (!said || label == model_.gap())) continue;
    out.labels.push_back(said ? std::string_view(labels_.name(label)) : data::kUnknownLabelText);
    out.confidence.push_back(confidence_.back());
  }
  out.whole = model_.sequence_confidence(sequence_score(confidence_));
  return {};
}

Result<AnswerWriter> AnswerWriter::make(const OpenExperts& experts, const std::string& format_name,
                                        bool aligned, bool confidence) {
  AnswerWriter out;
  out.confidence_ = confidence;
  data::Format format = experts.reference_reading.format;
  if (!format_name.empty()) {
    ESPALIER_ASSIGN(format, data::parse_format(format_name));
  }
  out.layout_ = experts.reference_layout;
  const LabelLayout alone = format == data::Format::kJsonLines ? LabelLayout::kJson : LabelLayout::kRows;
  if (aligned && out.layout_ == LabelLayout::kWithTokens) out.layout_ = alone;
  if (out.layout_ == LabelLayout::kWithTokens) {
    ESPALIER_ASSIGN(out.rows_, data::Writer::make(experts.reference_reading, format));
  } else if (!format_name.empty()) {
    if (format != data::Format::kColumns && format != data::Format::kJsonLines)
      return fail("the format {}: labels alone are written as columns or jsonl", format_name);
    out.layout_ = alone;
  }
  return out;
}

void AnswerWriter::append(const data::Sequence& sequence, const Answer& answer, std::string& out) const {
  if (!rows_) {
    append_labels(layout_, sequence_name(sequence), answer.labels,
                  confidence_ ? std::span<const double>(answer.confidence) : std::span<const double>(),
                  confidence_ ? std::optional(answer.whole) : std::nullopt, out);
    return;
  }
  if (!confidence_) {
    rows_->append(sequence, answer.labels, out);
    return;
  }
  std::vector<std::string> numbers;
  for (size_t t = 0; t < answer.confidence.size(); ++t) {
    numbers.push_back(fmt::format("{:.4f}", answer.confidence[t]));
    numbers.push_back(t == 0 ? fmt::format("{:.4f}", answer.whole) : "_");
  }
  const std::vector<std::string_view> names{"confidence", "sequence_confidence"};
  const std::vector<std::string_view> values(numbers.begin(), numbers.end());
  rows_->append(sequence, answer.labels, {names, values}, out);
}

Result<AppliedCounts> apply_to_streams(Applier& applier, OpenExperts& experts, const AnswerWriter& writer,
                                       const std::function<Status(std::string_view)>& write,
                                       const Monitor& monitor) {
  constexpr size_t kReportEvery = 1024;
  AlignedExperts& aligned = *experts.aligned;
  AppliedCounts counts;
  Progress progress;
  progress.phase = "combining";
  TokenVotes votes;
  Answer answer;
  std::string text;
  ESPALIER_TRY(aligned.rewind());
  while (true) {
    if (monitor.stop_requested()) return fail("interrupted; the output is not complete");
    bool left_out = false;
    ESPALIER_ASSIGN(const bool more, aligned.next(votes, left_out));
    if (!more) return counts;
    ESPALIER_TRY(applier.answer(votes, counts.sequences, left_out, answer));
    text.clear();
    writer.append(aligned.sequence(), answer, text);
    ESPALIER_TRY(write(text));
    ++counts.sequences;
    counts.tokens += votes.length();
    if (counts.sequences % kReportEvery == 0) {
      progress.done = static_cast<double>(counts.sequences);
      monitor.report(progress);
    }
  }
}

}  // namespace espalier::ensemble

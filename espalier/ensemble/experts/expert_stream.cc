#include "espalier/ensemble/experts/expert_stream.h"

#include <charconv>

#include "espalier/data/formats/lines.h"
#include "espalier/data/label_set.h"

namespace espalier::ensemble {
namespace {

class FileExpert : public ExpertStream {
 public:
  FileExpert(data::Source source, const data::ReadOptions& reading, LabelLayout layout)
      : ExpertStream(source.name(), reading), source_(std::move(source)), layout_(layout) {}
  Status rewind() override {
    auto reader = layout_ == LabelLayout::kWithTokens
                      ? data::open_source(source_, reading())
                      : open_label_reader(name(), layout_, reading().encoding);
    if (!reader.ok()) return std::move(reader).error();
    reader_ = std::move(*reader);
    return {};
  }
  Result<bool> advance() override { return reader_->next(sequence_); }
  const data::Sequence& sequence() const override { return sequence_; }
  std::string_view label(size_t, size_t row) const override {
    return sequence_.has_labels() ? sequence_.label(row) : data::kUnknownLabelText;
  }
  bool labels_alone() const override { return layout_ != LabelLayout::kWithTokens; }
  Status ask_probabilities(const std::string& column) override {
    if (layout_ != LabelLayout::kWithTokens || reading().format != data::Format::kColumns)
      return fail("{}: probabilities of labels are read from columns only", name());
    probability_column_ = 0;
    const auto [end, error] =
        std::from_chars(column.data(), column.data() + column.size(), probability_column_);
    if (!column.empty() &&
        (error != std::errc() || end != column.data() + column.size() || probability_column_ == 0))
      return fail("'{}' is not a column: columns count from 1, or from the end as -1, -2", column);
    return {};
  }
  Result<float> probability(size_t row) const override {
    const auto columns = static_cast<int>(sequence_.columns());
    int column = probability_column_ > 0 ? probability_column_ - 1 : columns + probability_column_;
    if (probability_column_ == 0)
      column = static_cast<int>(sequence_.label_column().value_or(sequence_.columns())) + 1;
    if (column < 0 || column >= columns)
      return fail("{}:{}: there is no column {} with the probability of the label", name(),
                  sequence_.line(row), column + 1);
    const std::string_view text = sequence_.cell(row, static_cast<size_t>(column));
    float value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1))
      return fail("{}:{}: {} in column {} is not a probability", name(), sequence_.line(row),
                  data::in_quotes(text), column + 1);
    return value;
  }

 private:
  data::Source source_;
  int probability_column_ = 0;
  LabelLayout layout_;
  std::unique_ptr<data::Reader> reader_;
  data::Sequence sequence_;
};

/// Answers are rows of one cell, the label, as in a file of labels alone.
class MemoryExpert : public ExpertStream {
 public:
  MemoryExpert(std::string name, std::shared_ptr<const MemoryAnswers> answers)
      : ExpertStream(std::move(name), {}), answers_(std::move(answers)) {}
  Status rewind() override {
    next_ = 0;
    return {};
  }
  Result<bool> advance() override {
    if (next_ == answers_->labels.size()) return false;
    sequence_.clear(1);
    for (const std::string& label : answers_->labels[next_]) {
      sequence_.begin_row(label.empty() ? data::kUnknownLabelText : std::string_view(label), 0);
      sequence_.add_cell(0, sequence_.raw(sequence_.length() - 1).size());
    }
    sequence_.set_label_column(0);
    ++next_;
    return true;
  }
  const data::Sequence& sequence() const override { return sequence_; }
  std::string_view label(size_t, size_t row) const override { return sequence_.label(row); }
  Status ask_probabilities(const std::string&) override {
    const auto& given = answers_->probabilities;
    if (given.empty()) return fail("{}: the expert gives no probabilities of its labels", name());
    if (given.size() != answers_->labels.size())
      return fail("{}: probabilities of {} sequences, but labels of {}", name(), given.size(),
                  answers_->labels.size());
    return {};
  }
  Result<float> probability(size_t row) const override {
    const std::vector<double>& here = answers_->probabilities[next_ - 1];
    if (here.size() != sequence_.length())
      return fail("{}: sequence {} has {} labels and {} probabilities", name(), next_, sequence_.length(),
                  here.size());
    if (!(here[row] >= 0 && here[row] <= 1))
      return fail("{}: sequence {}: {} is not a probability", name(), next_, here[row]);
    return static_cast<float>(here[row]);
  }
  bool labels_alone() const override { return true; }
  bool by_number() const override { return true; }
  bool absent() const override { return answers_->labels[next_ - 1].empty(); }

 private:
  std::shared_ptr<const MemoryAnswers> answers_;
  data::Sequence sequence_;
  size_t next_ = 0;
};

}  // namespace

Status check_layout(const std::string& path, const data::ReadOptions& reading, LabelLayout layout) {
  if (layout != LabelLayout::kWithTokens && !reading.folds.empty())
    return fail("{}: folds are selected, but a file of labels alone has none", path);
  return {};
}

Result<std::unique_ptr<ExpertStream>> open_expert(const data::Source& source,
                                                  const data::ReadOptions& reading, LabelLayout layout) {
  ESPALIER_TRY(check_layout(source.name(), reading, layout));
  auto stream = std::make_unique<FileExpert>(source, reading, layout);
  ESPALIER_TRY(stream->rewind());
  return std::unique_ptr<ExpertStream>(std::move(stream));
}

std::unique_ptr<ExpertStream> memory_expert(std::string name, std::shared_ptr<const MemoryAnswers> answers) {
  return std::make_unique<MemoryExpert>(std::move(name), std::move(answers));
}

std::vector<std::string> rank_names(const std::string& name, size_t n) {
  std::vector<std::string> names;
  for (size_t k = 1; k <= n; ++k) names.push_back(fmt::format("{}#{}", name, k));
  return names;
}

bool has_tokens(const data::Sequence& sequence, data::Format format) {
  switch (format) {
    case data::Format::kConllu:
      return sequence.columns() > 1;
    case data::Format::kColumns:
    case data::Format::kJsonLines:
      // A single column is the label alone.
      return sequence.columns() > 1 || (sequence.columns() == 1 && !sequence.has_labels());
    case data::Format::kCrfsuite:
    case data::Format::kLetters:
    case data::Format::kScores:
      return false;
  }
  return false;
}

std::string_view token_text(const data::Sequence& sequence, size_t row, data::Format format) {
  if (!has_tokens(sequence, format)) return {};
  return sequence.cell(row, token_column(format));
}

}  // namespace espalier::ensemble

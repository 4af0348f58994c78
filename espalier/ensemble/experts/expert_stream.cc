#include "espalier/ensemble/experts/expert_stream.h"

#include <charconv>

#include "espalier/data/formats/lines.h"
#include "espalier/ensemble/experts/nbest_blocks.h"

namespace espalier::ensemble {
namespace {

class FileExpert : public ExpertStream {
 public:
  FileExpert(std::string path, const data::ReadOptions& reading, LabelLayout layout)
      : ExpertStream(std::move(path), reading), layout_(layout) {}
  Status rewind() override {
    auto reader = layout_ == LabelLayout::kWithTokens
                      ? data::open_reader(name(), reading())
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
      return fail("'{}' is no column: they count from 1, or from the end as -1, -2", column);
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
      return fail("{}:{}: {} in column {} is no probability", name(), sequence_.line(row),
                  data::in_quotes(text), column + 1);
    return value;
  }

 private:
  int probability_column_ = 0;
  LabelLayout layout_;
  std::unique_ptr<data::Reader> reader_;
  data::Sequence sequence_;
};

std::vector<std::string> numbered_names(const std::string& name, size_t n) {
  std::vector<std::string> names;
  for (size_t k = 1; k <= n; ++k) names.push_back(fmt::format("{}#{}", name, k));
  return names;
}

bool same_tokens(const data::Sequence& a, const data::Sequence& b, data::Format format) {
  if (a.length() != b.length()) return false;
  for (size_t row = 0; row < a.length(); ++row)
    if (token_text(a, row, format) != token_text(b, row, format)) return false;
  return true;
}

class NbestExpert : public ExpertStream {
 public:
  NbestExpert(std::string path, const data::ReadOptions& reading, size_t n, LabelLayout layout)
      : ExpertStream(std::move(path), reading), layout_(layout), best_(n) {}
  std::vector<std::string> expert_names() const override { return numbered_names(name(), best_.size()); }
  size_t width() const override { return best_.size(); }

  Status rewind() override {
    ESPALIER_ASSIGN(blocks_, open_nbest_blocks(name(), reading(), layout_));
    pending_ = false;
    return {};
  }
  Result<bool> advance() override {
    count_ = 0;
    while (count_ < best_.size()) {
      if (!pending_) {
        ESPALIER_ASSIGN(pending_, blocks_->next(next_, rank_));
        if (!pending_) break;
      }
      if (count_ > 0) {
        // A rank that does not go up begins the next sequence; so do, without ranks, other tokens.
        if (rank_ ? *rank_ <= last_rank_ : !same_sequence(next_, best_[0])) break;
        if (!same_sequence(next_, best_[0]))
          return fail("{}:{}: labelling {} of a sequence has other tokens than its first", name(),
                      next_.line(0), count_ + 1);
      }
      std::swap(best_[count_], next_);
      last_rank_ = rank_.value_or(0);
      ++count_;
      pending_ = false;
    }
    // Labellings beyond n are passed over, where ranks or names tell them from the next sequence.
    while (count_ == best_.size()) {
      ESPALIER_ASSIGN(pending_, blocks_->next(next_, rank_));
      if (!pending_) break;
      const bool named = layout_ != LabelLayout::kWithTokens && !sequence_name(next_).empty();
      if (rank_ ? *rank_ <= last_rank_ : !named || !same_sequence(next_, best_[0])) break;
      last_rank_ = rank_.value_or(0);
    }
    return count_ > 0;
  }
  const data::Sequence& sequence() const override { return best_[0]; }
  std::string_view label(size_t w, size_t row) const override {
    return w < count_ && best_[w].has_labels() ? best_[w].label(row) : data::kUnknownLabelText;
  }
  size_t length(size_t w) const override { return w < count_ ? best_[w].length() : 0; }
  bool speaks(size_t w) const override { return w < count_; }
  Status ask_probabilities(const std::string&) override {
    return fail("{}: probabilities of labels do not go with n-best lists", name());
  }
  Result<float> probability(size_t) const override { return 1.0f; }
  bool labels_alone() const override { return layout_ != LabelLayout::kWithTokens; }

 private:
  bool same_sequence(const data::Sequence& a, const data::Sequence& b) const {
    if (layout_ != LabelLayout::kWithTokens) return sequence_name(a) == sequence_name(b);
    return same_tokens(a, b, reading().format);
  }

  LabelLayout layout_;
  std::unique_ptr<NbestBlocks> blocks_;
  std::vector<data::Sequence> best_;
  size_t count_ = 0;
  data::Sequence next_;
  std::optional<int64_t> rank_;
  int64_t last_rank_ = 0;
  bool pending_ = false;
};

class PredictorExpert : public ExpertStream {
 public:
  PredictorExpert(std::string model, const data::Predictor& predictor, std::string tokens,
                  const data::ReadOptions& reading, size_t n)
      : ExpertStream(std::move(model), reading),
        predictor_(predictor),
        tokens_path_(std::move(tokens)),
        scratch_(predictor.make_scratch()) {
    options_.nbest = n;
  }
  std::vector<std::string> expert_names() const override {
    return width() == 1 ? std::vector<std::string>{name()} : numbered_names(name(), width());
  }
  size_t width() const override { return options_.nbest; }
  Status rewind() override {
    ESPALIER_ASSIGN(reader_, data::open_reader(tokens_path_, reading()));
    return {};
  }
  Result<bool> advance() override {
    ESPALIER_ASSIGN(const bool more, reader_->next(sequence_));
    if (more && !sequence_.empty()) {
      const Status status = predictor_.predict(sequence_, {}, options_, *scratch_, prediction_);
      if (!status.ok()) return fail("{}: {}", name(), status.error().message);
    }
    return more;
  }
  const data::Sequence& sequence() const override { return sequence_; }
  std::string_view label(size_t w, size_t row) const override {
    if (w >= prediction_.best.size()) return data::kUnknownLabelText;
    return predictor_.labels().name(prediction_.best[w].labels[row]);
  }
  Status ask_probabilities(const std::string&) override {
    if (width() > 1) return fail("{}: probabilities of labels do not go with n-best lists", name());
    options_.confidence = true;
    return {};
  }
  Result<float> probability(size_t row) const override {
    if (row >= prediction_.confidence.size())
      return fail("{}: the model gives no probabilities of its labels", name());
    return prediction_.confidence[row];
  }

 private:
  const data::Predictor& predictor_;
  std::string tokens_path_;
  data::PredictOptions options_;
  std::unique_ptr<data::Predictor::Scratch> scratch_;
  std::unique_ptr<data::Reader> reader_;
  data::Sequence sequence_;
  data::Prediction prediction_;
};

Status check_layout(const std::string& path, const data::ReadOptions& reading, LabelLayout layout) {
  if (layout != LabelLayout::kWithTokens && !reading.folds.empty())
    return fail("{}: folds are selected, but a file of labels alone has none", path);
  return {};
}

}  // namespace

Result<std::unique_ptr<ExpertStream>> open_expert(const std::string& path, const data::ReadOptions& reading,
                                                  LabelLayout layout) {
  ESPALIER_TRY(check_layout(path, reading, layout));
  auto stream = std::make_unique<FileExpert>(path, reading, layout);
  ESPALIER_TRY(stream->rewind());
  return std::unique_ptr<ExpertStream>(std::move(stream));
}

Result<std::unique_ptr<ExpertStream>> open_nbest_expert(const std::string& path,
                                                        const data::ReadOptions& reading, size_t n,
                                                        LabelLayout layout) {
  ESPALIER_CHECK(n > 0);
  ESPALIER_TRY(check_layout(path, reading, layout));
  auto stream = std::make_unique<NbestExpert>(path, reading, n, layout);
  ESPALIER_TRY(stream->rewind());
  return std::unique_ptr<ExpertStream>(std::move(stream));
}

Result<std::unique_ptr<ExpertStream>> open_predictor_expert(const std::string& model_name,
                                                            const data::Predictor& predictor,
                                                            const std::string& tokens_path,
                                                            const data::ReadOptions& reading, size_t n) {
  ESPALIER_CHECK(n > 0);
  auto stream = std::make_unique<PredictorExpert>(model_name, predictor, tokens_path, reading, n);
  ESPALIER_TRY(stream->rewind());
  return std::unique_ptr<ExpertStream>(std::move(stream));
}

data::Format guess_format(const std::string& path, data::Format fallback) {
  std::string_view name = path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return data::Format::kJsonLines;
  if (name.ends_with(".conllu")) return data::Format::kConllu;
  return fallback;
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
      return false;
  }
  return false;
}

std::string_view token_text(const data::Sequence& sequence, size_t row, data::Format format) {
  if (!has_tokens(sequence, format)) return {};
  return sequence.cell(row, token_column(format));
}

}  // namespace espalier::ensemble

// N-best lists as experts. Declared in expert_stream.h, tested in aligned_experts_test.cc.
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "espalier/data/formats/lines.h"
#include "espalier/data/label_set.h"
#include "espalier/ensemble/experts/expert_stream.h"

namespace espalier::ensemble {
namespace {

/// The labellings of a file, one at a time, with their ranks where the file gives them.
class NbestBlocks {
 public:
  virtual ~NbestBlocks() = default;
  /// The next labelling; false at the end. `rank` is the number in the line above it, where there is one.
  virtual Result<bool> next(data::Sequence& sequence, std::optional<int64_t>& rank) = 0;
};

/// The rank in "# n-best 2 score 3.5" or "# 2 0.75"; nothing in any other line.
std::optional<int64_t> parse_head(std::string_view line) {
  if (!line.starts_with("# ")) return std::nullopt;
  line.remove_prefix(2);
  if (line.starts_with("n-best ")) line.remove_prefix(7);
  int64_t rank = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), rank);
  const bool whole =
      error == std::errc() && (end == line.data() + line.size() || *end == ' ' || *end == '\t');
  return whole ? std::optional(rank) : std::nullopt;
}

class PlainBlocks : public NbestBlocks {
 public:
  explicit PlainBlocks(std::unique_ptr<data::Reader> reader) : reader_(std::move(reader)) {}
  Result<bool> next(data::Sequence& sequence, std::optional<int64_t>& rank) override {
    rank.reset();
    return reader_->next(sequence);
  }

 private:
  std::unique_ptr<data::Reader> reader_;
};

/// Cuts the file into blocks at blank lines, removes the heads and reads the rest as columns.
class HeadedBlocks : public NbestBlocks {
 public:
  HeadedBlocks(data::Lines lines, data::ReadOptions reading)
      : lines_(std::move(lines)), reading_(std::move(reading)) {
    reading_.encoding = "bytes";  // the lines have been checked already
  }
  Result<bool> next(data::Sequence& sequence, std::optional<int64_t>& rank) override {
    text_.clear();
    rank.reset();
    uint64_t first_line = 0;
    std::string_view line;
    while (true) {
      ESPALIER_ASSIGN(const bool more, lines_.next(line));
      if (!more || (data::is_blank(line) && !text_.empty())) break;
      if (data::is_blank(line)) continue;
      if (text_.empty()) {
        if (const auto head = parse_head(line)) {
          rank = head;
          continue;
        }
        first_line = lines_.number();
      }
      text_.append(line).push_back('\n');
    }
    if (text_.empty()) return false;
    const std::string name = fmt::format("{}, labelling that begins in line {}", lines_.name(), first_line);
    ESPALIER_ASSIGN(const auto reader, data::read_text(text_, name, reading_));
    return reader->next(sequence);
  }

 private:
  data::Lines lines_;
  data::ReadOptions reading_;
  std::string text_;
};

/// Columns may have a line `# n-best 2 …` (as `tag --nbest` prints) or `# 1 0.35` (as CRF++ and others do)
/// above each labelling; other formats have none.
Result<std::unique_ptr<NbestBlocks>> open_nbest_blocks(const std::string& path,
                                                       const data::ReadOptions& reading, LabelLayout layout) {
  if (layout != LabelLayout::kWithTokens) {
    ESPALIER_ASSIGN(auto reader, open_label_reader(path, layout, reading.encoding));
    return std::unique_ptr<NbestBlocks>(std::make_unique<PlainBlocks>(std::move(reader)));
  }
  if (reading.format != data::Format::kColumns) {
    ESPALIER_ASSIGN(auto reader, data::open_reader(path, reading));
    return std::unique_ptr<NbestBlocks>(std::make_unique<PlainBlocks>(std::move(reader)));
  }
  ESPALIER_ASSIGN(Input input, Input::open(path));
  ESPALIER_ASSIGN(const data::Encoding encoding, data::parse_encoding(reading.encoding));
  return std::unique_ptr<NbestBlocks>(
      std::make_unique<HeadedBlocks>(data::Lines(std::move(input), encoding), reading));
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
  std::vector<std::string> expert_names() const override { return rank_names(name(), best_.size()); }
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
        // A rank that does not go up begins the next sequence; without ranks, other tokens do.
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
    // Labellings beyond n are skipped, where ranks or names tell them from the next sequence.
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
    return fail("{}: probabilities of labels are not supported with n-best lists", name());
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

}  // namespace

Result<std::unique_ptr<ExpertStream>> open_nbest_expert(const std::string& path,
                                                        const data::ReadOptions& reading, size_t n,
                                                        LabelLayout layout) {
  ESPALIER_CHECK(n > 0);
  ESPALIER_TRY(check_layout(path, reading, layout));
  auto stream = std::make_unique<NbestExpert>(path, reading, n, layout);
  ESPALIER_TRY(stream->rewind());
  return std::unique_ptr<ExpertStream>(std::move(stream));
}

}  // namespace espalier::ensemble

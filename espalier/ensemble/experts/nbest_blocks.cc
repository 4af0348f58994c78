#include "espalier/ensemble/experts/nbest_blocks.h"

#include <charconv>
#include <string>

#include "espalier/data/formats/lines.h"

namespace espalier::ensemble {
namespace {

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

/// Cuts the file into blocks at blank lines, takes the heads off and has the rest read as columns.
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

}  // namespace

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

}  // namespace espalier::ensemble

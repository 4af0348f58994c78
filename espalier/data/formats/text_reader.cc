#include "espalier/data/formats/text_reader.h"

#include <algorithm>

#include "espalier/data/formats/text_split.h"

namespace espalier::data {
namespace {

/// A paragraph that is longer is split where it is, up to its last sentence, which may not be complete.
constexpr size_t kLongParagraph = size_t{1} << 20;

size_t code_points_in(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

class TextReader : public Reader {
 public:
  TextReader(Lines lines, TextSplit split, TextSplitter splitter)
      : lines_(std::move(lines)), by_line_(split == TextSplit::blanks), splitter_(std::move(splitter)) {}

  Result<bool> next(Sequence& sequence) override {
    while (at_ == sentences_.size()) {
      if (ended_) return false;
      ESPALIER_TRY(fill());
    }
    const Sentence& sentence = sentences_[at_++];
    sequence.clear(1);
    for (const Word& word : sentence) {
      sequence.begin_row(word.text, word.line);
      sequence.add_cell(0, word.text.size());
      sequence.set_offsets(word.begin, word.end);
    }
    return true;
  }
  std::string_view name() const override { return lines_.name(); }
  bool would_wait() override {
    return at_ == sentences_.size() &&
           lines_.would_wait(by_line_ ? Input::Piece::kLine : Input::Piece::kParagraph);
  }
  /// The paragraph with the bad line is left out.
  Status recover() override {
    std::string_view line;
    while (true) {
      drop(text_.size());
      ESPALIER_ASSIGN(const bool more, lines_.next_unchecked(line));
      if (!more) ended_ = true;
      if (!more || by_line_ || is_blank(line)) return {};
      text_.append(line).push_back('\n');
    }
  }

 private:
  struct Word {
    std::string text;
    size_t begin, end;
    uint64_t line;
  };
  using Sentence = std::vector<Word>;

  /// Reads a paragraph and splits it.
  Status fill() {
    sentences_.clear();
    at_ = 0;
    size_t most = kLongParagraph;
    while (true) {
      std::string_view line;
      ESPALIER_ASSIGN(const bool more, lines_.next(line));
      if (more && text_.empty()) first_line_ = lines_.number();
      ended_ = !more;
      const bool blank = more && is_blank(line);
      if (more) text_.append(line).push_back('\n');
      if (ended_ || blank || by_line_) {
        ESPALIER_TRY(split());
        drop(text_.size());
        return {};
      }
      if (text_.size() < most) continue;
      ESPALIER_TRY(split());
      if (sentences_.size() > 1) {
        sentences_.pop_back();
        drop(last_begins_);
        return {};
      }
      sentences_.clear();  // one very long sentence so far
      most *= 2;
    }
  }

  Status split() {
    size_t line_byte = 0;
    uint64_t line = first_line_;
    const Status status = splitter_.split(text_, [&](const std::vector<TextPiece>& tokens) {
      Sentence& sentence = sentences_.emplace_back();
      last_begins_ = tokens.front().byte;
      for (const TextPiece& t : tokens) {
        line += static_cast<uint64_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(line_byte),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(t.byte), '\n'));
        line_byte = t.byte;
        sentence.push_back({std::string(t.text), dropped_ + t.begin, dropped_ + t.end, line});
      }
    });
    if (!status.ok()) return lines_.error("{}", status.error().message);
    return {};
  }

  /// Forgets the first bytes of the text.
  void drop(size_t bytes) {
    const std::string_view gone = std::string_view(text_).substr(0, bytes);
    dropped_ += code_points_in(gone);
    first_line_ += static_cast<uint64_t>(std::count(gone.begin(), gone.end(), '\n'));
    text_.erase(0, bytes);
  }

  Lines lines_;
  bool by_line_;  ///< each line is a sentence
  TextSplitter splitter_;
  std::string text_;         ///< read and not yet split
  size_t dropped_ = 0;       ///< code points before it
  uint64_t first_line_ = 1;  ///< the number of its first line
  size_t last_begins_ = 0;   ///< the byte where the last sentence found begins
  bool ended_ = false;
  std::vector<Sentence> sentences_;  ///< found and not all returned
  size_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<Reader>> make_text_reader(Lines lines, TextSplit split) {
  ESPALIER_ASSIGN(TextSplitter splitter, TextSplitter::make(split));
  return std::unique_ptr<Reader>(std::make_unique<TextReader>(std::move(lines), split, std::move(splitter)));
}

}  // namespace espalier::data

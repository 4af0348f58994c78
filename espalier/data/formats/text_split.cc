#include "espalier/data/formats/text_split.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include "espalier/base/text/text.h"

namespace espalier::data {
namespace {

Result<UBreakIterator*> open_iterator(UBreakIteratorType type) {
  UErrorCode code = U_ZERO_ERROR;
  // The root locale: the same result whatever the language of the user.
  UBreakIterator* const iterator = ubrk_open(type, "", nullptr, 0, &code);
  if (U_FAILURE(code) != 0) return fail("text cannot be split: ICU says {}", u_errorName(code));
  return iterator;
}

/// Whether nothing of the text is visible: white space, controls and formats such as the zero-width space.
bool invisible(std::string_view text) {
  for (const CodePoint c : CodePoints(text)) {
    const auto value = static_cast<UChar32>(c.value);
    const auto type = u_charType(value);
    if (u_isUWhiteSpace(value) == 0 && type != U_CONTROL_CHAR && type != U_FORMAT_CHAR) return false;
  }
  return true;
}

size_t count_code_points(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

/// Offsets in code points for ascending offsets in bytes.
class Counter {
 public:
  explicit Counter(std::string_view text) : text_(text) {}
  size_t at(size_t byte) {
    points_ += count_code_points(text_.substr(byte_, byte - byte_));
    byte_ = byte;
    return points_;
  }

 private:
  std::string_view text_;
  size_t byte_ = 0, points_ = 0;
};

/// Where the first empty line after `from` begins and where the text after it begins; npos at the end.
struct Gap {
  size_t begin, next;
};
Gap next_gap(std::string_view text, size_t from) {
  for (size_t line_end = text.find('\n', from); line_end != text.npos;) {
    const size_t begin = line_end + 1;
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line.find_first_not_of(" \t\r") == line.npos) return {begin, end};
    line_end = end < text.size() ? end : text.npos;
  }
  return {text.size(), text.size()};
}

}  // namespace

struct TextSplitter::Iterators {
  UBreakIterator *sentences = nullptr, *words = nullptr;
  ~Iterators() {
    if (sentences != nullptr) ubrk_close(sentences);
    if (words != nullptr) ubrk_close(words);
  }
};

TextSplitter::TextSplitter() = default;
TextSplitter::~TextSplitter() = default;
TextSplitter::TextSplitter(TextSplitter&&) noexcept = default;
TextSplitter& TextSplitter::operator=(TextSplitter&&) noexcept = default;

Result<TextSplitter> TextSplitter::make(TextSplit split) {
  TextSplitter splitter;
  if (split == TextSplit::blanks) return splitter;
  splitter.iterators_ = std::make_unique<Iterators>();
  ESPALIER_ASSIGN(splitter.iterators_->sentences, open_iterator(UBRK_SENTENCE));
  ESPALIER_ASSIGN(splitter.iterators_->words, open_iterator(UBRK_WORD));
  return splitter;
}

Status TextSplitter::split(std::string_view text, const Take& take) {
  size_t bad = 0;
  if (!valid_utf8(text, &bad))
    return fail("byte {} (0x{:02X}) is not UTF-8", bad + 1, static_cast<unsigned char>(text[bad]));
  if (text.size() > kMaxBytes) return fail("the text is longer than 1 GiB");
  if (iterators_) return split_words(text, take);
  split_blanks(text, take);
  return {};
}

void TextSplitter::split_blanks(std::string_view text, const Take& take) {
  Counter counter(text);
  for (size_t line = 0; line < text.size();) {
    const size_t end = std::min(text.find('\n', line), text.size());
    tokens_.clear();
    for (size_t at = line; at < end;) {
      const size_t first = std::min(text.find_first_not_of(" \t\r", at), end);
      const size_t last = std::min(text.find_first_of(" \t\r", first), end);
      if (first == end) break;
      const size_t begin = counter.at(first);
      tokens_.push_back({first, text.substr(first, last - first), begin, counter.at(last)});
      at = last;
    }
    if (!tokens_.empty()) take(tokens_);
    line = end + 1;
  }
}

Status TextSplitter::split_words(std::string_view text, const Take& take) {
  // ICU ends a sentence at every line end. Here lines may be wrapped, so a line end is a blank; empty lines,
  // which end sentences, are found first. Offsets do not change.
  spaced_.assign(text);
  for (char& c : spaced_)
    if (c == '\n' || c == '\r') c = ' ';
  UErrorCode code = U_ZERO_ERROR;
  UText sentence_text = UTEXT_INITIALIZER, word_text = UTEXT_INITIALIZER;
  Counter counter(text);
  UBreakIterator* const sentences = iterators_->sentences;
  UBreakIterator* const words = iterators_->words;
  for (size_t paragraph = 0; paragraph < text.size() && U_SUCCESS(code) != 0;) {
    const Gap gap = next_gap(text, paragraph);
    utext_openUTF8(&sentence_text, spaced_.data() + paragraph, static_cast<int64_t>(gap.begin - paragraph),
                   &code);
    ubrk_setUText(sentences, &sentence_text, &code);
    size_t begin = 0;
    while (U_SUCCESS(code) != 0) {
      const int32_t end = ubrk_next(sentences);
      if (end == UBRK_DONE) break;
      utext_openUTF8(&word_text, spaced_.data() + paragraph + begin, end - static_cast<int64_t>(begin),
                     &code);
      ubrk_setUText(words, &word_text, &code);
      if (U_FAILURE(code) != 0) break;
      tokens_.clear();
      size_t at = 0;
      for (int32_t stop = ubrk_next(words); stop != UBRK_DONE; stop = ubrk_next(words)) {
        const size_t byte = paragraph + begin + at;
        const std::string_view word = text.substr(byte, static_cast<size_t>(stop) - at);
        at = static_cast<size_t>(stop);
        if (invisible(word)) continue;
        const size_t first = counter.at(byte);
        tokens_.push_back({byte, word, first, counter.at(byte + word.size())});
      }
      if (!tokens_.empty()) take(tokens_);
      begin = static_cast<size_t>(end);
    }
    paragraph = gap.next;
  }
  utext_close(&sentence_text);
  utext_close(&word_text);
  if (U_FAILURE(code) != 0) return fail("text cannot be split: ICU says {}", u_errorName(code));
  return {};
}

}  // namespace espalier::data

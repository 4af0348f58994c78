// Functions on UTF-8 text: code points, case, character classes, word shapes, numbers, spelling suggestions.
//
// Strings are UTF-8. Invalid bytes are never an error: each counts as a character of its own, of class
// kInvalid, and is passed on unchanged. All functions are pure and may be called from any thread; those that
// take `out` overwrite it and reuse its memory, and the input must not be a part of it. All are linear in the
// text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "espalier/base/result.h"

namespace espalier {

inline constexpr char32_t kInvalidCodePoint = 0xFFFFFFFF;

struct CodePoint {
  char32_t value;  ///< kInvalidCodePoint for a byte that is no part of UTF-8
  uint32_t size;   ///< in bytes; 1 where invalid
};

namespace detail {
CodePoint decode_multibyte(std::string_view text, size_t at);
}  // namespace detail

/// The code point that starts at byte `at`. Precondition: at < text.size().
inline CodePoint code_point_at(std::string_view text, size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1};
  return detail::decode_multibyte(text, at);
}

/// A text as a range of CodePoint: `for (CodePoint c : CodePoints(text))`.
class CodePoints {
 public:
  class Iterator {
   public:
    Iterator(std::string_view text, size_t at) : text_(text), at_(at) { decode(); }
    const CodePoint& operator*() const { return current_; }
    Iterator& operator++() {
      at_ += current_.size;
      decode();
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void decode() {
      if (at_ < text_.size()) current_ = code_point_at(text_, at_);
    }
    std::string_view text_;
    size_t at_;
    CodePoint current_{0, 0};
  };

  explicit CodePoints(std::string_view text) : text_(text) {}
  Iterator begin() const { return {text_, 0}; }
  Iterator end() const { return {text_, text_.size()}; }

 private:
  std::string_view text_;
};

/// Whether the text is UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF). If not, *bad_offset
/// is where the first bad sequence starts.
bool valid_utf8(std::string_view text, size_t* bad_offset = nullptr);

/// Latin-1 to UTF-8: every byte becomes the code point with its number.
void latin1_to_utf8(std::string_view latin1, std::string& out);

/// Lower case of ASCII letters only, for keywords; use to_lower for natural text.
constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Lower case character by character (Unicode's simple mapping), the same in every locale.
void to_lower(std::string_view text, std::string& out);

enum class CharClass : uint8_t {
  kUpper,        ///< Lu
  kTitle,        ///< Lt: one character that looks like an upper- and a lower-case one
  kLower,        ///< Ll
  kLetterOther,  ///< Lo, Lm: letters of scripts without case
  kMark,         ///< Mn, Mc, Me: accents and vowel signs, parts of the character before
  kDigit,        ///< Nd: digits of any script
  kNumberOther,  ///< Nl, No: fractions, Roman numerals, superscripts
  kPunctuation,  ///< P*
  kSymbol,       ///< S*: currency, mathematics, emoji
  kSpace,        ///< Z*, tab and the line ends
  kOther,        ///< controls, formats, unassigned
  kInvalid,      ///< not UTF-8
};

CharClass char_class(char32_t code_point);

/// The shape of a word: upper and title case become X, lower case x, letters without case o, digits and other
/// numbers d; marks are dropped, so that composed and decomposed accents give the same shape; other
/// characters stay as they are. "McDonald's-97" gives "XxXxxxxx'x-dd".
void shape(std::string_view word, std::string& out);

/// The same with runs of one character collapsed: "XxXx'x-d".
void short_shape(std::string_view word, std::string& out);

inline constexpr size_t kNoSuchLength = std::string_view::npos;

/// How many bytes the first (last) n code points take; kNoSuchLength where the text has fewer.
size_t prefix_bytes(std::string_view text, size_t n);
size_t suffix_bytes(std::string_view text, size_t n);

/// The whole text as a decimal number, such as 3, -0.5, +1e-3; the point is a point in every locale.
/// Infinities, not-a-number, numbers beyond the range of double and anything else are errors that quote the
/// text.
Result<double> parse_number(std::string_view text);

/// The candidate that someone who typed `wanted` most likely meant, for "did you mean": the one it is the
/// start of, or the one with the fewest insertions, deletions, replacements and swaps of neighbours, if these
/// are at most a third of the length. Ties go to the first candidate. Empty if none is near. Time: the
/// product of the lengths per candidate.
std::string nearest(std::string_view wanted, std::span<const std::string_view> candidates);
std::string nearest(std::string_view wanted, std::span<const std::string> candidates);

}  // namespace espalier

#include "espalier/base/text/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

namespace espalier {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080ull;

uint64_t load_word(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

// Position of the first byte of 0x80 or above at or after `at`; the size of the text if there is none.
size_t skip_ascii(std::string_view text, size_t at) {
  while (at + sizeof(uint64_t) <= text.size() && (load_word(text.data() + at) & kHighBits) == 0)
    at += sizeof(uint64_t);
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

void append(char32_t code_point, std::string& out) {
  utf8proc_uint8_t bytes[4];
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

CharClass class_from_category(char32_t code_point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
      return CharClass::kUpper;
    case UTF8PROC_CATEGORY_LT:
      return CharClass::kTitle;
    case UTF8PROC_CATEGORY_LL:
      return CharClass::kLower;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharClass::kLetterOther;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return CharClass::kMark;
    case UTF8PROC_CATEGORY_ND:
      return CharClass::kDigit;
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharClass::kNumberOther;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return CharClass::kPunctuation;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
      return CharClass::kSymbol;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return CharClass::kSpace;
    default:
      return CharClass::kOther;
  }
}

// Unicode classes tab and line ends as controls; here they are space.
bool is_control_space(char32_t c) { return (c >= '\t' && c <= '\r') || c == 0x85; }

// The character for a class in a shape; 0: the character itself, kSkipped: none.
constexpr char kItself = 0;
constexpr char kSkipped = 1;

char shape_symbol(CharClass c) {
  switch (c) {
    case CharClass::kUpper:
    case CharClass::kTitle:
      return 'X';
    case CharClass::kLower:
      return 'x';
    case CharClass::kLetterOther:
      return 'o';
    case CharClass::kDigit:
    case CharClass::kNumberOther:
      return 'd';
    case CharClass::kMark:
      return kSkipped;
    default:
      return kItself;
  }
}

// Calls emit(bytes) for every character of the shape.
template <typename Emit>
void for_each_shape(std::string_view word, const Emit& emit) {
  for (size_t at = 0; at < word.size();) {
    const CodePoint c = code_point_at(word, at);
    const char symbol = shape_symbol(char_class(c.value));
    if (symbol == kItself) {
      emit(word.substr(at, c.size));
    } else if (symbol != kSkipped) {
      emit(std::string_view(&symbol, 1));
    }
    at += c.size;
  }
}

// Edits between two texts, a swap of neighbours counting as one (optimal string alignment). Three rows of the
// table d[i][j] = edits between the first i bytes of a and the first j of b are enough.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

template <typename Text>
std::string nearest_of(std::string_view wanted, std::span<const Text> candidates) {
  // One typing error is accepted even in the shortest names; a prefix must be long enough to be meant as one.
  constexpr size_t kShortestStart = 3;
  std::string lower_wanted, lower_candidate, best;
  to_lower(wanted, lower_wanted);
  size_t best_distance = std::string_view::npos;
  for (const std::string_view candidate : candidates) {
    to_lower(candidate, lower_candidate);
    size_t distance = edit_distance(lower_wanted, lower_candidate);
    const size_t longer = std::max(lower_wanted.size(), lower_candidate.size());
    const bool is_start = wanted.size() >= kShortestStart && lower_candidate.starts_with(lower_wanted);
    if (is_start) distance = std::min<size_t>(distance, 1);
    const bool near = distance <= std::max<size_t>(1, longer / 3) && distance < longer;
    if (near && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace

CodePoint detail::decode_multibyte(std::string_view text, size_t at) {
  utf8proc_int32_t value;
  const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                     static_cast<utf8proc_ssize_t>(text.size() - at), &value);
  if (size <= 0) return {kInvalidCodePoint, 1};
  return {static_cast<char32_t>(value), static_cast<uint32_t>(size)};
}

bool valid_utf8(std::string_view text, size_t* bad_offset) {
  for (size_t at = skip_ascii(text, 0); at < text.size(); at = skip_ascii(text, at)) {
    const CodePoint c = detail::decode_multibyte(text, at);
    if (c.value == kInvalidCodePoint) {
      if (bad_offset != nullptr) *bad_offset = at;
      return false;
    }
    at += c.size;
  }
  return true;
}

void latin1_to_utf8(std::string_view latin1, std::string& out) {
  out.clear();
  for (size_t at = 0; at < latin1.size();) {
    const size_t next = skip_ascii(latin1, at);
    out.append(latin1, at, next - at);
    at = next;
    if (at == latin1.size()) break;
    const auto byte = static_cast<unsigned char>(latin1[at++]);
    out += static_cast<char>(0xC0 | (byte >> 6));
    out += static_cast<char>(0x80 | (byte & 0x3F));
  }
}

void to_lower(std::string_view text, std::string& out) {
  out.assign(text);
  size_t at = 0;
  // Eight bytes at a time: the sums carry into a byte's high bit where it is at least 'A', and where it is
  // beyond 'Z'. Only upper-case letters have the first and not the second; their bit, moved from 0x80 to
  // 0x20, makes them small.
  constexpr uint64_t kOnes = 0x0101010101010101ull;
  for (; at + sizeof(uint64_t) <= out.size(); at += sizeof(uint64_t)) {
    const uint64_t word = load_word(out.data() + at);
    if ((word & kHighBits) != 0) break;
    const uint64_t upper = (word + kOnes * (0x80 - 'A')) & ~(word + kOnes * (0x7F - 'Z')) & kHighBits;
    const uint64_t lower = word | (upper >> 2);
    std::memcpy(out.data() + at, &lower, sizeof(lower));
  }
  for (; at < out.size() && static_cast<unsigned char>(out[at]) < 0x80; ++at)
    if (out[at] >= 'A' && out[at] <= 'Z') out[at] = static_cast<char>(out[at] | 0x20);
  if (at == out.size()) return;
  out.resize(at);  // a lower-case letter may take more or fewer bytes than its capital
  for (; at < text.size();) {
    const CodePoint c = code_point_at(text, at);
    if (c.value == kInvalidCodePoint) {
      out += text[at];
    } else {
      append(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c.value))), out);
    }
    at += c.size;
  }
}

CharClass char_class(char32_t code_point) {
  static const std::array<CharClass, 0x80> kAscii = [] {
    std::array<CharClass, 0x80> table{};
    for (char32_t c = 0; c < table.size(); ++c)
      table[c] = is_control_space(c) ? CharClass::kSpace : class_from_category(c);
    return table;
  }();
  if (code_point < kAscii.size()) return kAscii[code_point];
  if (code_point > 0x10FFFF) return CharClass::kInvalid;
  return is_control_space(code_point) ? CharClass::kSpace : class_from_category(code_point);
}

void shape(std::string_view word, std::string& out) {
  out.clear();
  for_each_shape(word, [&](std::string_view symbol) { out += symbol; });
}

void short_shape(std::string_view word, std::string& out) {
  out.clear();
  size_t last_size = 0;  // of the symbol that `out` ends with
  for_each_shape(word, [&](std::string_view symbol) {
    if (symbol.size() == last_size && std::string_view(out).ends_with(symbol)) return;
    out += symbol;
    last_size = symbol.size();
  });
}

size_t prefix_bytes(std::string_view text, size_t n) {
  size_t at = 0;
  for (; n > 0; --n) {
    if (at == text.size()) return kNoSuchLength;
    at += code_point_at(text, at).size;
  }
  return at;
}

size_t suffix_bytes(std::string_view text, size_t n) {
  size_t start = text.size();
  for (; n > 0; --n) {
    if (start == 0) return kNoSuchLength;
    const size_t end = start--;
    // Back to where a sequence could have started. If it does not end exactly here, the last byte is invalid
    // and counts by itself, as when reading forwards.
    while (start > 0 && end - start < 4 && is_continuation(text[start])) --start;
    if (code_point_at(text.substr(0, end), start).size != end - start) start = end - 1;
  }
  return text.size() - start;
}

Result<double> parse_number(std::string_view text) {
  // from_chars does not accept a plus sign. A plus sign followed by another sign is refused.
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stopped, code] = std::from_chars(digits.data(), end, value);
  if (code == std::errc::invalid_argument || stopped != end) return fail("'{}' is not a number", text);
  if (code == std::errc::result_out_of_range) return fail("'{}' is beyond the range of numbers", text);
  if (!std::isfinite(value)) return fail("'{}' is not a finite number", text);
  return value;
}

std::string nearest(std::string_view wanted, std::span<const std::string_view> candidates) {
  return nearest_of(wanted, candidates);
}
std::string nearest(std::string_view wanted, std::span<const std::string> candidates) {
  return nearest_of(wanted, candidates);
}

}  // namespace espalier

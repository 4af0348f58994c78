#include "espalier/data/features/pattern.h"

#include <array>

#include "espalier/base/text/text.h"

namespace espalier::data {
namespace {

// The match table keeps the elements of an expression in the bits of one word, the last for "all matched".
constexpr size_t kMaxElements = 63;
// Texts up to this many bytes are matched without touching the heap.
constexpr size_t kUsualText = 64;

bool in_class(char name, char32_t code) {
  const CharClass c = char_class(code);
  const bool upper = c == CharClass::kUpper || c == CharClass::kTitle;
  const bool letter =
      upper || c == CharClass::kLower || c == CharClass::kLetterOther || c == CharClass::kMark;
  switch (name) {
    case 'a':
      return letter;
    case 'd':
      return c == CharClass::kDigit;
    case 'w':
      return letter || c == CharClass::kDigit;
    case 'l':
      return c == CharClass::kLower;
    case 'u':
      return upper;
    case 'p':
      return c == CharClass::kPunctuation || c == CharClass::kSymbol;
    default:
      return c == CharClass::kSpace;
  }
}

/// The character that starts at a byte: a code point, or the byte itself.
CodePoint character_at(std::string_view text, size_t at, bool bytes) {
  return bytes ? CodePoint{static_cast<unsigned char>(text[at]), 1} : code_point_at(text, at);
}

}  // namespace

Result<Pattern> Pattern::compile(std::string_view expression, bool bytes) {
  Pattern pattern;
  pattern.bytes_ = bytes;
  pattern.expression_ = expression;
  size_t at = 0;
  if (!expression.empty() && expression[0] == '^') {
    pattern.anchored_start_ = true;
    at = 1;
  }
  while (at < expression.size()) {
    if (expression[at] == '$' && at + 1 == expression.size()) {
      pattern.anchored_end_ = true;
      break;
    }
    if (expression[at] == '*' || expression[at] == '?')
      return fail(
          "'{}' in the pattern \"{}\" has no character before it to repeat; write \\{} for the character",
          expression[at], expression, expression[at]);
    Element element{0, 0, Repeat::kOnce};
    if (expression[at] == '.') {
      element.character_class = '.';
      ++at;
    } else {
      const bool escaped = expression[at] == '\\';
      if (escaped && ++at == expression.size())
        return fail("the pattern \"{}\" ends in a backslash with nothing after it", expression);
      if (escaped && std::string_view("adwlupsADWLUPS").find(expression[at]) != std::string_view::npos) {
        element.character_class = expression[at];
        ++at;
      } else {
        const CodePoint literal = character_at(expression, at, bytes);
        element.character = literal.value;
        at += literal.size;
      }
    }
    if (at < expression.size() && (expression[at] == '*' || expression[at] == '?'))
      element.repeat = expression[at++] == '*' ? Repeat::kAny : Repeat::kOptional;
    pattern.elements_.push_back(element);
  }
  if (pattern.elements_.size() > kMaxElements)
    return fail("the pattern \"{}\" has {} characters; at most {} are supported", expression,
                pattern.elements_.size(), kMaxElements);
  return pattern;
}

bool Pattern::matches(const Element& element, char32_t c) const {
  const char name = element.character_class;
  if (name == 0) return element.character == c;
  if (name == '.') return true;
  const bool complement = name >= 'A' && name <= 'Z';
  if (bytes_ && c >= 0x80) return complement;  // part of a character that ASCII does not have
  return in_class(complement ? static_cast<char>(name - 'A' + 'a') : name, c) != complement;
}

// rest[i], bit e: elements e, e+1, … match the text from character i on (to its end, where anchored). From
// the last character to the first,
//   once:      rest[i][e] = c_i matches e and rest[i+1][e+1]
//   optional:  the same, or rest[i][e+1]
//   any:       c_i matches e and rest[i+1][e], or rest[i][e+1]
// so that no backtracking is needed; the match is then read off from its start, by the preferences of `?` and
// `*`.
std::optional<Pattern::Match> Pattern::find(std::string_view text) const {
  struct Place {
    char32_t character;
    size_t byte;
    uint64_t rest;
  };
  std::array<Place, kUsualText + 1> usual;
  std::vector<Place> unusual;
  Place* places = usual.data();
  if (text.size() > kUsualText) {
    unusual.resize(text.size() + 1);
    places = unusual.data();
  }
  size_t length = 0;
  for (size_t byte = 0; byte < text.size(); ++length) {
    const CodePoint c = character_at(text, byte, bytes_);
    places[length] = {c.value, byte, 0};
    byte += c.size;
  }
  places[length] = {0, text.size(), 0};

  const size_t count = elements_.size();
  for (size_t i = length + 1; i-- > 0;) {
    uint64_t rest = !anchored_end_ || i == length ? uint64_t{1} << count : 0;
    for (size_t e = count; e-- > 0;) {
      const Element& element = elements_[e];
      bool ok = element.repeat != Repeat::kOnce && (rest >> (e + 1) & 1) != 0;
      if (!ok && i < length) {
        const size_t next = element.repeat == Repeat::kAny ? e : e + 1;
        ok = (places[i + 1].rest >> next & 1) != 0 && matches(element, places[i].character);
      }
      rest |= static_cast<uint64_t>(ok) << e;
    }
    places[i].rest = rest;
  }

  size_t start = 0;
  while ((places[start].rest & 1) == 0) {
    if (anchored_start_ || start == length) return std::nullopt;
    ++start;
  }
  size_t i = start;
  for (size_t e = 0; e < count;) {
    const bool skip = (places[i].rest >> (e + 1) & 1) != 0;
    if (elements_[e].repeat == Repeat::kAny) {
      skip ? ++e : ++i;
    } else {
      const bool take = i < length && (places[i + 1].rest >> (e + 1) & 1) != 0 &&
                        matches(elements_[e], places[i].character);
      i += take;
      ++e;
    }
  }
  return Match{places[start].byte, places[i].byte - places[start].byte};
}

}  // namespace espalier::data

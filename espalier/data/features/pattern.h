// The small regular expressions of Wapiti's %t and %m. Matching takes time expression × text, without
// backtracking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::data {

/// A compiled expression: a list of characters or classes, each once, optional (`?`) or repeated (`*`).
///
///   .            any character
///   \d \a \w     digit, letter, letter or digit          \D \A \W  anything else
///   \l \u        lower case, upper case                  \L \U
///   \p \s        punctuation or symbol, space            \P \S
///   \x           x itself, for any other x
///   ^ and $      start and end of the text, at the start and the end of the expression only
///
/// The leftmost match counts; `?` takes the character if it can, `*` takes as few as it can, as Wapiti does.
/// Characters are code points, and classes are those of Unicode; or characters are bytes, and classes those
/// of ASCII, as Wapiti itself sees them.
class Pattern {
 public:
  struct Match {
    size_t begin, size;  ///< in bytes
  };

  static Result<Pattern> compile(std::string_view expression, bool bytes = false);

  std::optional<Match> find(std::string_view text) const;
  const std::string& expression() const { return expression_; }

 private:
  enum class Repeat : uint8_t { kOnce, kOptional, kAny };
  struct Element {
    char32_t character;    ///< where `character_class` is 0
    char character_class;  ///< '.', a class letter, or 0
    Repeat repeat;
  };

  bool matches(const Element& element, char32_t c) const;

  std::string expression_;
  std::vector<Element> elements_;
  bool bytes_ = false;
  bool anchored_start_ = false;
  bool anchored_end_ = false;
};

}  // namespace espalier::data

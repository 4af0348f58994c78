#include "espalier/constrain/label_pattern.h"

#include <algorithm>
#include <vector>

namespace espalier::constrain {

namespace {

/// The pattern without `*` next to another `*`.
std::string simplified(std::string_view pattern) {
  std::string out;
  for (const char c : pattern)
    if (c != '*' || out.empty() || out.back() != '*') out += c;
  return out;
}

/// The same with `value` for every `$`, as pieces: texts, and `*` between them. A star takes as little as it
/// can, and only the last one ever has to take more.
bool matches_bound(std::string_view pattern, std::string_view text, std::string_view value) {
  size_t p = 0, t = 0, star = std::string_view::npos, star_text = 0;
  while (p < pattern.size() || t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_text = t;
      continue;
    }
    const std::string_view piece = p == pattern.size() ? std::string_view()
                                   : pattern[p] == '$' ? value
                                                       : pattern.substr(p, 1);
    if (p < pattern.size() && text.substr(t, piece.size()) == piece) {
      t += piece.size();
      ++p;
    } else if (star != std::string_view::npos && star_text < text.size()) {
      p = star;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text, const std::string* bound,
             std::string* capture) {
  const std::string plain = simplified(pattern);
  const size_t dollar = plain.find('$');
  if (bound != nullptr || dollar == std::string::npos)
    return matches_bound(plain, text, bound != nullptr ? std::string_view(*bound) : std::string_view());
  const auto stars = static_cast<size_t>(std::count(plain.begin(), plain.end(), '*'));
  if (plain.size() - stars > text.size()) return false;  // every other character takes at least one
  const std::string_view before = std::string_view(plain).substr(0, dollar);
  const std::string_view after = std::string_view(plain).substr(dollar + 1);
  for (size_t begin = 0; begin < text.size(); ++begin) {
    if (!matches_bound(before, text.substr(0, begin), {})) continue;
    for (size_t size = 1; begin + size <= text.size(); ++size) {
      const std::string_view value = text.substr(begin, size);
      if (!matches_bound(after, text.substr(begin + size), value)) continue;
      if (capture != nullptr) *capture = value;
      return true;
    }
  }
  return false;
}

bool has_placeholder(const LabelTerms& terms) {
  return std::any_of(terms.terms.begin(), terms.terms.end(), [](const LabelTerm& term) {
    return !term.literal && term.text.find('$') != std::string::npos;
  });
}

bool is_pattern(const LabelTerm& term) {
  return !term.literal && term.text.find_first_of("*$") != std::string::npos;
}

}  // namespace espalier::constrain

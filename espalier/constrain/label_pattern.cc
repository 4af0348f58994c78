#include "espalier/constrain/label_pattern.h"

#include <algorithm>

namespace espalier::constrain {

bool matches(std::string_view pattern, std::string_view text, const std::string* bound,
             std::string* capture) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    for (size_t n = 0; n <= text.size(); ++n)
      if (matches(pattern.substr(1), text.substr(n), bound, capture)) return true;
    return false;
  }
  if (pattern.front() == '$') {
    if (bound != nullptr)
      return text.substr(0, bound->size()) == *bound &&
             matches(pattern.substr(1), text.substr(bound->size()), bound, capture);
    for (size_t n = 1; n <= text.size(); ++n) {
      const std::string value(text.substr(0, n));
      if (matches(pattern.substr(1), text.substr(n), &value, nullptr)) {
        if (capture != nullptr) *capture = value;
        return true;
      }
    }
    return false;
  }
  return !text.empty() && text.front() == pattern.front() &&
         matches(pattern.substr(1), text.substr(1), bound, capture);
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

#include "espalier/constrain/cscl.h"

#include <algorithm>

#include "espalier/base/result.h"

namespace espalier::constrain {

std::vector<Phrase> best_phrases(std::span<const float> open, std::span<const float> close, size_t longest) {
  ESPALIER_CHECK(open.size() == close.size() && longest >= 1);
  const size_t n = open.size();
  // best[t]: the best score of the words before position t; from[t]: where the phrase that ends there begins,
  // or t.
  std::vector<double> best(n + 1, 0.0);
  std::vector<size_t> from(n + 1);
  for (size_t t = 1; t <= n; ++t) {
    best[t] = best[t - 1];
    from[t] = t;
    const size_t least = t > longest ? t - longest : 0;
    for (size_t i = t; i-- > least;) {
      const double value = best[i] + static_cast<double>(open[i]) + static_cast<double>(close[t - 1]);
      if (value > best[t]) {
        best[t] = value;
        from[t] = i;
      }
    }
  }
  std::vector<Phrase> phrases;
  for (size_t t = n; t > 0;) {
    if (from[t] == t) {
      --t;
    } else {
      phrases.push_back({from[t], t});
      t = from[t];
    }
  }
  std::reverse(phrases.begin(), phrases.end());
  return phrases;
}

}  // namespace espalier::constrain

#include "espalier/report/halving.h"

#include <algorithm>

namespace espalier::report {

std::vector<Standing> who_goes_on(std::vector<Standing> standings, double growth, double seconds) {
  std::stable_sort(standings.begin(), standings.end(),
                   [](const Standing& a, const Standing& b) { return a.score > b.score; });
  const size_t half = (standings.size() + 1) / 2;
  std::vector<Standing> out;
  double spent = 0;
  for (size_t i = 0; i < standings.size(); ++i) {
    if (i >= half && !standings[i].tied) continue;
    const double needed = standings[i].seconds * growth;
    if (!out.empty() && spent + needed > seconds) continue;
    spent += needed;
    out.push_back(standings[i]);
  }
  return out;
}

double longest_trial(double seconds, size_t left, double budget, double remaining) {
  const double fair = 3 * seconds / static_cast<double>(std::max<size_t>(1, left));
  return std::min(std::max(fair, budget / 20), remaining);
}

}  // namespace espalier::report

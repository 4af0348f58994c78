// Successive halving: who goes on to the next, larger part of the data.
//
// compare() trains all candidates on a small part, keeps the better half, doubles the part, and so on, within
// a time budget. This is the decision alone: no training, no clock.
#pragma once

#include <cstddef>
#include <vector>

namespace espalier::report {

/// How a candidate did on the last part.
struct Standing {
  size_t candidate = 0;
  double score = 0;
  double seconds = 0;  ///< that it took
  bool tied = false;   ///< not significantly worse than the best
};

/// Who goes on, best first: the better half, and everyone who is tied with the best, as long as the time they
/// would take (their seconds times `growth`) fits into `seconds`. The best always goes on, even alone. Ties
/// go to the first.
std::vector<Standing> who_goes_on(std::vector<Standing> standings, double growth, double seconds);

/// How long one candidate may take, if `left` candidates share `seconds` and the whole budget has
/// `remaining`: three times its share, but not less than a twentieth of the budget, nor more than what
/// remains.
double longest_trial(double seconds, size_t left, double budget, double remaining);

}  // namespace espalier::report

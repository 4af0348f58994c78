// For tests: random constraints as text, and the best labelling by enumeration.
#pragma once

#include <string>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/constrain/decode.h"

namespace espalier::constrain {

inline data::LabelSet letters(size_t labels) {
  data::LabelSet out;
  for (size_t y = 0; y < labels; ++y) out.add(std::string(1, static_cast<char>('A' + y)));
  return out;
}

/// A set of labels as it is written, never empty.
inline std::string random_set(Random& random, size_t labels) {
  std::string out = "{";
  for (size_t y = 0; y < labels; ++y)
    if (random.below(2) == 0) out += std::string(1, static_cast<char>('A' + y)) + " ";
  if (out.size() == 1) out += static_cast<char>('A' + random.below(labels));
  return out + "}";
}

struct RandomConstraintOptions {
  bool neighbours = true;
  bool spans = false;
};

/// One constraint of any kind, hard or soft.
inline std::string random_constraint(Random& random, size_t labels, const RandomConstraintOptions& options) {
  const std::string a = random_set(random, labels), b = random_set(random, labels);
  const std::string k = std::to_string(random.below(3));
  const std::string one(1, static_cast<char>('A' + random.below(labels)));
  const std::string other(1, static_cast<char>('A' + (static_cast<size_t>(one[0] - 'A') + 1) % labels));
  std::string out;
  switch (random.below(options.neighbours ? 10 : 6) + (options.spans && random.below(3) == 0 ? 100 : 0)) {
    case 0:
      out = "at most " + k + " of " + a;
      break;
    case 1:
      out = "at least " + k + " of " + a;
      break;
    case 2:
      out = "exactly " + k + " of " + a;
      break;
    case 3:
      out = "if " + one + " then " + other;
      break;
    case 4:
      out = "if " + a + " then " + b + (random.below(2) == 0 ? " before" : " after");
      break;
    case 5:
      out = "allow column 1";
      break;
    case 6:
      out = "forbid " + a + " then " + b;
      break;
    case 7:
      out = "require " + one + (random.below(2) == 0 ? " then " : " after ") + b;
      break;
    case 8:
      out = "forbid " + one + (random.below(2) == 0 ? " at start" : " at end");
      break;
    case 9:
      out = "at most " + k + " of each " + a;
      break;
    default:
      out = random.below(3) == 0 ? "no embedding" : "no overlap";
  }
  if (random.below(3) == 0) out += " soft " + std::to_string(random.uniform() * 2);
  return out + "\n";
}

/// The best labelling by trying all: score − penalty, or −∞ where none is allowed.
inline double best_of_all(const Constraints& constraints, const Instance& instance, const Scores& scores,
                          std::vector<data::Label>* best = nullptr) {
  double top = chain::kMinusInfinity;
  std::vector<data::Label> y(instance.length, 0);
  while (true) {
    const double penalty = constraints.penalty(instance, y);
    if (penalty != kHard && score_labels(scores, y) - penalty > top) {
      top = score_labels(scores, y) - penalty;
      if (best != nullptr) *best = y;
    }
    size_t t = 0;
    while (t < y.size() && ++y[t] == scores.labels) y[t++] = 0;
    if (t == y.size()) return top;
  }
}

}  // namespace espalier::constrain

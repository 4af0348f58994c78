// A map from scores to how often what has the score is right: fit() by isotonic
// regression, which asks only that higher scores are right at least as often.
// Tested in monotone_map_test.cc.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace espalier::eval {

class MonotoneMap {
 public:
  struct Knot {
    double score = 0, right = 0;
  };
  /// The identity.
  MonotoneMap() = default;
  /// Precondition: scores ascend strictly, `right` is in [0, 1] and does not
  /// fall (valid()).
  explicit MonotoneMap(std::vector<Knot> knots) : knots_(std::move(knots)) {}
  static bool valid(const std::vector<Knot>& knots);

  /// Scores with whether they were right, in any order. Pools neighbours until
  /// each group has at least `least` observations and none is right less often
  /// than a lower one (pool adjacent violators). Too few observations for two
  /// groups give the identity. O(n log n).
  static MonotoneMap fit(std::vector<std::pair<float, bool>> observed, size_t least);

  /// On the line between neighbouring knots; beyond them, that of the nearest.
  double operator()(double score) const;
  const std::vector<Knot>& knots() const { return knots_; }

 private:
  std::vector<Knot> knots_;
};

}  // namespace espalier::eval

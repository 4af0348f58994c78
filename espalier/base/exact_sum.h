// Sums of floating-point numbers that do not depend on the order of their terms: each term is rounded to a
// multiple of a fixed power of two, and multiples are added as integers. What several threads, or several
// machines, have summed is then the same bytes however the work was cut.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace espalier {

/// Σ x for terms of any size below 2^62, each rounded to a multiple of 2^−52, so that terms from 1 on are
/// exact. A sum that a term without a value (infinite, not a number, too large) is added to has no value any
/// more.
class ExactSum {
 public:
  void add(double x) {
    if (!(std::abs(x) < 0x1p62)) {
      ++lost_;
      return;
    }
    const double below = std::floor(x);
    whole_ += static_cast<int64_t>(below);
    parts_ += static_cast<int64_t>(std::nearbyint((x - below) * 0x1p52));
    carry();
  }
  void add(const ExactSum& other) {
    whole_ += other.whole_;
    parts_ += other.parts_;
    lost_ += other.lost_;
    carry();
  }
  double value() const {
    if (lost_ > 0) return std::numeric_limits<double>::infinity();
    return static_cast<double>(whole_) + static_cast<double>(parts_) * 0x1p-52;
  }

  /// The sum as integers, to be added one by one to those of other sums, of which there may be 2,000.
  static constexpr size_t kIntegers = 3;
  void to_integers(int64_t* out) const {
    out[0] = whole_;
    out[1] = parts_;
    out[2] = lost_;
  }
  static ExactSum from_integers(const int64_t* in) {
    ExactSum sum;
    sum.whole_ = in[0];
    sum.parts_ = in[1];
    sum.lost_ = in[2];
    sum.carry();
    return sum;
  }

 private:
  /// Keeps the parts below one, so that equal sums are equal integers.
  void carry() {
    whole_ += parts_ >> 52;
    parts_ &= (int64_t{1} << 52) - 1;
  }
  int64_t whole_ = 0, parts_ = 0, lost_ = 0;
};

/// Multiples of 2^−bits for sums whose terms come to at most `bound`, in absolute value: sums fit into 62
/// bits.
class FixedPoint {
 public:
  FixedPoint() = default;
  explicit FixedPoint(double bound) {
    int exponent = 0;
    std::frexp(bound, &exponent);  // bound ≤ 2^exponent
    const int bits = std::clamp(61 - exponent, -900, 900);
    unit_ = std::ldexp(1.0, -bits);
    scale_ = std::ldexp(1.0, bits);
  }
  /// A multiple next to the term; what does not fit, or is not a number, becomes 0.
  int64_t multiple(double x) const {
    const double scaled = x * scale_;
    return std::abs(scaled) < 0x1p62 ? static_cast<int64_t>(scaled) : 0;
  }
  double value(int64_t sum) const { return static_cast<double>(sum) * unit_; }

 private:
  double unit_ = 1, scale_ = 1;
};

}  // namespace espalier

// The axes of plots: ranges, tick marks and what is written next to them.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace espalier::eval {

/// Positions of tick marks from `low` to `high`: multiples of 1, 2 or 5 times a power of ten, about `wanted`
/// of them; with `whole`, whole numbers only. Precondition: low < high.
std::vector<double> axis_marks(double low, double high, int wanted, bool whole = false);
/// Powers of ten, and where these are fewer than three their multiples by 2 and 5. Precondition: 0 < low <
/// high.
std::vector<double> log_axis_marks(double low, double high);

/// A number at a mark: "0", "0.05", "1,000", "2e+07"; never "-0".
std::string mark_text(double value);

/// Maps values to positions along one axis. Include all values, then call widen().
class PlotAxis {
 public:
  explicit PlotAxis(bool log = false) : log_(log) {}

  /// Values that are not finite do not count.
  void include(double value);
  bool empty() const { return low_ > high_; }
  /// Adds a margin, but does not cross zero; a single value gets a range around it.
  void widen();
  double low() const { return low_; }
  double high() const { return high_; }
  double place(double value) const;  ///< 0 at the low end, 1 at the high end
  /// Marks are whole numbers if all values are.
  std::vector<double> marks(int wanted) const;

 private:
  double low_ = std::numeric_limits<double>::infinity(), high_ = -std::numeric_limits<double>::infinity();
  bool log_;
  bool whole_ = true;
};

}  // namespace espalier::eval

#include "espalier/eval/plot_axis.h"

#include <algorithm>
#include <cmath>

#include "espalier/base/result.h"
#include "espalier/base/text/counted.h"

namespace espalier::eval {

std::vector<double> axis_marks(double low, double high, int wanted, bool whole) {
  ESPALIER_CHECK(low < high && wanted > 0);
  const double rough = (high - low) / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power * (rough / power < 1.5 ? 1 : rough / power < 3.5 ? 2 : rough / power < 7.5 ? 5 : 10);
  if (whole) step = std::max(1.0, std::round(step));
  std::vector<double> marks;
  // Counted in whole steps, so that a mark at 0 is exactly 0. Adding 0 turns -0 into 0.
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k)
    marks.push_back(k * step + 0.0);
  return marks;
}

std::vector<double> log_axis_marks(double low, double high) {
  ESPALIER_CHECK(0 < low && low < high);
  std::vector<double> powers, all;
  for (double e = std::floor(std::log10(low)); e <= std::log10(high); ++e)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double mark = digit * std::pow(10, e);
      if (mark < low || mark > high) continue;
      all.push_back(mark);
      if (digit == 1) powers.push_back(mark);
    }
  return powers.size() >= 3 ? powers : all;
}

std::string mark_text(double value) {
  if (std::abs(value) < 1e-12) return "0";
  if (value == std::floor(value) && value >= 1000 && value < 1e7)
    return count_text(static_cast<uint64_t>(value));
  return fmt::format("{:g}", value);
}

void PlotAxis::include(double value) {
  if (!std::isfinite(value)) return;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
  whole_ = whole_ && value == std::floor(value);
}

void PlotAxis::widen() {
  if (log_) {
    const double factor = low_ == high_ ? 2 : std::pow(high_ / low_, 0.03);
    low_ /= factor;
    high_ *= factor;
    return;
  }
  const double margin = low_ == high_ ? std::max(0.5, std::abs(low_) * 0.1) : (high_ - low_) * 0.04;
  low_ = low_ >= 0 ? std::max(0.0, low_ - margin) : low_ - margin;
  high_ = high_ <= 0 ? std::min(0.0, high_ + margin) : high_ + margin;
  if (low_ == high_) high_ = low_ + 1;
}

double PlotAxis::place(double value) const {
  return log_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
}

std::vector<double> PlotAxis::marks(int wanted) const {
  if (log_)
    // A narrow range holds no round number of a logarithmic scale.
    if (auto marks = log_axis_marks(low_, high_); marks.size() >= 2) return marks;
  return axis_marks(low_, high_, wanted, whole_ && !log_);
}

}  // namespace espalier::eval

#include "research/beam/theory_demands.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>

#include "espalier/base/result.h"
#include "espalier/program/program.h"

namespace espalier::research {
namespace {

using program::Term;

constexpr double kRounding = 1e-9;
/// Whole weights stay below this, so their products with features of a few bits are exact.
constexpr int64_t kLargestWhole = int64_t{1} << 40;
constexpr int kFractionBits = 20;

/// The demands with g scaled to one size (by powers of two, which is exact), without duplicates: of two that
/// only differ in strictness, the strict one stays; demands with g = 0 are removed. Nothing if a strict
/// demand asks for 0 > 0, or contradicts another one.
std::optional<std::vector<Demand>> merge_demands(std::span<const Demand> demands) {
  std::map<std::vector<double>, bool> strict;
  for (const Demand& demand : demands) {
    double largest = 0;
    for (const double x : demand.g) largest = std::max(largest, std::abs(x));
    if (largest == 0) {
      if (demand.strict) return std::nullopt;
      continue;
    }
    int exponent = 0;
    std::frexp(largest, &exponent);
    std::vector<double> g = demand.g;
    for (double& x : g) x = x == 0 ? 0 : std::ldexp(x, -exponent);  // −0 becomes 0
    bool& is_strict = strict[std::move(g)];
    is_strict = is_strict || demand.strict;
  }
  std::vector<Demand> merged;
  std::vector<double> opposite;
  for (const auto& [g, is_strict] : strict) {
    if (is_strict) {
      opposite = g;
      for (double& x : opposite) x = -x;
      if (strict.contains(opposite)) return std::nullopt;
    }
    merged.push_back({g, is_strict});
  }
  return merged;
}

/// maximise Σ_k t_k  subject to  w·g ≥ t_k,  0 ≤ t_k ≤ 1,  with one slack for all demands, or one for all
/// strict demands and one for each weak one. There is always a solution, w = 0. At the optimum each t_k is 0
/// or 1: solutions can be added, so there is one in which all demands that can be met strictly are, and a
/// multiple of it raises their slacks to 1.
///
/// Free variables are avoided by w_j = p_j − s with p, s ≥ 0, because CLP's dual simplex has been observed to
/// report feasible programs with free variables as infeasible.
class SlackProgram {
 public:
  enum class Slacks { kOne, kEachWeak };

  SlackProgram(size_t dimension, std::span<const Demand> demands, Slacks slacks)
      : dimension_(dimension), demands_(demands) {
    for (size_t j = 0; j <= dimension; ++j) program_.add_variable(0, program::kInfinite, 0);
    const int common = program_.add_variable(0, 1, 1);
    std::vector<Term> row;
    for (const Demand& demand : demands) {
      row.clear();
      double sum = 0;
      for (size_t j = 0; j < dimension; ++j) {
        if (demand.g[j] == 0) continue;
        row.push_back({static_cast<int>(j), demand.g[j]});
        sum += row.back().factor;
      }
      if (sum != 0) row.push_back({static_cast<int>(dimension), -sum});
      const bool own = slacks == Slacks::kEachWeak && !demand.strict;
      slack_.push_back(own ? program_.add_variable(0, 1, 1) : common);
      row.push_back({slack_.back(), -1});
      program_.add_row(row, 0, program::kInfinite);
    }
  }

  /// False if the solver gave up.
  bool solve() {
    solution_ = program::solve(program_);
    return solution_.solved();
  }
  bool is_strict(size_t demand) const { return solution_.values[static_cast<size_t>(slack_[demand])] > 0.5; }
  std::vector<double> w() const {
    std::vector<double> w(dimension_);
    for (size_t j = 0; j < dimension_; ++j) w[j] = solution_.values[j] - solution_.values[dimension_];
    return w;
  }
  /// Motzkin's certificate that no w meets the demands: the rows' prices y ≥ 0 have Σ y_k g_k = 0 and Σ y_k >
  /// 0 over strict demands, so 0 = Σ y_k w·g_k > 0 for any w that meets them.
  bool proves_there_is_none() const {
    std::vector<double> sum(dimension_, 0.0);
    double strict = 0;
    for (size_t k = 0; k < demands_.size(); ++k) {
      const double y = -solution_.row_price[k];  // demanding more can only lower the optimum
      if (y < -kPriceRounding) return false;
      if (demands_[k].strict) strict += y;
      for (size_t j = 0; j < dimension_; ++j) sum[j] += y * demands_[k].g[j];
    }
    return strict > 0.5 && std::all_of(sum.begin(), sum.end(),
                                       [&](double x) { return std::abs(x) <= kPriceRounding * strict; });
  }

 private:
  static constexpr double kPriceRounding = 1e-7;
  size_t dimension_;
  std::span<const Demand> demands_;
  program::Program program_{program::Sense::kMaximise};
  std::vector<int> slack_;  ///< of each demand
  program::Solution solution_;
};

/// The solutions of a_r · w = 0 by Gauss–Jordan elimination in whole numbers.
class WholeNullSpace {
 public:
  explicit WholeNullSpace(size_t dimension) : dimension_(dimension) {}

  /// False if the numbers of the equation, or those it leads to, are too large.
  bool add(std::span<const double> g) {
    std::vector<int64_t> row(dimension_);
    for (size_t j = 0; j < dimension_; ++j) {
      const double scaled = std::ldexp(g[j], kFractionBits);
      if (scaled != std::floor(scaled) || std::abs(scaled) > static_cast<double>(kLargestWhole)) return false;
      row[j] = static_cast<int64_t>(scaled);
    }
    reduce(row);
    for (size_t r = 0; r < rows_.size(); ++r)
      if (!eliminate(row, rows_[r], pivots_[r])) return false;
    const auto pivot = std::find_if(row.begin(), row.end(), [](int64_t x) { return x != 0; });
    if (pivot == row.end()) return true;
    const size_t column = static_cast<size_t>(pivot - row.begin());
    for (std::vector<int64_t>& other : rows_)
      if (!eliminate(other, row, column)) return false;
    rows_.push_back(std::move(row));
    pivots_.push_back(column);
    return true;
  }

  /// A whole point of the null space, close to a multiple of z whose values have `bits` bits; nothing if it
  /// is too large.
  std::optional<std::vector<double>> nearest(std::span<const double> z, int bits) const {
    double largest = 0;
    for (const double x : z) largest = std::max(largest, std::abs(x));
    if (largest == 0) return std::vector<double>(dimension_, 0.0);
    int exponent = 0;
    std::frexp(largest, &exponent);
    int64_t common = 1;
    for (size_t r = 0; r < rows_.size(); ++r) {
      common = std::lcm(common, rows_[r][pivots_[r]]);
      if (common > kLargestWhole) return std::nullopt;
    }
    std::vector<int64_t> whole(dimension_, 0);
    std::vector<char> is_pivot(dimension_, 0);
    for (const size_t p : pivots_) is_pivot[p] = 1;
    for (size_t j = 0; j < dimension_; ++j)
      if (is_pivot[j] == 0) whole[j] = std::llround(std::ldexp(z[j], bits - exponent));
    std::vector<double> w(dimension_);
    for (size_t j = 0; j < dimension_; ++j)
      w[j] = static_cast<double>(common) * static_cast<double>(whole[j]);
    for (size_t r = 0; r < rows_.size(); ++r) {
      const int64_t pivot = rows_[r][pivots_[r]];
      Wide sum = 0;
      for (size_t j = 0; j < dimension_; ++j)
        if (j != pivots_[r]) sum -= Wide{rows_[r][j]} * whole[j];
      w[pivots_[r]] = static_cast<double>(sum * (common / pivot));
    }
    if (std::any_of(w.begin(), w.end(), [](double x) { return std::abs(x) > double{kLargestWhole}; }))
      return std::nullopt;
    int64_t divisor = 0;
    for (const double x : w) divisor = std::gcd(divisor, static_cast<int64_t>(x));
    if (divisor > 1)
      for (double& x : w) x /= static_cast<double>(divisor);
    return w;
  }

 private:
  __extension__ using Wide = __int128;

  static void reduce(std::vector<int64_t>& row) {
    int64_t divisor = 0;
    for (const int64_t x : row) divisor = std::gcd(divisor, x);
    if (divisor > 1)
      for (int64_t& x : row) x /= divisor;
  }
  /// row := row · pivot − row[column] · by, divided by the greatest common divisor.
  bool eliminate(std::vector<int64_t>& row, const std::vector<int64_t>& by, size_t column) const {
    const int64_t factor = row[column], pivot = by[column];
    if (factor == 0) return true;
    for (size_t j = 0; j < dimension_; ++j) {
      const Wide x = Wide{row[j]} * pivot - Wide{factor} * by[j];
      if (x > kLargestWhole || x < -kLargestWhole) return false;
      row[j] = static_cast<int64_t>(x);
    }
    reduce(row);
    return true;
  }

  size_t dimension_;
  std::vector<std::vector<int64_t>> rows_;
  std::vector<size_t> pivots_;
};

DemandsMet verified(std::span<const Demand> demands, std::vector<double> w, size_t programs) {
  for (const Demand& demand : demands)
    if (!surely_met(demand, w)) return {Decision::kUndecided, {}, programs};
  return {Decision::kYes, std::move(w), programs};
}

}  // namespace

bool surely_met(const Demand& demand, std::span<const double> w) {
  double sum = 0, size = 0;
  for (size_t j = 0; j < w.size(); ++j) {
    sum += w[j] * demand.g[j];
    size += std::abs(w[j] * demand.g[j]);
  }
  return sum > kRounding * size || (sum == 0 && !demand.strict);
}

DemandsMet meet_demands(size_t dimension, std::span<const Demand> demands) {
  for (const Demand& demand : demands) ESPALIER_CHECK(demand.g.size() == dimension);
  const std::optional<std::vector<Demand>> merged = merge_demands(demands);
  if (!merged) return {Decision::kNo, {}, 0};
  const std::vector<Demand>& used = *merged;
  if (used.empty()) return {Decision::kYes, std::vector<double>(dimension, 0.0), 0};
  const bool any_weak = std::any_of(used.begin(), used.end(), [](const Demand& d) { return !d.strict; });

  WholeNullSpace ties(dimension);
  SlackProgram program(dimension, used, SlackProgram::Slacks::kOne);
  size_t programs = 1;
  if (!program.solve()) return {Decision::kUndecided, {}, programs};
  bool whole = true;
  if (!program.is_strict(0)) {
    if (any_weak) {
      program = SlackProgram(dimension, used, SlackProgram::Slacks::kEachWeak);
      ++programs;
      if (!program.solve()) return {Decision::kUndecided, {}, programs};
    }
    for (size_t k = 0; k < used.size(); ++k) {
      if (program.is_strict(k)) continue;
      if (used[k].strict)
        return {program.proves_there_is_none() ? Decision::kNo : Decision::kUndecided, {}, programs};
      whole = whole && ties.add(used[k].g);
    }
  }
  std::vector<double> z = program.w();
  // Few bits give small numbers, many stay close to z.
  for (const int bits : {8, 14, 20, 26}) {
    std::optional<std::vector<double>> w;
    if (whole) w = ties.nearest(z, bits);
    if (!w) break;
    DemandsMet met = verified(used, std::move(*w), programs);
    if (met.decision == Decision::kYes) return met;
  }
  return verified(used, std::move(z), programs);
}

}  // namespace espalier::research

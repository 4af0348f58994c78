// Linear and integer programs. Build a Program from variables and rows, then call solve() or
// solve_relaxation(); CLP and CBC do the work. Nothing here depends on their headers.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::program {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// A coefficient of a row.
struct Term {
  int variable = 0;
  double factor = 1;
};

enum class Sense { kMinimise, kMaximise };

/// optimise Σ_j cost_j x_j  subject to  lower_i ≤ Σ_j a_ij x_j ≤ upper_i,  lower_j ≤ x_j ≤ upper_j,  some x_j
/// integer.
///
/// A value: build it, copy it, solve it. A variable that occurs several times in a row gets the sum of its
/// factors. Not thread-safe while it is being built.
class Program {
 public:
  explicit Program(Sense sense = Sense::kMinimise) : sense_(sense) {}

  /// Adds a variable and returns its number, from 0. Preconditions: lower ≤ upper, neither NaN, a finite
  /// cost.
  int add_variable(double lower, double upper, double cost);
  /// The same, but the variable takes integer values only.
  int add_integer(double lower, double upper, double cost);
  /// A variable that is 0 or 1.
  int add_binary(double cost) { return add_integer(0, 1, cost); }

  /// Adds a row and returns its number. Preconditions: lower ≤ upper, neither NaN; variables that exist, with
  /// finite factors.
  int add_row(std::span<const Term> terms, double lower, double upper);

  Sense sense() const { return sense_; }
  int variables() const { return static_cast<int>(cost_.size()); }
  int rows() const { return static_cast<int>(row_lower_.size()); }
  bool has_integers() const { return integers_ > 0; }
  bool is_integer(int variable) const { return integer_[static_cast<size_t>(variable)] != 0; }

  std::span<const double> cost() const { return cost_; }
  std::span<const double> lower() const { return lower_; }
  std::span<const double> upper() const { return upper_; }
  std::span<const double> row_lower() const { return row_lower_; }
  std::span<const double> row_upper() const { return row_upper_; }
  std::span<const Term> row(int number) const {
    const size_t i = static_cast<size_t>(number);
    return {terms_.data() + row_begin_[i], row_begin_[i + 1] - row_begin_[i]};
  }

  /// Σ_j cost_j x_j. Precondition: one value per variable.
  double objective(std::span<const double> values) const;
  /// The largest violation of any bound or row by these values; 0 if they are feasible.
  double violation(std::span<const double> values) const;

 private:
  int add(double lower, double upper, double cost, bool integer);

  Sense sense_;
  std::vector<double> cost_, lower_, upper_;
  std::vector<char> integer_;
  size_t integers_ = 0;
  std::vector<double> row_lower_, row_upper_;
  std::vector<size_t> row_begin_{0};
  std::vector<Term> terms_;
};

/// How solving ended.
enum class Outcome {
  kOptimal,     ///< no better solution exists
  kFeasible,    ///< time was up; the solution satisfies everything but may not be the best
  kInfeasible,  ///< there is no solution
  kUnbounded,   ///< solutions get better without limit
  kOutOfTime,   ///< time was up before any solution was found
  kFailed,      ///< the solver gave up for numerical reasons
};

struct SolveOptions {
  double seconds = kInfinite;  ///< wall-clock time
};

struct Solution {
  Outcome outcome = Outcome::kFailed;
  double objective = 0;        ///< of `values`
  std::vector<double> values;  ///< per variable; empty unless kOptimal or kFeasible. Integers are exact.
  /// Linear programs only: per row, the derivative of the optimum by the row's active bound.
  std::vector<double> row_price;

  bool solved() const { return outcome == Outcome::kOptimal || outcome == Outcome::kFeasible; }
};

/// Solves a program: by CLP if every variable is continuous (dual simplex; any result that is not an optimum
/// within all bounds is confirmed by the primal simplex), by CBC (branch and cut) if some must be integers.
/// Deterministic as long as time does not run out. Safe to call from any number of threads; integer programs
/// are solved one at a time, because CBC has global state.
Solution solve(const Program& program, const SolveOptions& options = {});

/// Solves the program with every variable continuous. Its optimum bounds that of the integer program.
Solution solve_relaxation(const Program& program, const SolveOptions& options = {});

}  // namespace espalier::program

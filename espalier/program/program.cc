#include "espalier/program/program.h"

#include <algorithm>
#include <cmath>

namespace espalier::program {

int Program::add(double lower, double upper, double cost, bool integer) {
  ESPALIER_CHECK(lower <= upper);
  ESPALIER_CHECK(std::isfinite(cost));
  lower_.push_back(lower);
  upper_.push_back(upper);
  cost_.push_back(cost);
  integer_.push_back(integer ? 1 : 0);
  if (integer) ++integers_;
  return variables() - 1;
}

int Program::add_variable(double lower, double upper, double cost) { return add(lower, upper, cost, false); }
int Program::add_integer(double lower, double upper, double cost) { return add(lower, upper, cost, true); }

int Program::add_row(std::span<const Term> terms, double lower, double upper) {
  ESPALIER_CHECK(lower <= upper);
  for (const Term& term : terms) {
    ESPALIER_CHECK(term.variable >= 0 && term.variable < variables());
    ESPALIER_CHECK(std::isfinite(term.factor));
  }
  row_lower_.push_back(lower);
  row_upper_.push_back(upper);
  // Solvers need each variable once in a row.
  const size_t begin = terms_.size();
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  const auto first = terms_.begin() + static_cast<std::ptrdiff_t>(begin);
  std::stable_sort(first, terms_.end(), [](const Term& a, const Term& b) { return a.variable < b.variable; });
  size_t kept = begin;
  for (size_t i = begin; i < terms_.size(); ++i) {
    if (kept > begin && terms_[kept - 1].variable == terms_[i].variable) {
      terms_[kept - 1].factor += terms_[i].factor;
    } else {
      terms_[kept++] = terms_[i];
    }
  }
  terms_.resize(kept);
  row_begin_.push_back(kept);
  return rows() - 1;
}

double Program::objective(std::span<const double> values) const {
  ESPALIER_CHECK(values.size() == cost_.size());
  double sum = 0;
  for (size_t j = 0; j < values.size(); ++j) sum += cost_[j] * values[j];
  return sum;
}

double Program::violation(std::span<const double> values) const {
  ESPALIER_CHECK(values.size() == cost_.size());
  double worst = 0;
  for (size_t j = 0; j < values.size(); ++j) {
    worst = std::max({worst, lower_[j] - values[j], values[j] - upper_[j]});
    if (integer_[j] != 0) worst = std::max(worst, std::abs(values[j] - std::round(values[j])));
  }
  for (int i = 0; i < rows(); ++i) {
    double sum = 0;
    for (const Term& term : row(i)) sum += term.factor * values[static_cast<size_t>(term.variable)];
    worst =
        std::max({worst, row_lower_[static_cast<size_t>(i)] - sum, sum - row_upper_[static_cast<size_t>(i)]});
  }
  return worst;
}

}  // namespace espalier::program

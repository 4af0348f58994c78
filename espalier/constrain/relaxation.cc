#include "espalier/constrain/relaxation.h"

#include <algorithm>
#include <cmath>

#include "espalier/chain/kernels.h"

namespace espalier::constrain {

using chain::kMinusInfinity;
using data::Label;

Relaxation::Relaxation(const Compiled& compiled, const Instance& instance, std::vector<double>& value)
    : instance_(instance), value_(value), T_(instance.length), K_(compiled.constraints().labels()) {
  const auto rules = compiled.constraints().rules();
  for (const size_t r : compiled.overlaps())
    if (overlap_ == nullptr && rules[r].hard()) overlap_ = &rules[r];
  for (const CostAutomaton& automaton : compiled.automata()) add_rule(rules[automaton.rule]);
  next_.resize(T_);
  for (size_t t = 0; t < T_ && overlap_ != nullptr; ++t) {
    next_[t] = t + 1;
    while (next_[t] < T_ && instance.spans[next_[t]].begin < instance.spans[t].end) ++next_[t];
  }
  in_.resize(T_);
  out_.resize(T_);
  in_label_.resize(T_);
  out_label_.resize(T_);
}

void Relaxation::add_rule(const Rule& rule) {
  if (!rule.hard() || (rule.kind != Rule::Kind::kCount && rule.kind != Rule::Kind::kImplies)) return;
  Priced row;
  row.rule = &rule;
  row.possible.assign(T_, 0);
  for (size_t y = 0; y < K_; ++y) {
    if (rule.first[y] != 0) row.first.push_back(static_cast<Label>(y));
    if (rule.kind == Rule::Kind::kImplies && rule.second[y] != 0) row.second.push_back(static_cast<Label>(y));
  }
  size_t outputs = 0;
  for (size_t t = 0; t < T_; ++t) {
    for (const Label y : row.first) row.possible[t] |= value_[t * K_ + y] > kMinusInfinity ? 1 : 0;
    outputs += row.possible[t];
  }
  const bool count = rule.kind == Rule::Kind::kCount;
  row.price.assign(count ? 1 : T_, 0.0);
  row.slope = row.best_price = row.price;
  if (count && rule.least > 0) {
    rows_.push_back(row);
    rows_.back().least = true;
  }
  if (count ? outputs > rule.most : outputs > 0) rows_.push_back(std::move(row));
}

void Relaxation::apply(const Priced& row) {
  if (std::all_of(row.price.begin(), row.price.end(), [](double p) { return p == 0; })) return;
  const auto add = [&](size_t t, const std::vector<Label>& labels, double by) {
    for (const Label y : labels) relaxed_[t * K_ + y] += by;
  };
  if (row.rule->kind == Rule::Kind::kCount) {
    const double price = row.least ? -row.price[0] : row.price[0];
    for (size_t t = 0; t < T_; ++t) add(t, row.first, -price);
    constant_ += price * static_cast<double>(row.least ? row.rule->least : row.rule->most);
    return;
  }
  // λ_m (x_{m,first} − Σ_i x_{i,second}): second at i earns the prices of all m that it would pay for.
  double all = 0, before = 0;
  for (const double price : row.price) all += price;
  for (size_t i = 0; i < T_; ++i) {
    const double own = row.price[i], after = all - before - own;
    add(i, row.first, -own);
    add(i, row.second,
        row.rule->order == Order::kBefore  ? after
        : row.rule->order == Order::kAfter ? before
                                           : before + after);
    before += own;
  }
}

double Relaxation::outs(size_t from, size_t to) const {
  return no_out_[to] > no_out_[from] ? kMinusInfinity : out_sum_[to] - out_sum_[from];
}

double Relaxation::rest(size_t t, size_t covered) const {
  size_t n = t + 1;
  while (n < T_ && overlap_ != nullptr && instance_.spans[n].begin < covered) ++n;
  return outs(t + 1, n) + rest_[n];
}

void Relaxation::solve() {
  relaxed_ = value_;
  constant_ = 0;
  for (const Priced& row : rows_) apply(row);
  out_sum_.assign(T_ + 1, 0.0);
  no_out_.assign(T_ + 1, 0);
  for (size_t t = 0; t < T_; ++t) {
    in_[t] = out_[t] = kMinusInfinity;
    for (size_t y = 0; y < K_; ++y) {
      const double v = relaxed_[t * K_ + y];
      double& best = covers(y) ? in_[t] : out_[t];
      if (!(v > best)) continue;
      best = v;
      (covers(y) ? in_label_ : out_label_)[t] = static_cast<Label>(y);
    }
    const bool none = out_[t] == kMinusInfinity;
    no_out_[t + 1] = no_out_[t] + (none ? 1 : 0);
    out_sum_[t + 1] = out_sum_[t] + (none ? 0 : out_[t]);
  }
  // rest_[t]: the best of outputs from t on, if none of their words is taken. An output that covers its words
  // excludes those that begin within them.
  rest_.assign(T_ + 1, 0.0);
  const auto with = [&](size_t t) { return in_[t] + outs(t + 1, next_[t]) + rest_[next_[t]]; };
  for (size_t t = T_; t-- > 0;) {
    rest_[t] = out_[t] + rest_[t + 1];
    if (in_[t] > kMinusInfinity) rest_[t] = std::max(rest_[t], with(t));
  }
  bound_ = T_ == 0 ? 0 : rest_[0] + constant_;
  if (!some_best_ || bound_ < lowest_) {
    some_best_ = true;
    lowest_ = bound_;
    for (Priced& row : rows_) row.best_price = row.price;
  }
  best_.clear();
  if (bound_ == kMinusInfinity) return;
  for (size_t t = 0; t < T_;) {
    const bool in = in_[t] > kMinusInfinity && with(t) >= out_[t] + rest_[t + 1];
    best_.push_back(in ? in_label_[t] : out_label_[t]);
    const size_t next = in ? next_[t] : t + 1;
    while (++t < next) best_.push_back(out_label_[t]);
  }
}

void Relaxation::find_slope(Priced& row) const {
  const Rule& rule = *row.rule;
  if (rule.kind == Rule::Kind::kCount) {
    double count = 0;
    for (const Label y : best_) count += rule.first[y];
    row.slope[0] =
        row.least ? static_cast<double>(rule.least) - count : count - static_cast<double>(rule.most);
    return;
  }
  double all = 0, before = 0;
  for (const Label y : best_) all += rule.second[y];
  for (size_t m = 0; m < T_; ++m) {
    const double here = rule.second[best_[m]], after = all - before - here;
    const double paid = rule.order == Order::kBefore  ? before
                        : rule.order == Order::kAfter ? after
                                                      : before + after;
    row.slope[m] = row.possible[m] != 0 ? rule.first[best_[m]] - paid : 0;
    before += here;
  }
}

bool Relaxation::step(double floor, double size) {
  if (best_.empty() && T_ > 0) return false;
  double norm = 0;
  for (Priced& row : rows_) {
    find_slope(row);
    for (size_t i = 0; i < row.price.size(); ++i) {
      if (row.price[i] == 0 && row.slope[i] < 0) row.slope[i] = 0;  // a price cannot fall below 0
      norm += row.slope[i] * row.slope[i];
    }
  }
  if (norm == 0) return false;
  const double length = size * std::max(bound_ - floor, 0.0) / norm;
  for (Priced& row : rows_)
    for (size_t i = 0; i < row.price.size(); ++i)
      row.price[i] = std::max(0.0, row.price[i] + length * row.slope[i]);
  return true;
}

void Relaxation::take_best() {
  for (Priced& row : rows_) row.price = row.best_price;
  solve();
}

size_t Relaxation::strike(double floor) {
  // free[t]: the best of outputs before t that does not cover t's words.
  std::vector<double> free(T_ + 1, kMinusInfinity), with(T_, kMinusInfinity), without(T_, kMinusInfinity);
  free[0] = 0;
  for (size_t t = 0; t < T_; ++t) {
    free[t + 1] = std::max(free[t + 1], free[t] + out_[t]);
    without[t] = std::max(without[t], free[t] + out_[t] + rest_[t + 1]);
    if (in_[t] == kMinusInfinity) continue;
    const double here = free[t] + in_[t] + outs(t + 1, next_[t]);
    with[t] = here + rest_[next_[t]];
    free[next_[t]] = std::max(free[next_[t]], here);
    for (size_t s = t + 1; s < next_[t]; ++s) without[s] = std::max(without[s], with[t]);
  }
  size_t left = 0;
  for (size_t t = 0; t < T_; ++t)
    for (size_t y = 0; y < K_; ++y) {
      double& v = value_[t * K_ + y];
      if (v == kMinusInfinity) continue;
      const bool in = covers(y);
      const double best = (in ? with[t] : without[t]) - (in ? in_[t] : out_[t]) + relaxed_[t * K_ + y];
      if (best + constant_ >= floor) {
        ++left;
      } else {
        v = kMinusInfinity;
      }
    }
  return left;
}

}  // namespace espalier::constrain

// Part of decode.h: decoding as an integer program. Tested in decode_test.cc.
#include <cmath>

#include "espalier/constrain/decode.h"
#include "espalier/program/program.h"

namespace espalier::constrain {

using chain::Outcome;
using data::Label;
using program::kInfinite;
using program::Term;

namespace {

constexpr int kNone = -1;

/// maximise Σ node·x + Σ pair·z − Σ penalty·slack
///   x_{t,y} ∈ {0,1}, Σ_y x_{t,y} = 1                           one label per output
///   Σ_j z_{t,i,j} = x_{t−1,i},  Σ_i z_{t,i,j} = x_{t,j}, z ≥ 0  neighbours, where they are scored
/// and the rows below for each rule; for soft rules, each has a slack variable with a cost. If x is integer,
/// so is z.
class IntegerDecoder {
 public:
  IntegerDecoder(const Compiled& compiled, const Instance& instance, const Scores& scores)
      : compiled_(compiled),
        constraints_(compiled.constraints()),
        instance_(instance),
        scores_(scores),
        T_(instance.length),
        K_(scores.labels),
        x_(T_ * K_, kNone) {}

  Decoded run(Deadline deadline) {
    Decoded out;
    out.outcome = Outcome::kOutOfBudget;
    terms_left_ = kTermsPerSecond * deadline.left();
    add_labels();
    if (scores_.trans != nullptr || scores_.edge != nullptr) {
      add_scored_neighbours();
    } else if (compiled_.local().pairs) {
      add_neighbour_rules();
    }
    for (size_t r = 0; r < constraints_.rules().size() && !too_large(); ++r) add_rule(r);
    if (too_large() || deadline.passed()) return out;
    const program::Solution solution = program::solve(program_, {.seconds = deadline.left()});
    switch (solution.outcome) {
      case program::Outcome::kOptimal:
        out.outcome = Outcome::kExact;
        break;
      case program::Outcome::kInfeasible:
        out.outcome = Outcome::kInfeasible;
        return out;
      default:
        break;
    }
    if (!solution.solved()) return out;
    out.labels.resize(T_);
    for (size_t t = 0; t < T_; ++t)
      for (size_t y = 0; y < K_; ++y)
        if (x(t, y) != kNone && solution.values[static_cast<size_t>(x(t, y))] > 0.5)
          out.labels[t] = static_cast<Label>(y);
    out.score = score_labels(scores_, out.labels);
    out.penalty = constraints_.penalty(instance_, out.labels);
    return out;
  }

 private:
  /// So many coefficients of rows per second of the time limit: the solver cannot be interrupted while it
  /// takes a program in and simplifies it.
  static constexpr double kTermsPerSecond = 2e5;
  bool too_large() const { return terms_left_ < 0; }

  int x(size_t t, size_t y) const { return x_[t * K_ + y]; }

  void add_row(std::span<const Term> terms, double lower, double upper) {
    terms_left_ -= static_cast<double>(terms.size());
    if (!too_large()) program_.add_row(terms, lower, upper);
  }

  /// Σ_{y ∈ set} x_{t,y}, times a factor.
  void add_terms(size_t t, const LabelBits& set, double factor, std::vector<Term>& terms) const {
    for (size_t y = 0; y < K_; ++y)
      if (set[y] != 0 && x(t, y) != kNone) terms.push_back({x(t, y), factor});
  }

  /// Adds a row; a soft rule may violate it by its slack, at a cost.
  void add_soft_row(std::vector<Term> terms, double lower, double upper, double penalty,
                    int shared_slack = kNone) {
    if (penalty != kHard) {
      const int slack = shared_slack != kNone ? shared_slack : program_.add_variable(0, kInfinite, -penalty);
      terms.push_back({slack, lower == -kInfinite ? -1.0 : 1.0});
    }
    add_row(terms, lower, upper);
  }

  void add_labels() {
    const std::vector<double> rows = compiled_.row_penalties(instance_);
    const LocalPenalties& local = compiled_.local();
    std::vector<double> value(T_ * K_);
    for (size_t t = 0; t < T_; ++t)
      for (size_t y = 0; y < K_; ++y) {
        double& here = value[t * K_ + y] = scores_.node[t * scores_.stride + y];
        if (!rows.empty()) here -= rows[t * K_ + y];
        if (t == 0) here -= local.start[y];
        if (t + 1 == T_) here -= local.end[y];
      }
    while (forbid_by_implications(value)) continue;
    for (size_t t = 0; t < T_; ++t) {
      std::vector<Term> one;
      for (size_t y = 0; y < K_; ++y) {
        if (!std::isfinite(value[t * K_ + y])) continue;
        x_[t * K_ + y] = program_.add_binary(value[t * K_ + y]);
        one.push_back({x(t, y), 1});
      }
      add_row(one, 1, 1);
    }
  }

  /// Makes −∞ what hard implications forbid whatever else is chosen: with `if A then B after` there is no A
  /// after the last possible B. Where rules depend on each other this goes on from output to output; a solver
  /// doubles its tolerance in each of these steps, and calls a program infeasible that is not. Returns
  /// whether anything has changed.
  bool forbid_by_implications(std::vector<double>& value) const {
    bool changed = false;
    const auto some_allowed = [&](size_t t, const LabelBits& set) {
      for (size_t y = 0; y < K_; ++y)
        if (set[y] != 0 && std::isfinite(value[t * K_ + y])) return true;
      return false;
    };
    const auto forbid = [&](size_t t, const LabelBits& set) {
      for (size_t y = 0; y < K_; ++y)
        if (set[y] != 0 && std::isfinite(value[t * K_ + y])) {
          value[t * K_ + y] = -kInfinite;
          changed = true;
        }
    };
    for (const Order order : {Order::kBefore, Order::kAfter, Order::kAnywhere}) {
      std::vector<const Rule*> rules;
      for (const Rule& rule : constraints_.rules())
        if (rule.kind == Rule::Kind::kImplies && rule.hard() && rule.order == order) rules.push_back(&rule);
      std::vector<uint8_t> seen(rules.size(), 0);
      for (size_t r = 0; r < rules.size() && order == Order::kAnywhere; ++r)
        for (size_t t = 0; t < T_ && seen[r] == 0; ++t) seen[r] = some_allowed(t, rules[r]->second);
      for (size_t i = 0; i < T_ && !rules.empty(); ++i) {
        const size_t t = order == Order::kBefore ? i : T_ - 1 - i;
        for (size_t r = 0; r < rules.size(); ++r)
          if (seen[r] == 0) forbid(t, rules[r]->first);
        if (order == Order::kAnywhere) continue;
        for (size_t r = 0; r < rules.size(); ++r)
          if (seen[r] == 0) seen[r] = some_allowed(t, rules[r]->second);
      }
    }
    return changed;
  }

  void add_scored_neighbours() {
    for (size_t t = 1; t < T_ && !too_large(); ++t) {
      const float* pair = scores_.transitions_into(t);
      std::vector<std::vector<Term>> out_of(K_), into(K_);
      for (size_t i = 0; i < K_; ++i)
        for (size_t j = 0; j < K_; ++j) {
          const double value = pair[i * scores_.stride + j] - compiled_.local().pair[i * K_ + j];
          if (x(t - 1, i) == kNone || x(t, j) == kNone || !std::isfinite(value)) continue;
          const int z = program_.add_variable(0, 1, value);
          out_of[i].push_back({z, 1});
          into[j].push_back({z, 1});
        }
      for (size_t y = 0; y < K_; ++y) {
        if (x(t - 1, y) != kNone) {
          out_of[y].push_back({x(t - 1, y), -1});
          add_row(out_of[y], 0, 0);
        }
        if (x(t, y) != kNone) {
          into[y].push_back({x(t, y), -1});
          add_row(into[y], 0, 0);
        }
      }
    }
  }

  /// x_{t−1,i} + Σ_{j broken after i} x_{t,j} ≤ 1 (+ slack), rule by rule.
  void add_neighbour_rules() {
    for (const Rule& rule : constraints_.rules()) {
      if (rule.kind != Rule::Kind::kPairs || rule.penalty == 0) continue;
      for (size_t t = 1; t < T_ && !too_large(); ++t) {
        const int slack = rule.hard() ? kNone : program_.add_variable(0, kInfinite, -rule.penalty);
        for (size_t i = 0; i < K_; ++i) {
          if (x(t - 1, i) == kNone) continue;
          std::vector<Term> terms{{x(t - 1, i), 1}};
          for (size_t j = 0; j < K_; ++j)
            if (rule.broken[i * (K_ + 1) + j] != 0 && x(t, j) != kNone) terms.push_back({x(t, j), 1});
          if (terms.size() > 1) add_soft_row(std::move(terms), -kInfinite, 1, rule.penalty, slack);
        }
      }
    }
  }

  void add_rule(size_t r) {
    const Rule& rule = constraints_.rules()[r];
    if (rule.penalty == 0) return;
    switch (rule.kind) {
      case Rule::Kind::kPairs:
      case Rule::Kind::kTokens:
        return;  // already in the costs of the variables
      case Rule::Kind::kCount:
        return add_count(rule);
      case Rule::Kind::kImplies:
        return add_implication(rule);
      case Rule::Kind::kNoOverlap:
        return add_no_overlap(rule);
      case Rule::Kind::kNoEmbedding:
        return add_no_embedding(rule);
      case Rule::Kind::kAssignments:
        return add_assignments(rule);
    }
  }

  void add_count(const Rule& rule) {
    std::vector<Term> terms;
    for (size_t t = 0; t < T_; ++t) add_terms(t, rule.first, 1, terms);
    if (rule.least > 0) add_soft_row(terms, static_cast<double>(rule.least), kInfinite, rule.penalty);
    if (rule.most != kNoLimit) add_soft_row(terms, -kInfinite, static_cast<double>(rule.most), rule.penalty);
  }

  /// Σ_{a ∈ first} x_{m,a} ≤ seen_m for every m, with one slack for all. seen_m = Σ_{b ∈ second} x_{i,b}
  /// summed over the i before m, after m, or all of them: a running sum, so that the rows are short.
  void add_implication(const Rule& rule) {
    const int slack = rule.hard() ? kNone : program_.add_variable(0, 1, -rule.penalty);
    const auto require = [&](size_t m, int seen) {
      std::vector<Term> terms;
      add_terms(m, rule.first, 1, terms);
      if (terms.empty()) return;
      if (seen != kNone) terms.push_back({seen, -1});
      add_soft_row(std::move(terms), -kInfinite, 0, rule.penalty, slack);
    };
    /// A variable equal to `seen` (none: 0) and what is in `terms`.
    const auto sum = [&](int seen, std::vector<Term> terms) {
      const int next = program_.add_variable(0, kInfinite, 0);
      if (seen != kNone) terms.push_back({seen, 1});
      terms.push_back({next, -1});
      add_row(terms, 0, 0);
      return next;
    };
    if (rule.order == Order::kAnywhere) {
      std::vector<Term> all;
      for (size_t i = 0; i < T_; ++i) add_terms(i, rule.second, 1, all);
      const int seen = all.empty() ? kNone : sum(kNone, std::move(all));
      for (size_t m = 0; m < T_ && !too_large(); ++m) require(m, seen);
      return;
    }
    int seen = kNone;
    for (size_t i = 0; i < T_ && !too_large(); ++i) {
      const size_t m = rule.order == Order::kBefore ? i : T_ - 1 - i;
      require(m, seen);
      std::vector<Term> here;
      add_terms(m, rule.second, 1, here);
      if (!here.empty()) seen = sum(seen, std::move(here));
    }
  }

  /// For each word covered by several candidates: at most one of them may have a label of the set.
  void add_no_overlap(const Rule& rule) {
    size_t words = 0;
    for (const CandidateSpan& span : instance_.spans) words = std::max(words, span.end);
    for (size_t w = 0; w < words && !too_large(); ++w) {
      std::vector<Term> terms;
      size_t candidates = 0;
      for (size_t t = 0; t < T_; ++t)
        if (instance_.spans[t].begin <= w && w < instance_.spans[t].end) {
          add_terms(t, rule.first, 1, terms);
          ++candidates;
        }
      if (candidates > 1) add_soft_row(std::move(terms), -kInfinite, 1, rule.penalty);
    }
  }

  void add_no_embedding(const Rule& rule) {
    const auto within = [&](size_t inner, size_t outer) {
      return instance_.spans[outer].begin <= instance_.spans[inner].begin &&
             instance_.spans[inner].end <= instance_.spans[outer].end;
    };
    for (size_t i = 0; i < T_; ++i)
      for (size_t j = i + 1; j < T_ && !too_large(); ++j) {
        if (!within(i, j) && !within(j, i)) continue;
        std::vector<Term> terms;
        add_terms(i, rule.first, 1, terms);
        add_terms(j, rule.first, 1, terms);
        add_soft_row(std::move(terms), -kInfinite, 1, rule.penalty);
      }
  }

  /// One assignment of the list is chosen, or none if the rule is soft: x_{t,y} ≥ Σ of the choices that have
  /// y at t.
  void add_assignments(const Rule& rule) {
    std::vector<Term> one;
    std::vector<std::vector<Term>> uses(T_ * K_);
    for (const std::vector<Label>& legal : rule.assignments) {
      if (legal.size() != T_) continue;
      bool possible = true;
      for (size_t t = 0; t < T_; ++t) possible = possible && x(t, legal[t]) != kNone;
      if (!possible) continue;
      const int choice = program_.add_binary(0);
      one.push_back({choice, 1});
      for (size_t t = 0; t < T_; ++t) uses[t * K_ + legal[t]].push_back({choice, 1});
    }
    if (!rule.hard()) one.push_back({program_.add_binary(-rule.penalty), 1});
    add_row(one, 1, 1);
    for (size_t i = 0; i < uses.size(); ++i) {
      if (uses[i].empty()) continue;
      uses[i].push_back({x_[i], -1});
      add_row(uses[i], -kInfinite, 0);
    }
  }

  const Compiled& compiled_;
  const Constraints& constraints_;
  const Instance& instance_;
  const Scores& scores_;
  size_t T_, K_;
  std::vector<int> x_;
  double terms_left_ = kInfinite;  ///< how many more there may be
  program::Program program_{program::Sense::kMaximise};
};

}  // namespace

Decoded decode_integer(const Compiled& compiled, const Instance& instance, const Scores& scores,
                       Deadline deadline) {
  return IntegerDecoder(compiled, instance, scores).run(deadline);
}

}  // namespace espalier::constrain

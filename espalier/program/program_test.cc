#include "espalier/program/program.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "espalier/base/random.h"
#include "espalier/base/stop_scope.h"

namespace espalier::program {
namespace {

TEST(Program, LinearProgramIsSolvedWithPrices) {
  // max 3x + 2y, x + y ≤ a, x + 3y ≤ b, x ≤ 3. With a = 4, b = 6 the optimum is 11 at (3, 1).
  const auto solved = [](double a, double b) {
    Program p(Sense::kMaximise);
    const int x = p.add_variable(0, 3, 3), y = p.add_variable(0, kInfinite, 2);
    p.add_row(std::vector<Term>{{x, 1}, {y, 1}}, -kInfinite, a);
    p.add_row(std::vector<Term>{{x, 1}, {y, 3}}, -kInfinite, b);
    return solve(p);
  };
  const Solution s = solved(4, 6);
  ASSERT_EQ(s.outcome, Outcome::kOptimal);
  EXPECT_NEAR(s.objective, 11, 1e-9);
  EXPECT_NEAR(s.values[0], 3, 1e-9);
  EXPECT_NEAR(s.values[1], 1, 1e-9);
  // Both rows meet at (3, 1): more of the first is worth something only if there is more of the second, too.
  const Solution t = solved(4.1, 7);
  ASSERT_EQ(t.outcome, Outcome::kOptimal);
  EXPECT_NEAR(t.objective - s.objective, 0.1 * t.row_price[0], 1e-9);
  EXPECT_NEAR(t.row_price[0], 2, 1e-9);
}

TEST(Program, FreeVariablesAndMinimisation) {
  // min |a − 3| written with a free variable: t ≥ a − 3, t ≥ 3 − a, a ≤ 1.
  Program p;
  const int a = p.add_variable(-kInfinite, 1, 0), t = p.add_variable(-kInfinite, kInfinite, 1);
  p.add_row(std::vector<Term>{{t, 1}, {a, -1}}, -3, kInfinite);
  p.add_row(std::vector<Term>{{t, 1}, {a, 1}}, 3, kInfinite);
  const Solution s = solve(p);
  ASSERT_EQ(s.outcome, Outcome::kOptimal);
  EXPECT_NEAR(s.objective, 2, 1e-9);
}

TEST(Program, RepeatedVariablesInARowAreAddedUp) {
  Program p(Sense::kMaximise);
  const int x = p.add_variable(0, 10, 1);
  p.add_row(std::vector<Term>{{x, 1}, {x, 1}}, -kInfinite, 6);
  const Solution s = solve(p);
  ASSERT_EQ(s.outcome, Outcome::kOptimal);
  EXPECT_NEAR(s.values[0], 3, 1e-9);
}

TEST(Program, InfeasibleAndUnboundedAreToldApart) {
  for (const bool whole : {false, true}) {
    Program clash;
    const int x = whole ? clash.add_integer(0, 5, 1) : clash.add_variable(0, 5, 1);
    clash.add_row(std::vector<Term>{{x, 1}}, 6, kInfinite);
    EXPECT_EQ(solve(clash).outcome, Outcome::kInfeasible) << whole;
    EXPECT_TRUE(solve(clash).values.empty());

    Program endless(Sense::kMaximise);
    const int y = whole ? endless.add_integer(0, kInfinite, 1) : endless.add_variable(0, kInfinite, 1);
    endless.add_row(std::vector<Term>{{y, 1}}, 1, kInfinite);
    EXPECT_EQ(solve(endless).outcome, Outcome::kUnbounded) << whole;
  }
}

TEST(Program, WholeNumbersCanBeInfeasibleWhereFractionsAreNot) {
  Program p;
  const int x = p.add_integer(0, 10, 1);
  p.add_row(std::vector<Term>{{x, 2}}, 5, 5);
  EXPECT_EQ(solve(p).outcome, Outcome::kInfeasible);
  const Solution relaxed = solve_relaxation(p);
  ASSERT_EQ(relaxed.outcome, Outcome::kOptimal);
  EXPECT_NEAR(relaxed.objective, 2.5, 1e-9);
}

TEST(Program, WithoutVariablesTheRowsDecide) {
  Program p;
  EXPECT_EQ(solve(p).outcome, Outcome::kOptimal);
  p.add_row({}, 1, kInfinite);
  EXPECT_EQ(solve(p).outcome, Outcome::kInfeasible);
}

TEST(Program, BrokenPreconditionsAreRefused) {
  Program p;
  EXPECT_THROW(p.add_variable(1, 0, 0), ContractViolation);
  EXPECT_THROW(p.add_variable(0, 1, kInfinite), ContractViolation);
  EXPECT_THROW(p.add_row(std::vector<Term>{{0, 1}}, 0, 1), ContractViolation);
}

/// A random binary program with a few rows of small whole coefficients.
Program random_binary_program(Random& random, int variables, int rows) {
  Program p(random.below(2) == 0 ? Sense::kMinimise : Sense::kMaximise);
  for (int j = 0; j < variables; ++j) p.add_binary(random.gaussian());
  for (int i = 0; i < rows; ++i) {
    std::vector<Term> terms;
    for (int j = 0; j < variables; ++j)
      if (random.below(2) == 0) terms.push_back({j, static_cast<double>(random.below(5)) - 2});
    const double low = static_cast<double>(random.below(4)) - 2;
    switch (random.below(3)) {
      case 0:
        p.add_row(terms, -kInfinite, low);
        break;
      case 1:
        p.add_row(terms, low, kInfinite);
        break;
      default:
        p.add_row(terms, low, low + 1);
    }
  }
  return p;
}

TEST(Program, BinaryProgramsAgreeWithTryingEverything) {
  Random random(11);
  size_t infeasible = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const int n = 1 + static_cast<int>(random.below(9));
    const Program p = random_binary_program(random, n, 1 + static_cast<int>(random.below(5)));
    const bool minimise = p.sense() == Sense::kMinimise;
    double best = minimise ? kInfinite : -kInfinite;
    std::vector<double> x(static_cast<size_t>(n));
    for (unsigned bits = 0; bits < 1u << n; ++bits) {
      for (int j = 0; j < n; ++j) x[static_cast<size_t>(j)] = (bits >> j) & 1;
      if (p.violation(x) > 0) continue;
      best = minimise ? std::min(best, p.objective(x)) : std::max(best, p.objective(x));
    }
    const Solution s = solve(p);
    if (std::isinf(best)) {
      ++infeasible;
      EXPECT_EQ(s.outcome, Outcome::kInfeasible) << trial;
      continue;
    }
    ASSERT_EQ(s.outcome, Outcome::kOptimal) << trial;
    EXPECT_NEAR(s.objective, best, 1e-7) << trial;
    EXPECT_EQ(p.violation(s.values), 0) << trial;
    const Solution relaxed = solve_relaxation(p);
    ASSERT_EQ(relaxed.outcome, Outcome::kOptimal);
    if (minimise) {
      EXPECT_LE(relaxed.objective, best + 1e-7);
    } else {
      EXPECT_GE(relaxed.objective, best - 1e-7);
    }
  }
  EXPECT_GT(infeasible, 5u);
  EXPECT_LT(infeasible, 120u);
}

/// A program with free variables that a known point satisfies, some rows exactly, and whose objective
/// Σ_i y_i (row i) with y ≥ 0 on rows bounded below cannot fall without end.
struct FreeProgram {
  Program program;
  std::vector<double> point;
};
FreeProgram random_free_program(Random& random, int variables, int rows) {
  FreeProgram made;
  std::vector<double> cost(static_cast<size_t>(variables), 0.0);
  std::vector<std::vector<Term>> terms(static_cast<size_t>(rows));
  std::vector<double> lower, upper;
  for (int j = 0; j < variables; ++j) made.point.push_back(static_cast<double>(random.below(21)) - 10);
  for (auto& row : terms) {
    double at_point = 0;
    const double y = static_cast<double>(random.below(4));
    for (int j = 0; j < variables; ++j) {
      if (random.below(3) == 0) continue;
      const double a = static_cast<double>(random.below(13)) - 6;
      row.push_back({j, a});
      at_point += a * made.point[static_cast<size_t>(j)];
      cost[static_cast<size_t>(j)] += y * a;
    }
    lower.push_back(at_point - static_cast<double>(random.below(3)));
    upper.push_back(random.below(4) == 0 ? lower.back() + 2 : kInfinite);
  }
  for (int j = 0; j < variables; ++j)
    made.program.add_variable(-kInfinite, kInfinite, cost[static_cast<size_t>(j)]);
  for (size_t i = 0; i < terms.size(); ++i) made.program.add_row(terms[i], lower[i], upper[i]);
  return made;
}

TEST(Program, FeasibleProgramsWithFreeVariablesAreNotCalledInfeasible) {
  Random random(17);
  for (int trial = 0; trial < 400; ++trial) {
    const int variables = 1 + static_cast<int>(random.below(8)),
              rows = 1 + static_cast<int>(random.below(14));
    const FreeProgram made = random_free_program(random, variables, rows);
    ASSERT_LE(made.program.violation(made.point), 0) << trial;
    const Solution s = solve(made.program);
    ASSERT_EQ(s.outcome, Outcome::kOptimal) << trial;
    EXPECT_LE(made.program.violation(s.values), 1e-6) << trial;
    EXPECT_LE(s.objective, made.program.objective(made.point) + 1e-6) << trial;
  }
}

TEST(Program, ThreadsMaySolveAtOnce) {
  Random random(5);
  std::vector<Program> programs;
  for (int i = 0; i < 12; ++i) programs.push_back(random_binary_program(random, 8, 3));
  std::vector<Solution> alone, together(programs.size());
  for (const Program& p : programs) alone.push_back(solve(p));
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = t; i < programs.size(); i += 3) together[i] = solve(programs[i]);
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < programs.size(); ++i) {
    EXPECT_EQ(alone[i].outcome, together[i].outcome);
    EXPECT_EQ(alone[i].values, together[i].values);
  }
}

/// A market split problem: small, and far out of reach of branch and cut.
Program market_split() {
  Random random(3);
  Program p;
  constexpr int kVariables = 50, kRows = 6;
  for (int j = 0; j < kVariables; ++j) p.add_binary(0);
  for (int i = 0; i < kRows; ++i) {
    std::vector<Term> terms;
    double sum = 0;
    for (int j = 0; j < kVariables; ++j) {
      terms.push_back({j, static_cast<double>(random.below(100))});
      sum += terms.back().factor;
    }
    terms.push_back({p.add_variable(0, kInfinite, 1), 1});
    terms.push_back({p.add_variable(0, kInfinite, 1), -1});
    p.add_row(terms, std::floor(sum / 2), std::floor(sum / 2));
  }
  return p;
}

TEST(Program, TimeLimitEndsALongSearch) {
  const Program p = market_split();
  const Solution s = solve(p, {.seconds = 0.3});
  EXPECT_TRUE(s.outcome == Outcome::kFeasible || s.outcome == Outcome::kOutOfTime);
  if (s.outcome == Outcome::kFeasible) {
    EXPECT_LT(p.violation(s.values), 1e-6);
  }
}

TEST(Program, AStopEndsALongSearch) {
  const Program p = market_split();
  std::atomic<bool> stop{false};
  Monitor monitor;
  monitor.stop = &stop;
  const StopScope scope(monitor);
  std::thread somebody([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop = true;
  });
  const auto start = std::chrono::steady_clock::now();
  constexpr double kLimit = 120;
  solve(p, {.seconds = kLimit});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  somebody.join();
  EXPECT_TRUE(scope.told());
  EXPECT_LT(took.count(), kLimit / 2);
}

void own_handler(int) {}

TEST(Program, InterruptHandlerOfTheCallerStays) {
  struct sigaction mine {
  }, before{}, after{};
  mine.sa_handler = own_handler;
  sigaction(SIGINT, &mine, &before);
  Random random(2);
  solve(random_binary_program(random, 8, 3));
  sigaction(SIGINT, &before, &after);
  EXPECT_EQ(after.sa_handler, &own_handler);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 0);
}

TEST(Program, NothingIsPrinted) {
  Random random(8);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  for (int i = 0; i < 10; ++i) {
    const Program p = random_binary_program(random, 8, 3);
    solve(p);
    solve_relaxation(p);
  }
  fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace espalier::program

// Part of program.h: solve() and solve_relaxation(), by CLP and CBC. Tested in program_test.cc.
#include <coin/Cbc_C_Interface.h>
#include <coin/Clp_C_Interface.h>
#include <signal.h>
#include <coin/CbcEventHandler.hpp>
#include <coin/CbcModel.hpp>
#include <coin/ClpEventHandler.hpp>
#include <coin/ClpSimplex.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "espalier/base/stop_scope.h"
#include "espalier/program/program.h"

namespace espalier::program {
namespace {

/// The largest time limit, in seconds, that the solvers accept; they take it as "no limit".
constexpr double kNoLimit = 1e100;

/// The matrix by columns, as both solvers expect it.
struct ColumnMatrix {
  std::vector<int> start, index;
  std::vector<double> value;

  explicit ColumnMatrix(const Program& program) : start(static_cast<size_t>(program.variables()) + 1, 0) {
    for (int i = 0; i < program.rows(); ++i)
      for (const Term& term : program.row(i)) ++start[static_cast<size_t>(term.variable) + 1];
    for (size_t j = 1; j < start.size(); ++j) start[j] += start[j - 1];
    index.resize(static_cast<size_t>(start.back()));
    value.resize(index.size());
    std::vector<int> next(start.begin(), start.end() - 1);
    for (int i = 0; i < program.rows(); ++i)
      for (const Term& term : program.row(i)) {
        const size_t place = static_cast<size_t>(next[static_cast<size_t>(term.variable)]++);
        index[place] = i;
        value[place] = term.factor;
      }
  }
};

/// CBC's driver installs its own SIGINT handler and does not restore the old one. SIGINT belongs to the
/// caller: block it while CBC runs, then restore the caller's handler.
class InterruptShelter {
 public:
  InterruptShelter() {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &mask_);
    sigaction(SIGINT, nullptr, &action_);
  }
  ~InterruptShelter() {
    sigaction(SIGINT, &action_, nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  InterruptShelter(const InterruptShelter&) = delete;
  InterruptShelter& operator=(const InterruptShelter&) = delete;

 private:
  sigset_t mask_{};
  struct sigaction action_ {};
};

/// Clips values to their bounds, rounds integers, and recomputes the objective: solvers leave errors of about
/// 1e-9, which would look like violations to a caller that compares.
void settle(const Program& program, const double* values, Solution& solution) {
  solution.values.assign(values, values + program.variables());
  for (int j = 0; j < program.variables(); ++j) {
    double& x = solution.values[static_cast<size_t>(j)];
    if (program.is_integer(j)) x = std::round(x);
    x = std::clamp(x, program.lower()[static_cast<size_t>(j)], program.upper()[static_cast<size_t>(j)]);
  }
  solution.objective = program.objective(solution.values);
}

double sense_factor(const Program& program) { return program.sense() == Sense::kMinimise ? 1.0 : -1.0; }

using ClpModel = std::unique_ptr<Clp_Simplex, decltype(&Clp_deleteModel)>;

/// What a handle of CLP's interface for C points to (coin/Coin_C_defines.h). That interface limits processor
/// time only; a busy machine has little of it in a second.
struct ClpHandle {
  ClpSimplex* model;
};

/// Ends the simplex where the thread's work is to stop; asked after every iteration. CLP calls a copy.
class StopSimplex final : public ClpEventHandler {
 public:
  int event(Event) override { return StopScope::wanted() ? 0 : -1; }
  ClpEventHandler* clone() const override { return new StopSimplex(*this); }
};

ClpModel load_clp(const Program& program, const ColumnMatrix& matrix, const SolveOptions& options) {
  ClpModel model(Clp_newModel(), &Clp_deleteModel);
  Clp_setLogLevel(model.get(), 0);
  Clp_loadProblem(model.get(), program.variables(), program.rows(), matrix.start.data(), matrix.index.data(),
                  matrix.value.data(), program.lower().data(), program.upper().data(), program.cost().data(),
                  program.row_lower().data(), program.row_upper().data());
  Clp_setOptimizationDirection(model.get(), sense_factor(program));
  if (options.seconds < kNoLimit)
    static_cast<ClpHandle*>(model.get())->model->setMaximumWallSeconds(std::max(0.0, options.seconds));
  const StopSimplex stop;
  static_cast<ClpHandle*>(model.get())->model->passInEventHandler(&stop);
  return model;
}

/// CLP's status as an Outcome.
Solution read_clp(const Program& program, Clp_Simplex* model) {
  Solution solution;
  if (Clp_isProvenOptimal(model) != 0) {
    solution.outcome = Outcome::kOptimal;
    settle(program, Clp_getColSolution(model), solution);
    const double* price = Clp_getRowPrice(model);
    solution.row_price.assign(price, price + program.rows());
  } else if (Clp_isProvenPrimalInfeasible(model) != 0) {
    solution.outcome = Outcome::kInfeasible;
  } else if (Clp_isProvenDualInfeasible(model) != 0) {
    solution.outcome = Outcome::kUnbounded;
  } else if (Clp_isIterationLimitReached(model) != 0) {
    solution.outcome = Outcome::kOutOfTime;
  }
  return solution;
}

/// The dual simplex with presolve is fast, but it invents bounds for free variables: it may then call a
/// feasible program infeasible, or return a point so far out that sums lose precision. So any result other
/// than an optimum within its bounds is recomputed by the primal simplex, which works on the program as
/// given.
Solution solve_linear(const Program& program, const SolveOptions& options) {
  constexpr double kClean = 1e-7;
  const ColumnMatrix matrix(program);
  const ClpModel fast = load_clp(program, matrix, options);
  Clp_initialDualSolve(fast.get());
  const Solution first = read_clp(program, fast.get());
  if (first.outcome == Outcome::kOutOfTime) return first;
  if (first.solved() && program.violation(first.values) <= kClean) return first;

  const ClpModel careful = load_clp(program, matrix, options);
  Clp_primal(careful.get(), 0);
  Solution second = read_clp(program, careful.get());
  // Of two optima, take the one with the smaller violation.
  if (first.solved() &&
      (!second.solved() || program.violation(first.values) <= program.violation(second.values)))
    return first;
  return second;
}

/// CBC does not look at the clock while it solves its first linear program, which takes minutes for large
/// ones. So these are solved here first, within a share of the time. Returns the solution of the integer
/// program if that is known afterwards: the relaxed one is integer, there is none, or there is no time left
/// for CBC to do the same again and then to branch.
std::optional<Solution> solve_large_first(const Program& program, const ColumnMatrix& matrix,
                                          double& seconds) {
  constexpr size_t kLarge = 50000;  // coefficients
  constexpr double kShare = 0.5, kIntegral = 1e-7;
  if (matrix.value.size() < kLarge || seconds >= kNoLimit) return std::nullopt;
  const auto start = std::chrono::steady_clock::now();
  const ClpModel relaxed = load_clp(program, matrix, {.seconds = kShare * seconds});
  Clp_dual(relaxed.get(), 0);
  Solution solution;
  if (Clp_isProvenPrimalInfeasible(relaxed.get()) != 0) {
    solution.outcome = Outcome::kInfeasible;
    return solution;
  }
  solution.outcome = Outcome::kOutOfTime;
  if (Clp_isProvenOptimal(relaxed.get()) == 0) return solution;
  const double* const values = Clp_getColSolution(relaxed.get());
  bool integral = true;
  for (int j = 0; j < program.variables() && integral; ++j)
    integral = !program.is_integer(j) || std::abs(values[j] - std::round(values[j])) < kIntegral;
  if (integral) {
    solution.outcome = Outcome::kOptimal;
    settle(program, values, solution);
    constexpr double kTolerance = 1e-6;
    if (program.violation(solution.values) <= kTolerance) return solution;
    solution = {};
    solution.outcome = Outcome::kOutOfTime;
  }
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  seconds -= took;
  if (seconds < 4 * took) return solution;
  return std::nullopt;
}

/// What a handle of CBC's interface for C points to (coin/Coin_C_defines.h); that interface knows of no
/// events.
struct CbcHandle {
  OsiClpSolverInterface* solver;
  CbcModel* model;
};

/// Ends branching where the thread's work is to stop. CBC calls a copy.
class StopBranching final : public CbcEventHandler {
 public:
  CbcAction event(CbcEvent) override { return StopScope::wanted() ? stop : noAction; }
  CbcAction event(CbcEvent at, void*) override { return event(at); }
  CbcEventHandler* clone() const override { return new StopBranching(*this); }
};

Solution solve_integer(const Program& program, const SolveOptions& options) {
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  if (StopScope::wanted()) {  // while others had their turn
    Solution none;
    none.outcome = Outcome::kOutOfTime;
    return none;
  }
  const InterruptShelter shelter;
  const ColumnMatrix matrix(program);
  double seconds_left = options.seconds;
  if (auto known = solve_large_first(program, matrix, seconds_left)) return std::move(*known);

  const std::unique_ptr<Cbc_Model, decltype(&Cbc_deleteModel)> model(Cbc_newModel(), &Cbc_deleteModel);
  Cbc_setLogLevel(model.get(), 0);
  Cbc_loadProblem(model.get(), program.variables(), program.rows(), matrix.start.data(), matrix.index.data(),
                  matrix.value.data(), program.lower().data(), program.upper().data(), program.cost().data(),
                  program.row_lower().data(), program.row_upper().data());
  Cbc_setObjSense(model.get(), sense_factor(program));
  for (int j = 0; j < program.variables(); ++j)
    if (program.is_integer(j)) Cbc_setInteger(model.get(), j);
  // Exact: do not prune a solution because it is only slightly better than the incumbent.
  Cbc_setParameter(model.get(), "log", "0");
  Cbc_setParameter(model.get(), "increment", "1e-9");
  Cbc_setParameter(model.get(), "ratioGap", "0");
  Cbc_setParameter(model.get(), "allowableGap", "0");
  Cbc_setParameter(model.get(), "timeMode", "elapsed");
  if (seconds_left < kNoLimit) {
    const std::string seconds = fmt::format("{:f}", std::max(1e-6, seconds_left));
    Cbc_setParameter(model.get(), "seconds", seconds.c_str());
  }
  const StopBranching stop;
  static_cast<CbcHandle*>(model.get())->model->passInEventHandler(&stop);
  const auto start = std::chrono::steady_clock::now();
  Cbc_solve(model.get());
  const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  // When its time is over before it has any solution, CBC says that there is none.
  constexpr int kInfeasibleRelaxation = 1;
  const bool ended_by_itself = Cbc_status(model.get()) == 0 &&
                               Cbc_secondaryStatus(model.get()) <= kInfeasibleRelaxation &&
                               taken < seconds_left && !StopScope::wanted();
  Solution solution;
  const double* best = Cbc_bestSolution(model.get());
  if (Cbc_isProvenOptimal(model.get()) != 0 && best != nullptr) {
    solution.outcome = Outcome::kOptimal;
    settle(program, best, solution);
  } else if (Cbc_isContinuousUnbounded(model.get()) != 0) {
    solution.outcome = Outcome::kUnbounded;
  } else if (Cbc_isProvenInfeasible(model.get()) != 0) {
    solution.outcome = ended_by_itself ? Outcome::kInfeasible : Outcome::kOutOfTime;
  } else if (Cbc_status(model.get()) == 2) {
    solution.outcome = Outcome::kFailed;
  } else if (best != nullptr) {
    settle(program, best, solution);
    constexpr double kTolerance = 1e-6;
    solution.outcome =
        program.violation(solution.values) <= kTolerance ? Outcome::kFeasible : Outcome::kFailed;
    if (!solution.solved()) solution.values.clear();
  } else {
    solution.outcome = Outcome::kOutOfTime;
  }
  return solution;
}

/// Solvers disagree about programs without variables; the rows' bounds decide.
Solution solve_nothing(const Program& program) {
  Solution solution;
  solution.outcome = program.violation({}) > 0 ? Outcome::kInfeasible : Outcome::kOptimal;
  if (solution.solved()) solution.row_price.assign(static_cast<size_t>(program.rows()), 0.0);
  return solution;
}

}  // namespace

Solution solve(const Program& program, const SolveOptions& options) {
  if (program.variables() == 0) return solve_nothing(program);
  return program.has_integers() ? solve_integer(program, options) : solve_linear(program, options);
}

Solution solve_relaxation(const Program& program, const SolveOptions& options) {
  if (program.variables() == 0) return solve_nothing(program);
  Program relaxed(program.sense());
  for (int j = 0; j < program.variables(); ++j) {
    const size_t i = static_cast<size_t>(j);
    relaxed.add_variable(program.lower()[i], program.upper()[i], program.cost()[i]);
  }
  for (int i = 0; i < program.rows(); ++i)
    relaxed.add_row(program.row(i), program.row_lower()[static_cast<size_t>(i)],
                    program.row_upper()[static_cast<size_t>(i)]);
  return solve_linear(relaxed, options);
}

}  // namespace espalier::program

// Xu and Fern 2007, section 3: whether ranking functions for beam search exist, decided exactly.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/random.h"
#include "espalier/eval/plot.h"
#include "research/beam/theory_cells.h"
#include "research/beam/theory_consistency.h"
#include "research/beam/theory_hardness.h"
#include "research/beam/theory_instances.h"
#include "research/beam/theory_trajectories.h"
#include "research/experiments.h"

namespace espalier::research {
namespace {

/// A problem decided in two ways.
struct Comparison {
  bool expected = false;    ///< the answer of the brute-force solver
  bool decided = false;     ///< the algorithm found an answer
  bool agrees = false;      ///< it is the same, with weights that do what they should
  double programs = 0;      ///< number of linear programs
  double certificates = 0;  ///< log10 of the number of certificates to enumerate
};

Comparison compare(const BeamProblem& problem, bool expected, const Monitor& monitor) {
  ConsistencyOptions options;
  options.monitor.stop = monitor.stop;
  const Consistency answer = decide_consistency(problem, options);
  Comparison out;
  out.expected = expected;
  out.decided = answer.decision != Decision::kUndecided;
  out.agrees = answer.decision == (expected ? Decision::kYes : Decision::kNo) &&
               (!expected || solves(problem, answer.w));
  out.programs = static_cast<double>(answer.programs);
  out.certificates = certificates_log10(problem);
  return out;
}

/// Runs comparisons in parallel, batch by batch, and reports the results.
class Tally {
 public:
  Tally(const Request& request, Report& report)
      : request_(request), report_(report), workers_(request.threads) {}

  std::vector<Comparison> run(const std::string& method, const std::string& name, size_t problems,
                              const std::function<Result<Comparison>(size_t)>& one, bool both_kinds = true) {
    constexpr size_t kBatch = 20;
    std::vector<Comparison> all(problems);
    std::vector<std::string> errors(problems);
    for (size_t first = 0; first < problems && !request_.monitor.stop_requested(); first += kBatch) {
      workers_.for_each(std::min(kBatch, problems - first), [&](size_t i) {
        const auto result = one(first + i);
        if (result.ok())
          all[first + i] = *result;
        else
          errors[first + i] = result.error().message;
      });
      Progress progress;
      progress.phase = name;
      progress.done = static_cast<double>(std::min(first + kBatch, problems));
      progress.total = static_cast<double>(problems);
      request_.monitor.report(progress);
    }
    size_t yes = 0, agree = 0;
    double programs = 0;
    for (const Comparison& c : all) {
      yes += c.expected ? 1 : 0;
      agree += c.agrees ? 1 : 0;
      programs += c.programs / static_cast<double>(problems);
    }
    const auto error =
        std::find_if(errors.begin(), errors.end(), [](const std::string& e) { return !e.empty(); });
    report_.add(method, name + ": solvable", std::nullopt, static_cast<double>(yes));
    report_.add(method, name + ": not solvable", std::nullopt, static_cast<double>(problems - yes));
    report_.add(method, name + ": linear programs, mean", std::nullopt, programs);
    report_.check(
        fmt::format("{}: {} agrees with the brute-force solver", name, method), agree == problems,
        error != errors.end() ? *error : fmt::format("{} of {}, {} solvable", agree, problems, yes));
    if (both_kinds)
      report_.check(name + ": problems of both kinds", yes > 0 && yes < problems,
                    fmt::format("{} solvable, {} not", yes, problems - yes));
    return all;
  }

 private:
  const Request& request_;
  Report& report_;
  Workers workers_;
};

const char* name_of_mode(BeamMode mode) {
  return mode == BeamMode::kBreadthFirst ? "breadth-first" : "best-first";
}

constexpr BeamMode kModesCompared[] = {BeamMode::kBreadthFirst, BeamMode::kBestFirst};

void compare_with_sweep(const Request& request, Tally& tally, Report& report) {
  const size_t problems = request.quick ? 40 : 500;
  const Random random(request.seed);
  for (const BeamMode mode : kModesCompared) {
    const auto all = tally.run("exhaustive", fmt::format("two features, {}", name_of_mode(mode)), problems,
                               [&](size_t i) -> Result<Comparison> {
                                 const BeamProblem problem = random_small_problem(
                                     random.split(mode == BeamMode::kBreadthFirst ? 1 : 2).split(i), mode);
                                 ESPALIER_ASSIGN(const auto sweep, sweep_weight_space(problem));
                                 return compare(problem, sweep.consistent, request.monitor);
                               });
    double certificates = 0;
    for (const Comparison& c : all) certificates = std::max(certificates, c.certificates);
    report.notes.push_back(
        fmt::format("two features, {}: enumeration without cuts would test up to 10^{:.1f} certificates "
                    "(computed as in Theorem 2, not measured)",
                    name_of_mode(mode), certificates));
  }
}

/// Theorem 3: b = t = 1 by one linear program; a second finds the solutions that hang on ties.
void compare_single_paths(const Request& request, Tally& tally, Report& report) {
  const Random random = Random(request.seed).split(3);
  tally.run("linear program", "b = t = 1", request.quick ? 40 : 500, [&](size_t i) -> Result<Comparison> {
    Random stream = random.split(i);
    TreeShape shape;
    shape.trees = 1 + stream.below(3);
    shape.depth = 1 + stream.below(3);
    shape.fan_out = 2;
    shape.dimension = 2;
    BeamProblem problem = random_single_path_problem(stream.split(1), shape, 3);
    if (i % 2 == 1) problem.mode = BeamMode::kBestFirst;
    ESPALIER_ASSIGN(const auto sweep, sweep_weight_space(problem));
    Comparison out = compare(problem, sweep.consistent, request.monitor);
    const DemandsMet met = solve_single_paths(problem);
    out.agrees = out.agrees && met.decision == (sweep.consistent ? Decision::kYes : Decision::kNo) &&
                 (!sweep.consistent || solves(problem, met.w));
    out.programs = static_cast<double>(met.programs);
    return out;
  });
  // Large problems: 30 trees of 1,365 nodes each, 20 features; with a margin, and random.
  TreeShape large;
  large.trees = request.quick ? 5 : 30;
  large.depth = 5;
  large.fan_out = 4;
  large.dimension = 20;
  large.second_target = 0;
  const BeamProblem solvable{
      trees_with_margin(random.split(1'000'001), large, MarginScope::kLevel, 0.05).trees, 1,
      BeamMode::kBreadthFirst, search::kNoHorizon};
  const DemandsMet met = solve_single_paths(solvable);
  report.check("b = t = 1, large: weights are found if there are any",
               met.decision == Decision::kYes && solves(solvable, met.w),
               fmt::format("{} trees of {} nodes, {} features", large.trees, solvable.instances[0].size(),
                           large.dimension));
  large.trees = 30;
  const BeamProblem hopeless = random_single_path_problem(random.split(1'000'002), large, 3);
  report.check("b = t = 1, large: proved to have none if targets are random",
               solve_single_paths(hopeless).decision == Decision::kNo,
               fmt::format("{} trees of {} nodes, {} features", large.trees, hopeless.instances[0].size(),
                           large.dimension));
}

/// Theorem 4.
void compare_disagreement(const Request& request, Tally& tally) {
  const Random random = Random(request.seed).split(4);
  for (const size_t dimension : {2, 3})
    tally.run("exhaustive", fmt::format("minimum disagreement, {} features", dimension),
              request.quick ? 20 : 200, [&](size_t i) -> Result<Comparison> {
                Random stream = random.split(dimension * 10'000 + i);
                const size_t positive = 3 + stream.below(3), negative = 3 + stream.below(3);
                const auto problem = random_disagreement(stream.split(1), dimension, positive, negative, 4,
                                                         stream.below(dimension == 2 ? 3 : 2));
                ESPALIER_ASSIGN(const size_t least, least_disagreement(problem));
                return compare(disagreement_as_beam_problem(problem, kModesCompared[i % 2]),
                               least <= problem.allowed, request.monitor);
              });
}

/// Theorems 5 and 6.
void compare_satisfiability(const Request& request, Tally& tally) {
  const Random random = Random(request.seed).split(5);
  const size_t problems = request.quick ? 10 : 200;
  for (const bool stack : {false, true})
    tally.run("exhaustive",
              stack ? "3-SAT, clauses stacked into one instance" : "3-SAT, an instance a clause", problems,
              [&](size_t i) -> Result<Comparison> {
                Random stream = random.split(i);
                const size_t variables = request.quick ? 3 : 3 + stream.below(2);
                const size_t clauses = 5 * variables + stream.below(variables * 3);
                const auto sat = random_3sat(stream.split(1), variables, clauses);
                const BeamProblem problem = sat_as_beam_problem(sat, kModesCompared[i % 2]);
                return compare(stack ? stacked(problem) : problem, satisfiable(sat), request.monitor);
              });
}

/// How the work grows with the number of variables, at five clauses per variable.
Status plot_growth(const Request& request, Tally& tally, Report& report) {
  const Random random = Random(request.seed).split(6);
  const size_t most = request.quick ? 4 : 6, problems = request.quick ? 5 : 20;
  eval::PlotSeries cut{"linear programs (mean)", {}, {}, {}, {}},
      uncut{"certificates (Theorem 2)", {}, {}, {}, {}, true};
  for (size_t variables = 3; variables <= most; ++variables) {
    const auto all = tally.run(
        "exhaustive", fmt::format("3-SAT, {} variables, {} clauses", variables, 5 * variables), problems,
        [&](size_t i) -> Result<Comparison> {
          const auto sat = random_3sat(random.split(variables * 1000 + i), variables, 5 * variables);
          return compare(sat_as_beam_problem(sat, BeamMode::kBreadthFirst), satisfiable(sat),
                         request.monitor);
        },
        false);
    double programs = 0;
    for (const Comparison& c : all) programs += c.programs / static_cast<double>(problems);
    cut.x.push_back(static_cast<double>(5 * variables));
    cut.y.push_back(std::log10(std::max(1.0, programs)));
    uncut.x.push_back(static_cast<double>(5 * variables));
    uncut.y.push_back(all[0].certificates);
  }
  if (request.monitor.stop_requested()) return {};
  const std::string file = request.out + "/beam-consistency.svg";
  const eval::Plot plot{
      "Deciding 3-SAT as consistency of beam search", "clauses, five a variable", "log10", {cut, uncut}};
  ESPALIER_TRY(eval::save_plot(plot, file));
  report.plots.push_back(file);
  return {};
}

}  // namespace

Result<Report> beam_consistency(const Request& request) {
  Report report;
  report.set("plain solvers", "all cells of weight space; all assignments of truth values");
  Tally tally(request, report);
  compare_with_sweep(request, tally, report);
  compare_single_paths(request, tally, report);
  compare_disagreement(request, tally);
  compare_satisfiability(request, tally);
  ESPALIER_TRY(plot_growth(request, tally, report));
  for (Row& row : report.rows) row.printed();
  return report;
}

}  // namespace espalier::research

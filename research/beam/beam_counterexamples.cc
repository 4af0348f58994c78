// Xu and Fern 2007, Figure 5: margins that do not make beam-search learners converge.
#include <algorithm>
#include <cmath>
#include <vector>

#include "research/beam/theory_consistency.h"
#include "research/beam/theory_convergence.h"
#include "research/beam/theory_instances.h"
#include "research/beam/theory_margins.h"
#include "research/experiments.h"

namespace espalier::research {
namespace {

struct NamedLearner {
  const char* name;
  BeamLearner learner;
};
constexpr NamedLearner kLearners[] = {
    {"laso-br", BeamLearner::kLasoBr}, {"laso-bst", BeamLearner::kLasoBst}, {"laso", BeamLearner::kLaso}};
constexpr BeamMode kBothModes[] = {BeamMode::kBreadthFirst, BeamMode::kBestFirst};
constexpr double kRates[] = {0.1, 0.5, 1};

const char* mode_name(BeamMode mode) {
  return mode == BeamMode::kBreadthFirst ? "breadth-first" : "best-first";
}

std::string vector_text(const std::vector<double>& w) { return fmt::format("({})", fmt::join(w, ", ")); }

/// The result of a learner on a problem for every rate: rows for α = 1, and whether w stayed 0 for all.
bool stays_at_zero(const BeamProblem& problem, const NamedLearner& named, const std::string& figure,
                   bool paper_says_so, Report& report) {
  bool always_zero = true;
  for (const double rate : kRates) {
    ConvergenceOptions options;
    options.rate = rate;
    const Convergence c = learn_until_unchanged(problem, named.learner, options);
    const bool zero = c.unchanged && std::all_of(c.w.begin(), c.w.end(), [](double x) { return x == 0; });
    always_zero = always_zero && zero && !c.solves;
    if (rate != 1) continue;
    double norm = 0;
    for (const double x : c.w) norm += x * x;
    const std::optional<double> paper = paper_says_so ? std::optional<double>(0) : std::nullopt;
    report.add(named.name, figure + ": norm of w", paper, std::sqrt(norm));
    report.add(named.name, figure + ": solved", paper_says_so ? 0 : 1, c.solves ? 1 : 0);
    report.add(named.name, figure + ": updates", std::nullopt, static_cast<double>(c.updates));
  }
  return always_zero;
}

void check_solvable(const BeamProblem& problem, const std::string& figure, Report& report) {
  const Consistency answer = decide_consistency(problem);
  const bool zero_solves = solves(problem, std::vector<double>{0, 0});
  report.check(fmt::format("{}, {}: the exhaustive algorithm finds weights, and 0 is none", figure,
                           mode_name(problem.mode)),
               answer.decision == Decision::kYes && solves(problem, answer.w) && !zero_solves,
               "w = " + vector_text(answer.w));
}

}  // namespace

Result<Report> beam_counterexamples(const Request&) {
  Report report;
  report.set("beam", "2");
  report.set("start", "w = 0");
  report.set("rates", fmt::format("{}", fmt::join(kRates, ", ")));

  // (a): a positive search margin is not enough for any learner.
  const std::vector<double> even{1, 1};
  for (const BeamMode mode : kBothModes) {
    const BeamProblem a = counter_example_a(mode);
    const double margin = search_margin(a, even);
    report.add("w = (1, 1)", fmt::format("5a: search margin, {}", mode_name(mode)), 1, margin);
    report.check(fmt::format("5a, {}: w = (1, 1) solves it with search margin 1", mode_name(mode)),
                 solves(a, even) && margin == 1, fmt::format("{}", margin));
    check_solvable(a, "5a", report);
  }
  for (const NamedLearner& named : kLearners)
    report.check(fmt::format("5a: {} stays exactly at 0, which solves nothing", named.name),
                 stays_at_zero(counter_example_a(BeamMode::kBreadthFirst), named, "5a", true, report),
                 "at every rate");

  // (b): a positive level margin is enough for LaSO-BR, but not for best-first learners.
  const std::vector<double> uneven{2, 1};
  const BeamProblem b = counter_example_b(BeamMode::kBreadthFirst);
  const double level = level_margin(b.instances, uneven);
  const double global = global_margin(b.instances, uneven);
  report.add("w = (2, 1)", "5b: level margin", 1, level);
  report.add("w = (2, 1)", "5b: global margin", std::nullopt, global);
  report.check("5b: w = (2, 1) has level margin 1 and no global margin", level == 1 && global < 0,
               fmt::format("{} and {}", level, global));
  for (const BeamMode mode : kBothModes) check_solvable(counter_example_b(mode), "5b", report);
  for (const NamedLearner& named : kLearners) {
    const bool breadth_first = named.learner == BeamLearner::kLasoBr;
    const bool zero = stays_at_zero(b, named, "5b", !breadth_first, report);
    if (!breadth_first)
      report.check(fmt::format("5b: {} stays exactly at 0, which solves nothing", named.name), zero,
                   "at every rate");
  }
  const Convergence br = learn_until_unchanged(b, BeamLearner::kLasoBr);
  report.check("5b: laso-br finds weights in one update", br.solves && br.unchanged && br.updates == 1,
               "w = " + vector_text(br.w));
  report.depart(
      "the drawings of Figure 5 are not in the paper's text; they are reconstructed so that every sentence "
      "about them holds");
  for (Row& row : report.rows) row.printed();
  return report;
}

}  // namespace espalier::research

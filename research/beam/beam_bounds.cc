// Xu and Fern 2007, Theorems 7 to 9: the number of updates that beam-search learners make, compared with the
// bounds.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/random.h"
#include "espalier/eval/plot.h"
#include "research/beam/theory_convergence.h"
#include "research/beam/theory_instances.h"
#include "research/beam/theory_margins.h"
#include "research/experiments.h"

namespace espalier::research {
namespace {

/// One learning problem whose weights have a known margin, and the result of learning.
struct Trial {
  double updates = 0, bound = 0;
  bool consistent = false;  ///< converged, with weights that solve the problem
  bool in_proof = false;    ///< ‖w‖² ≤ kR² and w*·w ≥ k·(gain of an update), as in the proof
};

double log_uniform(Random& random, double low, double high) {
  return low * std::exp(random.uniform() * std::log(high / low));
}

Trial run_trial(const BeamProblem& problem, BeamLearner learner, const std::vector<double>& truth,
                double spread, double gain, double bound, const Monitor& monitor) {
  ConvergenceOptions options;
  options.monitor.stop = monitor.stop;
  const Convergence c = learn_until_unchanged(problem, learner, options);
  Trial trial;
  trial.updates = static_cast<double>(c.updates);
  trial.bound = bound;
  trial.consistent = c.unchanged && c.solves;
  const double square = std::inner_product(c.w.begin(), c.w.end(), c.w.begin(), 0.0);
  const double along = std::inner_product(c.w.begin(), c.w.end(), truth.begin(), 0.0);
  constexpr double kRounding = 1e-9;
  trial.in_proof = c.updates == 0 || (square <= trial.updates * spread * spread * (1 + kRounding) &&
                                      along >= trial.updates * gain * (1 - kRounding));
  return trial;
}

TreeShape random_shape(Random& random, size_t most_fan_out, size_t most_depth) {
  TreeShape shape;
  shape.trees = 1 + random.below(8);
  shape.depth = 1 + random.below(most_depth);
  shape.fan_out = 2 + random.below(most_fan_out - 1);
  shape.dimension = 2 + random.below(9);
  shape.second_target = random.uniform() * 0.5;
  shape.along = log_uniform(random, 0.02, 1);
  return shape;
}

Trial separable_trial(Random random, BeamLearner learner, const Monitor& monitor) {
  const bool breadth = learner == BeamLearner::kLasoBr;
  const TreeShape shape = random_shape(random, 4, 4);
  const auto [trees, w] =
      trees_with_margin(random.split(1), shape, breadth ? MarginScope::kLevel : MarginScope::kGlobal,
                        log_uniform(random, 0.02, 0.5));
  const double spread = feature_spread(trees);
  const double margin = breadth ? level_margin(trees, w) : global_margin(trees, w);
  const BeamProblem problem{trees, 1 + random.below(4),
                            breadth ? BeamMode::kBreadthFirst : BeamMode::kBestFirst, search::kNoHorizon};
  return run_trial(problem, learner, w, spread, margin, mistake_bound(spread, margin), monitor);
}

/// b* = (1 + δ2/δ1) b'.
double least_width(const BeamMargin& margin) {
  return (1 + margin.delta2 / margin.delta1) * static_cast<double>(margin.ambiguous);
}

Trial ambiguous_trial(Random random, const Monitor& monitor) {
  TreeShape shape = random_shape(random, 6, 3);
  const size_t ambiguous = 1 + random.below(3);
  shape.fan_out = std::max(shape.fan_out, ambiguous + 3);
  const double delta1 = log_uniform(random, 0.05, 0.5), delta2 = delta1 * 1.5 * random.uniform();
  const auto [trees, w] = trees_with_beam_margin(random.split(1), shape, ambiguous, delta1, delta2);
  const double spread = feature_spread(trees);
  const BeamMargin margin = beam_margin(trees, w, ambiguous);
  const double needed = least_width(margin);
  const size_t width = static_cast<size_t>(needed) + 1 + random.below(3);
  const BeamProblem problem{trees, width, BeamMode::kBreadthFirst, search::kNoHorizon};
  return run_trial(problem, BeamLearner::kLasoBr, w, spread,
                   margin.delta1 * (1 - needed / static_cast<double>(width)),
                   mistake_bound(spread, margin, width), monitor);
}

/// Runs trials in parallel, batch by batch.
template <typename Run>
std::vector<Trial> run_trials(size_t trials, const std::string& phase, const Request& request,
                              const Run& run) {
  constexpr size_t kBatch = 50;
  const Workers workers(request.threads);
  std::vector<Trial> out(trials);
  for (size_t first = 0; first < trials && !request.monitor.stop_requested(); first += kBatch) {
    workers.for_each(std::min(kBatch, trials - first), [&](size_t i) { out[first + i] = run(first + i); });
    Progress progress;
    progress.phase = phase;
    progress.done = static_cast<double>(std::min(first + kBatch, trials));
    progress.total = static_cast<double>(trials);
    request.monitor.report(progress);
  }
  return out;
}

void summarise(const std::vector<Trial>& trials, const char* learner, const std::string& theorem,
               Report& report) {
  size_t within = 0, consistent = 0, in_proof = 0, learned = 0;
  double updates = 0, largest = 0, largest_share = 0;
  for (const Trial& trial : trials) {
    within += trial.updates <= trial.bound ? 1 : 0;
    consistent += trial.consistent ? 1 : 0;
    in_proof += trial.in_proof ? 1 : 0;
    learned += trial.updates > 0 ? 1 : 0;
    updates += trial.updates / static_cast<double>(trials.size());
    largest = std::max(largest, trial.updates);
    if (trial.updates > 0) largest_share = std::max(largest_share, trial.updates / trial.bound);
  }
  const auto of_all = [&](size_t n) { return fmt::format("{} of {}", n, trials.size()); };
  report.add(learner, theorem + ": problems that took an update", std::nullopt, static_cast<double>(learned));
  report.add(learner, theorem + ": updates, mean", std::nullopt, updates);
  report.add(learner, theorem + ": updates, most", std::nullopt, largest);
  report.add(learner, theorem + ": largest share of the bound", std::nullopt, largest_share);
  report.check(theorem + ": updates within the bound", within == trials.size(), of_all(within));
  report.check(theorem + ": ends with consistent weights", consistent == trials.size(), of_all(consistent));
  report.check(theorem + ": both inequalities of the proof hold", in_proof == trials.size(),
               of_all(in_proof));
}

/// Theorem 9's trade-off: the same trees with wider and wider beams.
Status plot_widths(const Request& request, Report& report) {
  const size_t sets = request.quick ? 10 : 200;
  constexpr size_t kAmbiguous = 2, kFirst = 5, kLast = 24;
  TreeShape shape;
  shape.trees = 10;
  shape.depth = 2;
  shape.fan_out = 7;
  shape.dimension = 10;
  const auto seed = Random(request.seed).split(9);
  eval::PlotSeries updates{"updates (mean, deviation)", {}, {}, {}, {}},
      bound{"bound (mean)", {}, {}, {}, {}, true};
  bool within = true;
  for (size_t width = kFirst; width <= kLast && !request.monitor.stop_requested(); ++width) {
    const std::vector<Trial> trials = run_trials(sets, fmt::format("beam {}", width), request, [&](size_t i) {
      const auto [trees, w] = trees_with_beam_margin(seed.split(i), shape, kAmbiguous, 0.3, 0.3);
      const double spread = feature_spread(trees);
      const BeamMargin margin = beam_margin(trees, w, kAmbiguous);
      const BeamProblem problem{trees, width, BeamMode::kBreadthFirst, search::kNoHorizon};
      return run_trial(problem, BeamLearner::kLasoBr, w, spread, 0, mistake_bound(spread, margin, width),
                       request.monitor);
    });
    double mean = 0, square = 0, mean_bound = 0;
    for (const Trial& trial : trials) {
      within = within && trial.consistent && trial.updates <= trial.bound;
      mean += trial.updates / static_cast<double>(sets);
      square += trial.updates * trial.updates / static_cast<double>(sets);
      mean_bound += trial.bound / static_cast<double>(sets);
    }
    const double deviation = std::sqrt(std::max(0.0, square - mean * mean));
    updates.x.push_back(static_cast<double>(width));
    updates.y.push_back(mean);
    updates.low.push_back(std::max(0.0, mean - deviation));
    updates.high.push_back(mean + deviation);
    bound.x.push_back(static_cast<double>(width));
    bound.y.push_back(mean_bound);
    if (width == kFirst || width == 2 * kFirst || width == kLast) {
      report.add("laso-br", fmt::format("b' = 2, b = {}: updates", width), std::nullopt, mean, deviation);
      report.add("laso-br", fmt::format("b' = 2, b = {}: bound", width), std::nullopt, mean_bound);
    }
  }
  report.check("Theorem 9, wider and wider beams: updates within the bound, weights consistent", within,
               fmt::format("{} sets of {} trees, b = {} to {}", sets, shape.trees, kFirst, kLast));
  if (request.monitor.stop_requested()) return {};
  const std::string updates_file = request.out + "/beam-bounds-updates.svg",
                    bound_file = request.out + "/beam-bounds.svg";
  eval::Plot plot{
      "LaSO-BR, beam margin (2, 0.3, 0.3)", "beam width b", "updates until consistent", {updates}};
  ESPALIER_TRY(eval::save_plot(plot, updates_file));
  plot.y_label = "updates";
  plot.log_y = true;
  plot.series = {{updates.name, updates.x, updates.y, {}, {}}, bound};
  ESPALIER_TRY(eval::save_plot(plot, bound_file));
  report.plots.insert(report.plots.end(), {updates_file, bound_file});
  return {};
}

}  // namespace

Result<Report> beam_bounds(const Request& request) {
  Report report;
  const size_t trials = request.quick ? 50 : 1000;
  report.set("problems", fmt::format("{} for each theorem, of 1 to 8 random trees", trials));
  report.set("trees", "depth 1 to 4, fan-out 2 to 6, 2 to 10 Gaussian features, one or more target paths");
  const Random random(request.seed);
  summarise(run_trials(trials, "Theorem 7", request,
                       [&](size_t i) {
                         return separable_trial(random.split(7).split(i), BeamLearner::kLasoBr,
                                                request.monitor);
                       }),
            "laso-br", "Theorem 7 (level margin)", report);
  summarise(run_trials(trials, "Theorem 8", request,
                       [&](size_t i) {
                         return separable_trial(random.split(8).split(i), BeamLearner::kLasoBst,
                                                request.monitor);
                       }),
            "laso-bst", "Theorem 8 (global margin)", report);
  summarise(run_trials(trials, "Theorem 9", request,
                       [&](size_t i) { return ambiguous_trial(random.split(10).split(i), request.monitor); }),
            "laso-br", "Theorem 9 (beam margin)", report);

  // Orthogonal instances reach (R/γ)² exactly: no better bound in R and γ is possible.
  constexpr size_t kOrthogonal = 25;
  const auto [trees, w] = trees_of_full_bound(kOrthogonal);
  const BeamProblem problem{trees, 1, BeamMode::kBreadthFirst, search::kNoHorizon};
  for (const auto& [name, learner] :
       {std::pair("laso-br", BeamLearner::kLasoBr), std::pair("laso-bst", BeamLearner::kLasoBst)}) {
    const Convergence c = learn_until_unchanged(problem, learner);
    report.add(name, "25 orthogonal instances: updates", std::nullopt, static_cast<double>(c.updates));
    report.check(fmt::format("{}: the bound is reached on orthogonal instances", name),
                 c.updates == kOrthogonal && c.solves,
                 fmt::format("{} updates, bound {:.6g}", c.updates,
                             mistake_bound(feature_spread(trees), global_margin(trees, w))));
  }
  ESPALIER_TRY(plot_widths(request, report));
  for (Row& row : report.rows) row.printed();
  return report;
}

}  // namespace espalier::research

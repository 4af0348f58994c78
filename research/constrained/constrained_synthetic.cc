// Punyakanok, Roth, Yih and Zimak (2005), Figure 2: learning only, learning with inference and
// inference-based training on synthetic variables, by the number of examples and the difficulty κ of the
// local problems.
#include <algorithm>
#include <cmath>

#include "espalier/base/parallel.h"
#include "espalier/eval/plot.h"
#include "espalier/tasks/structures/variables.h"
#include "research/experiment.h"
#include "research/experiments.h"

namespace espalier::research {

namespace {

struct SyntheticPanel {
  double kappa;
  size_t dimensions;
  std::vector<size_t> sizes;  ///< ascending
};

/// The results of ten simulated trials of the stated set-up; ours must be within the tolerance.
struct Expected {
  double kappa;
  size_t n;
  double value[3];
  double tolerance[3];
};
constexpr Expected kExpected[] = {
    {0, 1000, {.949, .967, .952}, {.01, .01, .01}},  {0, 10000, {.987, .993, .991}, {.01, .01, .01}},
    {.15, 500, {.766, .781, .779}, {.01, .01, .01}}, {.15, 5000, {.904, .933, .964}, {.01, .01, .01}},
    {1, 2000, {.740, .752, .946}, {.02, .02, .01}},  {1, 10000, {.741, .756, .975}, {.02, .02, .01}},
};
constexpr const char* kRegimes[3] = {"LO", "L+I", "IBT"};

/// accuracy[regime][size index][trial]
using Curves = std::vector<std::vector<std::vector<double>>>;

/// What must hold in every trial: the hidden weights label all examples (the data are separable as a whole),
/// and training that ended with a cycle without mistakes labels its own examples.
struct TrialFacts {
  bool separable = true, consistent = true;
  size_t ended = 0;  ///< trainings that ended without mistakes
};

/// Whether these weights label the first n examples, with inference or each variable by itself.
bool labels_all(const tasks::VariablesProblem& problem, const tasks::VariablesData& data, size_t n,
                const std::vector<float>& w, bool inference) {
  for (size_t i = 0; i < n; ++i)
    if ((inference ? tasks::best_assignment(problem, data, i, w) : tasks::free_assignment(data, i, w)) !=
        data.y[i])
      return false;
  return true;
}

Curves run_panel(const SyntheticPanel& panel, size_t trials, const Request& request, const Workers& workers,
                 std::vector<TrialFacts>& facts) {
  constexpr size_t kTest = 2000;
  Curves out(3, std::vector<std::vector<double>>(panel.sizes.size(), std::vector<double>(trials)));
  workers.for_each(trials, [&](size_t trial) {
    Random random = Random(request.seed).split(1000 * trial + static_cast<uint64_t>(100 * panel.kappa));
    const tasks::VariablesProblem problem = tasks::draw_problem(5, panel.dimensions, random);
    const tasks::VariablesData train = tasks::draw_examples(problem, panel.sizes.back(), panel.kappa, random);
    const tasks::VariablesData test = tasks::draw_examples(problem, kTest, panel.kappa, random);
    TrialFacts& own = facts[trial];
    own.separable = own.separable && labels_all(problem, train, train.size(), problem.w, true);
    for (size_t i = 0; i < panel.sizes.size(); ++i) {
      if (request.monitor.stop_requested()) return;
      const auto local = tasks::train_variables(problem, train, panel.sizes[i], tasks::Regime::kLocal);
      const auto global = tasks::train_variables(problem, train, panel.sizes[i], tasks::Regime::kGlobal);
      for (const auto* model : {&local, &global})
        if (model->separated) {
          ++own.ended;
          own.consistent =
              own.consistent && labels_all(problem, train, panel.sizes[i], model->w, model == &global);
        }
      out[0][i][trial] = tasks::variables_accuracy(problem, test, local.w, false);
      out[1][i][trial] = tasks::variables_accuracy(problem, test, local.w, true);
      out[2][i][trial] = tasks::variables_accuracy(problem, test, global.w, true);
    }
  });
  return out;
}

struct Moments {
  double mean = 0, deviation = 0;
};
Moments moments_of(const std::vector<double>& values) {
  Moments m;
  for (const double v : values) m.mean += v / static_cast<double>(values.size());
  for (const double v : values) m.deviation += (v - m.mean) * (v - m.mean);
  m.deviation = values.size() < 2 ? 0 : std::sqrt(m.deviation / static_cast<double>(values.size() - 1));
  return m;
}

}  // namespace

Result<Report> constrained_synthetic(const Request& request) {
  const size_t trials = request.quick ? 2 : 10;
  std::vector<SyntheticPanel> panels = {{0, 100, {250, 500, 1000, 2000, 5000, 10000}},
                                        {.15, 300, {500, 1000, 2000, 3000, 4000, 5000}},
                                        {1, 100, {250, 500, 1000, 2000, 5000, 10000}}};
  if (request.quick) panels = {{0, 20, {100, 200}}, {1, 20, {100, 200}}};
  Report report;
  report.set("variables", "5");
  report.set("trials", fmt::format("{}", trials));
  report.set("cycles", "until one makes no mistake, at most 100");
  report.set("accuracy", "of variables, on 2000 new examples");
  report.notes.push_back("the paper prints curves only, no figures");
  const Workers workers(request.threads);
  std::vector<TrialFacts> facts(trials);
  size_t settings = 0, inference_helps = 0;
  for (size_t p = 0; p < panels.size(); ++p) {
    const SyntheticPanel& panel = panels[p];
    Progress progress;
    progress.phase = fmt::format("kappa {}", panel.kappa);
    progress.done = static_cast<double>(p);
    progress.total = static_cast<double>(panels.size());
    request.monitor.report(progress);
    const Curves curves = run_panel(panel, trials, request, workers, facts);
    if (request.monitor.stop_requested()) return fail("interrupted");
    eval::Plot plot;
    plot.title = fmt::format("kappa = {}, d = {}", panel.kappa, panel.dimensions);
    plot.x_label = "training examples";
    plot.y_label = "accuracy";
    std::vector<std::vector<double>> means(3);
    for (size_t r = 0; r < 3; ++r) {
      eval::PlotSeries series;
      series.name = kRegimes[r];
      for (size_t i = 0; i < panel.sizes.size(); ++i) {
        const Moments m = moments_of(curves[r][i]);
        means[r].push_back(m.mean);
        series.x.push_back(static_cast<double>(panel.sizes[i]));
        series.y.push_back(m.mean);
        series.low.push_back(m.mean - m.deviation);
        series.high.push_back(m.mean + m.deviation);
        std::optional<double> simulated;
        for (const Expected& e : kExpected)
          if (!request.quick && e.kappa == panel.kappa && e.n == panel.sizes[i]) {
            simulated = e.value[r];
            report.check(
                fmt::format("{} at kappa {} n {} within {}", kRegimes[r], e.kappa, e.n, e.tolerance[r]),
                std::abs(m.mean - e.value[r]) <= e.tolerance[r],
                fmt::format("{:.4f}, expected {:.3f}", m.mean, e.value[r]));
          }
        report
            .add(kRegimes[r], fmt::format("kappa={} n={}", panel.kappa, panel.sizes[i]), std::nullopt, m.mean,
                 m.deviation)
            .printed()
            .beside(simulated, "an independent simulation of the stated set-up, ten trials");
      }
      plot.series.push_back(std::move(series));
    }
    const std::string path = fmt::format("{}/constrained-synthetic-{}.svg", request.out, p + 1);
    ESPALIER_TRY(eval::save_plot(plot, path));
    report.plots.push_back(path);
    for (size_t i = 0; i < panel.sizes.size(); ++i, ++settings) inference_helps += means[1][i] >= means[0][i];
    if (request.quick) continue;
    if (panel.kappa == 0) {
      bool leads = true;
      for (size_t i = 0; i < panel.sizes.size(); ++i) leads = leads && means[1][i] >= means[2][i];
      report.claim("kappa 0: L+I outperforms IBT", leads,
                   fmt::format("{:.4f} and {:.4f} at the end", means[1].back(), means[2].back()),
                   "IBT catches up with many examples");
    } else if (panel.kappa == 1) {
      bool leads = true;
      for (size_t i = 0; i < panel.sizes.size(); ++i) leads = leads && means[2][i] > means[1][i];
      report.claim("kappa 1: IBT outperforms L+I", leads,
                   fmt::format("{:.4f} and {:.4f} at the end", means[2].back(), means[1].back()),
                   "too few examples");
    } else {
      bool leads = true;
      for (size_t i = 0; i < panel.sizes.size(); ++i)
        if (panel.sizes[i] >= 1000) leads = leads && means[2][i] > means[1][i];
      report.claim("kappa 0.15: IBT outperforms L+I with many examples (from 1000 on)", leads,
                   fmt::format("{:.4f} and {:.4f} at 1000", means[2][1], means[1][1]),
                   "it takes more examples here");
      report.claim("kappa 0.15: L+I outperforms IBT with few examples (500)", means[1][0] > means[2][0],
                   fmt::format("{:.4f} and {:.4f}", means[1][0], means[2][0]),
                   "they differ by less than the trials do");
    }
  }
  if (!request.quick)
    report.claim("in all cases, inference helps", inference_helps == settings,
                 fmt::format("L+I at least LO in {} of {} settings", inference_helps, settings),
                 "with the fewest examples, weights are too poor for inference to mend");
  size_t separable = 0, consistent = 0, ended = 0;
  for (const TrialFacts& fact : facts) {
    separable += fact.separable;
    consistent += fact.consistent;
    ended += fact.ended;
  }
  report.check("the hidden weights label every example: the data are separable as a whole",
               separable == trials, fmt::format("{} of {} trials", separable, trials));
  report.check("a cycle without mistakes ends with weights that label the training examples",
               consistent == trials && ended > 0, fmt::format("{} trainings ended so", ended));
  return report;
}

}  // namespace espalier::research

// Punyakanok, Roth, Yih and Zimak (2005), Figure 5: bounds on the error of local and global training.
#include <cmath>

#include "espalier/eval/plot.h"
#include "research/constrained/bounds.h"
#include "research/experiment.h"
#include "research/experiments.h"

namespace espalier::research {

Result<Report> constrained_bounds(const Request& request) {
  // The paper does not print c, d and δ; c and d are those of its synthetic experiment, δ the customary one.
  constexpr double c = 5, d = 100, delta = 0.05;
  constexpr double kErrors[3] = {0, 0.1, 0.2};
  Report report;
  report.set("c", "5");
  report.set("d", "100");
  report.set("delta", "0.05");
  eval::Plot plot;
  plot.title = "Accuracy guaranteed by Corollaries 6.3 and 6.4";
  plot.x_label = "examples";
  plot.y_label = "accuracy";
  plot.log_x = true;
  eval::PlotSeries global{"IBT", {}, {}, {}, {}, false};
  std::vector<eval::PlotSeries> local;
  for (const double error : kErrors)
    local.push_back({fmt::format("LO, e_opt = {}", error), {}, {}, {}, {}, true});
  bool separable_leads = true, falls = true;
  double before = 1e300;
  for (double exponent = 4; exponent <= 8.001; exponent += 0.05) {
    const double m = std::pow(10, exponent);
    const double ours = global_error_bound(m, c, d, delta);
    falls = falls && ours < before;
    before = ours;
    separable_leads = separable_leads && local_error_bound(m, d, 0, delta) < ours;
    // A bound above 1 says nothing: accuracy 0.
    global.x.push_back(m);
    global.y.push_back(std::max(0.0, 1 - ours));
    for (size_t i = 0; i < local.size(); ++i) {
      local[i].x.push_back(m);
      local[i].y.push_back(std::max(0.0, 1 - local_error_bound(m, d, kErrors[i], delta)));
    }
  }
  for (const double m : {1e5, 2e5, 5e5, 1e6, 1e7}) {
    report.add("IBT", fmt::format("m={:g}", m), std::nullopt,
               std::max(0.0, 1 - global_error_bound(m, c, d, delta)));
    for (const double error : kErrors)
      report.add(fmt::format("LO e_opt={}", error), fmt::format("m={:g}", m), std::nullopt,
                 std::max(0.0, 1 - local_error_bound(m, d, error, delta)));
  }
  for (const double error : {0.1, 0.2}) {
    const double crossing = crossing_of_bounds(c, d, error, delta);
    report.add("crossing", fmt::format("e_opt={}", error), std::nullopt, crossing);
    const bool after =
        global_error_bound(2 * crossing, c, d, delta) < local_error_bound(2 * crossing, d, error, delta);
    const bool until =
        global_error_bound(crossing / 2, c, d, delta) > local_error_bound(crossing / 2, d, error, delta);
    report.check(fmt::format("e_opt {}: IBT overtakes local training, once and for good", error),
                 after && until, fmt::format("at {:.0f} examples", crossing));
  }
  report.check("e_opt 0: local training has the better bound throughout", separable_leads,
               "from 1e4 to 1e8 examples");
  report.check("the bound of IBT falls with every example", falls, "from 1e4 to 1e8 examples");
  plot.series.push_back(std::move(global));
  for (auto& series : local) plot.series.push_back(std::move(series));
  const std::string path = request.out + "/constrained-bounds.svg";
  ESPALIER_TRY(eval::save_plot(plot, path));
  report.plots.push_back(path);
  report.notes.push_back(
      "with these c and d the curves cross beyond the million examples at which the paper's axis ends; it "
      "prints no parameters to compare with");
  return report;
}

}  // namespace espalier::research

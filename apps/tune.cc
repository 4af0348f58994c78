// espalier tune: choose the thresholds of a cascade anew.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/interrupt.h"
#include "apps/options.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "espalier/base/text.h"
#include "espalier/cascade/tune.h"
#include "espalier/eval/plot.h"
#include "espalier/model/model.h"

namespace espalier::apps {
namespace {

constexpr const char* kTuneHelp =
    R"(Choose the thresholds of a cascade anew, without training

Looks at labelled data level by level and takes for each filter the threshold that leaves the least alive within a
filter loss (--filter-loss), or that loses the least within a budget (--budget). Nothing else in the model changes. What
cannot be had is an error that says what the nearest is.)";

constexpr const char* kTuneExamples = R"(Examples:
  espalier tune pos.model --dev dev.txt --filter-loss 0.001
  espalier tune pos.model --dev dev.txt --budget 3 -o fast.model --plot tradeoff.svg
  espalier tune letters.model --dev letter.data.gz --folds 0 --filter-loss 0.01,0.02,0.04 --json)";

struct TuneFlags {
  std::string model, out, plot, folds;
  std::vector<std::string> dev;
  std::string filter_loss;
  double budget = 0;
  int threads = 0;
  OutputFlags output;
};

Result<cascade::TuneOptions> options_of(const TuneFlags& flags) {
  cascade::TuneOptions options;
  options.budget = flags.budget;
  if (flags.budget != 0 && flags.budget < 1)
    return fail("--budget {:g}: one label a position must stay, so it is at least 1", flags.budget);
  if (flags.budget != 0 && !flags.filter_loss.empty())
    return fail("--budget and --filter-loss exclude each other");
  if (flags.filter_loss.empty()) return options;
  options.filter_loss.clear();
  std::string_view text = flags.filter_loss;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    const auto number = parse_number(item);
    if (!number.ok() || *number < 0 || *number > 1)
      return fail("--filter-loss: '{}' is not a share from 0 to 1", item);
    options.filter_loss.push_back(*number);
    if (item.size() == text.size()) return options;
    text.remove_prefix(item.size() + 1);
  }
}

/// Efficiency against filter loss, a line a level.
Status draw(const cascade::TuneResult& result, const std::string& path) {
  eval::Plot plot;
  plot.title = "What each level leaves alive";
  plot.x_label = "filter loss";
  plot.y_label = "share left alive";
  for (size_t l = 0; l < result.curves.size(); ++l) {
    eval::PlotSeries series;
    series.name = fmt::format("level {}", l + 1);
    for (const auto& point : result.curves[l]) {
      series.x.push_back(point.filter_loss);
      series.y.push_back(point.efficiency);
    }
    plot.series.push_back(std::move(series));
  }
  return eval::save_plot(plot, path);
}

Outcome run(const TuneFlags& flags) {
  const auto options = options_of(flags);
  if (!options.ok()) return usage_error(options.error());
  if (flags.dev.empty()) return usage_error("--dev FILE is missing");
  ESPALIER_ASSIGN(const model::Model model, model::Model::open(flags.model));
  const auto* cascade = dynamic_cast<const cascade::CascadePredictor*>(&model.predictor());
  if (cascade == nullptr)
    return Error{fmt::format("{}: a model of the learner {}; only a cascade has thresholds to choose",
                             flags.model, model.about().learner)};
  data::ReadOptions reading = model.about().reading;
  if (!flags.folds.empty()) {
    const auto folds = data::parse_folds(flags.folds);
    if (!folds) return usage_error(folds.error());
    reading.folds = *folds;
  }
  ESPALIER_ASSIGN(const auto sequences, data::read_all(flags.dev, reading));
  ProgressDisplay display(flags.output.quiet ? ProgressDisplay::Mode::kQuiet
                                             : ProgressDisplay::Mode::kBarOnly);
  const InterruptGuard interrupt(InterruptGuard::Input::kEnd);
  const auto tuned =
      cascade::tune(*cascade, sequences, *options, Workers(flags.threads), display.monitor(interrupt.flag()));
  display.clear();
  if (interrupt.signal() != 0) return {128 + interrupt.signal(), "interrupted; the model is as it was"};
  if (!tuned.ok()) return fail("{}: {}", flags.dev.front(), tuned.error().message);
  const std::string target = flags.out.empty() ? flags.model : flags.out;
  SectionWriter sections;
  ESPALIER_TRY(cascade::replace_thresholds(model.file(), tuned->alphas, tuned->reports, sections));
  if (!flags.plot.empty()) ESPALIER_TRY(draw(*tuned, flags.plot));
  ESPALIER_TRY(sections.save(target));
  if (flags.output.json) {
    nlohmann::ordered_json levels = nlohmann::ordered_json::array();
    for (size_t l = 0; l < tuned->reports.size(); ++l) {
      const cascade::LevelReport& report = tuned->reports[l];
      levels.push_back({{"order", report.order},
                        {"alpha_before", cascade->alphas()[l]},
                        {"alpha", report.alpha},
                        {"filter_loss", report.filter_loss},
                        {"efficiency_loss", report.efficiency},
                        {"alive", report.alive}});
    }
    ESPALIER_TRY(
        print_json({{"model", target}, {"sequences", sequences.size()}, {"levels", std::move(levels)}}));
    return {};
  }
  std::string out = fmt::format("{:<6} {:>6} {:>10} {:>10} {:>12} {:>10} {:>10}\n", "level", "order",
                                "alpha before", "alpha", "filter loss", "alive", "share");
  for (size_t l = 0; l < tuned->reports.size(); ++l) {
    const cascade::LevelReport& report = tuned->reports[l];
    fmt::format_to(std::back_inserter(out),
                   "{:<6} {:>6} {:>12.4g} {:>10.4g} {:>11.4f}% {:>10.2f} {:>9.2f}%\n", l + 1, report.order,
                   cascade->alphas()[l], report.alpha, 100 * report.filter_loss, report.alive,
                   100 * report.efficiency);
  }
  ESPALIER_TRY(print(out + fmt::format("model  {}\n", target)));
  return {};
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  CLI::App* const verb = app.add_subcommand("tune", kTuneHelp);
  verb->footer(kTuneExamples);
  const auto flags = std::make_shared<TuneFlags>();
  verb->add_option("MODEL", flags->model, "a cascade; changed in place unless -o says otherwise")->required();
  verb->add_option("--dev", flags->dev, "labelled data to choose by");
  verb->add_option("--filter-loss", flags->filter_loss,
                   "share of the truth each level may lose, one number or one a level (0.0005)");
  verb->add_option("--budget", flags->budget,
                   "label n-grams alive per position after each level, in place of a loss");
  verb->add_option("-o,--output", flags->out, "where the tuned model goes");
  verb->add_option("--plot", flags->plot, "write efficiency against filter loss to this SVG file");
  verb->add_option("--folds", flags->folds, "folds of the data to use, as 1-9 or 0,2 (letters, JSON lines)");
  add_threads_option(*verb, flags->threads);
  flags->output.add_to(*verb);
  verb->callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps

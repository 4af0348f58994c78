// tune: chooses the thresholds of a cascade again. Tested in evaluate_test.cc and apps/tests/tune_test.sh.
#include "espalier/cascade/training/tune.h"

#include "espalier/api/model_input.h"
#include "espalier/api/public_monitor.h"
#include "espalier/api/tagger.h"
#include "espalier/base/parallel.h"
#include "espalier/base/text/counted.h"
#include "espalier/cascade/model/model.h"
#include "espalier/eval/plot.h"
#include "espalier/public/evaluate.h"

namespace espalier {
namespace {

/// The share of n-grams that each level keeps against its filter loss, one line per level.
std::string plot_of(const cascade::TuneResult& result) {
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
  // Nothing to draw is not an error: the plot is then empty.
  auto svg = eval::plot_svg(plot);
  return svg.ok() ? std::move(svg).value() : std::string();
}

Result<std::vector<data::Sequence>> sequences_of(const Tagger::State& tagger, const Data& dev) {
  if (dev.corpus() != nullptr) {
    ESPALIER_TRY(dev.corpus()->status());
    return dev.corpus()->state()->sequences;
  }
  ESPALIER_ASSIGN(const std::vector<api::ModelSource> sources,
                  api::model_sources(tagger, dev, /*labels_required=*/true));
  std::vector<data::Sequence> out;
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string& path = dev.files()->paths[i];
    const api::ModelInput& input = sources[i].input;
    ESPALIER_ASSIGN(std::vector<data::Sequence> read, data::read_all({path}, input.reading));
    for (data::Sequence& sequence : read) {
      if (!input.map) {
        out.push_back(std::move(sequence));
        continue;
      }
      const Status status = input.map->apply(sequence, out.emplace_back());
      if (!status.ok()) return fail("{}: {}", path, status.error().message);
    }
  }
  return out;
}

}  // namespace

Status check_options(const TuneOptions& options) {
  if (options.budget != 0 && !(options.budget >= 1))
    return fail("a budget of {:g}: one label per position must stay, so it is at least 1", options.budget);
  if (options.filter_loss.empty()) return fail("no filter loss is given");
  for (const double loss : options.filter_loss)
    if (!(loss >= 0 && loss <= 1)) return fail("a filter loss of {:g}: it is a share from 0 to 1", loss);
  return {};
}

Result<Tuned> tune(const Tagger& tagger, const Data& dev, const TuneOptions& options) {
  ESPALIER_TRY(check_options(options));
  const Tagger::State& state = *tagger.state();
  const auto* const filters = state.model.as<cascade::CascadePredictor>();
  if (filters == nullptr)
    return fail("{}: a model of the learner {}; only a cascade has thresholds to choose",
                state.model.file().name(), state.model.about().learner);
  if (filters->levels() > 1 && options.filter_loss.size() > filters->levels() - 1)
    return fail("{} filter losses are given, but the cascade has {}", options.filter_loss.size(),
                counted(filters->levels() - 1, "filter"));
  const api::PublicMonitor monitor(options.on_progress, options.stop);
  ESPALIER_ASSIGN(const auto sequences, sequences_of(state, dev));
  cascade::TuneOptions how;
  how.filter_loss = options.filter_loss;
  how.budget = options.budget;
  const auto tuned_to = cascade::tune(*filters, sequences, how, Workers(options.threads), monitor.monitor());
  if (!tuned_to.ok())
    return fail("{}: {}", dev.files() != nullptr ? dev.files()->paths.front() : dev.corpus()->state()->name,
                tuned_to.error().message);
  const cascade::TuneResult& found = *tuned_to;
  if (monitor.stopped()) return fail("stopped; the model is as it was");
  SectionWriter sections;
  ESPALIER_TRY(cascade::replace_thresholds(state.model.file(), found.alphas, found.reports, sections));
  ESPALIER_ASSIGN(Tagger tuned, Tagger::from_bytes(sections.to_bytes(), state.model.file().name()));
  Tuned out(std::move(tuned));
  out.sequences = sequences.size();
  for (size_t l = 0; l < found.reports.size(); ++l) {
    const cascade::LevelReport& report = found.reports[l];
    out.levels.push_back({static_cast<int>(report.order), filters->alphas()[l], report.alpha,
                          report.filter_loss, report.efficiency, report.alive});
  }
  out.plot = plot_of(found);
  return out;
}

}  // namespace espalier

// Efficiency by filter loss of bigram filters: cascade, CRF and perceptron (Weiss and Taskar 2010, Figure 2).
#include <algorithm>
#include <cmath>

#include "espalier/base/random.h"
#include "espalier/cascade/tune.h"
#include "espalier/eval/plot.h"
#include "research/cascade/cascade_study.h"
#include "research/experiments.h"

namespace espalier::research {

namespace {

struct Treebank {
  const char* name;
  const char* stem;
  data::Format format;
};
constexpr Treebank kTreebanks[] = {{"english", "ud/en_ewt-ud-{}.conllu.gz", data::Format::kConllu},
                                   {"portuguese", "ud/pt_bosque-ud-{}.conllu.gz", data::Format::kConllu},
                                   {"bulgarian", "ud/bg_btb-upos-{}.txt.gz", data::Format::kColumns}};
struct NamedFilter {
  const char* name;
  cascade::Filter filter;
};
constexpr NamedFilter kFilters[] = {{"cascade", cascade::Filter::kCascade},
                                    {"crf", cascade::Filter::kCrf},
                                    {"perceptron", cascade::Filter::kPerceptron}};
constexpr double kShare = 0.15;  ///< share of the training data in each draw
constexpr double kEpsilons[] = {0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.006, 0.008, 0.012, 0.016, 0.02};

/// Test efficiency at each ε, with the best threshold whose loss on development data is at most ε; NaN if
/// there is none.
Result<std::vector<double>> efficiencies(const StudiedCascade& cascade, std::span<const data::Sequence> dev,
                                         std::span<const data::Sequence> test, const Workers& workers) {
  const cascade::CascadePredictor& predictor = *cascade.predictor;
  const std::span<const double> before =
      std::span<const double>(predictor.alphas()).first(predictor.levels() - 2);
  ESPALIER_ASSIGN(const auto on_dev, cascade::level_curve(predictor, dev, before, workers));
  ESPALIER_ASSIGN(const auto on_test, cascade::level_curve(predictor, test, before, workers));
  std::vector<double> result;
  for (const double epsilon : kEpsilons) {
    const auto* const point = cascade::TradeOff::best_within(on_dev, epsilon);
    result.push_back(point == nullptr ? std::nan("")
                                      : on_test[static_cast<size_t>(point - on_dev.data())].efficiency);
  }
  return result;
}

}  // namespace

Result<Report> cascade_tradeoff(const Request& request) {
  Report report;
  const int sets = request.quick ? 2 : 10;
  const Workers workers(request.threads);
  report.set("training sets", fmt::format("{} draws of {:g} % of the data", sets, 100 * kShare));
  report.set(
      "filters",
      "order 2, states; unfiltered: first level; filtered: behind a cascade filter of order 1, 0.05 %");
  bool falls = true;
  for (const Treebank& treebank : kTreebanks) {
    data::ReadOptions reading;
    reading.format = treebank.format;
    const auto part = [&](const char* name) {
      return data::read_all({request.corpus(fmt::format(fmt::runtime(treebank.stem), name))}, reading);
    };
    ESPALIER_ASSIGN(auto train, part("train"));
    ESPALIER_ASSIGN(auto dev, part("dev"));
    ESPALIER_ASSIGN(auto test, part("test"));
    if (request.quick) {
      train.resize(1000);
      dev.resize(60);
      test.resize(60);
    }
    data::FeatureOptions features;
    features.feature_columns = {treebank.format == data::Format::kConllu ? size_t{1} : size_t{0}};
    for (const bool filtered : {false, true}) {
      eval::Plot plot;
      plot.title = fmt::format("{}, {}", treebank.name, filtered ? "filtered" : "unfiltered");
      plot.x_label = "filter loss on development data";
      plot.y_label = "efficiency loss on test data";
      std::vector<double> at_tight;  // efficiency at the second ε, by filter
      for (const NamedFilter& filter : kFilters) {
        std::vector<std::vector<double>> runs;
        for (int set = 0; set < sets; ++set) {
          std::vector<data::Sequence> sample;
          Random random = Random(request.seed).split(static_cast<uint64_t>(set));
          for (const data::Sequence& sequence : train)
            if (random.uniform() < kShare) sample.push_back(sequence);
          cascade::Options options;
          options.orders = filtered ? std::vector<size_t>{1, 2, 2} : std::vector<size_t>{2, 2};
          options.filter = filter.filter;
          options.first_filter = filtered ? cascade::Filter::kCascade : filter.filter;
          options.unit = cascade::Unit::kStates;
          options.filter_loss = {0.0005};
          options.train_alphas = {0.2, 0.6};
          if (request.quick) {
            options.train_alphas = {0.2};
            options.warm_up = 1;
            options.filter_passes = 1;
          }
          options.passes = 0;
          options.full_rows_from = 5;
          options.seed = request.seed;
          ESPALIER_ASSIGN(const StudiedCascade cascade,
                          study_cascade(sample, features, options, false, workers, request.monitor));
          ESPALIER_ASSIGN(auto values, efficiencies(cascade, dev, test, workers));
          runs.push_back(std::move(values));
        }
        eval::PlotSeries series;
        series.name = filter.name;
        for (size_t i = 0; i < std::size(kEpsilons); ++i) {
          double mean = 0, spread = 0;
          for (const auto& run : runs) mean += run[i] / sets;
          for (const auto& run : runs) spread += (run[i] - mean) * (run[i] - mean);
          const double error = std::sqrt(spread / std::max(1, sets - 1) / sets);
          series.x.push_back(kEpsilons[i]);
          series.y.push_back(mean);
          series.low.push_back(mean - error);
          series.high.push_back(mean + error);
          if (i == 1) at_tight.push_back(mean);
          if (std::isfinite(mean))
            report.add(
                filter.name,
                fmt::format("{}, filtered={}, ε={:g}", treebank.name, filtered ? "yes" : "no", kEpsilons[i]),
                std::nullopt, mean, error);
        }
        for (size_t i = 1; i < series.y.size(); ++i) falls = falls && series.y[i] <= series.y[i - 1];
        plot.series.push_back(std::move(series));
      }
      const std::string path = fmt::format("{}/cascade-tradeoff-{}-{}.svg", request.out, treebank.name,
                                           filtered ? "filtered" : "unfiltered");
      ESPALIER_TRY(eval::save_plot(plot, path));
      report.plots.push_back(path);
      const std::string left = fmt::format("cascade {:.4f}, crf {:.4f}, perceptron {:.4f} left alive",
                                           at_tight[0], at_tight[1], at_tight[2]);
      if (!request.quick)
        report.check(fmt::format("{} {}: at ε = 0.1 % cascade filters leave the least alive", treebank.name,
                                 filtered ? "filtered" : "unfiltered"),
                     at_tight[0] < std::min(at_tight[1], at_tight[2]), left);
    }
  }
  report.check("who may lose more leaves no more alive, on new data too", falls,
               fmt::format("{} curves of {} points", 6 * std::size(kFilters), std::size(kEpsilons)));
  return report;
}

}  // namespace espalier::research

// Efficiency by filter loss of bigram filters: cascade, CRF and perceptron (Weiss and Taskar 2010, Figure 2).
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "espalier/base/random.h"
#include "espalier/cascade/training/tune.h"
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
  bool printed;  ///< features and training of the paper; ours: default features, log loss first
};
constexpr NamedFilter kFilters[] = {{"cascade", cascade::Filter::kCascade, true},
                                    {"crf", cascade::Filter::kCrf, true},
                                    {"perceptron", cascade::Filter::kPerceptron, true},
                                    {"cascade", cascade::Filter::kCascade, false},
                                    {"crf", cascade::Filter::kCrf, false}};
constexpr double kShare = 0.4;  ///< share of the training data in each draw
constexpr double kEpsilons[] = {0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.006, 0.008, 0.012, 0.016, 0.02};

/// Efficiency at each ε, with the best threshold whose loss on development data is at most ε; NaN if there is
/// none.
struct Efficiencies {
  std::vector<double> dev, test;
};
/// Thresholds are at least `least_alpha`: the paper's are 0 to 1, so that there may be none for a small ε.
Result<Efficiencies> efficiencies(const StudiedCascade& cascade, double least_alpha,
                                  std::span<const data::Sequence> dev, std::span<const data::Sequence> test,
                                  const Workers& workers) {
  const cascade::CascadePredictor& predictor = *cascade.predictor;
  const std::span<const double> before =
      std::span<const double>(predictor.alphas()).first(predictor.levels() - 2);
  ESPALIER_ASSIGN(const auto on_dev, cascade::level_curve(predictor, dev, before, workers));
  ESPALIER_ASSIGN(const auto on_test, cascade::level_curve(predictor, test, before, workers));
  const auto first = std::find_if(on_dev.begin(), on_dev.end(),
                                  [&](const auto& point) { return point.alpha >= least_alpha; });
  const std::span<const cascade::TradeOff::Point> allowed(first, on_dev.end());
  Efficiencies result;
  for (const double epsilon : kEpsilons) {
    const auto* const point = cascade::TradeOff::best_within(allowed, epsilon);
    result.dev.push_back(point == nullptr ? std::nan("") : point->efficiency);
    result.test.push_back(point == nullptr ? std::nan("")
                                           : on_test[static_cast<size_t>(point - on_dev.data())].efficiency);
  }
  return result;
}

/// Filters by running the cascade, and counts the states that are left: they must be as many as the curve
/// says. For max-marginals only: the best path through a state that is kept is kept as a whole (Lemma 1),
/// which posterior probabilities do not promise.
Result<bool> filters_as_the_curve_says(const StudiedCascade& cascade,
                                       std::span<const data::Sequence> sequences, const Workers& workers) {
  const cascade::CascadePredictor& predictor = *cascade.predictor;
  std::vector<double> alphas = predictor.alphas();
  const std::span<const double> before = std::span<const double>(alphas).first(predictor.levels() - 2);
  ESPALIER_ASSIGN(const auto curve, cascade::level_curve(predictor, sequences, before, workers));
  const auto& point = curve[curve.size() / 2 + curve.size() / 4];
  alphas.back() = point.alpha;
  const auto scratch = predictor.make_scratch();
  size_t positions = 0, alive = 0;
  for (const data::Sequence& sequence : sequences) {
    predictor.look_up(sequence, *scratch);
    ESPALIER_TRY(predictor.search({}, &alphas, *scratch));
    alive += cascade::CascadePredictor::trellis_of(*scratch).lattice.states();
    positions += sequence.length();
  }
  return std::llround(point.alive * static_cast<double>(positions)) == static_cast<long long>(alive);
}

/// One filter trained on one draw.
struct FilterRun {
  Efficiencies by_epsilon;
  std::optional<bool> as_the_curve_says;  ///< none: not a filter by max-marginals
};
/// What all runs of a condition share.
struct Condition {
  const Request& request;
  bool filtered;
  std::span<const data::Sequence> dev, test;
};
Result<FilterRun> run_filter(const NamedFilter& filter, FilterSteps steps, const Condition& condition,
                             std::span<const data::Sequence> sample, const data::FeatureOptions& features) {
  const bool filtered = condition.filtered, quick = condition.request.quick;
  // Steps one sequence at a time cannot be shared by threads: draws can.
  const Workers one(1);
  cascade::Options options;
  options.orders = filtered ? std::vector<size_t>{1, 2, 2} : std::vector<size_t>{2, 2};
  options.filter = filter.filter;
  options.first_filter = filtered ? cascade::Filter::kCascade : filter.filter;
  options.unit = cascade::Unit::kStates;
  options.filter_loss = {0.0005};
  options.train_alphas = {0.2, 0.6};
  options.passes = 0;
  options.full_rows_from = 5;
  options.seed = condition.request.seed;
  // Of the others, this concerns the first level, which is the same for all, and the passes.
  if (filter.printed) options = as_printed(options, {0, 0.2, 0.4, 0.6, 0.8}, steps);
  if (quick) {
    options.train_alphas = {0.2};
    options.warm_up = std::min(options.warm_up, 1);
    options.filter_passes = 1;
  }
  Monitor monitor;
  monitor.stop = condition.request.monitor.stop;
  ESPALIER_ASSIGN(const StudiedCascade cascade,
                  study_cascade(sample, features, options, false, one, monitor));
  FilterRun result;
  constexpr double kAnyAlpha = -std::numeric_limits<double>::infinity();
  ESPALIER_ASSIGN(result.by_epsilon,
                  efficiencies(cascade, filter.printed ? 0 : kAnyAlpha, condition.dev, condition.test, one));
  if (filter.filter == cascade::Filter::kCrf) return result;
  ESPALIER_ASSIGN(result.as_the_curve_says,
                  filters_as_the_curve_says(
                      cascade, condition.test.first(std::min<size_t>(condition.test.size(), 50)), one));
  return result;
}

struct ChosenSteps {
  FilterSteps steps;
  std::optional<FilterRun>
      run;  ///< of the literal cascade with these steps on the sample they were chosen by
};
/// The steps of the literal cascade that leave least alive on development data, over all ε that they can
/// meet; an ε that they cannot meet counts as nothing filtered.
Result<ChosenSteps> choose_steps(const Condition& condition, std::span<const data::Sequence> sample,
                                 const data::FeatureOptions& features, const Workers& workers) {
  if (condition.request.quick) return ChosenSteps{};
  std::vector<Result<FilterRun>> runs(std::size(kFilterSteps), FilterRun());
  workers.for_each(std::size(kFilterSteps), [&](size_t i) {
    runs[i] = run_filter(kFilters[0], kFilterSteps[i], condition, sample, features);
  });
  size_t best = 0;
  double least = 1e300;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].ok()) return runs[i].error();
    double alive = 0;
    for (const double x : runs[i]->by_epsilon.dev) alive += std::isfinite(x) ? x : 1;
    if (alive < least) {
      least = alive;
      best = i;
    }
  }
  return ChosenSteps{kFilterSteps[best], std::move(*runs[best])};
}

/// Mean efficiencies by ε of the rows as printed; NaN: in some draw, no threshold met ε.
struct Curves {
  std::vector<double> cascade, crf, perceptron;
};

/// What the paper says of Figure 2.
void claim_figure_2(const std::string& where, bool filtered, const Curves& curves, Report& report) {
  constexpr size_t kTight = 1, kLast = std::size(kEpsilons) - 1;  // the ε of 0.1 %, and the largest
  // What cannot be met is no filter: everything stays alive.
  const auto at = [](const std::vector<double>& curve, size_t i) {
    return std::isfinite(curve[i]) ? curve[i] : 1.0;
  };
  const auto gap = [&](size_t i) { return std::abs(at(curves.cascade, i) - at(curves.perceptron, i)); };
  size_t least = 0;
  double widest = 0;
  for (size_t i = 0; i <= kLast; ++i) {
    least += std::isfinite(curves.cascade[i]) &&
             curves.cascade[i] < std::min(at(curves.crf, i), at(curves.perceptron, i));
    widest = std::max(widest, gap(i));
  }
  const auto text = [](double alive) {
    return std::isfinite(alive) ? fmt::format("{:.4f}", alive) : std::string("not met");
  };
  report.claim(
      fmt::format("{}: cascade filters leave the least alive at every ε", where),
      least == std::size(kEpsilons),
      fmt::format("at {} of {}; at ε = 0.1 %: cascade {}, crf {}, perceptron {} left alive", least,
                  std::size(kEpsilons), text(curves.cascade[kTight]), text(curves.crf[kTight]),
                  text(curves.perceptron[kTight])),
      "equation 8 wants whole sentences to score above the threshold by their length: from zero weights "
      "nearly every sentence causes an update");
  report.claim(fmt::format("{}: cascade and perceptron converge as ε grows", where),
               gap(kLast) < 0.5 * widest,
               fmt::format("{:.4f} apart at the largest ε, {:.4f} at most", gap(kLast), widest),
               "they are close from the beginning");
  if (filtered) return;
  report.claim(fmt::format("{}: crf filters leave more than half alive at every ε", where),
               at(curves.crf, kLast) > 0.5, fmt::format("{} at the largest", text(curves.crf[kLast])),
               "universal tags are fewer than those of the Penn Treebank");
  report.claim(fmt::format("{}: perceptron filters cannot meet small ε", where),
               !std::isfinite(curves.perceptron[0]),
               fmt::format("at ε = 0.05 %: {}", text(curves.perceptron[0])),
               "averaged weights rate gold labels higher than the last ones do");
}

}  // namespace

Result<Report> cascade_tradeoff(const Request& request) {
  Report report;
  const int sets = request.quick ? 2 : 10;
  const Workers workers(request.threads);
  report.set("training sets", fmt::format("{} draws of {:g} % of the data", sets, 100 * kShare));
  report.set(
      "filters",
      "order 2, states; unfiltered: first level; filtered: behind a cascade filter of order 1, 0.05 %, "
      "as printed for all rows as printed");
  report.set("rows as printed",
             "words and label n-grams as features, thresholds α from 0 to 1, as in the paper; an ε that no "
             "such α meets on development data has no row");
  report.set("cascade as printed",
             "equation 9 from zero weights; η of .001, .01, .1 and 1, λ of 0 and .0001, and Pegasos's steps: "
             "what leaves least alive on development data in the first draw is taken for all");
  report.set("rows of ours",
             "default features, any threshold; the cascade: four passes of log loss, then equation 8 with "
             "adaptive steps if it improves on them");
  report.depart("universal treebanks, where the paper has the Penn Treebank for English");
  depart_in_training(report);
  report.depart(
      "as printed: crf and perceptron have no grid of η and λ: the perceptron does not depend on η, the crf "
      "has adaptive steps");
  size_t filters = 0, as_the_curve = 0;
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
      train.resize(400);
      dev.resize(60);
      test.resize(60);
    }
    const size_t word = treebank.format == data::Format::kConllu ? 1 : 0;
    data::FeatureOptions rich;
    rich.feature_columns = {word};
    const data::FeatureOptions plain = words_alone(word);
    const auto draw_of = [&](size_t set) {
      std::vector<data::Sequence> sample;
      Random random = Random(request.seed).split(set);
      for (const data::Sequence& sequence : train)
        if (random.uniform() < kShare) sample.push_back(sequence);
      return sample;
    };
    for (const bool filtered : {false, true}) {
      const Condition condition{request, filtered, dev, test};
      eval::Plot plot;
      plot.title = fmt::format("{}, {}", treebank.name, filtered ? "filtered" : "unfiltered");
      plot.x_label = "filter loss on development data";
      plot.y_label = "efficiency loss on test data";
      ESPALIER_ASSIGN(ChosenSteps chosen, choose_steps(condition, draw_of(0), plain, workers));
      if (!request.quick)
        report.notes.push_back(fmt::format("{}: {} for equation 9", plot.title, text_of(chosen.steps)));
      std::vector<std::vector<double>> curves;  // by filter
      for (const NamedFilter& filter : kFilters) {
        const data::FeatureOptions& features = filter.printed ? plain : rich;
        std::vector<Result<FilterRun>> draws(static_cast<size_t>(sets), FilterRun());
        const bool literal = &filter == &kFilters[0];
        workers.for_each(draws.size(), [&](size_t set) {
          draws[set] = literal && set == 0 && chosen.run
                           ? Result<FilterRun>(std::move(*chosen.run))
                           : run_filter(filter, chosen.steps, condition, draw_of(set), features);
        });
        std::vector<std::vector<double>> runs;
        for (Result<FilterRun>& draw : draws) {
          if (!draw.ok()) return draw.error();
          filters += draw->as_the_curve_says.has_value();
          as_the_curve += draw->as_the_curve_says.value_or(false);
          runs.push_back(std::move(draw->by_epsilon.test));
        }
        eval::PlotSeries series;
        series.name = filter.printed ? std::string(filter.name) : fmt::format("{}, ours", filter.name);
        for (size_t i = 0; i < std::size(kEpsilons); ++i) {
          double mean = 0, spread = 0;
          for (const auto& run : runs) mean += run[i] / sets;
          for (const auto& run : runs) spread += (run[i] - mean) * (run[i] - mean);
          const double deviation = std::sqrt(spread / std::max(1, sets - 1)),
                       error = deviation / std::sqrt(sets);  // the band of Figure 2
          series.x.push_back(kEpsilons[i]);
          series.y.push_back(mean);
          series.low.push_back(mean - error);
          series.high.push_back(mean + error);
          if (std::isfinite(mean))
            report
                .add(filter.name,
                     fmt::format("{}, filtered={}, ε={:g}", treebank.name, filtered ? "yes" : "no",
                                 kEpsilons[i]),
                     std::nullopt, mean, deviation)
                .printed(filter.printed);
        }
        curves.push_back(series.y);
        plot.series.push_back(std::move(series));
      }
      const std::string path = fmt::format("{}/cascade-tradeoff-{}-{}.svg", request.out, treebank.name,
                                           filtered ? "filtered" : "unfiltered");
      ESPALIER_TRY(eval::save_plot(plot, path));
      report.plots.push_back(path);
      if (request.quick) continue;
      claim_figure_2(fmt::format("{} {}", treebank.name, filtered ? "filtered" : "unfiltered"), filtered,
                     {curves[0], curves[1], curves[2]}, report);
    }
  }
  report.check("what a filter keeps in use is what its curve says (Lemma 1)", as_the_curve == filters,
               fmt::format("{} of {} filters", as_the_curve, filters));
  return report;
}

}  // namespace espalier::research

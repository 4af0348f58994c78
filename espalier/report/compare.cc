// compare: trains candidates on growing parts of the data and recommends one. Tested in compare_test.cc and
// apps/tests/compare_test.sh.
#include "espalier/public/compare.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "espalier/base/parallel.h"
#include "espalier/base/text/counted.h"
#include "espalier/eval/power_law.h"
#include "espalier/report/candidates.h"
#include "espalier/report/compare_output.h"
#include "espalier/report/halving.h"
#include "espalier/report/measurements.h"

namespace espalier {
namespace report {
namespace {

constexpr size_t kSmallestPart = 60;  // sequences; on fewer, scores say little
constexpr size_t kCurveSamples = 500;
constexpr double kDoubling = 2.2;  // how much longer training takes on twice the data

/// Tied with the best of its part, and left out for lack of time.
struct Waiting {
  Standing standing;
  int eighths;
};

/// The time that a comparison has.
class Budget {
 public:
  explicit Budget(double seconds) : seconds_(seconds) {}
  bool limited() const { return seconds_ > 0; }
  double seconds() const { return seconds_; }
  double left() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    return seconds_ - spent.count();
  }

 private:
  double seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<int> fold_numbers(const CompareOptions& options) {
  if (options.dev) return {-1};
  std::vector<int> out(static_cast<size_t>(options.folds));
  for (size_t f = 0; f < out.size(); ++f) out[f] = static_cast<int>(f);
  return out;
}

/// Everything, fold by fold, so that an early end leaves candidates that can be compared.
void measure_all(Measurements& measurements, const std::vector<int>& folds) {
  std::vector<Wanted> trials;
  for (const int fold : folds)
    for (size_t c = 0; c < measurements.candidates().size(); ++c) trials.push_back({c, {8, fold}});
  measurements.plan(trials.size());
  measurements.measure_each(trials, [](size_t) { return 0.0; });
}

double seconds_of(const Measurements& measurements, size_t candidate, Part part) {
  const TrialResult& result = measurements.of(candidate).at(part);
  size_t tokens = 0;
  for (const auto& s : result.statistics) tokens += s.tokens;
  // Training, scoring and measuring the speed of tagging.
  return result.train_seconds + 1 + 2 * static_cast<double>(tokens) / std::max(1.0, result.tokens_per_second);
}

/// Successive halving on the first fold, then the finalists on the other folds, as long as there is time.
void measure_within(Measurements& measurements, const std::vector<int>& folds, size_t sequences,
                    const Budget& budget, bool& out_of_time) {
  std::vector<int> rungs;
  for (const int eighths : {1, 2, 4, 8})
    if (eighths == 8 || sequences * static_cast<size_t>(eighths) / 8 >= kSmallestPart)
      rungs.push_back(eighths);
  std::vector<size_t> alive(measurements.candidates().size());
  for (size_t c = 0; c < alive.size(); ++c) alive[c] = c;
  std::vector<Waiting> waiting;
  const size_t stages = rungs.size() + (folds.size() > 1 ? 1 : 0);
  const auto at_once = static_cast<double>(measurements.at_once());
  for (size_t r = 0; r < rungs.size() && !measurements.stopped(); ++r) {
    const Part part{rungs[r], folds.front()};
    const auto allowance = [&] { return budget.left() / static_cast<double>(stages - r); };
    const double rung_end = budget.left() - allowance();
    measurements.plan(alive.size() * (stages - r));
    std::vector<Wanted> trials;
    for (const size_t c : alive) trials.push_back({c, part});
    measurements.measure_each(trials, [&](size_t left) {
      if (budget.left() <= 0) out_of_time = true;
      if (out_of_time) return -1.0;
      return longest_trial(std::max(0.0, budget.left() - rung_end) * at_once, left, budget.seconds(),
                           budget.left());
    });
    std::vector<Standing> standings;
    for (const size_t c : alive)
      if (measurements.of(c).contains(part))
        standings.push_back(
            {c, measurements.score(c, part.eighths, {part.fold}), seconds_of(measurements, c, part), false});
    if (out_of_time || standings.empty()) return;
    const auto best = std::max_element(standings.begin(), standings.end(),
                                       [](const auto& a, const auto& b) { return a.score < b.score; });
    for (Standing& one : standings) {
      const auto test = measurements.compare(one.candidate, best->candidate);
      one.tied = test && test->p_value >= 0.05;
    }
    const bool last = r + 1 == rungs.size();
    const double next = last ? budget.left() : budget.left() / static_cast<double>(stages - r - 1);
    alive.clear();
    for (const Standing& one : who_goes_on(standings, last ? 1 : kDoubling, next * at_once))
      alive.push_back(one.candidate);
    for (const Standing& one : standings)
      if (one.tied && std::find(alive.begin(), alive.end(), one.candidate) == alive.end())
        waiting.push_back({one, part.eighths});
  }
  // Time that is left goes to those who were as good as the best but too slow for their turn, the last ones
  // first.
  for (auto one = waiting.rbegin(); one != waiting.rend() && !measurements.stopped(); ++one) {
    const double needed = one->standing.seconds * kDoubling / 2 * 8 / one->eighths;
    if (one->eighths == 8 || needed > budget.left()) continue;
    if (measurements.measure(one->standing.candidate, {8, folds.front()}, budget.left()))
      alive.push_back(one->standing.candidate);
  }
  for (size_t f = 1; f < folds.size() && !measurements.stopped() && alive.size() > 1; ++f) {
    // Nobody can win on a fold that others are not scored on: a fold is begun if there is time for all.
    double needed = 0;
    for (size_t i = 0; i < alive.size(); ++i) {
      needed += seconds_of(measurements, alive[i], {8, folds.front()}) / at_once;
      if (needed * 1.15 > budget.left() && i >= 2) {
        alive.resize(i);
        break;
      }
    }
    if (needed * 1.15 > budget.left()) {
      out_of_time = true;
      return;
    }
    measurements.plan(alive.size() * (folds.size() - f));
    std::vector<Wanted> trials;
    for (const size_t c : alive) trials.push_back({c, {8, folds[f]}});
    measurements.measure_each(trials, [&](size_t) { return std::max(1.0, budget.left()); });
  }
}

/// Candidates in the order of the table, the best first.
std::vector<size_t> ranking(const Measurements& measurements) {
  struct Rank {
    size_t candidate, folds;
    int eighths;
    double score;
  };
  std::vector<Rank> ranks;
  for (size_t c = 0; c < measurements.candidates().size(); ++c) {
    const int eighths = measurements.largest(c);
    const std::vector<int> folds = measurements.folds(c, eighths);
    ranks.push_back({c, folds.size(), eighths, eighths > 0 ? measurements.score(c, eighths, folds) : 0});
  }
  std::stable_sort(ranks.begin(), ranks.end(), [](const Rank& a, const Rank& b) {
    if (a.eighths != b.eighths) return a.eighths > b.eighths;
    return a.folds != b.folds ? a.folds > b.folds : a.score > b.score;
  });
  // Ties go to fewer settings: what a learner does by default is taken unless a setting is better beyond
  // chance.
  const auto simpler = std::find_if(ranks.begin() + 1, ranks.end(), [&](const Rank& rank) {
    const Candidate &one = measurements.candidates()[rank.candidate],
                    &best = measurements.candidates()[ranks.front().candidate];
    if (rank.eighths == 0 || rank.eighths != ranks.front().eighths || rank.folds != ranks.front().folds ||
        one.learner != best.learner || one.task != best.task || one.settings.size() >= best.settings.size())
      return false;
    const auto difference = measurements.compare(rank.candidate, ranks.front().candidate);
    return difference && difference->p_value >= 0.05;
  });
  if (simpler != ranks.end()) std::rotate(ranks.begin(), simpler, simpler + 1);
  std::vector<size_t> out;
  for (const Rank& rank : ranks) out.push_back(rank.candidate);
  return out;
}

Measured measured(const Measurements& measurements, size_t candidate, size_t best,
                  const CompareOptions& options) {
  Measured out;
  out.candidate = measurements.candidates()[candidate];
  out.failure = measurements.failure(candidate);
  const int eighths = measurements.largest(candidate);
  if (eighths == 0) {
    if (out.failure.empty()) out.failure = "there was no time for it";
    return out;
  }
  const std::vector<int> folds = measurements.folds(candidate, eighths);
  out.share = eighths / 8.0;
  out.folds = folds.size();
  const Workers workers(options.threads);
  const auto interval =
      eval::bootstrap_interval(measurements.pooled(candidate, eighths, folds), measurements.metric(),
                               Random(options.seed), {2000, 0.95}, &workers);
  out.score = interval.score;
  out.low = interval.low;
  out.high = interval.high;
  if (candidate != best)
    if (const auto test = measurements.compare(candidate, best)) {
      out.behind = test->difference;
      out.p_value = test->p_value;
    }
  const auto n = static_cast<double>(folds.size());
  for (const int fold : folds) {
    const TrialResult& result = measurements.of(candidate).at({eighths, fold});
    out.train_seconds += result.train_seconds / n;
    out.tokens_per_second = std::max(out.tokens_per_second, result.tokens_per_second);
    out.peak_bytes = std::max(out.peak_bytes, result.peak_bytes);
    out.model_bytes = std::max(out.model_bytes, result.model_bytes);
    if (result.legal >= 0) out.legal = out.legal.value_or(0) + result.legal / n;
  }
  return out;
}

/// The best candidate on smaller parts of the data, and the law through its scores. The interval of what
/// twice the data would give comes from drawing the scored sequences again, the same for all sizes.
std::optional<LearningCurve> learning_curve(Measurements& measurements, size_t best,
                                            const CompareOptions& options, bool one_fold) {
  std::vector<int> folds = measurements.folds(best, 8);
  if (folds.empty()) return std::nullopt;
  if (one_fold) folds.resize(1);
  LearningCurve curve;
  measurements.plan(3 * folds.size());
  std::vector<Wanted> trials;
  for (const int eighths : {1, 2, 4, 8})
    for (const int fold : folds) trials.push_back({best, {eighths, fold}});
  measurements.measure_each(trials, [](size_t) { return 0.0; });
  for (const Wanted& one : trials)
    if (!measurements.of(best).contains(one.part)) return std::nullopt;
  std::vector<std::vector<eval::SequenceStatistics>> statistics;
  for (const int eighths : {1, 2, 4, 8}) {
    double sequences = 0;
    for (const int fold : folds) {
      sequences += static_cast<double>(measurements.of(best).at({eighths, fold}).train_sequences) /
                   static_cast<double>(folds.size());
    }
    statistics.push_back(measurements.pooled(best, eighths, folds));
    curve.sequences.push_back(sequences);
    curve.scores.push_back(eval::score(statistics.back(), measurements.metric()));
  }
  const auto law_of = [&](const std::vector<double>& scores) {
    std::vector<double> errors;
    for (const double score : scores) errors.push_back(100 - score);
    return eval::fit_power_law(curve.sequences, errors);
  };
  const eval::PowerLaw law = law_of(curve.scores);
  curve.limit = 100 - law.floor;
  curve.scale = law.scale;
  curve.exponent = law.exponent;
  const double twice = 2 * curve.sequences.back();
  curve.twice = 100 - law.error(twice);
  std::vector<double> drawn;
  for (size_t sample = 0; sample < kCurveSamples; ++sample) {
    Random random = Random(options.seed).split(sample);
    std::vector<eval::RatioCounts> sums(statistics.size());
    for (size_t i = 0; i < statistics.front().size(); ++i) {
      const size_t s = random.below(statistics.front().size());
      for (size_t k = 0; k < sums.size(); ++k)
        sums[k] += eval::ratio_of(statistics[k][s], measurements.metric());
    }
    std::vector<double> scores;
    for (const eval::RatioCounts& sum : sums) scores.push_back(sum.percent());
    drawn.push_back(100 - law_of(scores).error(twice) - scores.back());
  }
  std::sort(drawn.begin(), drawn.end());
  curve.twice_low = curve.scores.back() + drawn[drawn.size() / 40];
  curve.twice_high = curve.scores.back() + drawn[drawn.size() - 1 - drawn.size() / 40];
  return curve;
}

}  // namespace
}  // namespace report

Result<Comparison> compare(const Files& train, const CompareOptions& options) {
  if (!options.dev && options.folds < 2) return fail("folds={}: there must be two at least", options.folds);
  if (options.time_budget < 0) return fail("a time budget of {} seconds", options.time_budget);
  const report::Budget budget(options.time_budget);
  ESPALIER_ASSIGN(const report::Survey survey, report::survey_of(train));
  const std::vector<int> folds = report::fold_numbers(options);
  if (!options.dev && survey.sequences < 2 * folds.size())
    return fail("{}: {}, too few for {} folds", train.paths.front(), counted(survey.sequences, "sequence"),
                folds.size());
  ESPALIER_ASSIGN(auto candidates, report::candidates_for(train, options, survey));
  ESPALIER_ASSIGN(auto measurements, report::Measurements::open(train, options, std::move(candidates)));
  Comparison out;
  out.sequences = survey.sequences;
  out.tokens = survey.tokens;
  if (budget.limited())
    report::measure_within(measurements, folds, survey.sequences, budget, out.out_of_time);
  else
    report::measure_all(measurements, folds);

  const std::vector<size_t> order = report::ranking(measurements);
  const size_t best = order.front();
  if (measurements.largest(best) == 0) {
    if (measurements.stopped()) return fail("stopped before anything was measured");
    for (size_t c = 0; c < measurements.candidates().size(); ++c)
      if (!measurements.failure(c).empty())
        return fail("{}: {}", measurements.candidates()[c].name(), measurements.failure(c));
    return fail("the time budget was over before anything was measured");
  }
  if (options.learning_curve && !measurements.stopped())
    out.curve = report::learning_curve(measurements, best, options, budget.limited());
  std::optional<eval::ScoreInterval> on_test;
  if (options.test && !measurements.stopped()) {
    auto result = measurements.measure_on(best, *options.test);
    if (result.ok()) {
      on_test = eval::bootstrap_interval(result->statistics, measurements.metric(), Random(options.seed));
      out.test_score = on_test->score;
      out.test_low = on_test->low;
      out.test_high = on_test->high;
    } else if (options.stop == nullptr || !*options.stop) {
      return std::move(result).error();
    }
  }
  for (const size_t c : order) out.candidates.push_back(report::measured(measurements, c, best, options));
  out.measure = measurements.metric() == eval::Metric::kF1 ? "F1" : "accuracy";
  out.interrupted = measurements.stopped() || (options.stop != nullptr && *options.stop);
  out.advice = report::advice_of(out);
  out.command = report::train_command(out.candidates.front().candidate, train, options);
  out.text = report::comparison_text(out);
  out.json = report::comparison_json(out);
  out.html = report::comparison_html(out, train.paths.front());
  return out;
}

}  // namespace espalier

#include "espalier/eval/significance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "espalier/data/label_set.h"

namespace espalier::eval {
namespace {

/// Both systems' ratios together: drawing a sequence touches one cache line.
struct Pair {
  RatioCounts first, second;
};

double difference_of(const Pair& total) { return total.second.percent() - total.first.percent(); }

/// Linear interpolation between the order statistics of sorted values.
double quantile(std::span<const double> sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Calls draw(sample) for all samples, on several threads if there are some.
void draw_samples(size_t samples, const Workers* workers, const std::function<void(size_t)>& draw) {
  constexpr size_t kSamplesInPiece = 64;
  const size_t pieces = (samples + kSamplesInPiece - 1) / kSamplesInPiece;
  const auto draw_piece = [&](size_t piece) {
    const Range range = piece_of(samples, pieces, piece);
    for (size_t sample = range.first; sample < range.last; ++sample) draw(sample);
  };
  if (workers != nullptr) {
    workers->for_each(pieces, draw_piece);
  } else {
    for (size_t piece = 0; piece < pieces; ++piece) draw_piece(piece);
  }
}

}  // namespace

RatioCounts ratio_of(const SequenceStatistics& s, Metric metric) {
  if (metric == Metric::kAccuracy) return {s.correct, s.tokens};
  return {2 * s.chunks.correct, s.chunks.gold + s.chunks.found};
}

ScoreInterval bootstrap_interval(std::span<const RatioCounts> sequences, const Random& random,
                                 const BootstrapOptions& options, const Workers* workers) {
  ESPALIER_CHECK(options.samples > 0 && options.confidence > 0 && options.confidence < 1);
  ScoreInterval out;
  const size_t n = sequences.size();
  if (n == 0) return out;
  RatioCounts total;
  for (const RatioCounts& sequence : sequences) total += sequence;
  std::vector<double> scores(options.samples);
  draw_samples(options.samples, workers, [&](size_t sample) {
    Random stream = random.split(sample);
    RatioCounts sum;
    for (size_t i = 0; i < n; ++i) sum += sequences[stream.below(n)];
    scores[sample] = sum.whole > 0 ? sum.percent() : -1;
  });
  // A sample in which there is nothing to count says nothing.
  std::erase_if(scores, [](double drawn) { return drawn < 0; });
  if (scores.empty()) return out;
  std::sort(scores.begin(), scores.end());
  const double tail = (1 - options.confidence) / 2;
  out.score = total.percent();
  out.low = quantile(scores, tail);
  out.high = quantile(scores, 1 - tail);
  return out;
}

ScoreInterval bootstrap_interval(std::span<const SequenceStatistics> sequences, Metric metric,
                                 const Random& random, const BootstrapOptions& options,
                                 const Workers* workers) {
  std::vector<RatioCounts> ratios;
  ratios.reserve(sequences.size());
  for (const SequenceStatistics& s : sequences) ratios.push_back(ratio_of(s, metric));
  return bootstrap_interval(ratios, random, options, workers);
}

double score(std::span<const SequenceStatistics> sequences, Metric metric) {
  RatioCounts total;
  for (const SequenceStatistics& s : sequences) total += ratio_of(s, metric);
  return total.percent();
}

Result<BootstrapResult> paired_bootstrap(std::span<const SequenceStatistics> first,
                                         std::span<const SequenceStatistics> second, Metric metric,
                                         const Random& random, const BootstrapOptions& options,
                                         const Workers* workers) {
  if (first.size() != second.size())
    return fail("cannot compare systems on different data: {} sequences and {}", first.size(), second.size());
  if (first.empty()) return fail("cannot compare systems without any sequence");
  if (options.samples == 0) return fail("the bootstrap needs at least one sample");
  if (!(options.confidence > 0 && options.confidence < 1))
    return fail("the confidence of an interval must lie between 0 and 1, found {}", options.confidence);
  const size_t n = first.size();
  std::vector<Pair> pairs(n);
  Pair total;
  for (size_t i = 0; i < n; ++i) {
    if (first[i].tokens != second[i].tokens)
      return fail("cannot compare systems on different data: sequence {} has {} tokens and {}", i + 1,
                  first[i].tokens, second[i].tokens);
    pairs[i] = {ratio_of(first[i], metric), ratio_of(second[i], metric)};
    total.first += pairs[i].first;
    total.second += pairs[i].second;
  }

  std::vector<double> differences(options.samples);
  draw_samples(options.samples, workers, [&](size_t sample) {
    Random stream = random.split(sample);
    Pair sum;
    for (size_t i = 0; i < n; ++i) {
      const Pair& pair = pairs[stream.below(n)];
      sum.first += pair.first;
      sum.second += pair.second;
    }
    differences[sample] = difference_of(sum);
  });

  BootstrapResult result;
  result.first = total.first.percent();
  result.second = total.second.percent();
  result.difference = difference_of(total);
  // Rounding errors must not decide the comparison: differences are of the order of percents.
  constexpr double kRounding = 1e-9;
  const double distance = std::abs(result.difference) - kRounding;
  size_t as_far = 0;
  for (const double d : differences) as_far += std::abs(d - result.difference) >= distance ? 1 : 0;
  result.p_value = static_cast<double>(as_far + 1) / static_cast<double>(options.samples + 1);
  std::sort(differences.begin(), differences.end());
  const double tail = (1 - options.confidence) / 2;
  result.low = quantile(differences, tail);
  result.high = quantile(differences, 1 - tail);
  return result;
}

void Discordance::add(std::span<const std::string_view> gold, std::span<const std::string_view> first,
                      std::span<const std::string_view> second) {
  ESPALIER_CHECK(gold.size() == first.size() && gold.size() == second.size());
  for (size_t t = 0; t < gold.size(); ++t) {
    if (gold[t] == data::kUnknownLabelText) continue;
    const bool first_right = gold[t] == first[t];
    const bool second_right = gold[t] == second[t];
    only_first += first_right && !second_right ? 1 : 0;
    only_second += second_right && !first_right ? 1 : 0;
  }
}

double mcnemar_exact(const Discordance& discordance) {
  const uint64_t n = discordance.only_first + discordance.only_second;
  const uint64_t fewer = std::min(discordance.only_first, discordance.only_second);
  if (2 * fewer == n) return 1;
  // 2 Σ_{k ≤ fewer} C(n, k) / 2^n. Terms rise up to k = fewer < n/2, so they are summed relative to the last
  // one, C(n, k−1) = C(n, k) · k / (n − k + 1), and cannot overflow; terms too small to matter end the loop.
  // (No lgamma: it writes to a global.)
  double log_last = -static_cast<double>(n) * std::log(2.0);
  for (uint64_t k = 1; k <= fewer; ++k)
    log_last += std::log(static_cast<double>(n - fewer + k) / static_cast<double>(k));
  double sum = 1;
  double term = 1;
  for (uint64_t k = fewer; k > 0 && term > 1e-20; --k) {
    term *= static_cast<double>(k) / static_cast<double>(n - k + 1);
    sum += term;
  }
  return std::min(1.0, 2 * std::exp(log_last + std::log(sum)));
}

MeanAndDeviation mean_and_deviation(std::span<const double> values) {
  // Welford's recurrence: no cancellation when the mean is large compared with the deviation.
  MeanAndDeviation result;
  double squares = 0;
  double count = 0;
  for (const double value : values) {
    ++count;
    const double step = value - result.mean;
    result.mean += step / count;
    squares += step * (value - result.mean);
  }
  if (count > 1) result.deviation = std::sqrt(squares / (count - 1));
  return result;
}

}  // namespace espalier::eval

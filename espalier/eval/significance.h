// Whether one system is significantly better than another: paired bootstrap over sequences, and McNemar's
// test over tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "espalier/base/parallel.h"
#include "espalier/base/random.h"
#include "espalier/base/result.h"
#include "espalier/eval/scores.h"

namespace espalier::eval {

enum class Metric { kAccuracy, kF1 };

/// The metric over all the sequences, in percent.
double score(std::span<const SequenceStatistics> sequences, Metric metric);

struct BootstrapOptions {
  size_t samples = 10'000;
  double confidence = 0.95;  ///< of the interval
};

/// A share that is summed over sequences: 100 · Σ part / Σ whole is an accuracy, a precision, an F1 (part: 2
/// · correct, whole: gold + found).
struct RatioCounts {
  uint64_t part = 0;
  uint64_t whole = 0;

  RatioCounts& operator+=(const RatioCounts& other) {
    part += other.part;
    whole += other.whole;
    return *this;
  }
  /// 0 of nothing is 0.
  double percent() const {
    return whole == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  }
};
/// What a sequence adds to a metric.
RatioCounts ratio_of(const SequenceStatistics& sequence, Metric metric);

/// A score in percent, and the interval that it would lie in on other data of this kind.
struct ScoreInterval {
  double score = 0;
  double low = 0, high = 0;
};
/// The interval by the bootstrap over sequences (percentiles); samples without anything to count are left
/// out. Without sequences all is 0. Each sample has a random stream of its own. O(samples · sequences).
ScoreInterval bootstrap_interval(std::span<const RatioCounts> sequences, const Random& random,
                                 const BootstrapOptions& options = {}, const Workers* workers = nullptr);
ScoreInterval bootstrap_interval(std::span<const SequenceStatistics> sequences, Metric metric,
                                 const Random& random, const BootstrapOptions& options = {},
                                 const Workers* workers = nullptr);

struct BootstrapResult {
  double first = 0;       ///< score of the first system, in percent
  double second = 0;      ///< score of the second
  double difference = 0;  ///< second − first
  double low = 0;         ///< confidence interval of the difference (percentiles)
  double high = 0;
  double p_value = 1;  ///< two-sided, of the hypothesis that the systems are equally good
};

/// Paired bootstrap over sequences (Efron and Tibshirani 1993, ch. 16; Berg-Kirkpatrick et al. 2012):
/// sequences are drawn with replacement, the same ones for both systems, and scored again. With δ the
/// difference measured and δ* that of a sample, p is the fraction of samples with |δ* − δ| ≥ |δ|: how often
/// resampling alone moves the difference by as much as it differs from 0. (The original sample counts as one
/// more, so p is never 0.) Each sample has a random stream of its own, so the result is the same at any
/// number of threads. O(samples · sequences).
///
/// Fails where the systems have different numbers of sequences or of tokens, where there are none, or where
/// an option is out of range.
Result<BootstrapResult> paired_bootstrap(std::span<const SequenceStatistics> first,
                                         std::span<const SequenceStatistics> second, Metric metric,
                                         const Random& random, const BootstrapOptions& options = {},
                                         const Workers* workers = nullptr);

/// Tokens that only one of two systems has right.
struct Discordance {
  uint64_t only_first = 0;
  uint64_t only_second = 0;

  /// Adds a sequence; tokens with gold label `_` are not counted. Precondition: equal lengths.
  void add(std::span<const std::string_view> gold, std::span<const std::string_view> first,
           std::span<const std::string_view> second);
};

/// McNemar's exact test: the two-sided p-value of these counts under a fair coin. 1 if there is no discordant
/// token. O(discordant tokens).
double mcnemar_exact(const Discordance& discordance);

struct MeanAndDeviation {
  double mean = 0;
  double deviation = 0;  ///< of the sample (n − 1); 0 for fewer than two values
};
MeanAndDeviation mean_and_deviation(std::span<const double> values);

}  // namespace espalier::eval

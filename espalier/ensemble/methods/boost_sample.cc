#include "espalier/ensemble/methods/boost_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/ensemble/votes/patterns.h"

namespace espalier::ensemble {
namespace {

class PatternSample : public BoostSample {
 public:
  PatternSample(std::vector<Pattern> patterns, size_t expert_count) : patterns_(std::move(patterns)) {
    experts_ = expert_count;
    for (const Pattern& pattern : patterns_) use(pattern.slot, static_cast<double>(pattern.items));
  }
  void descent(std::vector<double>& out) const override {
    out.assign(slots() * experts_, 0);
    for (const Pattern& pattern : patterns_)
      for (size_t j = 0; j < experts_; ++j)
        out[pattern.slot * experts_ + j] += sign(pattern, j) * pattern.weight;
  }
  BoostStep step(std::span<const uint32_t> path) const override {
    BoostStep out;
    for (const Pattern& pattern : patterns_) {
      const int rho = sign(pattern, path[pattern.slot]);
      if (rho > 0) out.right += pattern.weight;
      if (rho < 0) out.wrong += pattern.weight;
    }
    out.step =
        out.wrong > 0 ? 0.5 * std::log(out.right / out.wrong) : std::numeric_limits<double>::infinity();
    out.normaliser = std::max(0.0, 1 - out.right - out.wrong) + 2 * std::sqrt(out.right * out.wrong);
    return out;
  }
  void reweigh(std::span<const uint32_t> path, double alpha) override {
    double sum = 0;
    for (Pattern& pattern : patterns_) {
      pattern.weight *= std::exp(-alpha * sign(pattern, path[pattern.slot]));
      sum += pattern.weight;
    }
    for (Pattern& pattern : patterns_) pattern.weight /= sum;
  }

 private:
  static int sign(const Pattern& pattern, size_t expert) {
    const auto code = static_cast<uint8_t>(pattern.codes[expert]);
    return code == kSilentCode ? 0 : code == 1 ? 1 : -1;
  }
  std::vector<Pattern> patterns_;
};

class MarginSample : public BoostSample {
 public:
  explicit MarginSample(size_t expert_count) { experts_ = expert_count; }

  void add(const VoteView& view) {
    size_t known = 0;
    for (const Value gold : view.gold) known += gold != kAbsent;
    if (known == 0) return;
    ++sequences_;
    for (size_t i = 0; i < view.items(); ++i) {
      if (view.gold[i] == kAbsent) continue;
      slot_.push_back(view.slot[i]);
      weight_.push_back(1 / static_cast<double>(known));
      use(view.slot[i], 1);
      for (size_t j = 0; j < experts_; ++j) {
        const Value said = view.item(i)[j];
        const float sure = view.probability.empty() ? 1 : view.probability[i * experts_ + j];
        margin_.push_back(said == kAbsent ? 0 : said == view.gold[i] ? sure : -sure);
      }
    }
  }
  size_t sequences() const { return sequences_; }
  void finish() {
    for (double& w : weight_) w /= static_cast<double>(sequences_);
  }

  void descent(std::vector<double>& out) const override {
    out.assign(slots() * experts_, 0);
    for (size_t i = 0; i < slot_.size(); ++i)
      for (size_t j = 0; j < experts_; ++j)
        out[slot_[i] * experts_ + j] += weight_[i] * static_cast<double>(margin_[i * experts_ + j]);
  }
  BoostStep step(std::span<const uint32_t> path) const override {
    std::vector<double> margin(slot_.size());
    BoostStep out;
    for (size_t i = 0; i < slot_.size(); ++i) {
      margin[i] = margin_[i * experts_ + path[slot_[i]]];
      (margin[i] > 0 ? out.right : out.wrong) += weight_[i] * std::abs(margin[i]);
    }
    out.step = boosting_line_search(weight_, margin);
    if (std::isfinite(out.step))
      for (size_t i = 0; i < slot_.size(); ++i)
        out.normaliser += weight_[i] * std::exp(-out.step * margin[i]);
    return out;
  }
  void reweigh(std::span<const uint32_t> path, double alpha) override {
    double sum = 0;
    for (size_t i = 0; i < slot_.size(); ++i) {
      weight_[i] *= std::exp(-alpha * static_cast<double>(margin_[i * experts_ + path[slot_[i]]]));
      sum += weight_[i];
    }
    for (double& w : weight_) w /= sum;
  }

 private:
  size_t sequences_ = 0;
  std::vector<uint32_t> slot_;
  std::vector<double> weight_;
  std::vector<float> margin_;  ///< places × experts
};

}  // namespace

double boosting_line_search(std::span<const double> weight, std::span<const double> margin) {
  const auto slope = [&](double alpha, double* curvature) {
    double first = 0, second = 0;
    for (size_t i = 0; i < weight.size(); ++i) {
      const double term = weight[i] * margin[i] * std::exp(-alpha * margin[i]);
      first -= term;
      second += term * margin[i];
    }
    if (curvature != nullptr) *curvature = second;
    return first;
  };
  const auto [least, most] = std::minmax_element(margin.begin(), margin.end());
  if (margin.empty() || *most <= 0) return 0;
  if (*least >= 0) return std::numeric_limits<double>::infinity();
  if (slope(0, nullptr) >= 0) return 0;
  double low = 0, high = 1;
  while (slope(high, nullptr) < 0) high *= 2;
  double alpha = 0.5 * (low + high);
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    double curvature = 0;
    const double at = slope(alpha, &curvature);
    const double newton = alpha - at / curvature;
    if (std::abs(newton - alpha) <= 1e-14 * alpha) break;
    (at < 0 ? low : high) = alpha;
    alpha = newton > low && newton < high ? newton : 0.5 * (low + high);
  }
  return alpha;
}

Result<std::unique_ptr<BoostSample>> read_boost_sample(VoteSource& source) {
  ESPALIER_TRY(source.rewind());
  VoteView first;  // the first that is not empty: all others are like it
  while (first.items() == 0) {
    ESPALIER_ASSIGN(const bool any, source.next(first));
    if (!any) return fail("there is no sequence with gold labels to learn from");
  }
  if (first.probability.empty()) {
    ESPALIER_ASSIGN(std::vector<Pattern> patterns, collect_patterns(source, PatternKind::kCorrectness));
    return std::unique_ptr<BoostSample>(
        std::make_unique<PatternSample>(std::move(patterns), source.experts()));
  }
  auto sample = std::make_unique<MarginSample>(source.experts());
  ESPALIER_TRY(for_each_sequence(source, [&](const VoteView& view) { sample->add(view); }));
  if (sample->sequences() == 0) return fail("there is no sequence with gold labels to learn from");
  sample->finish();
  return std::unique_ptr<BoostSample>(std::move(sample));
}

}  // namespace espalier::ensemble

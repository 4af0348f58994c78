#include "research/cascade/ramp_bound.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "espalier/base/random.h"

namespace espalier::research {
namespace {

// Chains of three binary labels: two cliques of four assignments each, eight labellings.
constexpr size_t kCliques = 2, kAssignments = 8, kLabellings = 8, kInputs = 2, kWeights = 4 * kInputs;
using Scores = std::array<double, kAssignments>;  ///< by clique and pair of labels

size_t assignment_of(size_t labelling, size_t clique) { return 4 * clique + ((labelling >> clique) & 3); }

double score_of(const Scores& theta, size_t labelling) {
  return theta[assignment_of(labelling, 0)] + theta[assignment_of(labelling, 1)];
}

/// θ*(y_c) of every clique assignment, and the labelling that reaches it, by trying all.
Scores max_marginals(const Scores& theta, std::array<size_t, kAssignments>* witness = nullptr) {
  Scores out;
  out.fill(-1e300);
  for (size_t y = 0; y < kLabellings; ++y)
    for (size_t c = 0; c < kCliques; ++c) {
      double& best = out[assignment_of(y, c)];
      if (score_of(theta, y) <= best) continue;
      best = score_of(theta, y);
      if (witness != nullptr) (*witness)[assignment_of(y, c)] = y;
    }
  return out;
}

/// An input: a unit vector for each clique. A clique's assignment has this vector in its own block of
/// features, so ‖f(x, y_c)‖ = 1.
struct Sample {
  std::array<std::array<double, kInputs>, kCliques> x;
  size_t y = 0;
};

/// Labels are those of hidden weights, and wrong with some probability.
std::vector<Sample> draw(Random random, size_t n, const std::vector<double>& hidden);

Scores scores_of(const Sample& sample, const std::vector<double>& w) {
  Scores theta;
  for (size_t c = 0; c < kCliques; ++c)
    for (size_t pair = 0; pair < 4; ++pair) {
      theta[4 * c + pair] = 0;
      for (size_t i = 0; i < kInputs; ++i) theta[4 * c + pair] += w[pair * kInputs + i] * sample.x[c][i];
    }
  return theta;
}

std::vector<Sample> draw(Random random, size_t n, const std::vector<double>& hidden) {
  std::vector<Sample> out(n);
  for (Sample& s : out) {
    for (auto& x : s.x) {
      const double angle = 6.283185307 * random.uniform();
      x = {std::cos(angle), std::sin(angle)};
    }
    const Scores theta = scores_of(s, hidden);
    for (size_t y = 1; y < kLabellings; ++y)
      if (score_of(theta, y) > score_of(theta, s.y)) s.y = y;
    if (random.uniform() < 0.1) s.y = random.below(kLabellings);
  }
  return out;
}

FilterLosses mean_losses(const std::vector<Sample>& samples, const std::vector<double>& w, double alpha,
                         double gamma) {
  FilterLosses mean;
  for (const Sample& s : samples) {
    const Scores theta = scores_of(s, w);
    const FilterLosses one = filter_losses(score_of(theta, s.y), max_marginals(theta), alpha, gamma);
    const double n = static_cast<double>(samples.size());
    mean.filter += one.filter / n;
    mean.efficiency += one.efficiency / n;
    mean.ramp_filter += one.ramp_filter / n;
    mean.ramp_efficiency += one.ramp_efficiency / n;
  }
  return mean;
}

/// Equation 9, with the weights projected to ‖w‖ ≤ B after each step.
std::vector<double> train_filter(const std::vector<Sample>& samples, double alpha, double norm) {
  std::vector<double> w(kWeights, 0.0);
  const auto add = [&](const Sample& s, size_t labelling, double by) {
    for (size_t c = 0; c < kCliques; ++c)
      for (size_t i = 0; i < kInputs; ++i)
        w[(assignment_of(labelling, c) & 3) * kInputs + i] += by * s.x[c][i];
  };
  for (size_t n = 0; n < samples.size(); ++n) {
    const Sample& s = samples[n];
    const Scores theta = scores_of(s, w);
    std::array<size_t, kAssignments> witness;
    const Scores marginals = max_marginals(theta, &witness);
    if (score_of(theta, s.y) > mean_max_threshold(marginals, alpha) + 0.5) continue;
    const double eta = 0.1 / std::sqrt(1 + static_cast<double>(n));
    const size_t best = witness[static_cast<size_t>(std::max_element(marginals.begin(), marginals.end()) -
                                                    marginals.begin())];
    add(s, s.y, eta);
    add(s, best, -eta * alpha);
    for (const size_t y : witness) add(s, y, -eta * (1 - alpha) / kAssignments);
    double square = 0;
    for (const double x : w) square += x * x;
    if (square > norm * norm)
      for (double& x : w) x *= norm / std::sqrt(square);
  }
  return w;
}

TEST(RampBound, RampLossesAreAboveTheLossesAndLipschitz) {
  Random random(1);
  const double gamma = 0.7;
  double steepest = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double alpha = random.uniform();
    const size_t y = random.below(kLabellings);
    const auto losses = [&](const Scores& theta) {
      return filter_losses(score_of(theta, y), max_marginals(theta), alpha, gamma);
    };
    Scores u, v;
    double square = 0;
    for (size_t k = 0; k < kAssignments; ++k) {
      u[k] = random.gaussian();
      v[k] = u[k] + 0.1 * random.gaussian();
      square += (u[k] - v[k]) * (u[k] - v[k]);
    }
    const FilterLosses at_u = losses(u), at_v = losses(v);
    EXPECT_GE(at_u.ramp_filter, at_u.filter);
    EXPECT_GE(at_u.ramp_efficiency, at_u.efficiency - 1e-12);
    const double bound = filter_lipschitz(kCliques) / gamma * std::sqrt(square);
    EXPECT_LE(std::abs(at_u.ramp_filter - at_v.ramp_filter), bound + 1e-9);
    EXPECT_LE(std::abs(at_u.ramp_efficiency - at_v.ramp_efficiency), bound + 1e-9);
    steepest = std::max(steepest, std::abs(at_u.ramp_filter - at_v.ramp_filter) / bound);
  }
  EXPECT_GT(steepest, 0.5);  // a constant half as large would not do
}

TEST(RampBound, HeldOutLossesStayBelowItOverRandomDraws) {
  RampBoundSetting setting{kAssignments, kCliques, 1, 1, 100'000, 0.05};
  ASSERT_LT(ramp_bound(setting), 0.3);
  size_t told = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    std::vector<double> hidden(kWeights);
    for (double& x : hidden) x = random.gaussian();
    const auto train = draw(random.split(1), static_cast<size_t>(setting.sequences), hidden);
    const auto held_out = draw(random.split(2), 20'000, hidden);
    const double alpha = random.uniform();
    const std::vector<double> w = train_filter(train, alpha, setting.norm);
    const FilterLosses seen = mean_losses(train, w, alpha, setting.gamma),
                       fresh = mean_losses(held_out, w, alpha, setting.gamma);
    EXPECT_LE(fresh.filter, seen.ramp_filter + ramp_bound(setting)) << "seed " << seed;
    EXPECT_LE(fresh.efficiency, seen.ramp_efficiency + ramp_bound(setting)) << "seed " << seed;
    told += seen.ramp_filter + ramp_bound(setting) < 1;  // below what is true of any filter
  }
  EXPECT_GT(told, 3u);
}

TEST(RampBound, ShrinksWithTheSampleAndGrowsWithTheClass) {
  const RampBoundSetting one{8, 2, 1, 1, 1000, 0.05};
  RampBoundSetting other = one;
  other.sequences = 4000;
  EXPECT_NEAR(ramp_bound(other), ramp_bound(one) / 2, 1e-12);
  other = one;
  other.norm = 2;
  EXPECT_GT(ramp_bound(other), ramp_bound(one));
  // m = ℓ = B = γ = 1, n = 1, δ = 2: 4 sqrt(π).
  EXPECT_NEAR(ramp_bound({1, 1, 1, 1, 1, 2}), 4 * std::sqrt(3.14159265358979), 1e-6);
}

}  // namespace
}  // namespace espalier::research

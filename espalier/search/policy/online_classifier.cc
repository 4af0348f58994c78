#include "espalier/search/policy/online_classifier.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier::search {

namespace {

/// The derivative of a binary loss with respect to the margin m = y · score.
double binary_slope(DirectLoss loss, double margin) {
  switch (loss) {
    case DirectLoss::kPerceptron:
      return margin <= 0 ? -1 : 0;
    case DirectLoss::kHinge:
      return margin < 1 ? -1 : 0;
    case DirectLoss::kLogistic:
    case DirectLoss::kSoftmaxMargin:
      return -1 / (1 + std::exp(margin));
    case DirectLoss::kLeastSquares:
      break;  // of costs, not of margins
  }
  return 0;
}
double binary_loss(DirectLoss loss, double margin) {
  switch (loss) {
    case DirectLoss::kPerceptron:
      return std::max(0.0, -margin);
    case DirectLoss::kHinge:
      return std::max(0.0, 1 - margin);
    case DirectLoss::kLogistic:
    case DirectLoss::kSoftmaxMargin:
      return margin > 0 ? std::log1p(std::exp(-margin)) : -margin + std::log1p(std::exp(margin));
    case DirectLoss::kLeastSquares:
      break;
  }
  return 0;
}

double one_against_all(DirectLoss loss, std::span<const float> scores, std::span<const float> costs,
                       size_t target, std::span<float> gradient) {
  // Missing the target costs as much as the worst action.
  const double most = *std::max_element(costs.begin(), costs.end());
  double sum = 0;
  for (size_t a = 0; a < scores.size(); ++a) {
    const double y = a == target ? 1 : -1;
    const double weight = a == target ? most : costs[a];
    if (weight == 0) continue;
    sum += weight * binary_loss(loss, y * scores[a]);
    gradient[a] += static_cast<float>(weight * y * binary_slope(loss, y * scores[a]));
  }
  return sum;
}

double all_pairs(DirectLoss loss, std::span<const float> scores, std::span<const float> costs,
                 std::span<float> gradient) {
  const std::vector<double> v = all_pairs_values(costs);
  double sum = 0;
  for (size_t i = 0; i < scores.size(); ++i)
    for (size_t j = 0; j < scores.size(); ++j) {
      if (!(v[i] < v[j])) continue;  // i must be the cheaper one
      const double margin = double{scores[i]} - scores[j];
      sum += (v[j] - v[i]) * binary_loss(loss, margin);
      const float slope = static_cast<float>((v[j] - v[i]) * binary_slope(loss, margin));
      gradient[i] += slope;
      gradient[j] -= slope;
    }
  return sum;
}

double least_squares(std::span<const float> scores, std::span<const float> costs, std::span<float> gradient) {
  double mean = 0, sum = 0;
  for (size_t a = 0; a < scores.size(); ++a) mean += double{scores[a]} + double{costs[a]};
  mean /= static_cast<double>(scores.size());
  for (size_t a = 0; a < scores.size(); ++a) {
    const double error = double{scores[a]} + double{costs[a]} - mean;
    sum += error * error / 2;
    gradient[a] += static_cast<float>(error);
  }
  return sum;
}

double all_at_once(DirectLoss loss, std::span<const float> scores, std::span<const float> costs,
                   size_t target, std::span<float> gradient) {
  if (loss == DirectLoss::kLogistic || loss == DirectLoss::kSoftmaxMargin) {
    // Costs are either the weight of the example or margins, which raise the scores of their actions.
    const bool margin = loss == DirectLoss::kSoftmaxMargin;
    const double most = *std::max_element(costs.begin(), costs.end());
    if (most == 0) return 0;
    const double weight = margin ? 1 : most;
    const auto raised = [&](size_t a) { return double{scores[a]} + (margin ? double{costs[a]} : 0.0); };
    // Actions as good as the target are left out: it does not matter whether they score above or below it.
    const auto counts = [&](size_t a) { return a == target || costs[a] > 0; };
    double top = scores[target], sum = 0;
    for (size_t a = 0; a < scores.size(); ++a)
      if (counts(a)) top = std::max(top, raised(a));
    for (size_t a = 0; a < scores.size(); ++a)
      if (counts(a)) sum += std::exp(raised(a) - top);
    for (size_t a = 0; a < scores.size(); ++a) {
      const double p = std::exp(raised(a) - top) / sum;
      if (counts(a)) gradient[a] += static_cast<float>(weight * (p - (a == target ? 1 : 0)));
    }
    return weight * (std::log(sum) + top - scores[target]);
  }
  // The action that violates its margin most. A tie is a violation, since all scores are 0 at first. Most
  // examples have no violation, so this is checked without a branch per action.
  const double margin = loss == DirectLoss::kHinge ? 1 : 0;
  const auto raised = [&](size_t a) { return scores[a] + margin * costs[a]; };
  unsigned offended = 0;
  for (size_t a = 0; a < scores.size(); ++a)
    offended |= unsigned{costs[a] > 0} & unsigned{raised(a) >= scores[target]};
  if (offended == 0) return 0;
  size_t worst = scores.size();
  for (size_t a = 0; a < scores.size(); ++a)
    if (costs[a] > 0 && (worst == scores.size() || raised(a) > raised(worst))) worst = a;
  const double size = loss == DirectLoss::kHinge ? 1 : costs[worst];
  gradient[target] -= static_cast<float>(size);
  gradient[worst] += static_cast<float>(size);
  return size * (raised(worst) - scores[target]);
}

}  // namespace

std::vector<double> all_pairs_values(std::span<const float> costs) {
  std::vector<size_t> order(costs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return costs[a] < costs[b]; });
  std::vector<double> v(costs.size(), 0.0);
  for (size_t r = 1; r < order.size(); ++r)
    v[order[r]] = v[order[r - 1]] + (double{costs[order[r]]} - costs[order[r - 1]]) / static_cast<double>(r);
  return v;
}

double direct_gradient(DirectLoss loss, Reduction reduction, std::span<const float> scores,
                       std::span<const float> costs, size_t target, std::span<float> gradient) {
  if (loss == DirectLoss::kLeastSquares) return least_squares(scores, costs, gradient);
  switch (reduction) {
    case Reduction::kOneVsAll:
      return one_against_all(loss, scores, costs, target, gradient);
    case Reduction::kAllPairs:
      return all_pairs(loss, scores, costs, gradient);
    case Reduction::kDirect:
      return all_at_once(loss, scores, costs, target, gradient);
  }
  return 0;
}

}  // namespace espalier::search

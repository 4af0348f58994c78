#include "espalier/cascade/label_level.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "espalier/base/result.h"
#include "espalier/linear/row_sums.h"

namespace espalier::cascade {

void LabelLevel::filter(const float* node, size_t positions, size_t labels, size_t stride,
                        const PriorMean& prior, double alpha, AliveLabels& alive) {
  ESPALIER_CHECK(alpha <= 1 && labels <= kMostLabels);
  best_.resize(positions);
  near_.resize(positions);
  const double sum = linear::find_bests(node, positions, labels, stride, best_.data());
  const double mean =
      prior.smoothed(sum / static_cast<double>(std::max<size_t>(1, positions * labels)), positions);
  const float share = mean <= 0 ? 0.0f : static_cast<float>(1 / mean);
  const float threshold = static_cast<float>(alpha);
  // rating = 1 − regret · share ≥ α  ⟺  regret ≤ (1 − α) · mean, up to rounding, which is less than 10⁻⁶ of
  // the terms. Of those that may be kept, the rating itself decides.
  const double most = ((1 - alpha) + 1e-6 * (2 + std::abs(alpha))) * mean;
  constexpr float kAll = std::numeric_limits<float>::max();
  const bool all = mean <= 0 || most >= kAll;
  linear::find_near(node, positions, labels, stride, best_.data(), all ? kAll : static_cast<float>(most),
                    near_.data());
  alive.begin.resize(positions + 1);
  alive.label.clear();
  alive.rating.clear();
  for (size_t t = 0; t < positions; ++t, node += stride) {
    alive.begin[t] = static_cast<uint32_t>(alive.label.size());
    if (std::has_single_bit(near_[t])) {  // the best, which is rated 1
      alive.label.push_back(static_cast<data::Label>(std::countr_zero(near_[t])));
      continue;
    }
    for (uint64_t left = near_[t]; left != 0; left &= left - 1) {
      const int j = std::countr_zero(left);
      const float regret = best_[t] - node[j];
      if (1 - regret * share >= threshold) alive.label.push_back(static_cast<data::Label>(j));
    }
  }
  alive.begin[positions] = static_cast<uint32_t>(alive.label.size());
}

}  // namespace espalier::cascade

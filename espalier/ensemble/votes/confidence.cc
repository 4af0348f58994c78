#include "espalier/ensemble/votes/confidence.h"

#include <algorithm>
#include <cmath>

namespace espalier::ensemble {

size_t ConfidenceMap::bin(double score) {
  if (!(score > 0)) return 0;
  if (score >= 1 - 1e-12) return kBins - 1;
  return std::min(kBins - 2, static_cast<size_t>(score * static_cast<double>(kBins - 1)));
}

void ConfidenceMap::Counts::add(double score, bool correct) {
  const size_t b = bin(score);
  total[b] += 1;
  right[b] += correct;
}

double ConfidenceMap::Counts::items() const {
  double sum = 0;
  for (const double n : total) sum += n;
  return sum;
}

ConfidenceMap ConfidenceMap::identity() {
  ConfidenceMap map;
  for (size_t b = 0; b + 1 < kBins; ++b)
    map.probability_[b] = (static_cast<double>(b) + 0.5) / static_cast<double>(kBins - 1);
  map.probability_.back() = 1;
  return map;
}

ConfidenceMap ConfidenceMap::fit(const Counts& counts) {
  struct Pool {
    double right, total;
    size_t last;  ///< bin
    double mean() const { return right / total; }
  };
  std::vector<Pool> pools;
  for (size_t b = 0; b < kBins; ++b) {
    if (!(counts.total[b] > 0)) continue;
    pools.push_back({counts.right[b], counts.total[b], b});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
      const Pool top = pools.back();
      pools.pop_back();
      pools.back() = {pools.back().right + top.right, pools.back().total + top.total, top.last};
    }
  }
  if (pools.empty()) return identity();
  ConfidenceMap map;
  size_t pool = 0;
  double floor = 0;  // smoothing must not make a higher score mean less
  for (size_t b = 0; b < kBins; ++b) {
    while (pool + 1 < pools.size() && b > pools[pool].last) ++pool;
    floor = std::max(floor, (pools[pool].right + 1) / (pools[pool].total + 2));
    map.probability_[b] = floor;
  }
  return map;
}

Result<ConfidenceMap> ConfidenceMap::from_values(std::span<const double> values) {
  if (values.size() != kBins) return fail("a confidence map of {} values, not {}", values.size(), kBins);
  ConfidenceMap map;
  for (size_t b = 0; b < kBins; ++b) {
    if (!(values[b] >= 0 && values[b] <= 1)) return fail("a confidence outside 0 to 1");
    map.probability_[b] = values[b];
  }
  return map;
}

double sequence_score(std::span<const double> token_confidence) {
  if (token_confidence.empty()) return 1;
  double sum = 0;
  for (const double c : token_confidence) sum += std::log(std::max(c, 1e-12));
  return std::exp(sum / static_cast<double>(token_confidence.size()));
}

}  // namespace espalier::ensemble

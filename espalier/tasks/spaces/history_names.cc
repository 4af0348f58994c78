#include "espalier/tasks/spaces/history_names.h"

#include <algorithm>
#include <cmath>

namespace espalier::tasks {

std::vector<uint64_t> heaviest_hashed(const search::RowWeights& weights, size_t most) {
  const search::HashedRows& rows = weights.hashed();
  std::vector<std::pair<float, uint32_t>> order;
  for (uint32_t r = 0; r < rows.size(); ++r) {
    float largest = 0;
    for (size_t l = 0; l < weights.labels(); ++l)
      largest = std::max(largest, std::abs(rows.weight(r, static_cast<uint32_t>(l))));
    if (largest > 0) order.emplace_back(-largest, r);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min(most, order.size()));
  std::vector<uint64_t> out;
  for (const auto& [weight, row] : order) out.push_back(rows.hashes()[row]);
  return out;
}

}  // namespace espalier::tasks

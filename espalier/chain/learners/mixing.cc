#include "espalier/chain/learners/mixing.h"

#include <algorithm>

#include "espalier/base/parallel.h"

namespace espalier::chain {

std::vector<double> shares_of_ranks(const linear::Dataset& data, const Team& team) {
  std::vector<double> shares = team.gather(std::vector<double>{data.weighted_tokens().value()}).items;
  double all = 0;
  for (const double one : shares) all += one;
  for (double& one : shares) one = all > 0 ? one / all : 1.0 / static_cast<double>(shares.size());
  return shares;
}

template <typename Number>
void mix(std::span<Number> numbers, double mine, const Team& team) {
  std::vector<std::vector<Number>> to(team.size());
  for (size_t r = 0; r < team.size(); ++r) {
    const Range range = piece_of(numbers.size(), team.size(), r);
    to[r].assign(numbers.begin() + static_cast<ptrdiff_t>(range.first),
                 numbers.begin() + static_cast<ptrdiff_t>(range.last));
  }
  const std::vector<double> factors = team.gather(std::vector<double>{mine}).items;
  std::vector<Number> mixed(to[team.rank()].size());
  {
    const Gathered<Number> all = team.exchange(to);
    for (size_t i = 0; i < mixed.size(); ++i) {
      double sum = 0;
      for (size_t r = 0; r < team.size(); ++r)
        if (factors[r] != 0) sum += factors[r] * static_cast<double>(all[r][i]);
      mixed[i] = static_cast<Number>(sum);
    }
  }
  const Gathered<Number> all = team.gather(mixed);
  std::copy(all.items.begin(), all.items.end(), numbers.begin());
}
template void mix(std::span<float> numbers, double mine, const Team& team);
template void mix(std::span<double> numbers, double mine, const Team& team);

}  // namespace espalier::chain

// What the ranks of a team have found in their parts of the data, put together as if one had read everything:
// the order of labels, the numbers of features, the rows that weights get, chosen sequences. Tested in
// merge_ranks_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/team.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/encoding/feature_collector.h"
#include "espalier/linear/rows.h"

namespace espalier::linear {

/// A place in the data of all ranks, in the order in which one rank would come to it: sequences by number,
/// then what is inside.
inline uint64_t place_in_all(uint32_t sequence, uint64_t inside) {
  return (uint64_t{sequence} << 32) | (inside < 0xFFFFFFFF ? inside : 0xFFFFFFFF);
}

/// A text, and where it was seen first.
struct FirstSeen {
  uint64_t place;
  std::string text;
};
/// The different texts of all ranks in the order of the places where they were seen first.
std::vector<std::string> in_order_of_first(const std::vector<FirstSeen>& mine, const Team& team);

/// What Dataset::spread says on this rank, whose sequences have these numbers among all.
Spread spread_over(const Team& team, const Dataset& data, std::vector<uint32_t> numbers);

/// FeatureCollector::finish for the features of all ranks. `place` turns the running position of an
/// occurrence into its place in the data of all ranks. `before` becomes the number of features before the
/// cut-off. Each rank merges the features of some hashes; what is kept goes to all, names to rank 0 alone.
FeatureCollector::Features merge_features(FeatureCollector& mine, uint32_t cutoff,
                                          const std::function<uint64_t(uint64_t position)>& place,
                                          const Team& team, size_t& before);

/// Gives every row the columns that it has on any rank. Each rank merges some of the rows.
template <typename Column>
void merge_rows(RowLayout<Column>& rows, const Team& team);

/// The given sequences of all ranks, in the order of their numbers, on every rank.
Dataset gather_sequences(const Dataset& data, std::span<const uint32_t> which, const Team& team);

}  // namespace espalier::linear

// Which sequences are held out where training must measure itself and there is no development set: every
// tenth. Tested by dataset_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "espalier/linear/dataset.h"

namespace espalier::linear {

/// True for the tenth, the twentieth … of a list of sequences.
inline bool held_out(size_t index) { return index % 10 == 9; }

/// The sequences that are kept, and those held out, in order. `second` is empty where there are fewer than
/// ten.
inline std::pair<std::vector<uint32_t>, std::vector<uint32_t>> split_off_a_tenth(
    const std::vector<uint32_t>& sequences) {
  std::pair<std::vector<uint32_t>, std::vector<uint32_t>> out;
  for (size_t i = 0; i < sequences.size(); ++i)
    (held_out(i) ? out.second : out.first).push_back(sequences[i]);
  return out;
}

/// The same for all sequences of a data set, as two data sets. Copies them.
inline std::pair<Dataset, Dataset> hold_out_a_tenth(const Dataset& data) {
  std::vector<uint32_t> all(data.sequences());
  for (uint32_t s = 0; s < all.size(); ++s) all[s] = s;
  const auto [most, tenth] = split_off_a_tenth(all);
  return {data.subset(most), data.subset(tenth)};
}

}  // namespace espalier::linear

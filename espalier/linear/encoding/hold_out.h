// Which sequences are held out where training must measure itself and there is no development set: every
// tenth. Tested by dataset_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/encoding/merge_ranks.h"

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

/// The same for all sequences of a data set, as two data sets. Copies them. Where the data set is spread over
/// ranks, so are the two, and which sequences are held out is the same at any number of ranks.
inline std::pair<Dataset, Dataset> hold_out_a_tenth(const Dataset& data, const Team& team = Team()) {
  std::pair<std::vector<uint32_t>, std::vector<uint32_t>> here, numbers;
  for (uint32_t s = 0; s < data.sequences(); ++s) {
    const uint32_t number = data.number_of(s);
    (held_out(number) ? here.second : here.first).push_back(s);
    (held_out(number) ? numbers.second : numbers.first)
        .push_back(held_out(number) ? number / 10 : number - number / 10);
  }
  std::pair<Dataset, Dataset> out{data.subset(here.first), data.subset(here.second)};
  if (team.alone()) return out;
  out.first.spread = spread_over(team, out.first, std::move(numbers.first));
  out.second.spread = spread_over(team, out.second, std::move(numbers.second));
  return out;
}

}  // namespace espalier::linear

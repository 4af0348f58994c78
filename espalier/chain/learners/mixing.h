// Iterative parameter mixing (McDonald, Hall and Mann 2010): each rank makes a pass over its own part of the
// data, then all go on from the mean of what they have learned. Tested in
// espalier/model/training/train_ranks_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/team.h"
#include "espalier/linear/encoding/dataset.h"

namespace espalier::chain {

/// Which part of all tokens each rank has; a rank without data has no say.
std::vector<double> shares_of_ranks(const linear::Dataset& data, const Team& team);

/// Every number becomes Σ_r factor_r · number_r over the ranks, added in the order of the ranks. `mine` is
/// this rank's factor. Each rank adds up a range.
template <typename Number>
void mix(std::span<Number> numbers, double mine, const Team& team);

}  // namespace espalier::chain

// Folds for cross-validation, for data without folds of its own. Call fold_of for each sequence.
#pragma once

#include <cstddef>
#include <cstdint>

namespace espalier::data {

/// The fold, from 0 to folds − 1, of the sequence number `index`. It depends on the three arguments alone, so
/// a stream can be divided without knowing its length. Each run of `folds` sequences (0 … folds−1, folds …
/// 2·folds−1, …) is dealt out one to each fold, in a new random order for each run: fold sizes differ by at
/// most one, and neighbours in the file are spread at random. Time O(folds). Precondition: folds > 0.
int fold_of(size_t index, int folds, uint64_t seed);

}  // namespace espalier::data

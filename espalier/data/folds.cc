#include "espalier/data/folds.h"

#include "espalier/base/random.h"
#include "espalier/base/result.h"

namespace espalier::data {

int fold_of(size_t index, int folds, uint64_t seed) {
  ESPALIER_CHECK(folds > 0);
  const auto count = static_cast<size_t>(folds);
  // Where the item at this place ends up in a Fisher–Yates shuffle. Only this item is followed: step i swaps
  // places i−1 and j.
  Random random = Random(seed).split(index / count);
  size_t place = index % count;
  for (size_t i = count; i > 1; --i) {
    const size_t j = random.below(i);
    if (place == i - 1) {
      place = j;
    } else if (place == j) {
      place = i - 1;
    }
  }
  return static_cast<int>(place);
}

}  // namespace espalier::data

// Reads back what a learner saved at the end of a round, to resume training.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "espalier/base/files/section_file.h"
#include "espalier/base/result.h"

namespace espalier::chain {

/// Fills an array that already has the right size. A section of another size belongs to another run (other
/// data, template or learner) and is refused, as are numbers that are not finite.
template <typename Items>
Status restore_array(const SectionFile& file, std::string_view section, Items& items) {
  using T = std::remove_cvref_t<decltype(*std::data(items))>;
  ESPALIER_ASSIGN(const auto saved, file.array<T>(section));
  if (saved.size() != std::size(items))
    return fail(
        "{}: section '{}' has {} numbers where this run has {}; it was saved by a run on other data or with "
        "other settings",
        file.name(), section, saved.size(), std::size(items));
  if constexpr (std::is_floating_point_v<T>)
    if (!std::all_of(saved.begin(), saved.end(), [](T x) { return std::isfinite(x); }))
      return fail("{}: section '{}' holds a number that is not finite", file.name(), section);
  std::copy(saved.begin(), saved.end(), std::data(items));
  return {};
}

/// The number of the last pass that was saved.
inline Result<int> saved_pass(const SectionFile& file, uint64_t number) {
  if (number < 1 || number > static_cast<uint64_t>(std::numeric_limits<int>::max()))
    return fail("{}: saved after pass {}, which is impossible", file.name(), number);
  return static_cast<int>(number);
}

}  // namespace espalier::chain

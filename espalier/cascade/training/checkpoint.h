// Saves and loads the weights and figures of levels, so that an interrupted training run can be resumed.
// Tested in train_test.cc.
#pragma once

#include <string_view>

#include "espalier/base/files/section_file.h"
#include "espalier/cascade/options.h"

namespace espalier::cascade {

/// Weights as sections whose names begin with `prefix`.
void save_weights(const LevelWeights& weights, std::string_view prefix, SectionWriter& out);
/// Fills weights that already have the right sizes; an error if the sections have others.
Status load_weights(const SectionFile& file, std::string_view prefix, LevelWeights& weights);

/// The same for the report of a level.
void save_report(const LevelReport& report, std::string_view prefix, SectionWriter& out);
Result<LevelReport> load_report(const SectionFile& file, std::string_view prefix);

/// Copies a section into an array of the same size.
template <typename Items>
Status load_into(const SectionFile& file, std::string_view name, Items& items) {
  using T = typename Items::value_type;
  ESPALIER_ASSIGN(const auto stored, file.array<T>(name));
  if (stored.size() != items.size())
    return fail("{}: section '{}' has {} numbers, this run {}", file.name(), name, stored.size(),
                items.size());
  std::copy(stored.begin(), stored.end(), items.begin());
  return {};
}

}  // namespace espalier::cascade

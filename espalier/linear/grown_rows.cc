#include "espalier/linear/grown_rows.h"

#include <bit>

namespace espalier::linear {

namespace {

bool is_empty(const FeatureMap& map) {
  return std::all_of(map.slots().begin(), map.slots().end(),
                     [](const FeatureMap::Slot& slot) { return slot.value == kNoFeature; });
}

/// How many slots each slot of the old table becomes.
size_t copies_for(std::span<const FeatureMap::Slot> before, size_t more) {
  size_t taken = 0;
  for (const FeatureMap::Slot& slot : before) taken += slot.value != kNoFeature;
  const double share = static_cast<double>(taken) / static_cast<double>(before.size());
  const double fullest = std::max(0.8, share + (1 - share) / 8);
  size_t copies = 1;
  while (share + static_cast<double>(more) / static_cast<double>(copies * before.size()) > fullest)
    copies *= 2;
  return copies;
}

}  // namespace

bool has_room(const FeatureMap& old, size_t more) {
  constexpr size_t kMostCopies = 64;
  return is_empty(old) || copies_for(old.slots(), more) <= kMostCopies;
}

std::vector<FeatureMap::Slot> grow_table(const FeatureMap& old,
                                         const std::function<uint32_t(uint32_t)>& new_value,
                                         std::span<const uint64_t> hashes, std::span<const uint32_t> values) {
  using Slot = FeatureMap::Slot;
  ESPALIER_CHECK(hashes.size() == values.size());
  const std::span<const Slot> before = old.slots();
  if (is_empty(old)) {
    const FeatureMap map = FeatureMap::build(hashes, values, nullptr);
    return {map.slots().begin(), map.slots().end()};
  }
  // Of an old entry the home slot is known only to lie somewhere before it in its run of full slots. In a
  // table of twice the size, slot i becomes slots 2i and 2i + 1 and holds the entry in both: a search that
  // began at home h, and begins at 2h or 2h + 1 now, meets the same entries in the same order. No search for
  // an old entry passes an empty slot, so new entries, put into those, never come before it.
  const size_t copies = copies_for(before, hashes.size());
  std::vector<Slot> slots(copies * before.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    slots[i] = before[i / copies];
    if (slots[i].value != kNoFeature) slots[i].value = new_value(slots[i].value);
  }
  const uint64_t mask = slots.size() - 1;
  const int shift = 64 - std::countr_zero(slots.size());
  for (size_t n = 0; n < hashes.size(); ++n) {
    const uint32_t check = static_cast<uint32_t>(hashes[n]);
    uint64_t i = hashes[n] >> shift;
    while (slots[i].value != kNoFeature && slots[i].check != check) i = (i + 1) & mask;
    if (slots[i].value == kNoFeature) slots[i] = {check, values[n]};
  }
  return slots;
}

std::vector<uint32_t> values_of(const FeatureMap& map) {
  std::vector<uint32_t> values;
  for (const FeatureMap::Slot& slot : map.slots())
    if (slot.value != kNoFeature) values.push_back(slot.value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace espalier::linear

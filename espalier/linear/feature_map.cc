#include "espalier/linear/feature_map.h"

#include <bit>

namespace espalier::linear {

void FeatureMap::set_slots(std::span<const Slot> slots) {
  slots_ = slots;
  mask_ = slots.size() - 1;
  shift_ = 64 - std::countr_zero(slots.size());
}

FeatureMap FeatureMap::build(std::span<const uint64_t> hashes, std::span<const uint32_t> values,
                             std::vector<uint32_t>* refused) {
  ESPALIER_CHECK(hashes.size() == values.size());
  FeatureMap map;
  const size_t capacity = std::bit_ceil(std::max<size_t>(16, hashes.size() + hashes.size() / 3));
  map.owned_.assign(capacity, Slot{0, kNoFeature});
  map.set_slots(map.owned_);
  for (size_t n = 0; n < hashes.size(); ++n) {
    const uint32_t check = static_cast<uint32_t>(hashes[n]);
    uint64_t i = hashes[n] >> map.shift_;
    while (map.owned_[i].value != kNoFeature && map.owned_[i].check != check) i = (i + 1) & map.mask_;
    if (map.owned_[i].value == kNoFeature) {
      map.owned_[i] = {check, values[n]};
    } else if (refused != nullptr) {
      refused->push_back(static_cast<uint32_t>(n));
    }
  }
  return map;
}

Result<FeatureMap> FeatureMap::view(std::span<const Slot> slots, uint64_t value_limit) {
  if (slots.size() < 16 || !std::has_single_bit(slots.size()))
    return fail("feature table has {} slots, which is not a power of two of at least 16", slots.size());
  bool has_empty = false;
  for (const Slot& slot : slots) {
    if (slot.value == kNoFeature) {
      has_empty = true;
    } else if (slot.value >= value_limit) {
      return fail("feature table points to {}, past the {} that exist", slot.value, value_limit);
    }
  }
  if (!has_empty) return fail("feature table has no empty slot");
  FeatureMap map;
  map.set_slots(slots);
  return map;
}

void FeatureMap::find_all(std::span<const uint64_t> hashes, uint32_t* values) const {
  constexpr size_t kAhead = 16;  // enough loads in flight to hide the latency of the last-level cache
  const size_t n = hashes.size();
  for (size_t i = 0; i < std::min(kAhead, n); ++i) prefetch(hashes[i]);
  for (size_t i = 0; i < n; ++i) {
    if (i + kAhead < n) prefetch(hashes[i + kAhead]);
    values[i] = find(hashes[i]);
  }
}

}  // namespace espalier::linear

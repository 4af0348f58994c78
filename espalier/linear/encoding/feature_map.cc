#include "espalier/linear/encoding/feature_map.h"

#include <algorithm>
#include <bit>

namespace espalier::linear {

void FeatureMap::set_slots(std::span<const Slot> slots) {
  slots_ = slots;
  mask_ = slots.size() - 1;
  shift_ = 64 - std::countr_zero(slots.size());
}

void FeatureMap::fill_filter(uint64_t entries) {
  filter_ = KeyFilter(entries);
  for (const Slot& slot : slots_)
    if (slot.value != kNoFeature) filter_.add(slot.check);
}

template <typename ValueOf, typename Refuse>
void FeatureMap::insert_all(std::span<const uint64_t> hashes, const ValueOf& value_of, const Refuse& refuse) {
  constexpr size_t kAhead = 16;
  const size_t capacity = std::bit_ceil(std::max<size_t>(16, hashes.size() + hashes.size() / 3));
  owned_.assign(capacity, Slot{0, kNoFeature});
  set_slots(owned_);
  for (size_t n = 0; n < hashes.size(); ++n) {
    if (n + kAhead < hashes.size()) __builtin_prefetch(&owned_[hashes[n + kAhead] >> shift_], 1);
    const uint32_t check = static_cast<uint32_t>(hashes[n]);
    uint64_t i = hashes[n] >> shift_;
    while (owned_[i].value != kNoFeature && owned_[i].check != check) i = (i + 1) & mask_;
    if (owned_[i].value == kNoFeature) {
      owned_[i] = {check, value_of(n)};
    } else {
      refuse(n);
    }
  }
}

FeatureMap FeatureMap::build(std::span<const uint64_t> hashes, std::span<const uint32_t> values,
                             std::vector<uint32_t>* refused) {
  ESPALIER_CHECK(hashes.size() == values.size());
  FeatureMap map;
  map.insert_all(
      hashes, [&](size_t n) { return values[n]; },
      [&](size_t n) {
        if (refused != nullptr) refused->push_back(static_cast<uint32_t>(n));
      });
  map.fill_filter(hashes.size());
  return map;
}

std::vector<uint32_t> FeatureMap::indistinguishable(std::span<const uint64_t> hashes) {
  FeatureMap map;
  std::vector<uint32_t> refused;
  map.insert_all(
      hashes, [](size_t n) { return static_cast<uint32_t>(n); },
      [&](size_t n) { refused.push_back(static_cast<uint32_t>(n)); });
  return refused;
}

Result<FeatureMap> FeatureMap::view(std::span<const Slot> slots, uint64_t value_limit) {
  if (slots.size() < 16 || !std::has_single_bit(slots.size()))
    return fail("feature table has {} slots, which is not a power of two of at least 16", slots.size());
  uint64_t empty = 0;
  for (const Slot& slot : slots) {
    if (slot.value == kNoFeature) {
      ++empty;
    } else if (slot.value >= value_limit) {
      return fail("feature table points to {}, past the {} that exist", slot.value, value_limit);
    }
  }
  if (empty == 0) return fail("feature table has no empty slot");
  FeatureMap map;
  map.set_slots(slots);
  map.fill_filter(slots.size() - empty);
  return map;
}

void FeatureMap::find_all(std::span<const uint64_t> hashes, uint32_t* values, const uint32_t* used,
                          size_t step) const {
  constexpr size_t kAtOnce = 256;
  constexpr size_t kAhead = 16;  // enough loads in flight to hide the latency of the last-level cache
  const size_t n = hashes.size();
  if (slots_.empty()) {
    std::fill_n(values, n, kNoFeature);
    return;
  }
  uint32_t likely[kAtOnce];
  for (size_t first = 0; first < n; first += kAtOnce) {
    const size_t last = std::min(n, first + kAtOnce);
    const size_t count = filter_.likely(hashes.subspan(first, last - first), likely);
    std::fill(values + first, values + last, kNoFeature);
    const uint64_t* const from = hashes.data() + first;
    for (size_t k = 0; k < std::min(kAhead, count); ++k) prefetch(from[likely[k]]);
    for (size_t k = 0; k < count; ++k) {
      if (k + kAhead < count) prefetch(from[likely[k + kAhead]]);
      const uint32_t value = find(from[likely[k]]);
      values[first + likely[k]] = value;
      if (used == nullptr || value == kNoFeature) continue;
      constexpr size_t kUsual = 10;  // words that are read there
      __builtin_prefetch(used + value * step);
      __builtin_prefetch(used + value * step + kUsual);
    }
  }
}

}  // namespace espalier::linear

#include "espalier/cascade/gram_table.h"

#include <bit>
#include <utility>

namespace espalier::cascade {

GramTable::GramTable(size_t labels) : labels_(labels) { rehash(64); }

Result<GramTable> GramTable::from_entries(size_t labels, const std::vector<Entry>& entries) {
  GramTable table(labels);
  table.entries_.reserve(entries.size());
  table.rehash(std::bit_ceil(entries.size() * 2 + 64));
  for (const Entry& e : entries) {
    if (e.prefix >= table.size() || e.last > table.end())
      return fail("gram {} has a prefix or a label that does not exist", table.size());
    const size_t before = table.size();
    if (table.add(e.prefix, e.last) != before) return fail("gram {} occurs twice", before);
  }
  return table;
}

size_t GramTable::order(uint32_t gram) const {
  size_t order = 1;
  for (; gram >= single(); ++order) gram = entry(gram).prefix;
  return order;
}

uint32_t GramTable::add(uint32_t prefix, uint32_t last) {
  ESPALIER_CHECK(prefix < size());
  if (const uint32_t known = find(prefix, last); known != kNoGram) return known;
  if ((entries_.size() + 1) * 2 > slots_.size()) rehash(slots_.size() * 2);
  const uint32_t gram = static_cast<uint32_t>(size());
  ESPALIER_CHECK(gram != kNoGram);
  entries_.push_back({prefix, last});
  uint64_t slot = hash(prefix, last) >> shift_;
  while (slots_[slot] != kNoGram) slot = (slot + 1) & mask_;
  slots_[slot] = gram;
  return gram;
}

void GramTable::rehash(size_t slots) {
  slots_.assign(slots, kNoGram);
  mask_ = slots - 1;
  shift_ = 64 - std::countr_zero(slots);
  for (size_t i = 0; i < entries_.size(); ++i) {
    uint64_t slot = hash(entries_[i].prefix, entries_[i].last) >> shift_;
    while (slots_[slot] != kNoGram) slot = (slot + 1) & mask_;
    slots_[slot] = static_cast<uint32_t>(single() + i);
  }
}

}  // namespace espalier::cascade

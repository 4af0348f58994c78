#include "espalier/cascade/gram_table.h"

#include <algorithm>

namespace espalier::cascade {

GramTable::GramTable(size_t labels) : labels_(labels) { add_direct_rows(); }

/// Rows for prefixes that have none yet, while there is room.
void GramTable::add_direct_rows() {
  const size_t rows = std::min(size(), kMostDirect / single());
  if (rows <= direct_rows_) return;
  direct_.resize(rows * single(), kNoGram);
  direct_rows_ = rows;
}

Result<GramTable> GramTable::from_entries(size_t labels, const std::vector<Entry>& entries) {
  GramTable table(labels);
  table.entries_.reserve(entries.size());
  table.index_.reserve(entries.size());
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
  const size_t known = entries_.size();
  const uint32_t entry = index_.find_or_add(
      hash(prefix, last), known,
      [&](uint32_t e) { return entries_[e].prefix == prefix && entries_[e].last == last; },
      [&](uint32_t e) { return hash(entries_[e].prefix, entries_[e].last); });
  if (entry == known) {
    ESPALIER_CHECK(size() < kNoGram);
    entries_.push_back({prefix, last});
    if (prefix < direct_rows_) direct_[prefix * single() + last] = static_cast<uint32_t>(single()) + entry;
    add_direct_rows();
  }
  return static_cast<uint32_t>(single()) + entry;
}

}  // namespace espalier::cascade

// Large pages for memory that is read at random: they spare most look-ups of the page table. Advice only: the
// system may do without. Tested by what uses it, in section_file_test.cc and row_sums_test.cc.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace espalier {

/// Arrays of so many bytes are worth large pages; malloc maps pages of their own for them.
inline constexpr size_t kLargeArray = size_t{4} << 20;

/// For whole pages of [begin, begin + bytes), before anything is written to them.
inline void advise_large_pages(void* begin, size_t bytes) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + page - 1) & ~(page - 1);
  const uintptr_t last = (reinterpret_cast<uintptr_t>(begin) + bytes) & ~(page - 1);
  if (first < last) (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace espalier

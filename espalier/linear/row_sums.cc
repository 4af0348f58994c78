#include "espalier/linear/row_sums.h"

#include <algorithm>
#include <bit>

#include "espalier/linear/feature_map.h"

// Highway needs foreach_target.h first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "espalier/linear/row_sums.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on
#include "espalier/linear/narrow_rows.inc"

HWY_BEFORE_NAMESPACE();
namespace espalier::linear::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
void AddToSums(const uint32_t* words, size_t width, std::span<const uint32_t> offsets,
               std::span<const uint32_t> begin, size_t step, int32_t* sums) {
  for (size_t t = 0; t + 1 < begin.size(); ++t, sums += step)
    for (size_t i = begin[t]; i < begin[t + 1]; ++i) {
      if (offsets[i] == kNoFeature) continue;
      const uint32_t* row = words + offsets[i];
      uint64_t set = *row++;
      if (width > 32) set |= static_cast<uint64_t>(*row++) << 32;
      const int16_t* packed = reinterpret_cast<const int16_t*>(row);
      for (; set != 0; set &= set - 1) sums[std::countr_zero(set)] += *packed++;
    }
}
#else
template <size_t N>
void AddNarrowToSums(const uint32_t* HWY_RESTRICT words, std::span<const uint32_t> offsets,
                     std::span<const uint32_t> begin, size_t step, int32_t* HWY_RESTRICT sums) {
  constexpr size_t kAhead = 8;  // rows prefetched ahead
  constexpr size_t kAtOnce = 64;
  uint32_t known[kAtOnce];
  for (size_t t = 0; t + 1 < begin.size(); ++t, sums += step)
    for (size_t first = begin[t]; first < begin[t + 1]; first += kAtOnce) {
      const size_t last = std::min<size_t>(begin[t + 1], first + kAtOnce);
      size_t n = 0;
      for (size_t i = first; i < last; ++i) {
        known[n] = offsets[i];
        n += offsets[i] != kNoFeature;
      }
      if (n == 0) continue;
      for (size_t k = 0; k < std::min(n, kAhead); ++k) __builtin_prefetch(words + known[k]);
      NarrowSum<N> sum;
      for (size_t k = 0; k < n; ++k) {
        if (k + kAhead < n) __builtin_prefetch(words + known[k + kAhead]);
        sum.Add(words + known[k]);
      }
      sum.AddTo(sums);
    }
}
void AddToSums(const uint32_t* words, size_t width, std::span<const uint32_t> offsets,
               std::span<const uint32_t> begin, size_t step, int32_t* sums) {
  using Kernel = decltype(&AddNarrowToSums<1>);
  constexpr Kernel kKernels[] = {AddNarrowToSums<1>, AddNarrowToSums<2>, AddNarrowToSums<3>,
                                 AddNarrowToSums<4>, AddNarrowToSums<5>, AddNarrowToSums<6>,
                                 AddNarrowToSums<7>, AddNarrowToSums<8>};
  kKernels[padded(width) / kLanes - 1](words, offsets, begin, step, sums);
}
#endif

void AddSums(const int32_t* HWY_RESTRICT from, size_t n, int32_t* HWY_RESTRICT to) {
  const Ints d;
  for (size_t i = 0; i < n; i += hn::Lanes(d))
    hn::Store(hn::Add(hn::Load(d, to + i), hn::Load(d, from + i)), d, to + i);
}

void ScoresOfSums(const int32_t* HWY_RESTRICT sums, size_t positions, size_t step, float scale, size_t stride,
                  float* HWY_RESTRICT scores) {
  const Ints d;
  const Floats f;
  const auto v = hn::Set(f, scale);
  for (size_t t = 0; t < positions; ++t, sums += step, scores += stride)
    for (size_t c = 0; c < stride; c += hn::Lanes(d))
      hn::Store(hn::Mul(v, hn::ConvertTo(f, hn::Load(d, sums + c))), f, scores + c);
}

}  // namespace espalier::linear::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier::linear {

HWY_EXPORT(AddToSums);
HWY_EXPORT(AddSums);
HWY_EXPORT(ScoresOfSums);

void add_to_sums(const PackedRows& rows, std::span<const uint32_t> offsets, std::span<const uint32_t> begin,
                 size_t step, int32_t* sums) {
  ESPALIER_CHECK(rows.sums_exactly() && !begin.empty() && begin.back() <= offsets.size());
  HWY_DYNAMIC_DISPATCH(AddToSums)(rows.words().data(), rows.width(), offsets, begin, step, sums);
}

void scores_of_sums(const int32_t* sums, size_t positions, size_t step, float scale, size_t stride,
                    float* scores) {
  HWY_DYNAMIC_DISPATCH(ScoresOfSums)(sums, positions, step, scale, stride, scores);
}

void add_sums(const int32_t* from, size_t n, int32_t* to) { HWY_DYNAMIC_DISPATCH(AddSums)(from, n, to); }

SumTable::SumTable(size_t entry_size, size_t most_entries, size_t most_bytes) : entry_size_(entry_size) {
  ESPALIER_CHECK(entry_size > 0 && entry_size % kLanes == 0);
  const size_t most = std::min(most_entries, most_bytes / (entry_size * sizeof(int32_t)));
  const size_t sets = std::bit_floor(std::max<size_t>(2, most / kWays));
  shift_ = 64 - std::countr_zero(sets);
  sets_.resize(sets);
  used_.assign(sets, 0);
  // Not initialised, so that memory nobody writes to costs nothing.
  sums_.reset(AlignedAllocator<int32_t>().allocate(sets * kWays * entry_size));
}

int32_t* SumTable::insert(uint64_t key) {
  const size_t s = set_of(key);
  Set& set = sets_[s];
  size_t way = 0;
  while (way < kWays && set.key[way] != kEmpty) ++way;
  if (way == kWays) {
    const unsigned idle = ~unsigned{used_[s]} & ((1u << kWays) - 1);
    way = idle != 0 ? static_cast<size_t>(std::countr_zero(idle)) : key % kWays;
    used_[s] = 0;
  }
  set.key[way] = key + (key == kEmpty);
  return at(s, way);
}

}  // namespace espalier::linear
#endif

#include "espalier/linear/row_sums.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

#include "espalier/base/large_pages.h"
#include "espalier/linear/encoding/feature_map.h"

// Sums of integers are the same whatever the vectors, and rows are spread in a third of the time where
// AVX-512 has an instruction for it.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3)
#define HWY_WANT_AVX3_DL
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
void SumPositions(const uint32_t* words, size_t width, const PositionSums& what, size_t step, int32_t* sums) {
  const size_t positions = what.offset_begin.size() - 1;
  std::fill_n(sums, positions * step, 0);
  for (size_t t = 0; t < positions; ++t)
    for (const PositionSums::Place& place : what.places)
      for (size_t c = 0; c < padded(width); ++c) sums[t * step + c] += (place.entries[t] + place.offset)[c];
  AddToSums(words, width, what.offsets, what.offset_begin, step, sums);
}
#else
template <size_t N>
void AddNarrowToSums(const uint32_t* HWY_RESTRICT words, std::span<const uint32_t> offsets,
                     std::span<const uint32_t> begin, size_t step, int32_t* HWY_RESTRICT sums) {
  constexpr size_t kAhead = 16;  // rows prefetched ahead, whichever position they belong to
  constexpr size_t kAtOnce = 64;
  uint32_t known[kAtOnce];
  const size_t all = begin.back();
  const auto prefetch = [&](size_t i) {
    __builtin_prefetch(words + (offsets[i] == kNoFeature ? 0 : offsets[i]));
  };
  for (size_t i = begin.front(); i < std::min<size_t>(all, begin.front() + kAhead); ++i) prefetch(i);
  for (size_t t = 0; t + 1 < begin.size(); ++t, sums += step)
    for (size_t first = begin[t]; first < begin[t + 1]; first += kAtOnce) {
      const size_t last = std::min<size_t>(begin[t + 1], first + kAtOnce);
      size_t n = 0;
      for (size_t i = first; i < last; ++i) {
        if (i + kAhead < all) prefetch(i + kAhead);
        known[n] = offsets[i];
        n += offsets[i] != kNoFeature;
      }
      if (n == 0) continue;
      NarrowSum<N> sum;
      for (size_t k = 0; k < n; ++k) sum.Add(words + known[k]);
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

/// One position after another, its sums in registers.
template <size_t N>
void SumNarrowPositions(const uint32_t* HWY_RESTRICT words, const PositionSums& what, size_t step,
                        int32_t* HWY_RESTRICT sums) {
  constexpr size_t kRowsAhead = 16, kPositionsAhead = 3, kLine = 64 / sizeof(int32_t);
  const size_t positions = what.offset_begin.size() - 1, all = what.offset_begin.back();
  const uint32_t* const offsets = what.offsets.data();
  const auto prefetch = [&](size_t i) {
    __builtin_prefetch(words + (offsets[i] == kNoFeature ? 0 : offsets[i]));
  };
  constexpr size_t kAtOnce = 64;
  uint32_t known[kAtOnce];
  size_t i = what.offset_begin.front();
  for (size_t k = i; k < std::min(all, i + kRowsAhead); ++k) prefetch(k);
  for (size_t t = 0; t < positions; ++t, sums += step) {
    if (t + kPositionsAhead < positions)
      for (const PositionSums::Run& run : what.fresh)
        for (size_t k = 0; k < run.size; k += kLine)
          __builtin_prefetch(run.entries[t + kPositionsAhead] + run.offset + k);
    NarrowSum<N> sum;
    for (const PositionSums::Place& place : what.places) sum.AddSums(place.entries[t] + place.offset);
    for (const size_t end = what.offset_begin[t + 1]; i < end;) {
      size_t n = 0;
      for (const size_t stop = std::min(end, i + kAtOnce); i < stop; ++i) {
        if (i + kRowsAhead < all) prefetch(i + kRowsAhead);
        known[n] = offsets[i];
        n += offsets[i] != kNoFeature;
      }
      for (size_t k = 0; k < n; ++k) sum.Add(words + known[k]);
    }
    sum.StoreTo(sums);
  }
}
void SumPositions(const uint32_t* words, size_t width, const PositionSums& what, size_t step, int32_t* sums) {
  using Kernel = decltype(&SumNarrowPositions<1>);
  constexpr Kernel kKernels[] = {SumNarrowPositions<1>, SumNarrowPositions<2>, SumNarrowPositions<3>,
                                 SumNarrowPositions<4>, SumNarrowPositions<5>, SumNarrowPositions<6>,
                                 SumNarrowPositions<7>, SumNarrowPositions<8>};
  kKernels[padded(width) / kLanes - 1](words, what, step, sums);
}
#endif

void ScoresOfSums(const int32_t* HWY_RESTRICT sums, size_t positions, size_t step, float scale, size_t stride,
                  float* HWY_RESTRICT scores) {
  const Ints d;
  const Floats f;
  const auto v = hn::Set(f, scale);
  for (size_t t = 0; t < positions; ++t, sums += step, scores += stride)
    for (size_t c = 0; c < stride; c += hn::Lanes(d))
      hn::Store(hn::Mul(v, hn::ConvertTo(f, hn::Load(d, sums + c))), f, scores + c);
}

/// The sums of a few columns of one position, one by one.
void FewColumnSums(std::span<const PositionSums::Place> places, size_t t, const uint32_t* words, bool wide,
                   const uint32_t* offsets, size_t others, const uint16_t* columns, size_t n, int32_t* sums) {
  std::fill_n(sums, n, 0);
  for (const PositionSums::Place& place : places) {
    const int32_t* const row = place.entries[t] + place.offset;
    for (size_t i = 0; i < n; ++i) sums[i] += row[columns[i]];
  }
  for (size_t f = 0; f < others; ++f) {
    if (offsets[f] == kNoFeature) continue;
    const uint32_t* row = words + offsets[f];
    uint64_t set = *row++;
    if (wide) set |= static_cast<uint64_t>(*row++) << 32;
    const int16_t* const packed = reinterpret_cast<const int16_t*>(row);
    for (size_t i = 0; i < n; ++i) {
      const uint64_t bit = uint64_t{1} << columns[i];
      if (set & bit) sums[i] += packed[std::popcount(set & (bit - 1))];
    }
  }
}

#if HWY_TARGET == HWY_SCALAR
/// All sums of one position.
template <size_t N>
void AllColumnSums(const uint32_t* words, std::span<const PositionSums::Place> places, size_t t,
                   std::span<const uint32_t> offsets, int32_t* sums) {
  const uint32_t all[2] = {0, static_cast<uint32_t>(offsets.size())};
  std::fill_n(sums, N * kLanes, 0);
  for (const PositionSums::Place& place : places)
    for (size_t c = 0; c < N * kLanes; ++c) sums[c] += (place.entries[t] + place.offset)[c];
  AddToSums(words, N * kLanes, offsets, all, N * kLanes, sums);
}
#else
template <size_t N>
HWY_INLINE void AllColumnSums(const uint32_t* words, std::span<const PositionSums::Place> places, size_t t,
                              std::span<const uint32_t> offsets, int32_t* sums) {
  NarrowSum<N> sum;
  for (const PositionSums::Place& place : places) sum.AddSums(place.entries[t] + place.offset);
  for (const uint32_t offset : offsets)
    if (offset != kNoFeature) sum.Add(words + offset);
  sum.StoreTo(sums);
}
#endif

template <size_t N>
void ColumnScoresOf(const PackedRows& packed, const ColumnSums& what, float* HWY_RESTRICT out) {
  constexpr size_t kFew = 2;    // columns; of more, all are summed at once
  constexpr size_t kAhead = 2;  // positions prefetched ahead
  const size_t positions = what.begin.size() - 1;
  const uint32_t* const words = packed.words().data();
  HWY_ALIGN int32_t sums[64];
  for (size_t t = 0; t < positions; ++t) {
    if (t + kAhead < positions) {
      const size_t next = t + kAhead;
      const uint16_t first = what.columns[what.begin[next]], last = what.columns[what.begin[next + 1] - 1];
      for (const PositionSums::Place& place : what.places) {
        __builtin_prefetch(place.entries[next] + place.offset + first);
        __builtin_prefetch(place.entries[next] + place.offset + last);
      }
      for (uint32_t f = what.offset_begin[next]; f < what.offset_begin[next + 1]; ++f)
        if (what.offsets[f] != kNoFeature) __builtin_prefetch(words + what.offsets[f]);
    }
    const size_t first = what.begin[t], n = what.begin[t + 1] - first;
    const uint16_t* const columns = what.columns.data() + first;
    const size_t others = what.offset_begin[t + 1] - what.offset_begin[t];
    const std::span<const uint32_t> offsets = what.offsets.subspan(what.offset_begin[t], others);
    if (n <= kFew) {
      FewColumnSums(what.places, t, words, packed.width() > 32, offsets.data(), others, columns, n, sums);
      for (size_t i = 0; i < n; ++i) out[first + i] = packed.scale() * static_cast<float>(sums[i]);
    } else {
      AllColumnSums<N>(words, what.places, t, offsets, sums);
      for (size_t i = 0; i < n; ++i) out[first + i] = packed.scale() * static_cast<float>(sums[columns[i]]);
    }
  }
}
void ColumnScores(const PackedRows& packed, const ColumnSums& what, float* out) {
  using Kernel = decltype(&ColumnScoresOf<1>);
  constexpr Kernel kKernels[] = {ColumnScoresOf<1>, ColumnScoresOf<2>, ColumnScoresOf<3>, ColumnScoresOf<4>,
                                 ColumnScoresOf<5>, ColumnScoresOf<6>, ColumnScoresOf<7>, ColumnScoresOf<8>};
  kKernels[padded(packed.width()) / kLanes - 1](packed, what, out);
}

// Eight partial sums whatever the vectors' length, so that the sum of regrets is the same everywhere.
constexpr size_t kRegretParts = kLanes / hn::MaxLanes(Floats());

double FindBests(const float* HWY_RESTRICT scores, size_t positions, size_t width, size_t stride,
                 float* HWY_RESTRICT best) {
  const Floats d;
  const size_t N = hn::Lanes(d), whole = width / kLanes * kLanes;
  const auto lowest = hn::Set(d, std::numeric_limits<float>::lowest());
  double sum = 0;
  for (size_t t = 0; t < positions; ++t, scores += stride) {
    auto top = lowest;
    for (size_t c = 0; c < width; c += N) {
      const auto x = hn::Load(d, scores + c);
      top = hn::Max(top, c + N <= width ? x : hn::IfThenElse(hn::FirstN(d, width - c), x, lowest));
    }
    top = hn::MaxOfLanes(d, top);
    hn::Vec<Floats> part[kRegretParts];
    for (auto& p : part) p = hn::Zero(d);
    for (size_t c = 0; c < whole; c += kLanes)
      for (size_t p = 0; p < kRegretParts; ++p)
        part[p] = hn::Add(part[p], hn::Sub(top, hn::Load(d, scores + c + p * N)));
    for (size_t p = 0; p < kRegretParts && whole + p * N < width; ++p)
      part[p] = hn::Add(part[p], hn::IfThenElseZero(hn::FirstN(d, std::min(N, width - whole - p * N)),
                                                    hn::Sub(top, hn::Load(d, scores + whole + p * N))));
    HWY_ALIGN float lane[kLanes];
    for (size_t p = 0; p < kRegretParts; ++p) hn::Store(part[p], d, lane + p * N);
    sum += sum_of_lanes(lane);
    best[t] = hn::GetLane(top);
  }
  return sum;
}

void FindNear(const float* HWY_RESTRICT scores, size_t positions, size_t width, size_t stride,
              const float* HWY_RESTRICT best, float most, uint64_t* HWY_RESTRICT sets) {
  const Floats d;
  const size_t N = hn::Lanes(d);
  const auto limit = hn::Set(d, most);
  for (size_t t = 0; t < positions; ++t, scores += stride) {
    const auto top = hn::Set(d, best[t]);
    uint64_t set = 0;
    for (size_t c = 0; c < width; c += N) {
      uint8_t bits[8] = {};
      hn::StoreMaskBits(d, hn::Le(hn::Sub(top, hn::Load(d, scores + c)), limit), bits);
      set |= uint64_t{bits[0]} << c;
    }
    sets[t] = width == 64 ? set : set & ((uint64_t{1} << width) - 1);
  }
}

}  // namespace espalier::linear::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier::linear {

HWY_EXPORT(AddToSums);
HWY_EXPORT(SumPositions);
HWY_EXPORT(ScoresOfSums);
HWY_EXPORT(ColumnScores);
HWY_EXPORT(FindBests);
HWY_EXPORT(FindNear);

void column_scores(const PackedRows& packed, const ColumnSums& what, float* scores) {
  ESPALIER_CHECK(packed.sums_exactly() && what.offset_begin.size() == what.begin.size());
  HWY_DYNAMIC_DISPATCH(ColumnScores)(packed, what, scores);
}

double find_bests(const float* scores, size_t positions, size_t width, size_t stride, float* best) {
  return HWY_DYNAMIC_DISPATCH(FindBests)(scores, positions, width, stride, best);
}

void find_near(const float* scores, size_t positions, size_t width, size_t stride, const float* best,
               float most, uint64_t* sets) {
  ESPALIER_CHECK(width <= 64);
  HWY_DYNAMIC_DISPATCH(FindNear)(scores, positions, width, stride, best, most, sets);
}

void add_to_sums(const PackedRows& rows, std::span<const uint32_t> offsets, std::span<const uint32_t> begin,
                 size_t step, int32_t* sums) {
  ESPALIER_CHECK(rows.sums_exactly() && !begin.empty() && begin.back() <= offsets.size());
  HWY_DYNAMIC_DISPATCH(AddToSums)(rows.words().data(), rows.width(), offsets, begin, step, sums);
}

void scores_of_sums(const int32_t* sums, size_t positions, size_t step, float scale, size_t stride,
                    float* scores) {
  HWY_DYNAMIC_DISPATCH(ScoresOfSums)(sums, positions, step, scale, stride, scores);
}

void sum_positions(const PackedRows& rows, const PositionSums& what, size_t step, int32_t* sums) {
  ESPALIER_CHECK(rows.sums_exactly() && !what.offset_begin.empty() &&
                 what.offset_begin.back() <= what.offsets.size());
  HWY_DYNAMIC_DISPATCH(SumPositions)(rows.words().data(), rows.width(), what, step, sums);
}

SumTable::SumTable(size_t entry_size, size_t most_entries, size_t most_bytes) : entry_size_(entry_size) {
  ESPALIER_CHECK(entry_size > 0 && entry_size % kLanes == 0);
  const size_t most = std::min(most_entries, most_bytes / (entry_size * sizeof(int32_t)));
  const size_t sets = std::bit_floor(std::max<size_t>(2, most / kWays));
  shift_ = 64 - std::countr_zero(sets);
  sets_.resize(sets);
  // Not initialised, so that memory nobody writes to costs nothing: entries are given out in their order.
  const size_t size = sets * kWays * entry_size;
  sums_.reset(AlignedAllocator<int32_t>().allocate(size));
  advise_large_pages(sums_.get(), size * sizeof(int32_t));
}

void SumTable::begin() {
  if (++now_ != 0) return;
  for (Set& set : sets_) std::fill(std::begin(set.asked), std::end(set.asked), 0);
  now_ = 1;
}

int32_t* SumTable::insert(uint64_t key) {
  Set& set = sets_[set_of(key)];
  size_t way = 0;
  while (way < kWays && set.key[way] != kEmpty) ++way;
  if (way == kWays) {
    way = static_cast<size_t>(std::min_element(std::begin(set.asked), std::end(set.asked)) - set.asked);
    if (set.asked[way] == now_) return nullptr;
  } else {
    set.entry[way] = used_++;
  }
  set.key[way] = key + (key == kEmpty);
  set.asked[way] = now_;
  return at(set.entry[way]);
}

}  // namespace espalier::linear
#endif

#include "espalier/linear/rows.h"

#include <iterator>

// Highway needs foreach_target.h first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "espalier/linear/rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace espalier::linear::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, kLanes>;

// Each row costs two cache misses (its begin, its weights); both are prefetched well ahead.
constexpr size_t kBeginAhead = 16;
constexpr size_t kRowAhead = 8;

/// The lines of a row; of a full one of many labels they are more than one.
HWY_INLINE void PrefetchRow(const float* row, size_t weights) {
  constexpr size_t kLine = 16;
  for (size_t c = 0; c < weights; c += kLine) __builtin_prefetch(row + c);
}

void AddRows(const StateRows& layout, const float* HWY_RESTRICT weights, std::span<const uint32_t> features,
             const float* HWY_RESTRICT values, float* HWY_RESTRICT scores) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const uint32_t* begin = layout.begin.data();
  const uint16_t* column = layout.column.data();
  const size_t n = features.size();
  const size_t width = layout.width;
  for (size_t i = 0; i < n; ++i) {
    if (i + kBeginAhead < n) __builtin_prefetch(&begin[features[i + kBeginAhead]]);
    if (i + kRowAhead < n) {
      const uint32_t f = features[i + kRowAhead], ahead = begin[f];
      PrefetchRow(&weights[ahead], begin[f + 1] - ahead);
      __builtin_prefetch(&column[ahead]);
    }
    const uint32_t first = begin[features[i]];
    const uint32_t last = begin[features[i] + 1];
    const float value = values == nullptr ? 1.0f : values[i];
    if (last - first == width) {
      const auto v = hn::Set(d, value);
      for (size_t c = 0; c < width; c += lanes)
        hn::Store(hn::MulAdd(v, hn::LoadU(d, weights + first + c), hn::Load(d, scores + c)), d, scores + c);
    } else {
      for (uint32_t w = first; w < last; ++w) scores[column[w]] += value * weights[w];
    }
  }
}

/// With the sums of N columns in registers: full rows are read at these columns only.
template <size_t N>
void AddFewColumns(const StateRows& layout, const float* HWY_RESTRICT weights,
                   std::span<const uint32_t> features, const float* HWY_RESTRICT values,
                   const uint16_t* HWY_RESTRICT columns, float* HWY_RESTRICT scores) {
  const uint32_t* begin = layout.begin.data();
  const uint16_t* column = layout.column.data();
  const size_t n = features.size();
  const size_t width = layout.width;
  size_t at[N];
  float sum[N];
  for (size_t k = 0; k < N; ++k) {
    at[k] = columns[k];
    sum[k] = 0;
  }
  for (size_t i = 0; i < n; ++i) {
    if (i + kBeginAhead < n) __builtin_prefetch(&begin[features[i + kBeginAhead]]);
    if (i + kRowAhead < n) {
      const uint32_t f = features[i + kRowAhead], ahead = begin[f];
      if (begin[f + 1] - ahead == width) {
        __builtin_prefetch(&weights[ahead + at[0]]);
        if (N > 1) __builtin_prefetch(&weights[ahead + at[N - 1]]);
      } else {
        __builtin_prefetch(&weights[ahead]);
        __builtin_prefetch(&column[ahead]);
      }
    }
    const uint32_t first = begin[features[i]];
    const uint32_t last = begin[features[i] + 1];
    const float value = values == nullptr ? 1.0f : values[i];
    if (last - first == width) {
      for (size_t k = 0; k < N; ++k) sum[k] += value * weights[first + at[k]];
    } else {
      for (uint32_t w = first; w < last; ++w) scores[column[w]] += value * weights[w];
    }
  }
  for (size_t k = 0; k < N; ++k) scores[at[k]] += sum[k];
}

void AddColumns(const StateRows& layout, const float* weights, std::span<const uint32_t> features,
                const float* values, std::span<const uint16_t> columns, float* scores) {
  using Kernel = decltype(&AddFewColumns<1>);
  constexpr Kernel kKernels[] = {AddFewColumns<1>, AddFewColumns<2>, AddFewColumns<3>, AddFewColumns<4>,
                                 AddFewColumns<5>, AddFewColumns<6>, AddFewColumns<7>, AddFewColumns<8>};
  if (columns.empty()) return;
  // A whole row takes a multiplication per eight columns.
  if (columns.size() > std::size(kKernels) || columns.size() * 4 > layout.width)
    return AddRows(layout, weights, features, values, scores);
  kKernels[columns.size() - 1](layout, weights, features, values, columns.data(), scores);
}

/// Index of the largest of n numbers; load(i) returns the vector that begins at i.
template <typename Load>
HWY_INLINE size_t FirstLargest(size_t n, Load&& load) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  // The last vector may overlap the one before it; this changes neither the maximum nor its first index.
  const size_t last = n - lanes;
  auto top = load(last);
  for (size_t i = 0; i < last; i += lanes) top = hn::Max(top, load(i));
  top = hn::MaxOfLanes(d, top);
  for (size_t i = 0; i < last; i += lanes) {
    const intptr_t place = hn::FindFirstTrue(d, hn::Eq(load(i), top));
    if (place >= 0) return i + static_cast<size_t>(place);
  }
  return last + static_cast<size_t>(hn::FindFirstTrue(d, hn::Eq(load(last), top)));
}

size_t PlaceOfLargest(const float* HWY_RESTRICT numbers, size_t n) {
  if (n < hn::Lanes(Floats())) return place_of_largest_plain(std::span<const float>(numbers, n));
  return FirstLargest(n, [=](size_t i) { return hn::LoadU(Floats(), numbers + i); });
}

size_t PlaceOfLargestSum(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, size_t n) {
  if (n < hn::Lanes(Floats())) {
    float sums[kLanes];
    for (size_t i = 0; i < n; ++i) sums[i] = a[i] + b[i];
    return place_of_largest_plain(std::span<const float>(sums, n));
  }
  return FirstLargest(
      n, [=](size_t i) { return hn::Add(hn::LoadU(Floats(), a + i), hn::LoadU(Floats(), b + i)); });
}

}  // namespace espalier::linear::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier::linear {

HWY_EXPORT(AddRows);
HWY_EXPORT(AddColumns);
HWY_EXPORT(PlaceOfLargest);
HWY_EXPORT(PlaceOfLargestSum);

void add_rows(const StateRows& layout, const float* weights, std::span<const uint32_t> features,
              const float* values, float* scores) {
  HWY_DYNAMIC_DISPATCH(AddRows)(layout, weights, features, values, scores);
}

void add_rows_of_columns(const StateRows& layout, const float* weights, std::span<const uint32_t> features,
                         const float* values, std::span<const uint16_t> columns, float* scores) {
  HWY_DYNAMIC_DISPATCH(AddColumns)(layout, weights, features, values, columns, scores);
}

size_t place_of_largest(std::span<const float> numbers) {
  return HWY_DYNAMIC_DISPATCH(PlaceOfLargest)(numbers.data(), numbers.size());
}
size_t place_of_largest_sum(const float* a, const float* b, size_t n) {
  return HWY_DYNAMIC_DISPATCH(PlaceOfLargestSum)(a, b, n);
}

}  // namespace espalier::linear
#endif

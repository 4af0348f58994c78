#include "espalier/linear/packed_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "espalier/linear/encoding/feature_map.h"

// As in row_sums.cc: rows are spread in a third of the time where AVX-512 has an instruction for it.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3)
#define HWY_WANT_AVX3_DL
// Highway needs foreach_target.h first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "espalier/linear/packed_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on
#include "espalier/linear/narrow_rows.inc"

HWY_BEFORE_NAMESPACE();
namespace espalier::linear::HWY_NAMESPACE {
constexpr size_t kAhead = 16;  // rows prefetched ahead

#if HWY_TARGET == HWY_SCALAR
void AddNarrowShort(const uint32_t* words, float scale, std::span<const uint32_t> offsets,
                    std::span<const uint32_t> begin, const float* values, size_t stride, float* scores) {
  for (size_t t = 0; t + 1 < begin.size(); ++t, scores += stride)
    for (size_t i = begin[t]; i < begin[t + 1]; ++i) {
      if (offsets[i] == kNoFeature) continue;
      const uint32_t* row = words + offsets[i];
      uint64_t set = *row++;
      if (stride > 32) set |= static_cast<uint64_t>(*row++) << 32;
      const int16_t* packed = reinterpret_cast<const int16_t*>(row);
      const float value = values == nullptr ? scale : values[i] * scale;
      for (; set != 0; set &= set - 1) scores[std::countr_zero(set)] += value * static_cast<float>(*packed++);
    }
}
#else
/// Rows with a set of columns and 16-bit weights: N groups of eight columns.
template <size_t N>
void AddNarrow(const uint32_t* HWY_RESTRICT words, float scale, std::span<const uint32_t> offsets,
               std::span<const uint32_t> begin, const float* HWY_RESTRICT values, size_t stride,
               float* HWY_RESTRICT scores) {
  constexpr size_t kMostAtOnce = 65536;
  const size_t n = offsets.size();
  for (size_t t = 0; t + 1 < begin.size(); ++t, scores += stride)
    for (size_t i = begin[t]; i < begin[t + 1];) {
      const size_t stop = std::min<size_t>(begin[t + 1], i + kMostAtOnce);
      NarrowSum<N> sum;
      for (; i < stop; ++i) {
        if (i + kAhead < n && offsets[i + kAhead] != kNoFeature)
          __builtin_prefetch(words + offsets[i + kAhead]);
        if (offsets[i] == kNoFeature) continue;
        if (values == nullptr) {
          sum.Add(words + offsets[i]);
        } else {
          NarrowSum<N>::AddScaled(words + offsets[i], values[i] * scale, scores);
        }
      }
      if (values == nullptr) sum.AddTo(scale, scores);
    }
}
void AddNarrowShort(const uint32_t* words, float scale, std::span<const uint32_t> offsets,
                    std::span<const uint32_t> begin, const float* values, size_t stride, float* scores) {
  using Kernel = decltype(&AddNarrow<1>);
  constexpr Kernel kKernels[] = {AddNarrow<1>, AddNarrow<2>, AddNarrow<3>, AddNarrow<4>,
                                 AddNarrow<5>, AddNarrow<6>, AddNarrow<7>, AddNarrow<8>};
  kKernels[stride / kLanes - 1](words, scale, offsets, begin, values, stride, scores);
}

#endif  // HWY_SCALAR

template <bool kShort>
HWY_INLINE void AddPacked(const uint32_t* HWY_RESTRICT words, uint32_t width, float scale,
                          std::span<const uint32_t> offsets, std::span<const uint32_t> begin,
                          const float* HWY_RESTRICT values, size_t stride, float* HWY_RESTRICT all_scores) {
  const Floats d;
  const hn::Rebind<int16_t, Floats> d16;
  const hn::Rebind<int32_t, Floats> d32;
  const size_t lanes = hn::Lanes(d);
  const size_t n = offsets.size();
  size_t position = 0;
  float* HWY_RESTRICT scores = all_scores;
  for (size_t i = 0; i < n; ++i) {
    while (i >= begin[position + 1]) {
      ++position;
      scores += stride;
    }
    if (i + kAhead < n && offsets[i + kAhead] != kNoFeature) __builtin_prefetch(words + offsets[i + kAhead]);
    const uint32_t offset = offsets[i];
    if (offset == kNoFeature) continue;
    const uint32_t* row = words + offset;
    const uint32_t count = *row++;
    const float value = values == nullptr ? scale : values[i] * scale;
    if (count == width) {
      const auto v = hn::Set(d, value);
      if constexpr (kShort) {
        const int16_t* w = reinterpret_cast<const int16_t*>(row);
        for (size_t c = 0; c < width; c += lanes) {
          const auto weight = hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d16, w + c)));
          hn::Store(hn::MulAdd(v, weight, hn::Load(d, scores + c)), d, scores + c);
        }
      } else {
        const float* w = reinterpret_cast<const float*>(row);
        for (size_t c = 0; c < width; c += lanes)
          hn::Store(hn::MulAdd(v, hn::LoadU(d, w + c), hn::Load(d, scores + c)), d, scores + c);
      }
      continue;
    }
    const uint16_t* column = reinterpret_cast<const uint16_t*>(row);
    row += (count + 1) / 2;
    if constexpr (kShort) {
      const int16_t* w = reinterpret_cast<const int16_t*>(row);
      for (uint32_t k = 0; k < count; ++k) scores[column[k]] += value * static_cast<float>(w[k]);
    } else {
      const float* w = reinterpret_cast<const float*>(row);
      for (uint32_t k = 0; k < count; ++k) scores[column[k]] += value * w[k];
    }
  }
}

void AddPackedFloat(const uint32_t* words, uint32_t width, float scale, std::span<const uint32_t> offsets,
                    std::span<const uint32_t> begin, const float* values, size_t stride, float* scores) {
  AddPacked<false>(words, width, scale, offsets, begin, values, stride, scores);
}
void AddPackedShort(const uint32_t* words, uint32_t width, float scale, std::span<const uint32_t> offsets,
                    std::span<const uint32_t> begin, const float* values, size_t stride, float* scores) {
  AddPacked<true>(words, width, scale, offsets, begin, values, stride, scores);
}

}  // namespace espalier::linear::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier::linear {

HWY_EXPORT(AddNarrowShort);
HWY_EXPORT(AddPackedFloat);
HWY_EXPORT(AddPackedShort);

void PackedRows::add(std::span<const uint32_t> offsets, std::span<const uint32_t> begin, const float* values,
                     size_t stride, float* scores) const {
  ESPALIER_CHECK(!wide() && stride == padded(width_) && !begin.empty() && begin.back() == offsets.size());
  if (narrow() && bits_ == 32) {
    for (size_t t = 0; t + 1 < begin.size(); ++t)
      for (size_t i = begin[t]; i < begin[t + 1]; ++i)
        if (offsets[i] != kNoFeature)
          for_each(offsets[i], [&](uint32_t column, float weight) {
            scores[t * stride + column] += values == nullptr ? weight : values[i] * weight;
          });
  } else if (narrow()) {
    HWY_DYNAMIC_DISPATCH(AddNarrowShort)(words_.data(), scale_, offsets, begin, values, stride, scores);
  } else if (bits_ == 16) {
    HWY_DYNAMIC_DISPATCH(AddPackedShort)
    (words_.data(), static_cast<uint32_t>(width_), scale_, offsets, begin, values, stride, scores);
  } else {
    HWY_DYNAMIC_DISPATCH(AddPackedFloat)
    (words_.data(), static_cast<uint32_t>(width_), 1.0f, offsets, begin, values, stride, scores);
  }
}

uint32_t PackedRows::column_at(uint32_t offset, uint32_t n, uint32_t i) const {
  if (n == width_) return i;
  if (wide()) return words_[offset + 1 + i];
  const uint32_t word = words_[offset + 1 + i / 2];
  return i % 2 == 0 ? word & 0xFFFF : word >> 16;
}

float PackedRows::weight_at(uint32_t offset, uint32_t n, uint32_t i) const {
  const uint64_t first = offset + head_words(n);
  if (bits_ == 32) return std::bit_cast<float>(words_[first + i]);
  const uint32_t word = words_[first + i / 2];
  return scale_ * static_cast<float>(static_cast<int16_t>(i % 2 == 0 ? word & 0xFFFF : word >> 16));
}

template <typename Column>
PackedRows PackedRows::pack(const RowLayout<Column>& layout, const float* weights, int bits,
                            std::vector<uint32_t>& offsets) {
  static_assert(std::endian::native == std::endian::little, "rows are stored as they lie in memory");
  ESPALIER_CHECK(bits == 16 || bits == 32);
  PackedRows rows;
  rows.width_ = layout.width;
  rows.bits_ = bits;
  float largest = 0;
  for (size_t i = 0; i < layout.weights(); ++i) largest = std::max(largest, std::abs(weights[i]));
  if (bits == 16 && largest > 0) rows.scale_ = largest / 32767.0f;
  // Rounds to 0: the same as lround(w / scale) == 0.
  const auto stored_zero = [&](float w) { return bits == 16 ? std::abs(w / rows.scale_) < 0.5f : w == 0; };
  const auto push_halves = [&](const std::vector<uint16_t>& halves) {
    for (size_t i = 0; i < halves.size(); i += 2)
      rows.owned_.push_back(halves[i] |
                            (i + 1 < halves.size() ? static_cast<uint32_t>(halves[i + 1]) << 16 : 0));
  };
  offsets.assign(layout.rows(), kNoFeature);
  std::vector<uint32_t> columns;
  std::vector<float> kept;
  std::vector<uint16_t> halves;
  for (size_t r = 0; r < layout.rows(); ++r) {
    columns.clear();
    kept.clear();
    size_t nonzero = 0;
    for (uint32_t i = layout.begin[r]; i < layout.begin[r + 1]; ++i) nonzero += !stored_zero(weights[i]);
    if (nonzero == 0) continue;
    // A row stays full if that is smaller than listing its columns.
    const bool full = !rows.narrow() && layout.full(r) && nonzero * 2 > layout.width;
    for (uint32_t i = layout.begin[r]; i < layout.begin[r + 1]; ++i) {
      if (!full && stored_zero(weights[i])) continue;
      columns.push_back(layout.column[i]);
      kept.push_back(weights[i]);
    }
    offsets[r] = static_cast<uint32_t>(rows.owned_.size());
    if (rows.narrow()) {
      uint64_t set = 0;
      for (const uint32_t c : columns) set |= uint64_t{1} << c;
      for (uint64_t w = 0; w < rows.set_words(); ++w, set >>= 32)
        rows.owned_.push_back(static_cast<uint32_t>(set));
    } else {
      rows.owned_.push_back(static_cast<uint32_t>(columns.size()));
    }
    if (!rows.narrow() && columns.size() != rows.width_) {
      if (rows.wide()) {
        rows.owned_.insert(rows.owned_.end(), columns.begin(), columns.end());
      } else {
        halves.assign(columns.begin(), columns.end());
        push_halves(halves);
      }
    }
    if (bits == 32) {
      for (const float w : kept) rows.owned_.push_back(std::bit_cast<uint32_t>(w));
    } else {
      halves.clear();
      for (const float w : kept)
        halves.push_back(static_cast<uint16_t>(static_cast<int16_t>(std::lround(w / rows.scale_))));
      push_halves(halves);
    }
    ESPALIER_CHECK(rows.owned_.size() < kNoFeature);
  }
  rows.owned_.resize(rows.owned_.size() + kSlack, 0);
  rows.words_ = rows.owned_;
  return rows;
}
template PackedRows PackedRows::pack(const StateRows&, const float*, int, std::vector<uint32_t>&);
template PackedRows PackedRows::pack(const EdgeRows&, const float*, int, std::vector<uint32_t>&);

bool PackedRows::all_begin_rows(std::span<const uint32_t> starts, const uint32_t* offsets, size_t count,
                                size_t step) const {
  const uint64_t limit = offset_limit();
  std::vector<uint64_t> begins(limit / 64 + 1, 0);
  for (const uint32_t start : starts) begins[start / 64] |= uint64_t{1} << start % 64;
  // Checks every offset without a branch: nearly all files are good, so stopping at the first fault saves
  // nothing.
  uint64_t wrong = 0;
  for (size_t i = 0; i < count; ++i, offsets += step) {
    const uint32_t at = *offsets < limit ? *offsets : static_cast<uint32_t>(limit);
    wrong |= static_cast<uint64_t>(*offsets != kNoFeature) & ~(begins[at / 64] >> at % 64);
  }
  return (wrong & 1) == 0;
}

Result<PackedRows> PackedRows::view(std::span<const uint32_t> words, uint64_t width, int bits, float scale,
                                    std::vector<uint32_t>* starts) {
  if (bits != 16 && bits != 32) return fail("weights of {} bits; this program knows 16 and 32", bits);
  if (!std::isfinite(scale)) return fail("the weights' scale is not a finite number");
  if (words.size() < kSlack || words.size() >= kNoFeature)
    return fail("{} words of weights: too few or too many", words.size());
  PackedRows rows;
  rows.words_ = words;
  rows.width_ = width;
  rows.bits_ = bits;
  rows.scale_ = scale;
  uint64_t at = 0;
  const uint64_t end = rows.offset_limit();
  while (at < end) {
    if (rows.narrow() && at + rows.set_words() > end)
      return fail("the row of weights at word {} runs out of bounds", at);
    if (rows.narrow() && width < kMostInASet && rows.set_at(at) >> width != 0)
      return fail("the row of weights at word {} names a label that does not exist", at);
    const uint32_t n = rows.count_at(at);
    const uint64_t size = rows.head_words(n) + rows.weight_words(n);
    if (n == 0 || n > width || at + size > end)
      return fail("the row of weights at word {} runs out of bounds", at);
    if (starts != nullptr) starts->push_back(static_cast<uint32_t>(at));
    if (!rows.narrow() && n != width) {
      uint64_t least = 0;
      for (uint32_t i = 0; i < n; ++i) {
        const uint32_t column = rows.column_at(static_cast<uint32_t>(at), n, i);
        if (column < least || column >= width)
          return fail("the row of weights at word {} names a label out of order", at);
        least = column + uint64_t{1};
      }
    }
    if (bits == 32)
      for (uint64_t i = at + rows.head_words(n); i < at + size; ++i)
        if (!std::isfinite(std::bit_cast<float>(words[i])))
          return fail("the weight at word {} is not a finite number", i);
    at += size;
  }
  return rows;
}

}  // namespace espalier::linear
#endif

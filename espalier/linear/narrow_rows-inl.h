// Kernels for rows of up to 64 labels with 16-bit weights (packed_rows.h), compiled once per vector
// instruction set; included by packed_rows.cc and row_sums.cc alone, and tested with them in
// packed_rows_test.cc, row_sums_test.cc.
#if defined(ESPALIER_LINEAR_NARROW_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ESPALIER_LINEAR_NARROW_ROWS_INL_H_
#undef ESPALIER_LINEAR_NARROW_ROWS_INL_H_
#else
#define ESPALIER_LINEAR_NARROW_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "espalier/linear/rows.h"

HWY_BEFORE_NAMESPACE();
namespace espalier::linear::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, kLanes>;
using Ints = hn::Rebind<int32_t, Floats>;

#if HWY_TARGET != HWY_SCALAR
/// For every byte of a set of columns: which two bytes of the packed weights each column gets; 0x80: none.
struct SpreadTable {
  alignas(16) uint8_t bytes[256][16];
  constexpr SpreadTable() : bytes() {
    for (unsigned set = 0; set < 256; ++set) {
      uint8_t next = 0;
      for (unsigned c = 0; c < 8; ++c) {
        const bool has = (set >> c & 1) != 0;
        bytes[set][2 * c] = has ? next : 0x80;
        bytes[set][2 * c + 1] = has ? next + 1 : 0x80;
        if (has) next += 2;
      }
    }
  }
};
inline constexpr SpreadTable kSpread;

using Shorts = hn::FixedTag<int16_t, 8>;

/// The weights of the eight columns of one byte of a set; 0 for columns that are not in it.
HWY_INLINE hn::Vec<Shorts> Spread(const int16_t* packed, uint64_t byte) {
  const Shorts d;
  const hn::Repartition<uint8_t, Shorts> bytes;
  return hn::BitCast(d, hn::TableLookupBytesOr0(hn::BitCast(bytes, hn::LoadU(d, packed)),
                                                hn::Load(bytes, kSpread.bytes[byte])));
}

/// Widens the weights of group g to 32-bit integers; calls each(number, vector) for the one or two vectors
/// they fill.
template <typename V, typename Each>
HWY_INLINE void Widen(size_t g, V weights, Each&& each) {
  if constexpr (hn::MaxLanes(Ints()) == 8) {
    each(g, hn::PromoteTo(Ints(), weights));
  } else {
    each(2 * g, hn::PromoteTo(Ints(), hn::LowerHalf(weights)));
    each(2 * g + 1, hn::PromoteTo(Ints(), hn::UpperHalf(hn::Half<Shorts>(), weights)));
  }
}

/// The sum of rows for one position: N groups of eight columns.
template <size_t N>
class NarrowSum {
 public:
  HWY_INLINE NarrowSum() {
    for (auto& part : sum_) part = hn::Zero(Ints());
  }
  /// For up to 65,536 rows: the sum of that many 16-bit weights fits into 32 bits.
  HWY_INLINE void Add(const uint32_t* row) {
    Visit(row, [this](size_t part, hn::Vec<Ints> w) { sum_[part] = hn::Add(sum_[part], w); });
  }
  HWY_INLINE void AddTo(float scale, float* scores) const {
    const Floats d;
    const auto v = hn::Set(d, scale);
    for (size_t p = 0; p < kParts * N; ++p) {
      float* const at = scores + p * hn::Lanes(d);
      hn::Store(hn::MulAdd(v, hn::ConvertTo(d, sum_[p]), hn::Load(d, at)), d, at);
    }
  }
  /// The same with integers; whatever the order of rows, the sum is the same.
  HWY_INLINE void AddTo(int32_t* sums) const {
    const Ints d;
    for (size_t p = 0; p < kParts * N; ++p) {
      int32_t* const at = sums + p * hn::Lanes(d);
      hn::Store(hn::Add(sum_[p], hn::Load(d, at)), d, at);
    }
  }
  /// One row by itself, with a factor of its own.
  static HWY_INLINE void AddScaled(const uint32_t* row, float scale, float* scores) {
    const Floats d;
    const auto v = hn::Set(d, scale);
    Visit(row, [&](size_t part, hn::Vec<Ints> w) {
      float* const at = scores + part * hn::Lanes(d);
      hn::Store(hn::MulAdd(v, hn::ConvertTo(d, w), hn::Load(d, at)), d, at);
    });
  }

 private:
  static constexpr size_t kParts = 8 / hn::MaxLanes(Ints());
  template <typename Each>
  static HWY_INLINE void Visit(const uint32_t* row, Each&& each) {
    uint64_t set = *row++;
    if (N > 4) set |= static_cast<uint64_t>(*row++) << 32;
    const int16_t* const packed = reinterpret_cast<const int16_t*>(row);
    for (size_t g = 0; g < N; ++g) {
      const uint64_t before = set & ((uint64_t{1} << (8 * g)) - 1);
      Widen(g, Spread(packed + std::popcount(before), set >> (8 * g) & 0xFF), each);
    }
  }
  hn::Vec<Ints> sum_[kParts * N];
};
#endif  // HWY_SCALAR

}  // namespace espalier::linear::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target

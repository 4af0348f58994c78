#include "espalier/linear/encoding/key_filter.h"

#include <bit>

// Highway needs foreach_target.h first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "espalier/linear/encoding/key_filter.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace espalier::linear::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The same as KeyFilter::may_have() for several keys at once.
size_t LikelyKeys(const uint64_t* HWY_RESTRICT words, int shift, const uint64_t* HWY_RESTRICT hashes,
                  size_t n, uint32_t* HWY_RESTRICT out) {
  size_t count = 0, i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<uint64_t, 4> d;
  const hn::RebindToSigned<decltype(d)> signed_d;
  const hn::Repartition<uint32_t, decltype(d)> halves;
  constexpr uint64_t kFactor = KeyFilter::kFactor;
  const auto low = hn::Set(halves, static_cast<uint32_t>(kFactor)),
             high = hn::Set(halves, static_cast<uint32_t>(kFactor >> 32));
  const auto added = hn::Set(d, kFactor << 32), one = hn::Set(d, uint64_t{1}),
             six_bits = hn::Set(d, uint64_t{63});
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    // (key + 2³²) · factor in two products of 32 bits; a product takes the lower half of each hash, the key.
    const auto key = hn::BitCast(halves, hn::LoadU(d, hashes + i));
    const auto m = hn::Add(hn::Add(hn::MulEven(key, low), hn::ShiftLeft<32>(hn::MulEven(key, high))), added);
    const auto bit = [&](auto number) { return hn::Shl(one, hn::And(number, six_bits)); };
    const auto wanted =
        hn::Or(hn::Or(bit(hn::ShiftRight<24>(m)), bit(hn::ShiftRight<30>(m))), bit(hn::ShiftRight<36>(m)));
    const auto word = hn::GatherIndex(d, words, hn::BitCast(signed_d, hn::ShiftRightSame(m, shift)));
    uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, hn::Eq(hn::And(word, wanted), wanted), bytes);
    for (uint32_t found = bytes[0]; found != 0; found &= found - 1)
      out[count++] = static_cast<uint32_t>(i) + static_cast<uint32_t>(std::countr_zero(found));
  }
#endif
  for (; i < n; ++i) {
    out[count] = static_cast<uint32_t>(i);
    const uint64_t m = KeyFilter::mixed(static_cast<uint32_t>(hashes[i])), wanted = KeyFilter::bits(m);
    count += (words[m >> shift] & wanted) == wanted;
  }
  return count;
}

}  // namespace espalier::linear::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier::linear {

HWY_EXPORT(LikelyKeys);

size_t KeyFilter::likely(std::span<const uint64_t> hashes, uint32_t* out) const {
  return HWY_DYNAMIC_DISPATCH(LikelyKeys)(words_.data(), shift_, hashes.data(), hashes.size(), out);
}

}  // namespace espalier::linear
#endif

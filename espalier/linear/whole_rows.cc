#include "espalier/linear/whole_rows.h"

#include "espalier/base/result.h"

// Highway needs foreach_target.h first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "espalier/linear/whole_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace espalier::linear::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Sums of N groups of eight columns, in registers.
template <size_t N>
void AddShortRows(const int16_t* HWY_RESTRICT rows, std::span<const uint32_t> features,
                  float* HWY_RESTRICT scores) {
  using F = hn::CappedTag<float, kLanes>;
  const F floats;
  const hn::Rebind<int32_t, F> ints;
  const hn::Rebind<int16_t, F> shorts;
  constexpr size_t kLanesHere = hn::MaxLanes(F()), kParts = N * kLanes / kLanesHere, kAhead = 8;
  hn::Vec<decltype(ints)> sum[kParts];
  for (auto& part : sum) part = hn::Zero(ints);
  for (size_t i = 0; i < features.size(); ++i) {
    if (i + kAhead < features.size()) __builtin_prefetch(rows + features[i + kAhead] * (N * kLanes));
    const int16_t* const row = rows + features[i] * (N * kLanes);
    for (size_t p = 0; p < kParts; ++p)
      sum[p] = hn::Add(sum[p], hn::PromoteTo(ints, hn::LoadU(shorts, row + p * kLanesHere)));
  }
  for (size_t p = 0; p < kParts; ++p) {
    float* const at = scores + p * kLanesHere;
    hn::StoreU(hn::Add(hn::LoadU(floats, at), hn::ConvertTo(floats, sum[p])), floats, at);
  }
}

void AddShort(const int16_t* rows, size_t stride, std::span<const uint32_t> features, float* scores) {
  using Kernel = decltype(&AddShortRows<1>);
  constexpr Kernel kKernels[] = {AddShortRows<1>, AddShortRows<2>, AddShortRows<3>, AddShortRows<4>,
                                 AddShortRows<5>, AddShortRows<6>, AddShortRows<7>, AddShortRows<8>};
  kKernels[stride / kLanes - 1](rows, features, scores);
}

}  // namespace espalier::linear::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier::linear {

HWY_EXPORT(AddShort);

WholeRows::WholeRows(const StateRows& layout) {
  if (layout.width == 0 || layout.width > kWidest) return;
  in_use_ = true;
  stride_ = padded(layout.width);
  while (copied_ < layout.rows() && layout.full(copied_)) ++copied_;
  has_weight_.resize(layout.rows() / 64 + 1);
  rows_.resize(copied_ * stride_);
}

void WholeRows::add_to(const StateRows& layout, const float* weights, std::span<const uint32_t> features,
                       float* scores) const {
  ESPALIER_CHECK(can_sum(features.size()));
  uint32_t known[kMostFeatures], others[kMostFeatures];
  size_t n = 0, rest = 0;
  for (const uint32_t f : features) {
    const bool has = (has_weight_[f / 64] >> f % 64 & 1) != 0;
    if (f < copied_) {
      known[n] = f;
      n += has;
    } else if (has) {
      others[rest++] = f;
    }
  }
  if (n > 0) HWY_DYNAMIC_DISPATCH(AddShort)(rows_.data(), stride_, {known, n}, scores);
  for (size_t i = 0; i < rest; ++i)
    for (uint32_t w = layout.begin[others[i]]; w < layout.begin[others[i] + 1]; ++w)
      scores[layout.column[w]] += weights[w];
}

}  // namespace espalier::linear
#endif

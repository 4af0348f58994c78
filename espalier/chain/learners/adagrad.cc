#include "espalier/chain/learners/adagrad.h"

#include <algorithm>
#include <cmath>

// Highway needs foreach_target.h first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "espalier/chain/learners/adagrad.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace espalier::chain::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, linear::kLanes>;

constexpr float kTiny = 1e-12f;  // keeps 0/√0 at 0

// As in linear/rows.cc.
constexpr size_t kBeginAhead = 16;
constexpr size_t kRowAhead = 8;
HWY_INLINE void PrefetchRow(const float* row, size_t weights) {
  constexpr size_t kLine = 16;
  for (size_t c = 0; c < weights; c += kLine) __builtin_prefetch(row + c, 1);
}

HWY_INLINE void DenseStep(const float* HWY_RESTRICT g, size_t n, float value, float rate,
                          float* HWY_RESTRICT w, float* HWY_RESTRICT h) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const auto v = hn::Set(d, value);
  const auto minus_rate = hn::Set(d, -rate);
  const auto tiny = hn::Set(d, kTiny);
  size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const auto gradient = hn::Mul(v, hn::LoadU(d, g + j));
    const auto square = hn::MulAdd(gradient, gradient, hn::LoadU(d, h + j));
    hn::StoreU(square, d, h + j);
    const auto step = hn::Div(hn::Mul(minus_rate, gradient), hn::Sqrt(hn::Add(square, tiny)));
    hn::StoreU(hn::Add(hn::LoadU(d, w + j), step), d, w + j);
  }
  for (; j < n; ++j) {  // never a masked vector: the next row may belong to another thread
    const float gradient = value * g[j];
    h[j] += gradient * gradient;
    w[j] -= rate * gradient / std::sqrt(h[j] + kTiny);
  }
}

void AdagradDense(const float* g, size_t n, float rate, float* w, float* h) {
  DenseStep(g, n, 1.0f, rate, w, h);
}

void AdagradRows(const linear::StateRows& layout, std::span<const uint32_t> features, const float* values,
                 const float* HWY_RESTRICT g, float rate, float* HWY_RESTRICT weights,
                 float* HWY_RESTRICT squares) {
  const uint32_t* begin = layout.begin.data();
  const uint16_t* column = layout.column.data();
  const size_t n = features.size();
  for (size_t i = 0; i < n; ++i) {
    if (i + kBeginAhead < n) __builtin_prefetch(&begin[features[i + kBeginAhead]]);
    if (i + kRowAhead < n) {
      const uint32_t f = features[i + kRowAhead], ahead = begin[f];
      PrefetchRow(&weights[ahead], begin[f + 1] - ahead);
      PrefetchRow(&squares[ahead], begin[f + 1] - ahead);
      __builtin_prefetch(&column[ahead]);
    }
    const uint32_t first = begin[features[i]], last = begin[features[i] + 1];
    const float value = values == nullptr ? 1.0f : values[i];
    if (last - first == layout.width) {
      DenseStep(g, layout.width, value, rate, weights + first, squares + first);
      continue;
    }
    for (uint32_t w = first; w < last; ++w) {
      const float gradient = value * g[column[w]];
      const float square = squares[w] + gradient * gradient;
      squares[w] = square;
      weights[w] -= rate * gradient / std::sqrt(square + kTiny);
    }
  }
}

/// Full rows are stepped at these columns alone; elsewhere the gradient is 0, and so is the step.
void AdagradColumns(const linear::StateRows& layout, std::span<const uint32_t> features, const float* values,
                    std::span<const uint16_t> columns, const float* HWY_RESTRICT g, float rate,
                    float* HWY_RESTRICT weights, float* HWY_RESTRICT squares) {
  constexpr size_t kFew = 8;
  if (columns.empty()) return;
  if (columns.size() > kFew || columns.size() * 4 > layout.width)
    return AdagradRows(layout, features, values, g, rate, weights, squares);
  const uint32_t* begin = layout.begin.data();
  const uint16_t* column = layout.column.data();
  const size_t n = features.size();
  const auto step = [=](uint32_t w, float gradient) {
    const float square = squares[w] + gradient * gradient;
    squares[w] = square;
    weights[w] -= rate * gradient / std::sqrt(square + kTiny);
  };
  for (size_t i = 0; i < n; ++i) {
    if (i + kBeginAhead < n) __builtin_prefetch(&begin[features[i + kBeginAhead]]);
    if (i + kRowAhead < n) {
      const uint32_t f = features[i + kRowAhead], ahead = begin[f];
      if (begin[f + 1] - ahead == layout.width) {
        for (const uint16_t c : {columns.front(), columns.back()}) {
          __builtin_prefetch(&weights[ahead + c], 1);
          __builtin_prefetch(&squares[ahead + c], 1);
        }
      } else {
        __builtin_prefetch(&weights[ahead], 1);
        __builtin_prefetch(&squares[ahead], 1);
        __builtin_prefetch(&column[ahead]);
      }
    }
    const uint32_t first = begin[features[i]], last = begin[features[i] + 1];
    const float value = values == nullptr ? 1.0f : values[i];
    if (last - first == layout.width) {
      for (const uint16_t c : columns) step(first + c, value * g[c]);
    } else {
      for (uint32_t w = first; w < last; ++w)
        if (g[column[w]] != 0) step(w, value * g[column[w]]);
    }
  }
}

/// The soft threshold of both penalties: weights move towards 0, or with kAnchored towards `anchor`. Adding 0
/// instead of leaving the anchor out would turn -0 into 0.
template <bool kAnchored>
void ShrinkStep(size_t n, float rate, float fraction, float l1, float l2, const float* HWY_RESTRICT anchor,
                float* HWY_RESTRICT w, const float* HWY_RESTRICT h) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const auto scale = hn::Set(d, rate * fraction);
  const auto tiny = hn::Set(d, kTiny);
  const auto one = hn::Set(d, 1.0f);
  for (size_t j = 0; j < n; j += lanes) {  // weight arrays end in a vector of slack
    const auto square = hn::LoadU(d, h + j);
    const auto step = hn::Div(scale, hn::Sqrt(hn::Add(square, tiny)));
    const auto x = hn::LoadU(d, w + j);
    auto off = x;
    if constexpr (kAnchored) off = hn::Sub(x, hn::LoadU(d, anchor + j));
    const auto size = hn::Max(hn::Zero(d), hn::NegMulAdd(step, hn::Set(d, l1), hn::Abs(off)));
    auto shrunk = hn::CopySign(hn::Div(size, hn::MulAdd(step, hn::Set(d, 2 * l2), one)), off);
    if constexpr (kAnchored) shrunk = hn::Add(hn::LoadU(d, anchor + j), shrunk);
    hn::StoreU(hn::IfThenElse(hn::Gt(square, hn::Zero(d)), shrunk, x), d, w + j);
  }
}

void Shrink(size_t n, float rate, float fraction, float l1, float l2, float* HWY_RESTRICT w,
            const float* HWY_RESTRICT h) {
  ShrinkStep<false>(n, rate, fraction, l1, l2, nullptr, w, h);
}

void ShrinkTowards(size_t n, float rate, float fraction, float l1, float l2, const float* HWY_RESTRICT anchor,
                   float* HWY_RESTRICT w, const float* HWY_RESTRICT h) {
  ShrinkStep<true>(n, rate, fraction, l1, l2, anchor, w, h);
}

void AdagradAt(std::span<const uint32_t> which, float* HWY_RESTRICT gradient, float rate,
               float* HWY_RESTRICT w, float* HWY_RESTRICT h) {
  for (const uint32_t i : which) {
    const float g = gradient[i];
    gradient[i] = 0;
    h[i] += g * g;
    w[i] -= rate * g / std::sqrt(h[i] + kTiny);
  }
}

void Accumulate(const float* HWY_RESTRICT weights, size_t n, double* HWY_RESTRICT sum) {
  const hn::CappedTag<double, linear::kLanes / 2> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, sum + i), hn::PromoteTo(d, hn::LoadU(narrow, weights + i))), d, sum + i);
  for (; i < n; ++i) sum[i] += static_cast<double>(weights[i]);
}

}  // namespace espalier::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier::chain {

HWY_EXPORT(AdagradRows);
HWY_EXPORT(AdagradColumns);
HWY_EXPORT(AdagradDense);
HWY_EXPORT(AdagradAt);
HWY_EXPORT(Accumulate);
HWY_EXPORT(Shrink);
HWY_EXPORT(ShrinkTowards);

void adagrad_rows(const linear::StateRows& layout, std::span<const uint32_t> features, const float* values,
                  const float* gradient, float rate, float* weights, float* squares) {
  HWY_DYNAMIC_DISPATCH(AdagradRows)(layout, features, values, gradient, rate, weights, squares);
}
void adagrad_rows_of_columns(const linear::StateRows& layout, std::span<const uint32_t> features,
                             const float* values, std::span<const uint16_t> columns, const float* gradient,
                             float rate, float* weights, float* squares) {
  HWY_DYNAMIC_DISPATCH(AdagradColumns)(layout, features, values, columns, gradient, rate, weights, squares);
}
void adagrad_dense(const float* gradient, size_t n, float rate, float* weights, float* squares) {
  HWY_DYNAMIC_DISPATCH(AdagradDense)(gradient, n, rate, weights, squares);
}
void adagrad_at(std::span<const uint32_t> which, float* gradient, float rate, float* weights,
                float* squares) {
  HWY_DYNAMIC_DISPATCH(AdagradAt)(which, gradient, rate, weights, squares);
}
void shrink(size_t n, float rate, float fraction, float l1, float l2, float* weights, const float* squares) {
  HWY_DYNAMIC_DISPATCH(Shrink)(n, rate, fraction, l1, l2, weights, squares);
}
void shrink_towards(size_t n, float rate, float fraction, float l1, float l2, const float* anchor,
                    float* weights, const float* squares) {
  HWY_DYNAMIC_DISPATCH(ShrinkTowards)(n, rate, fraction, l1, l2, anchor, weights, squares);
}
void estimate_squares(size_t n, float times, const float* weights, float* squares) {
  for (size_t i = 0; i < n; ++i) squares[i] = weights[i] == 0 ? 0.0f : 1.0f + times * squares[i];
}
double old_counts(double learned_tokens, double new_tokens) {
  constexpr double kFew = 1500, kFewOfOld = 0.1;
  const double tokens = std::max(1.0, new_tokens);
  const double few = std::min(kFew, kFewOfOld * learned_tokens) / tokens;
  return learned_tokens / tokens * (1 + std::pow(few, 7));
}
uint64_t old_snapshots(double old_counts, size_t of_a_pass) {
  constexpr double kRounding = 0.01;  // old_counts is a little above the ratio of the tokens
  return static_cast<uint64_t>(static_cast<double>(of_a_pass) / std::max(1.0, old_counts) + kRounding);
}
float share_of_new(double learned_tokens, double new_tokens) {
  return static_cast<float>(1 / (1 + std::sqrt(learned_tokens / std::max(1.0, new_tokens))));
}
void average_with_old(std::span<const float> old, float share, std::span<float> weights) {
  for (size_t i = 0; i < old.size(); ++i)
    if (old[i] != 0) weights[i] = old[i] + share * (weights[i] - old[i]);
}
void accumulate(const float* weights, size_t n, double* sum) {
  HWY_DYNAMIC_DISPATCH(Accumulate)(weights, n, sum);
}

}  // namespace espalier::chain
#endif

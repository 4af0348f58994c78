#include "espalier/search/row_weights.h"

#include <algorithm>
#include <cmath>

#include "espalier/base/result.h"

namespace espalier::search {

namespace {
/// AdaGrad's first step on a weight is as long as the rate, however small the gradient; those of labels that
/// are out of the question would be nothing but noise, and the square of the smallest is 0, by which nothing
/// can be divided.
constexpr float kLeastGradient = 1e-4f;
}  // namespace

uint32_t HashedRows::insert(uint64_t hash) {
  for (uint64_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i] != kNone && hashes_[slots_[i]] != hash) continue;
    if (slots_[i] != kNone) return slots_[i];
    slots_[i] = static_cast<uint32_t>(hashes_.size());
    hashes_.push_back(hash);
    weights_.resize(weights_.size() + stride_, 0.0f);
    if (hashes_.size() * 2 > slots_.size()) grow();
    return static_cast<uint32_t>(hashes_.size() - 1);
  }
}

void HashedRows::grow() {
  slots_.assign(slots_.size() * 4, kNone);
  for (uint32_t row = 0; row < hashes_.size(); ++row) {
    uint64_t i = hashes_[row] & (slots_.size() - 1);
    while (slots_[i] != kNone) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = row;
  }
}

RowWeights::RowWeights(std::shared_ptr<const linear::StateRows> layout, size_t labels, bool adaptive)
    : layout_(std::move(layout)),
      labels_(labels),
      stride_(linear::padded(labels)),
      adaptive_(adaptive),
      hashed_(stride_),
      row_(stride_, 0.0f) {
  ESPALIER_CHECK(labels > 0 && layout_ != nullptr && layout_->width == labels);
  state_ = linear::make_weights(layout_->weights());
  state_lag_ = state_;
  if (adaptive_) state_squares_ = state_;
}

void RowWeights::begin(const StaticBlocks& blocks) {
  blocks_ = blocks;
  ++version_;
  if (block_version_.size() < blocks.size()) {
    block_version_.resize(blocks.size(), 0);
    block_scores_.resize(blocks.size() * stride_);
  }
}

std::span<const float> RowWeights::score(const FeatureSink& features) {
  float* const row = row_.data();
  bool first = true;
  for (const uint32_t b : features.blocks()) {
    float* const sum = block_scores_.data() + b * stride_;
    if (block_version_[b] != version_) {
      std::fill_n(sum, stride_, 0.0f);
      linear::add_rows(*layout_, state_.data(), blocks_[b], blocks_.values_of(b), sum);
      block_version_[b] = version_;
    }
    if (first) {
      std::copy_n(sum, stride_, row);
      first = false;
    } else {
      for (size_t l = 0; l < stride_; ++l) row[l] += sum[l];
    }
  }
  if (first) std::fill_n(row, stride_, 0.0f);
  for (const FeatureSink::Entry& e : features.entries()) {
    const uint32_t r = hashed_.find(e.hash);
    if (r == HashedRows::kNone) continue;
    const float value = static_cast<float>(e.value);
    const float* const w = hashed_.row(r);
    for (size_t l = 0; l < stride_; ++l) row[l] += value * w[l];
  }
  return {row, stride_};
}

uint32_t RowWeights::insert(uint64_t hash) {
  const uint32_t r = hashed_.insert(hash);
  if (hashed_lag_.size() < hashed_.size() * stride_) {
    hashed_lag_.resize(hashed_.size() * stride_, 0.0f);
    if (adaptive_) hashed_squares_.resize(hashed_.size() * stride_, 0.0f);
  }
  return r;
}

void RowWeights::add(const FeatureSink& features, uint32_t label, float x) {
  ++version_;
  const float factor = static_cast<float>(ticks_ + 1);
  for (const uint32_t b : features.blocks()) {
    const auto ids = blocks_[b];
    const float* const values = blocks_.values_of(b);
    for (size_t i = 0; i < ids.size(); ++i) {
      const uint32_t f = ids[i];
      uint32_t at = layout_->begin[f] + label;
      if (!layout_->full(f)) {
        const auto begin = layout_->column.begin() + layout_->begin[f];
        const auto end = layout_->column.begin() + layout_->begin[f + 1];
        const auto found = std::lower_bound(begin, end, static_cast<uint16_t>(label));
        if (found == end || *found != label) continue;
        at = static_cast<uint32_t>(found - layout_->column.begin());
      }
      const float change = values == nullptr ? x : x * values[i];
      state_[at] += change;
      state_lag_[at] += factor * change;
    }
  }
  for (const FeatureSink::Entry& e : features.entries()) {
    const uint32_t r = insert(e.hash);
    const float change = x * static_cast<float>(e.value);
    hashed_.row(r)[label] += change;
    hashed_lag_[r * stride_ + label] += factor * change;
  }
}

void RowWeights::descend(const FeatureSink& features, std::span<const float> gradient, float rate) {
  ESPALIER_CHECK(adaptive_);
  ++version_;
  const float factor = static_cast<float>(ticks_ + 1);
  const auto step = [&](float g, float& w, float& lag, float& squares) {
    if (std::abs(g) < kLeastGradient) return;
    squares += g * g;
    const float change = -rate * g / std::sqrt(squares);
    w += change;
    lag += factor * change;
  };
  for (const uint32_t b : features.blocks()) {
    const auto ids = blocks_[b];
    const float* const values = blocks_.values_of(b);
    for (size_t i = 0; i < ids.size(); ++i) {
      const float value = values == nullptr ? 1.0f : values[i];
      for (uint32_t k = layout_->begin[ids[i]]; k < layout_->begin[ids[i] + 1]; ++k)
        step(value * gradient[layout_->column[k]], state_[k], state_lag_[k], state_squares_[k]);
    }
  }
  for (const FeatureSink::Entry& e : features.entries()) {
    const uint32_t r = insert(e.hash);
    const float value = static_cast<float>(e.value);
    for (size_t l = 0; l < labels_; ++l)
      step(value * gradient[l], hashed_.row(r)[l], hashed_lag_[r * stride_ + l],
           hashed_squares_[r * stride_ + l]);
  }
}

RowWeights RowWeights::averaged() const {
  RowWeights result = *this;
  if (ticks_ == 0) return result;
  const float share = 1.0f / static_cast<float>(ticks_);
  for (size_t i = 0; i < state_.size(); ++i) result.state_[i] -= share * state_lag_[i];
  for (uint32_t r = 0; r < hashed_.size(); ++r)
    for (size_t l = 0; l < labels_; ++l) result.hashed_.row(r)[l] -= share * hashed_lag_[r * stride_ + l];
  ++result.version_;
  result.state_lag_ = result.state_squares_ = result.hashed_lag_ = result.hashed_squares_ = {};
  return result;
}

}  // namespace espalier::search

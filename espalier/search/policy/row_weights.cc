#include "espalier/search/policy/row_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/base/result.h"
#include "espalier/chain/learners/adagrad.h"
#include "espalier/chain/learners/calibrate.h"
#include "espalier/linear/grown_rows.h"

namespace espalier::search {

void HashedRows::start_from(const OldRows& old) {
  ESPALIER_CHECK(hashes_.empty());
  old_map_ = old.hashed_map;
  old_values_ = linear::values_of(*old_map_);
  index_.reserve(
      old_values_.size());  // old rows are found by old_map_, but count as entries when the index grows
  for (uint32_t r = 0; r < old_values_.size(); ++r) {
    hashes_.push_back(r + 1);
    append_row({});
    const size_t begin = place(r).begin;
    old.hashed->for_each(old_values_[r], [&](uint32_t label, float w) { weights_[begin + label] = w; });
  }
  for (const uint64_t hash : old.known_hashes)
    if (const uint32_t row = find_old(hash); row != kNone) hashes_[row] = hash;
}

uint32_t HashedRows::find_old(uint64_t hash) const {
  const uint32_t value = old_map_->find(hash);
  if (value == linear::kNoFeature) return kNone;
  return static_cast<uint32_t>(std::lower_bound(old_values_.begin(), old_values_.end(), value) -
                               old_values_.begin());
}

void HashedRows::append_row(LabelRange labels) {
  const size_t first = labels.last > labels.first ? labels.first / linear::kLanes : 0;
  const size_t last =
      labels.last > labels.first ? linear::padded(labels.last) / linear::kLanes : stride_ / linear::kLanes;
  ESPALIER_CHECK(last * linear::kLanes <= stride_ && last <= std::numeric_limits<uint16_t>::max());
  ESPALIER_CHECK(weights_.size() / linear::kLanes <= std::numeric_limits<uint32_t>::max());
  rows_.push_back({static_cast<uint32_t>(weights_.size() / linear::kLanes), static_cast<uint16_t>(first),
                   static_cast<uint16_t>(last - first)});
  weights_.resize(weights_.size() + (last - first) * linear::kLanes);
}

uint32_t HashedRows::insert(uint64_t hash, LabelRange labels) {
  if (old_map_ != nullptr)
    if (const uint32_t row = find(hash); row != kNone) return row;
  const uint32_t row = index_.find_or_add(
      hash, hashes_.size(), [&](uint32_t r) { return hashes_[r] == hash; },
      [&](uint32_t r) { return hashes_[r]; });
  if (row == hashes_.size()) {
    hashes_.push_back(hash);
    append_row(labels);
  }
  return row;
}

RowWeights::RowWeights(const RowWeights&) = default;
RowWeights::RowWeights(RowWeights&&) noexcept = default;
RowWeights& RowWeights::operator=(RowWeights&&) noexcept = default;
RowWeights::~RowWeights() = default;

RowWeights::RowWeights(std::shared_ptr<const linear::StateRows> layout, size_t labels, bool adaptive)
    : layout_(std::move(layout)),
      labels_(labels),
      stride_(linear::padded(labels)),
      adaptive_(adaptive),
      hashed_(stride_),
      row_(stride_, 0.0f),
      common_(stride_, 0.0f) {
  ESPALIER_CHECK(labels > 0 && layout_ != nullptr && layout_->width == labels);
  state_ = linear::make_weights(layout_->weights());
  state_lag_ = state_;
  if (adaptive_) {
    state_squares_ = state_;
  } else {
    whole_ = linear::WholeRows(*layout_);
  }
}

RowWeights::RowWeights(std::shared_ptr<const linear::StateRows> layout, size_t labels, bool adaptive,
                       std::shared_ptr<const OldRows> old)
    : RowWeights(std::move(layout), labels, adaptive) {
  old_ = std::move(old);
  whole_.stop();
  linear::copy_rows(
      *layout_, old_->old_value,
      [this](uint32_t value, const auto& visit) { old_->state->for_each(value, visit); }, state_.data());
  hashed_.start_from(*old_);
  hashed_lag_.resize(hashed_.weights().size());
  if (adaptive_) hashed_squares_ = hashed_lag_;
  state_anchor_ = state_;
  hashed_anchor_ = hashed_.weights();
}

void RowWeights::estimate_squares(float old_counts) {
  ESPALIER_CHECK(adaptive_ && old_ != nullptr);
  chain::estimate_squares(layout_->weights(), old_counts, state_.data(), state_squares_.data());
  chain::estimate_squares(hashed_.weights().size(), old_counts, hashed_.weights().data(),
                          hashed_squares_.data());
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
  std::fill_n(row, stride_, 0.0f);
  add_score(features, row);
  return {row, stride_};
}

void RowWeights::add_score(const FeatureSink& features, float* row) {
  for (const uint32_t b : features.blocks()) {
    float* const sum = block_scores_.data() + b * stride_;
    if (block_version_[b] != version_) {
      std::fill_n(sum, stride_, 0.0f);
      if (blocks_.values == nullptr && whole_.can_sum(blocks_[b].size())) {
        whole_.add_to(*layout_, state_.data(), blocks_[b], sum);
      } else {
        linear::add_rows(*layout_, state_.data(), blocks_[b], blocks_.values_of(b), sum);
      }
      block_version_[b] = version_;
    }
    linear::add_padded(sum, stride_, row);
  }
  for (const FeatureSink::Entry& e : features.entries()) {
    const uint32_t r = hashed_.find(e.hash);
    if (r == HashedRows::kNone) continue;
    const HashedRows::Place at = hashed_.place(r);
    linear::add_padded(static_cast<float>(e.value), hashed_.weights().data() + at.begin, at.width,
                       row + at.first);
  }
}

uint32_t RowWeights::insert(uint64_t hash, LabelRange labels) {
  const uint32_t r = hashed_.insert(hash, labels);
  if (hashed_lag_.size() < hashed_.weights().size()) {
    hashed_lag_.resize(hashed_.weights().size());
    if (adaptive_) hashed_squares_.resize(hashed_.weights().size());
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
      whole_.set(f, label, state_[at]);
      largest_ = std::max(largest_, std::abs(state_[at]));
      state_lag_[at] += factor * change;
    }
  }
  for (const FeatureSink::Entry& e : features.entries()) {
    const HashedRows::Place at = hashed_.place(insert(e.hash, features.labels()));
    ESPALIER_CHECK(at.has(label));  // as was promised
    const float change = x * static_cast<float>(e.value);
    float& weight = hashed_.weights()[at.of(label)];
    weight += change;
    if (!linear::WholeRows::fits(weight)) whole_.stop();
    largest_ = std::max(largest_, std::abs(weight));
    hashed_lag_[at.of(label)] += factor * change;
  }
}

float* RowWeights::Gathered::row(uint32_t number, size_t stride) {
  if (place.size() <= number) place.resize(number + 1, HashedRows::kNone);
  if (place[number] == HashedRows::kNone) {
    place[number] = static_cast<uint32_t>(touched.size());
    touched.push_back(number);
    sums.resize(touched.size() * stride, 0.0f);
  }
  return sums.data() + place[number] * stride;
}

void RowWeights::gather(const FeatureSink& features, std::span<const float> gradient) {
  const auto add = [&](float* sum, float value) {
    for (size_t l = 0; l < labels_; ++l) sum[l] += value * gradient[l];
  };
  for (const uint32_t b : features.blocks()) add(block_gradients_.row(b, stride_), 1.0f);
  for (const FeatureSink::Entry& e : features.entries())
    add(hashed_gradients_.row(insert(e.hash, features.labels()), stride_), static_cast<float>(e.value));
}

void RowWeights::forget_gathered() {
  for (Gathered* g : {&block_gradients_, &hashed_gradients_}) {
    for (const uint32_t number : g->touched) g->place[number] = HashedRows::kNone;
    g->touched.clear();
    g->sums.clear();
  }
}

void RowWeights::descend(float rate) {
  ESPALIER_CHECK(adaptive_);
  ++version_;
  // If only a few labels have a gradient worth a step, these are stepped one by one; otherwise the whole row
  // is stepped with vector instructions.
  const size_t few = labels_ / 4;
  const auto step = [rate](float g, float& w, float& squares) {
    squares += g * g;
    w -= rate * g / std::sqrt(squares);
  };
  const auto sift = [&](float* g) {
    some_.clear();
    for (uint32_t l = 0; l < labels_; ++l) {
      if (std::abs(g[l]) > kLeastGradient) {
        some_.emplace_back(l, g[l]);
      } else {
        g[l] = 0;
      }
    }
    return !some_.empty();
  };
  for (size_t i = 0; i < block_gradients_.touched.size(); ++i) {
    float* const g = block_gradients_.sums.data() + i * stride_;
    if (!sift(g)) continue;
    const uint32_t b = block_gradients_.touched[i];
    const auto ids = blocks_[b];
    const float* const values = blocks_.values_of(b);
    if (some_.size() > few) {
      chain::adagrad_rows(*layout_, ids, values, g, rate, state_.data(), state_squares_.data());
      continue;
    }
    for (size_t j = 0; j < ids.size(); ++j) {
      const float value = values == nullptr ? 1.0f : values[j];
      if (value == 0) continue;
      const uint32_t first = layout_->begin[ids[j]], last = layout_->begin[ids[j] + 1];
      if (last - first == labels_) {
        for (const auto& [l, x] : some_) step(value * x, state_[first + l], state_squares_[first + l]);
      } else {
        for (uint32_t k = first; k < last; ++k)
          if (const float x = g[layout_->column[k]]; x != 0) step(value * x, state_[k], state_squares_[k]);
      }
    }
  }
  for (size_t i = 0; i < hashed_gradients_.touched.size(); ++i) {
    float* const g = hashed_gradients_.sums.data() + i * stride_;
    if (!sift(g)) continue;
    const HashedRows::Place at = hashed_.place(hashed_gradients_.touched[i]);
    float* const w = hashed_.weights().data() + at.begin;
    float* const squares = hashed_squares_.data() + at.begin;
    ESPALIER_CHECK(at.has(some_.front().first) && at.has(some_.back().first));  // as was promised
    if (some_.size() > few) {
      chain::adagrad_dense(g + at.first, std::min(at.width, labels_ - at.first), rate, w, squares);
    } else {
      for (const auto& [l, x] : some_) step(x, w[l - at.first], squares[l - at.first]);
    }
  }
  forget_gathered();
}

void RowWeights::shrink(float rate, float fraction, float l2) {
  ESPALIER_CHECK(adaptive_);
  ++version_;
  if (old_ != nullptr) {
    hashed_anchor_.resize(hashed_.weights().size());
    chain::shrink_towards(layout_->weights(), rate, fraction, 0, l2, state_anchor_.data(), state_.data(),
                          state_squares_.data());
    chain::shrink_towards(hashed_.weights().size(), rate, fraction, 0, l2, hashed_anchor_.data(),
                          hashed_.weights().data(), hashed_squares_.data());
    return;
  }
  chain::shrink(layout_->weights(), rate, fraction, 0, l2, state_.data(), state_squares_.data());
  chain::shrink(hashed_.weights().size(), rate, fraction, 0, l2, hashed_.weights().data(),
                hashed_squares_.data());
}

void RowWeights::snapshot() {
  ESPALIER_CHECK(adaptive_);
  for (size_t i = 0; i < layout_->weights(); ++i) state_lag_[i] += state_[i];
  const GrowingArray<float>& hashed = hashed_.weights();
  for (size_t i = 0; i < hashed.size(); ++i) hashed_lag_[i] += hashed[i];
  ++ticks_;
}

void RowWeights::subtract() {
  ++version_;
  whole_.stop();
  const float factor = static_cast<float>(ticks_ + 1);
  const auto step = [factor](float g, float& w, float& lag) {
    w -= g;
    lag -= factor * g;
  };
  for (size_t i = 0; i < block_gradients_.touched.size(); ++i) {
    const uint32_t b = block_gradients_.touched[i];
    const float* const g = block_gradients_.sums.data() + i * stride_;
    some_.clear();
    for (uint32_t l = 0; l < labels_; ++l)
      if (g[l] != 0) some_.emplace_back(l, g[l]);
    if (some_.empty()) continue;
    const auto ids = blocks_[b];
    const float* const values = blocks_.values_of(b);
    for (size_t j = 0; j < ids.size(); ++j) {
      const float value = values == nullptr ? 1.0f : values[j];
      const uint32_t first = layout_->begin[ids[j]], last = layout_->begin[ids[j] + 1];
      if (last - first == labels_) {
        for (const auto& [l, x] : some_) step(value * x, state_[first + l], state_lag_[first + l]);
      } else {
        for (uint32_t k = first; k < last; ++k) step(value * g[layout_->column[k]], state_[k], state_lag_[k]);
      }
    }
  }
  for (size_t i = 0; i < hashed_gradients_.touched.size(); ++i) {
    const HashedRows::Place at = hashed_.place(hashed_gradients_.touched[i]);
    const float* const g = hashed_gradients_.sums.data() + i * stride_;
    for (size_t l = 0; l < labels_; ++l) {
      if (g[l] == 0) continue;
      ESPALIER_CHECK(at.has(l));  // as was promised
      step(g[l], hashed_.weights()[at.of(l)], hashed_lag_[at.of(l)]);
    }
  }
  forget_gathered();
}

RowWeights RowWeights::weights_alone() const {
  RowWeights copy(no_static_rows(labels_), labels_);
  copy.layout_ = layout_;
  copy.adaptive_ = adaptive_;
  copy.state_ = state_;
  copy.hashed_ = hashed_;
  copy.old_ = old_;
  copy.share_of_new_ = share_of_new_;
  copy.ticks_ = ticks_;
  copy.end_of_training();
  return copy;
}

RowWeights RowWeights::averaged() const& {
  if (ticks_ == 0) return *this;
  RowWeights result = weights_alone();
  result.take_average(*this);
  return result;
}

RowWeights RowWeights::averaged() && {
  if (ticks_ > 0) {
    take_average(*this);
    end_of_training();
  }
  return std::move(*this);
}

void RowWeights::take_average(const RowWeights& from) {
  const float share = 1.0f / static_cast<float>(ticks_);
  const auto average = [&](std::span<float> w, std::span<const float> lag, std::span<const float> anchor,
                           size_t n) {
    for (size_t i = 0; i < n; ++i) w[i] = adaptive_ ? share * lag[i] : w[i] - share * lag[i];
    if (!adaptive_) chain::average_with_old(anchor, share_of_new_, w);
  };
  average(state_, from.state_lag_, from.state_anchor_, layout_->weights());
  average(hashed_.weights(), from.hashed_lag_, from.hashed_anchor_, hashed_.weights().size());
}

RowWeights RowWeights::rounded(const Workers& workers) const {
  RowWeights result = weights_alone();
  chain::round_to_16_bits(result.state_, workers);
  chain::round_to_16_bits(result.hashed_.weights(), workers);
  return result;
}

void RowWeights::end_of_training() {
  ++version_;
  whole_.stop();
  state_lag_ = state_squares_ = state_anchor_ = {};
  hashed_lag_ = hashed_squares_ = hashed_anchor_ = {};
}

}  // namespace espalier::search

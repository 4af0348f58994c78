// The labels a search gave last, as part of its states.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "espalier/base/hash.h"
#include "espalier/data/label_set.h"

namespace espalier::tasks {

/// So many labels that all are remembered that features look at; none was given at first (kNoLabel). A value.
/// Up to kInPlace of them are kept in place, so that states of short histories are copied at the price of a
/// few words and a test; longer histories have their labels on the heap, where a copy costs as much as there
/// are, which is less than it takes to look at them.
template <size_t kInPlace>
class RecentLabels {
 public:
  RecentLabels() : RecentLabels(0) {}
  explicit RecentLabels(size_t size) : size_(static_cast<uint32_t>(size)) {
    if (size > kInPlace) far_ = std::make_unique<data::Label[]>(size);
    in_place_.fill(data::kNoLabel);
    std::fill_n(far_.get(), far_ ? size : 0, data::kNoLabel);
  }
  RecentLabels(const RecentLabels& other) : in_place_(other.in_place_), size_(other.size_) {
    if (other.far_) [[unlikely]]
      copy_far(other);
  }
  RecentLabels& operator=(const RecentLabels& other) {
    in_place_ = other.in_place_;
    size_ = other.size_;
    if (other.far_ || far_) [[unlikely]]
      copy_far(other);
    return *this;
  }
  RecentLabels(RecentLabels&&) noexcept = default;
  RecentLabels& operator=(RecentLabels&&) noexcept = default;

  /// size() places.
  const data::Label* data() const { return far_ ? far_.get() : in_place_.data(); }
  data::Label* data() { return far_ ? far_.get() : in_place_.data(); }
  size_t size() const { return size_; }
  data::Label operator[](size_t n) const { return data()[n]; }
  /// Of all of them, and of what is given beside.
  uint64_t hash(uint64_t with) const {
    for (size_t n = 0; n < size_; ++n) with = hash_combine(with, data()[n]);
    return with;
  }

 private:
  void copy_far(const RecentLabels& other) {
    if (this == &other) return;
    far_.reset(other.far_ ? new data::Label[size_] : nullptr);
    std::copy_n(other.far_.get(), far_ ? size_ : 0, far_.get());
  }

  std::array<data::Label, kInPlace> in_place_;
  uint32_t size_;
  std::unique_ptr<data::Label[]> far_;  ///< where there are more than kInPlace
};

/// Puts a label in front of `size` places; the last one's is forgotten.
inline void push_label(data::Label* places, size_t size, data::Label label) {
  for (size_t n = size; n-- > 1;) places[n] = places[n - 1];
  places[0] = label;
}

}  // namespace espalier::tasks

// The labels a search gave last, as part of its states.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "espalier/base/hash.h"
#include "espalier/data/label_set.h"

namespace espalier::tasks {

/// So many labels that all are remembered that features look at; none was given at first (kNoLabel). A value.
/// Up to kInPlace of them are kept in place, so that states of short histories are copied at the price of a
/// few words and a test: every decision of every search copies one. Longer histories have their labels on the
/// heap and the address in place, where a copy costs as much as there are, which is less than it takes to
/// look at them.
template <size_t kInPlace>
class RecentLabels {
 public:
  RecentLabels() : RecentLabels(0) {}
  explicit RecentLabels(size_t size) : size_(static_cast<uint32_t>(size)) {
    in_place_.fill(data::kNoLabel);
    if (is_far()) std::fill_n(take_room(), size, data::kNoLabel);
  }
  ~RecentLabels() {
    if (is_far()) [[unlikely]]
      delete[] far();
  }
  RecentLabels(const RecentLabels& other) : in_place_(other.in_place_), size_(other.size_) {
    if (is_far()) [[unlikely]]
      std::copy_n(other.far(), size_, take_room());
  }
  RecentLabels(RecentLabels&& other) noexcept
      : in_place_(other.in_place_), size_(std::exchange(other.size_, 0)) {}
  RecentLabels& operator=(RecentLabels other) noexcept {
    std::swap(in_place_, other.in_place_);
    std::swap(size_, other.size_);
    return *this;
  }

  /// size() places.
  const data::Label* data() const { return is_far() ? far() : in_place_.data(); }
  data::Label* data() { return is_far() ? far() : in_place_.data(); }
  size_t size() const { return size_; }
  data::Label operator[](size_t n) const { return data()[n]; }
  /// Of all of them, and of what is given beside.
  uint64_t hash(uint64_t with) const {
    for (size_t n = 0; n < size_; ++n) with = hash_combine(with, data()[n]);
    return with;
  }

 private:
  static_assert(kInPlace * sizeof(data::Label) >= sizeof(data::Label*));
  bool is_far() const { return size_ > kInPlace; }
  data::Label* far() const {
    data::Label* address;
    std::memcpy(&address, in_place_.data(), sizeof address);
    return address;
  }
  data::Label* take_room() {
    auto* const address = new data::Label[size_];
    std::memcpy(in_place_.data(), &address, sizeof address);
    return address;
  }

  std::array<data::Label, kInPlace> in_place_;  ///< or, in its first bytes, where they are
  uint32_t size_;
};

/// Puts a label in front of `size` places; the last one's is forgotten.
inline void push_label(data::Label* places, size_t size, data::Label label) {
  for (size_t n = size; n-- > 1;) places[n] = places[n - 1];
  places[0] = label;
}

}  // namespace espalier::tasks

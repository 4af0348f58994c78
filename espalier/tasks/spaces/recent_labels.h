// RecentLabels: the last labels that a search assigned, as part of its states. Copying a short history costs
// a few words, a longer one an allocation. Header only; tested in history_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "espalier/base/hash.h"
#include "espalier/data/label_set.h"

namespace espalier::tasks {

/// A fixed number of labels, all kNoLabel at first; a value. Every decision of every search copies one, so
/// histories of up to kInPlace labels are stored inside the object, and a copy costs a few words and a
/// comparison. Longer histories are on the heap, with their address stored inside; a copy then costs O(size),
/// which is less than computing the features that look at these labels.
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

  /// An array of size() labels.
  const data::Label* data() const { return is_far() ? far() : in_place_.data(); }
  data::Label* data() { return is_far() ? far() : in_place_.data(); }
  size_t size() const { return size_; }
  data::Label operator[](size_t n) const { return data()[n]; }
  /// The hash of all labels, combined with `with`.
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

  std::array<data::Label, kInPlace>
      in_place_;  ///< the labels, or in the first bytes the address of the array
  uint32_t size_;
};

/// Inserts a label at the front of an array of `size` labels and drops the last one.
inline void push_label(data::Label* places, size_t size, data::Label label) {
  for (size_t n = size; n-- > 1;) places[n] = places[n - 1];
  places[0] = label;
}

}  // namespace espalier::tasks

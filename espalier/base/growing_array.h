// GrowingArray, an array of numbers that grows without a copy.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "espalier/base/large_pages.h"

namespace espalier {

/// Numbers in consecutive memory, 0 when they are added. A vector that grows holds its old and its new memory
/// for a moment; this one has its pages moved by the system (mremap), so that it never takes more memory than
/// its numbers need, up to the page. Begins on a page; grows in amortised constant time per number, with a
/// call of the system each time its room doubles: for large arrays. Throws std::bad_alloc.
template <typename T>
class GrowingArray {
  static_assert(std::is_arithmetic_v<T>);

 public:
  GrowingArray() = default;
  GrowingArray(const GrowingArray& other) {
    resize(other.size_);
    std::copy(other.begin(), other.end(), begin());
  }
  GrowingArray(GrowingArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        room_(std::exchange(other.room_, 0)) {}
  GrowingArray& operator=(GrowingArray other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    return *this;
  }
  ~GrowingArray() {
    if (data_ != nullptr) munmap(data_, room_ * sizeof(T));
  }

  /// Adds zeros at the end. Precondition: size ≥ this->size().
  void resize(size_t size) {
    if (size > room_) make_room(size);
    size_ = size;
  }

  size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  operator std::span<T>() { return {data_, size_}; }              // NOLINT(google-explicit-constructor)
  operator std::span<const T>() const { return {data_, size_}; }  // NOLINT(google-explicit-constructor)
  bool operator==(const GrowingArray& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  /// Pages that nobody has written to are no memory yet, and 0 when they are read.
  void make_room(size_t least) {
    constexpr size_t kPage = 4096;
    const size_t bytes = (std::max(least, 2 * room_) * sizeof(T) + kPage - 1) / kPage * kPage;
    void* const place = data_ == nullptr
                            ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                            : mremap(data_, room_ * sizeof(T), bytes, MREMAP_MAYMOVE);
    if (place == MAP_FAILED) throw std::bad_alloc();
    if (bytes >= kLargeArray) advise_large_pages(place, bytes);
    data_ = static_cast<T*>(place);
    room_ = bytes / sizeof(T);
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t room_ = 0;  ///< whole pages
};

}  // namespace espalier

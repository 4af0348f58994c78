// Text that grows by millions of short pieces. A std::string would call a library function for each of them,
// and copy everything, to pages that the system has to clear first, whenever it grows.
#pragma once

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

namespace espalier {

/// Copies n bytes that do not overlap. Without a call where there are at most 32.
inline void copy_short(char* to, const char* from, size_t n) {
  if (n > 32) {
    std::memcpy(to, from, n);
  } else if (n >= 16) {  // two pieces of a fixed size, which overlap, are enough
    std::memcpy(to, from, 16);
    std::memcpy(to + n - 16, from + n - 16, 16);
  } else if (n >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + n - 8, from + n - 8, 8);
  } else if (n >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + n - 4, from + n - 4, 4);
  } else {
    for (size_t i = 0; i < n; ++i) to[i] = from[i];
  }
}

class TextBuffer {
 public:
  TextBuffer() = default;
  TextBuffer(TextBuffer&& other) noexcept { *this = std::move(other); }
  TextBuffer(const TextBuffer& other) { append(other.view()); }
  TextBuffer& operator=(const TextBuffer& other) {
    if (this == &other) return *this;
    clear();
    append(other.view());
    return *this;
  }
  TextBuffer& operator=(TextBuffer&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  /// `text` must not be a part of this buffer.
  void append(std::string_view text) {
    if (text.size() > capacity_ - size_) grow(text.size());
    copy_short(bytes_.get() + size_, text.data(), text.size());
    size_ += text.size();
  }
  void append(char c) {
    if (size_ == capacity_) grow(1);
    bytes_.get()[size_++] = c;
  }

  /// Whether `text` is a part of this buffer.
  bool holds(std::string_view text) const {
    const std::less<const char*> before;
    return !before(text.data(), bytes_.get()) && before(text.data(), bytes_.get() + size_);
  }
  std::string_view view() const { return {bytes_.get(), size_}; }
  size_t size() const { return size_; }
  void clear() { size_ = 0; }

 private:
  void grow(size_t more) {
    const size_t wanted = 2 * capacity_ + more + 64;
    // Moves pages instead of copying them where the text is long.
    char* const bytes = static_cast<char*>(std::realloc(bytes_.get(), wanted));
    if (bytes == nullptr) throw std::bad_alloc();
    (void)bytes_.release();
    bytes_.reset(bytes);
    capacity_ = wanted;
  }
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char, Free> bytes_;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace espalier

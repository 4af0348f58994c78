// Flat arrays for the hot loops: AlignedVector, a vector that begins on a cache line, and Ragged, lists of
// different lengths in one array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "espalier/base/large_pages.h"

namespace espalier {

/// Allocates on 64-byte boundaries, so that rows start on a cache line and a vector load never spans two.
template <typename T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(size_t n) {
    void* const p = ::operator new(n * sizeof(T), kAlignment);
    if (n * sizeof(T) >= kLargeArray) advise_large_pages(p, n * sizeof(T));
    return static_cast<T*>(p);
  }
  void deallocate(T* p, size_t) { ::operator delete(p, kAlignment); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

template <typename T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// Lists of different lengths, end to end in one array: list i is values[begin[i] .. begin[i+1]).
template <typename T>
struct Ragged {
  std::vector<uint64_t> begin{0};
  std::vector<T> values;

  size_t size() const { return begin.size() - 1; }
  bool empty() const { return size() == 0; }
  std::span<const T> operator[](size_t i) const {
    return {values.data() + begin[i], static_cast<size_t>(begin[i + 1] - begin[i])};
  }
  std::span<T> operator[](size_t i) {
    return {values.data() + begin[i], static_cast<size_t>(begin[i + 1] - begin[i])};
  }
  /// Appends a value to the list that is open (the one after the last closed one).
  void push(T value) { values.push_back(value); }
  /// Closes the open list; it becomes the last one.
  void close() { begin.push_back(values.size()); }
  void append(std::span<const T> list) {
    values.insert(values.end(), list.begin(), list.end());
    close();
  }
  void clear() {
    begin.assign(1, 0);
    values.clear();
  }
};

/// Smallest multiple of `step` (a power of two) that is at least n.
constexpr size_t round_up(size_t n, size_t step) { return (n + step - 1) & ~(step - 1); }

}  // namespace espalier

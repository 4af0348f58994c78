// Parallel loops whose result does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace espalier {

/// A fixed crew of threads (oneTBB arena). Work is cut by the caller into pieces whose number depends on the
/// data alone, never on threads(); each piece writes to its own place, and what must be summed is summed
/// afterwards in the order of the pieces. That is all there is to determinism here.
class Workers {
 public:
  /// threads == 0 takes every core.
  explicit Workers(int threads = 1);
  ~Workers();
  Workers(Workers&&) noexcept;
  Workers& operator=(Workers&&) noexcept;

  int threads() const { return threads_; }

  /// Calls run(piece) once for every piece in [0, pieces), in any order, on any of the threads. A piece may
  /// itself call this. An exception thrown by a piece is thrown here again after the others have ended.
  void for_each(size_t pieces, const std::function<void(size_t piece)>& run) const;

 private:
  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;
};

/// The part [first, last) of n items that belongs to `piece` of `pieces`.
struct Range {
  size_t first, last;
};
constexpr Range piece_of(size_t n, size_t pieces, size_t piece) {
  return {n * piece / pieces, n * (piece + 1) / pieces};
}

}  // namespace espalier

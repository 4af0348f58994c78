// Parallel loops whose result does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace espalier {

/// A fixed crew of threads, the caller among them. Work is cut by the caller into pieces whose number depends
/// on the data alone, never on threads(); each piece writes to its own place, and what must be summed is
/// summed afterwards in the order of the pieces. That is all there is to determinism here.
class Workers {
 public:
  /// threads == 0 takes every core.
  explicit Workers(int threads = 1);
  ~Workers();
  Workers(Workers&&) noexcept;
  Workers& operator=(Workers&&) noexcept;

  int threads() const { return threads_; }

  /// Calls run(piece) once for every piece in [0, pieces), in any order, on any of the threads. A piece may
  /// itself call this, and several threads may; whoever finds the crew at work runs its pieces alone. An
  /// exception thrown by a piece is thrown here again after the others have ended.
  void for_each(size_t pieces, const std::function<void(size_t piece)>& run) const;

 private:
  class Crew;
  int threads_;
  std::unique_ptr<Crew> crew_;  ///< null for one thread
};

/// The part [first, last) of n items that belongs to `piece` of `pieces`.
struct Range {
  size_t first, last;
};
constexpr Range piece_of(size_t n, size_t pieces, size_t piece) {
  return {n * piece / pieces, n * (piece + 1) / pieces};
}

/// Calls run(range) for stretches that cover [0, n) and begin at multiples of 64, so that vectors stay
/// aligned. For loops over elements that do not depend on each other.
template <typename Run>
void for_each_stretch(const Workers& workers, size_t n, const Run& run) {
  constexpr size_t kAlign = 64, kPieces = 16;
  const size_t blocks = (n + kAlign - 1) / kAlign, pieces = blocks < kPieces ? blocks : kPieces;
  workers.for_each(pieces, [&](size_t piece) {
    const Range part = piece_of(blocks, pieces, piece);
    const size_t last = part.last * kAlign;
    run(Range{part.first * kAlign, last < n ? last : n});
  });
}

}  // namespace espalier

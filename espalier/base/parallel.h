// Parallel loops whose result does not depend on the number of threads. Make one Workers and call for_each,
// or for_each_stretch for loops over elements.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace espalier {

/// A fixed pool of threads, including the caller. The caller cuts the work into pieces whose number depends
/// on the data alone, never on threads(). Each piece writes to its own place, and sums are taken afterwards
/// in the order of the pieces. This is what makes results deterministic.
class Workers {
 public:
  /// threads == 0 takes every core. Throws std::system_error if the system refuses to start a thread.
  explicit Workers(int threads = 1);
  ~Workers();
  Workers(Workers&&) noexcept;
  Workers& operator=(Workers&&) noexcept;

  int threads() const { return threads_; }

  /// Calls run(piece) once for every piece in [0, pieces), in any order, on any of the threads. A piece may
  /// call this itself, and several threads may call it at once; a caller that finds the pool busy runs its
  /// pieces alone. An exception thrown by a piece is rethrown here after the other pieces have ended.
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

/// Calls run(range) for ranges that cover [0, n) and begin at multiples of 64, so that vectors stay aligned.
/// For loops over independent elements.
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

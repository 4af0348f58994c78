// Which rank reads which training files, and which of their sequences it keeps: files are dealt out by size,
// whole where that is even enough, and large ones are shared by several ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::model {

/// The same on every rank, as long as all are given the same sizes.
class FileShares {
 public:
  /// Sizes in bytes, or in any other unit.
  FileShares(const std::vector<uint64_t>& sizes, size_t ranks);

  bool reads(size_t file, size_t rank) const;
  /// Whether the rank keeps a sequence of the file, by its number in there.
  bool keeps(size_t file, size_t number, size_t rank) const {
    return reader_[file][number % reader_[file].size()] == rank;
  }

 private:
  std::vector<std::vector<size_t>>
      reader_;  ///< the rank of every part of every file; part p has number % parts = p
};

}  // namespace espalier::model

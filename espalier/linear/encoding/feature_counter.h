// Counts the features of a training set within a bound of memory: what does not fit goes to temporary files
// as sorted runs, which finish() merges. Feature numbers and counts are those of FeatureCollector.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "espalier/base/files/scratch_file.h"
#include "espalier/base/hash_index.h"
#include "espalier/base/parallel.h"
#include "espalier/base/result.h"

namespace espalier::linear {

/// Cut into shards by hash as FeatureCollector is; each shard spills by itself, when it has reached its share
/// of the memory. What comes out depends on the data alone.
class FeatureCounter {
 public:
  explicit FeatureCounter(size_t most_bytes);

  /// Counts the hashes of a block.
  Status add(std::span<const uint64_t> hashes, const Workers& workers);

  /// The features kept, by falling count; ties go to the one that appeared first.
  struct Counted {
    std::vector<uint64_t> hashes;
    std::vector<uint32_t> counts;
    std::vector<uint64_t> first;  ///< running position of the first occurrence
    uint64_t distinct = 0;        ///< before the cut-off
    uint64_t occurrences = 0;     ///< of those kept
    size_t size() const { return hashes.size(); }
  };
  /// Drops features seen fewer than `cutoff` times. An error if more than `most_features` are left, which
  /// names a cut-off that leaves no more than that. The counter must not be used afterwards.
  Result<Counted> finish(uint32_t cutoff, size_t most_features, const Workers& workers);

  /// How many runs went to files.
  size_t runs() const;

 private:
  static constexpr size_t kShards = 8;
  static constexpr size_t kCounts = 4096;  ///< counts told apart when a cut-off is looked for
  struct Entry {
    uint64_t hash, first;
    uint32_t count;
  };
  struct Shard {
    HashIndex index{size_t{1} << 10};  ///< of the arrays below
    std::vector<uint64_t> hashes, first;
    std::vector<uint32_t> counts;
    std::optional<ScratchFile> file;
    std::vector<uint64_t> run_end;  ///< in the file

    void count(uint64_t hash, uint64_t position);
    Status spill();
    /// Calls visit(entry) once for every feature, in the order of their hashes once there are runs.
    template <typename Visit>
    Status merge(const Visit& visit);
  };

  size_t most_entries_;  ///< of a shard
  std::vector<Shard> shards_;
  uint64_t seen_ = 0;
};

}  // namespace espalier::linear

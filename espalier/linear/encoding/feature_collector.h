// Collects the features of a training set: gives every distinct hash a number, counts it, and keeps its name.
// Call add() for each block, then finish(). Memory grows with the number of distinct features, names
// included.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/hash_index.h"
#include "espalier/base/parallel.h"
#include "espalier/base/text/text_buffer.h"

namespace espalier::linear {

/// Numbers hashes in blocks. The table is cut into a fixed number of shards by hash; threads own shards, each
/// walks a block in order, so the numbering depends on the data alone. Numbers returned by add() are
/// provisional; finish() orders the features by falling frequency, so that frequent rows are close together
/// in memory.
class FeatureCollector {
 public:
  /// Names one after another, each followed by '\n'.
  struct Names {
    TextBuffer text;
    std::vector<uint64_t> end;

    /// The name appended to `text` is complete.
    void close() {
      text.append('\n');
      end.push_back(text.size());
    }
    /// The i-th, with its '\n'.
    std::string_view line(size_t i) const {
      const uint64_t begin = i == 0 ? 0 : end[i - 1];
      return text.view().substr(begin, end[i] - begin);
    }
    /// The text of line_of(0) … line_of(n − 1), which has at most `bytes`.
    template <typename LineOf>
    static std::string joined(size_t n, size_t bytes, const LineOf& line_of) {
      std::string all(bytes, '\0');
      size_t size = 0;
      for (size_t i = 0; i < n; ++i) {
        const std::string_view line = line_of(i);
        copy_short(all.data() + size, line.data(), line.size());
        size += line.size();
      }
      all.resize(size);
      return all;
    }
  };
  /// Appends the readable names of the features at some positions of the block just added, in this order. The
  /// positions ascend. Called from several threads at once.
  using Namer = std::function<void(std::span<const uint32_t> positions, Names& names)>;

  FeatureCollector();

  /// Gives numbers to all hashes of a block: numbers[i] belongs to hashes[i]. With a namer, new features get
  /// names.
  void add(std::span<const uint64_t> hashes, uint32_t* numbers, const Workers& workers, const Namer& namer);

  /// The result of finish(): features 0 … size−1 by falling count; ties go to the one that appeared first.
  struct Features {
    std::vector<uint64_t> hashes;
    std::vector<uint32_t> counts;
    std::vector<uint32_t> renumber;  ///< provisional number → final one, kNoFeature where cut off
    std::string names;               ///< each name followed by '\n'; empty without a namer
    size_t size() const { return hashes.size(); }
  };
  /// Drops features seen fewer than `cutoff` times. The collector is empty afterwards.
  Features finish(uint32_t cutoff, const Workers& workers = Workers(1));

  size_t size() const;

  /// Calls visit(provisional number, hash, count, running position of the first occurrence, name) for every
  /// feature. The name is empty without a namer.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (size_t s = 0; s < kShards; ++s) {
      const Shard& shard = shards_[s];
      for (uint32_t i = 0; i < shard.hashes.size(); ++i)
        visit(static_cast<uint32_t>(i * kShards + s), shard.hashes[i], shard.counts[i], shard.first[i],
              name(shard, i));
    }
  }

 private:
  static constexpr size_t kShards = 8;
  struct Shard {
    HashIndex index{size_t{1} << 12};  ///< of the arrays below
    std::vector<uint64_t> hashes;
    std::vector<uint32_t> counts;
    std::vector<uint64_t> first;  ///< running position of the first occurrence
    std::vector<uint32_t> name;   ///< i · kShards + p: the i-th of names_[p]; empty without a namer
    uint32_t insert(uint64_t hash);
  };
  void deal(std::span<const uint64_t> hashes, const Workers& workers);
  void name_fresh(const std::vector<uint8_t>& fresh, const uint32_t* numbers, const Workers& workers,
                  const Namer& namer);
  std::string_view name_line(uint32_t name) const { return names_[name % kShards].line(name / kShards); }
  std::string_view name(const Shard& shard, uint32_t i) const {
    if (shard.name.empty()) return {};
    const std::string_view line = name_line(shard.name[i]);
    return line.substr(0, line.size() - 1);
  }

  std::vector<Shard> shards_;
  std::vector<uint32_t> dealt_;  ///< by deal(): those of shard s begin at first_of_shard_[s]
  std::array<uint32_t, kShards + 1> first_of_shard_{};
  /// In the order of the features' first occurrences: names of a position are made together. As many as there
  /// are shards, because threads make a part of each block's names.
  std::vector<Names> names_;
  uint64_t seen_ = 0;
};

}  // namespace espalier::linear

// The features of a parser in blocks: those of a block look at the same things (words, children), so that the
// sum of their weights stays the same as long as these do. Most moves change little of what features see, and
// the states of a beam have much in common, so that sums are found in a memory more often than they are
// computed (TreeScorer). TreeBlocks is made of a section of templates; its hashes are those of TreeFeatures.
// Tested in tree_blocks_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/tasks/trees/sentence.h"

namespace espalier::tasks {

/// What a state shows, and what is computed of it. Scratch; one per thread.
struct TreeGlance {
  static constexpr size_t kLooks = 32;
  std::array<uint64_t, kLooks> seen{};    ///< by number of look: a hash of what is to be seen there
  std::array<uint64_t, kLooks> valued{};  ///< the same at the time when the values below were computed
  std::vector<uint64_t> values;           ///< of atoms, each times the factor of a place in a feature
};

class TreeBlocks {
 public:
  enum class Cut {
    kByLooks,  ///< as many blocks as pay
    kOne,      ///< a single block
  };
  TreeBlocks(const TreeSection& section, Cut cut);

  size_t size() const { return blocks_.size(); }
  size_t features() const { return features_.size(); }
  size_t features(size_t block) const { return blocks_[block].end.back() - blocks_[block].begin; }

  /// To be called first for every state. `round` is another large number for every sentence, so that keys
  /// differ.
  void look(const TreeView& view, uint64_t round, TreeGlance& glance) const;
  /// What all features of the block depend on, as one hash.
  uint64_t key(size_t block, const TreeGlance& glance) const {
    const Block& b = blocks_[block];
    uint64_t sum = b.seed;
    for (const uint8_t look : b.looks) sum += glance.seen[look] * kFactors[look];
    return sum;
  }
  /// Appends the hashes of the features of a block, in the order of the file.
  void hash(size_t block, const TreeSentence& sentence, const TreeView& view, TreeGlance& glance,
            std::vector<uint64_t>& out) const;

 private:
  static const std::array<uint64_t, TreeGlance::kLooks> kFactors;

  struct Block {
    uint64_t seed = 0;
    std::vector<uint8_t> looks;                  ///< what the key is made of
    std::vector<uint8_t> valued;                 ///< the looks whose atoms the features have
    uint32_t begin = 0;                          ///< in features_
    std::array<uint32_t, kMostTreeAtoms> end{};  ///< of the features of one atom, of two, …
  };
  struct Feature {
    uint64_t seed;
    uint32_t place;                              ///< in its block
    std::array<uint16_t, kMostTreeAtoms> value;  ///< in TreeGlance::values
  };
  /// An atom at a place of a feature.
  struct Value {
    TreeAtom atom;
    uint8_t look;
    uint64_t factor;
  };
  void add_block(uint32_t looks, const TreeSection& section, std::span<const uint32_t> features);

  std::vector<uint8_t> used_;  ///< looks
  std::vector<Block> blocks_;
  std::vector<Feature> features_;
  std::vector<Value> values_;                                   ///< sorted by look
  std::array<uint16_t, TreeGlance::kLooks + 1> first_value_{};  ///< of each look
};

}  // namespace espalier::tasks

// A sentence as a parser sees it: a hash for every field of every word, made once (TreeColumns::encode), and
// the features of a state as combinations of these hashes (TreeFeatures). Costs one hash per cell and one
// multiplication per atom of a feature; no string is built except by name(), which explanations use. Tested
// in tree_training_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/data/sequence.h"
#include "espalier/tasks/trees/templates.h"

namespace espalier::tasks {

inline constexpr uint32_t kNoWord = 0xFFFFFFFF;

/// Which cells of a row the fields are.
struct TreeColumns {
  std::array<std::optional<size_t>, kTreeFields> cell;

  std::array<bool, kTreeFields> has() const {
    std::array<bool, kTreeFields> out{};
    for (size_t f = 0; f < kTreeFields; ++f) out[f] = cell[f].has_value();
    return out;
  }
};

/// The hashes of a sentence, field by field. The last entry of a field stands for words that do not exist.
class TreeSentence {
 public:
  size_t length() const { return length_; }
  uint64_t value(TreeField field, uint32_t word) const {
    return values_[static_cast<size_t>(field) * (length_ + 1) + (word == kNoWord ? length_ : word)];
  }
  void encode(const data::Sequence& sequence, const TreeColumns& columns);

 private:
  size_t length_ = 0;
  std::vector<uint64_t> values_;
};

/// A word with what is known of the children it has got so far.
struct TreeCell {
  uint32_t next = kNoWord;  ///< the cell below on the stack, or after it in the buffer
  uint32_t word = kNoWord;
  std::array<uint32_t, 4> child = {kNoWord, kNoWord, kNoWord, kNoWord};  ///< by TreePart − 1
  std::array<uint16_t, 4> relation{};                                    ///< of these children
  uint16_t lefts = 0, rights = 0;                                        ///< numbers of children
  uint64_t left_set = 0, right_set = 0;                                  ///< of their relations, a bit each
  uint64_t left_key = 0, right_key = 0;  ///< hashes of all that is known of them
};

/// What features look at in one state: the cells of the roles, and the rest. Cells that do not exist are
/// null.
struct TreeView {
  std::array<const TreeCell*, kTreeRoles> cell{};
  uint32_t side = 0;  ///< 1: an arc from the right to the left gets a relation, 2: from left to right
};

/// The hash of what an atom stands for in a state.
uint64_t tree_atom_value(const TreeAtom& atom, const TreeSentence& sentence, const TreeView& view);

/// Odd numbers that keep the places of atoms in a feature apart: the hash of a feature is its seed and the
/// sum of its atoms, each times that of its place.
inline constexpr std::array<uint64_t, kMostTreeAtoms> kTreePlaces = {
    0x9E3779B97F4A7C15ull, 0xC2B2AE3D27D4EB4Full, 0x165667B19E3779F9ull, 0xD6E8FEB86659FD93ull,
    0xA0761D6478BD642Full};

/// Computes the hashes of the features of a section. Immutable.
class TreeFeatures {
 public:
  explicit TreeFeatures(TreeSection section);
  size_t size() const { return section_.features.size(); }
  const TreeSection& section() const { return section_; }
  /// One hash per feature, in the order of the file. `atoms` is scratch.
  void hash(const TreeSentence& sentence, const TreeView& view, std::vector<uint64_t>& atoms,
            std::vector<uint64_t>& out) const;
  /// "s0.word=dog b0.tag=VERB", for feature i.
  std::string name(size_t i, const data::Sequence& sequence, const TreeColumns& columns, const TreeView& view,
                   std::span<const std::string> relations) const;

 private:
  TreeSection section_;
  std::array<std::vector<TreeTemplate>, kMostTreeAtoms + 1> by_count_;
  std::array<std::vector<uint32_t>, kMostTreeAtoms + 1> place_;
};

/// The hash of a small number, such as a relation or a distance.
inline uint64_t small_hash(uint64_t kind, uint64_t number) {
  return hash_combine(0x5851F42D4C957F2Dull + kind, number + 1);
}
/// Distances are told apart up to 4, then by ranges.
uint32_t distance_class(uint32_t from, uint32_t to);

}  // namespace espalier::tasks

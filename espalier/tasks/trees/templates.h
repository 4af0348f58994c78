// The features of a parser as text: TreeTemplates::parse compiles a template file, default_tree_templates()
// is the one that is used where none is given. docs/parsing.md describes the language. Hashes are stored in
// model files, so the meaning of a line must never change.
//
// A file has two parts, [moves] and [relations]. Each line is one feature, a list of atoms:
//   s0 s1 s2 s3   words of the stack, the top first      b0 b1 b2 b3   words of the buffer, the next first
//   head dep      the arc that gets a relation (in [relations] alone)
//   .l .l2 .r .r2 after one of these: its outermost and second outermost child on the left or right
// each followed by the field that it takes: .word .lemma .tag .fine .feats, .rel (the relation of a child),
// .left .right (how many children are there), .lefts .rights (the set of their relations); and, alone,
// distance (from s0 to b0, or from head to dep) and side (left or right, in [relations] alone).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::tasks {

/// What can be looked at of a word itself.
enum class TreeField : uint8_t { kWord, kLemma, kTag, kFine, kFeats };
inline constexpr size_t kTreeFields = 5;
std::string_view tree_field_name(TreeField field);

/// Where an atom looks: a role, and a part of it.
enum class TreeRole : uint8_t { kS0, kS1, kS2, kS3, kB0, kB1, kB2, kB3, kHead, kDep };
inline constexpr size_t kTreeRoles = 10;
enum class TreePart : uint8_t { kSelf, kLeft, kLeft2, kRight, kRight2 };
inline constexpr size_t kTreeParts = 5;

struct TreeAtom {
  enum class Kind : uint8_t {
    kField,
    kRelation,
    kLeftCount,
    kRightCount,
    kLeftSet,
    kRightSet,
    kDistance,
    kSide
  };
  Kind kind = Kind::kField;
  TreeRole role = TreeRole::kS0;
  TreePart part = TreePart::kSelf;
  TreeField field = TreeField::kWord;
  bool operator==(const TreeAtom&) const = default;
};
std::string atom_name(const TreeAtom& atom);

inline constexpr size_t kMostTreeAtoms = 5;  ///< in one feature

struct TreeTemplate {
  uint64_t seed = 0;  ///< of its text
  uint8_t count = 0;
  std::array<uint8_t, kMostTreeAtoms> atoms{};  ///< indexes into TreeSection::atoms
};

/// One part of the file, compiled: every atom once, and the features over them.
struct TreeSection {
  std::vector<TreeAtom> atoms;
  std::vector<TreeTemplate> features;
};

struct TreeTemplates {
  TreeSection moves, relations;

  /// Errors name `name` and the line. `has` says which fields the data have: features about others are
  /// errors, or, with `skip_missing`, left out.
  static Result<TreeTemplates> parse(std::string_view text, const std::string& name,
                                     const std::array<bool, kTreeFields>& has, bool skip_missing);
};

/// After Zhang and Nivre (2011), for the arc-hybrid system, with morphology and finer tags where there are
/// any.
std::string_view default_tree_templates();

}  // namespace espalier::tasks

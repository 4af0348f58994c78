#include "espalier/tasks/trees/sentence.h"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::tasks {
namespace {

/// Counts of children beyond this are the same.
constexpr uint32_t kMostCounted = 6;

}  // namespace

uint32_t distance_class(uint32_t from, uint32_t to) {
  const uint32_t d = from < to ? to - from : from - to;
  return d <= 4 ? d : d <= 6 ? 5 : d <= 10 ? 6 : d <= 20 ? 7 : 8;
}

void TreeSentence::encode(const data::Sequence& sequence, const TreeColumns& columns) {
  length_ = sequence.length();
  values_.assign(kTreeFields * (length_ + 1), 0);
  for (size_t f = 0; f < kTreeFields; ++f) {
    uint64_t* const out = values_.data() + f * (length_ + 1);
    if (columns.cell[f])
      for (size_t w = 0; w < length_; ++w) out[w] = hash_bytes(sequence.cell(w, *columns.cell[f]), f);
    out[length_] = small_hash(100 + f, 0);
  }
}

TreeFeatures::TreeFeatures(TreeSection section) : section_(std::move(section)) {
  for (uint32_t i = 0; i < section_.features.size(); ++i) {
    by_count_[section_.features[i].count].push_back(section_.features[i]);
    place_[section_.features[i].count].push_back(i);
  }
}

uint64_t tree_atom_value(const TreeAtom& atom, const TreeSentence& sentence, const TreeView& view) {
  using Kind = TreeAtom::Kind;
  if (atom.kind == Kind::kSide) return small_hash(1, view.side);
  if (atom.kind == Kind::kDistance) {
    const bool arc = view.side != 0;
    const TreeCell* const a = view.cell[static_cast<size_t>(arc ? TreeRole::kHead : TreeRole::kS0)];
    const TreeCell* const b = view.cell[static_cast<size_t>(arc ? TreeRole::kDep : TreeRole::kB0)];
    return small_hash(2, a == nullptr || b == nullptr ? 99 : distance_class(a->word, b->word));
  }
  const TreeCell* const cell = view.cell[static_cast<size_t>(atom.role)];
  if (atom.kind == Kind::kField) {
    uint32_t word = kNoWord;
    if (cell != nullptr)
      word = atom.part == TreePart::kSelf ? cell->word : cell->child[static_cast<size_t>(atom.part) - 1];
    return sentence.value(atom.field, word);
  }
  if (cell == nullptr) return small_hash(3, 0);
  switch (atom.kind) {
    case Kind::kRelation: {
      const size_t child = static_cast<size_t>(atom.part) - 1;
      return small_hash(4, cell->child[child] == kNoWord ? 0 : cell->relation[child] + 1u);
    }
    case Kind::kLeftCount:
      return small_hash(5, std::min<uint32_t>(cell->lefts, kMostCounted));
    case Kind::kRightCount:
      return small_hash(5, std::min<uint32_t>(cell->rights, kMostCounted));
    case Kind::kLeftSet:
      return small_hash(6, cell->left_set);
    default:
      return small_hash(6, cell->right_set);
  }
}

void TreeFeatures::hash(const TreeSentence& sentence, const TreeView& view, std::vector<uint64_t>& atoms,
                        std::vector<uint64_t>& out) const {
  atoms.resize(section_.atoms.size());
  for (size_t a = 0; a < atoms.size(); ++a) atoms[a] = tree_atom_value(section_.atoms[a], sentence, view);
  out.resize(section_.features.size());
  const uint64_t* const values = atoms.data();
  for (size_t count = 1; count <= kMostTreeAtoms; ++count) {
    const std::vector<TreeTemplate>& some = by_count_[count];
    const std::vector<uint32_t>& place = place_[count];
    for (size_t i = 0; i < some.size(); ++i) {
      uint64_t sum = some[i].seed;
      for (size_t a = 0; a < count; ++a) sum += values[some[i].atoms[a]] * kTreePlaces[a];
      out[place[i]] = sum;
    }
  }
}

std::string TreeFeatures::name(size_t i, const data::Sequence& sequence, const TreeColumns& columns,
                               const TreeView& view, std::span<const std::string> relations) const {
  using Kind = TreeAtom::Kind;
  const TreeTemplate& feature = section_.features[i];
  std::string out;
  for (size_t a = 0; a < feature.count; ++a) {
    const TreeAtom& atom = section_.atoms[feature.atoms[a]];
    if (a > 0) out.push_back(' ');
    out.append(atom_name(atom)).push_back('=');
    const TreeCell* const cell = view.cell[static_cast<size_t>(atom.role)];
    if (atom.kind == Kind::kSide) {
      out += view.side == 1 ? "left" : "right";
    } else if (atom.kind == Kind::kDistance) {
      const bool arc = view.side != 0;
      const TreeCell* const from = view.cell[static_cast<size_t>(arc ? TreeRole::kHead : TreeRole::kS0)];
      const TreeCell* const to = view.cell[static_cast<size_t>(arc ? TreeRole::kDep : TreeRole::kB0)];
      constexpr std::string_view kRanges[] = {"0", "1", "2", "3", "4", "5-6", "7-10", "11-20", ">20"};
      out += from == nullptr || to == nullptr ? "none" : kRanges[distance_class(from->word, to->word)];
    } else if (cell == nullptr) {
      out += "none";
    } else if (atom.kind == Kind::kField || atom.kind == Kind::kRelation) {
      const size_t child = static_cast<size_t>(atom.part) - 1;
      const uint32_t word = atom.part == TreePart::kSelf ? cell->word : cell->child[child];
      if (word == kNoWord) {
        out += "none";
      } else if (atom.kind == Kind::kRelation) {
        out += relations[cell->relation[child]];
      } else {
        out += sequence.cell(word, *columns.cell[static_cast<size_t>(atom.field)]);
      }
    } else if (atom.kind == Kind::kLeftCount || atom.kind == Kind::kRightCount) {
      const uint32_t number = atom.kind == Kind::kLeftCount ? cell->lefts : cell->rights;
      out += number >= kMostCounted ? fmt::format("{} or more", kMostCounted) : fmt::format("{}", number);
    } else {
      // Sets are kept as hashes: what is shown is their size.
      const uint32_t number = atom.kind == Kind::kLeftSet ? cell->lefts : cell->rights;
      out += fmt::format("set of {}", number);
    }
  }
  return out;
}

}  // namespace espalier::tasks

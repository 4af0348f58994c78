#include "espalier/tasks/trees/tree_blocks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace espalier::tasks {
namespace {

// Numbers of looks: the words of the stack, all words of the buffer together, head and dependent, the
// children of each role on either side, the side of an arc, the distance.
constexpr uint8_t kBufferLook = 4, kHeadLook = 5, kDepLook = 6, kChildLooks = 7;
constexpr uint8_t kSideLook = kChildLooks + 2 * kTreeRoles, kDistanceLook = kSideLook + 1;
static_assert(kDistanceLook < TreeGlance::kLooks);

uint32_t bit(uint8_t look) { return uint32_t{1} << look; }
bool is_buffer(TreeRole role) { return role >= TreeRole::kB0 && role <= TreeRole::kB3; }

uint8_t word_look(TreeRole role) {
  if (is_buffer(role)) return kBufferLook;
  if (role == TreeRole::kHead) return kHeadLook;
  return role == TreeRole::kDep ? kDepLook : static_cast<uint8_t>(role);
}
uint8_t child_look(TreeRole role, bool left) {
  return static_cast<uint8_t>(kChildLooks + 2 * static_cast<size_t>(role) + (left ? 0 : 1));
}

/// Where the value of an atom comes from.
uint8_t look_of(const TreeAtom& atom) {
  using enum TreeAtom::Kind;
  switch (atom.kind) {
    case kSide:
      return kSideLook;
    case kDistance:
      return kDistanceLook;
    case kLeftCount:
    case kLeftSet:
      return child_look(atom.role, true);
    case kRightCount:
    case kRightSet:
      return child_look(atom.role, false);
    default:
      if (atom.part == TreePart::kSelf) return word_look(atom.role);
      return child_look(atom.role, atom.part == TreePart::kLeft || atom.part == TreePart::kLeft2);
  }
}

/// The looks that must stay the same for the atom to stay the same. Children go with their word: a block of
/// both costs one key instead of two.
uint32_t key_looks(const TreeAtom& atom, bool relations) {
  const uint8_t look = look_of(atom);
  if (look == kDistanceLook)
    return relations ? bit(kHeadLook) | bit(kDepLook)
                     : bit(word_look(TreeRole::kS0)) | bit(word_look(TreeRole::kB0));
  return look >= kChildLooks && look < kSideLook ? bit(look) | bit(word_look(atom.role)) : bit(look);
}

uint64_t mixed(uint64_t x) {
  x *= 0x9E3779B97F4A7C15ull;
  return x ^ (x >> 32);
}

/// How many features a state costs for a block, roughly: those that must be looked up, and the work of the
/// block itself.
double block_cost(uint32_t looks, size_t features) {
  constexpr double kBlock = 1.5, kStays = 0.7;  // a look stays the same with this probability
  return kBlock + static_cast<double>(features) * (1 - std::pow(kStays, std::popcount(looks)));
}

using Cuts = std::map<uint32_t, std::vector<uint32_t>>;  // features by looks

/// Joins blocks as long as that saves something, the best pair first.
void join_blocks(Cuts& cuts) {
  while (true) {
    double most = 0;
    std::pair<uint32_t, uint32_t> best;
    for (auto a = cuts.begin(); a != cuts.end(); ++a)
      for (auto b = std::next(a); b != cuts.end(); ++b) {
        const size_t na = a->second.size(), nb = b->second.size();
        const double saved =
            block_cost(a->first, na) + block_cost(b->first, nb) - block_cost(a->first | b->first, na + nb);
        if (saved <= most) continue;
        most = saved;
        best = {a->first, b->first};
      }
    if (most == 0) return;
    std::vector<uint32_t> all = std::move(cuts[best.first]);
    const std::vector<uint32_t>& more = cuts[best.second];
    all.insert(all.end(), more.begin(), more.end());
    cuts.erase(best.first);
    cuts.erase(best.second);
    std::vector<uint32_t>& joined = cuts[best.first | best.second];
    joined.insert(joined.end(), all.begin(), all.end());
  }
}

std::array<uint64_t, TreeGlance::kLooks> look_factors() {
  std::array<uint64_t, TreeGlance::kLooks> out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = small_hash(200, i) | 1;
  return out;
}

}  // namespace

const std::array<uint64_t, TreeGlance::kLooks> TreeBlocks::kFactors = look_factors();

TreeBlocks::TreeBlocks(const TreeSection& section, Cut cut) {
  const bool relations = std::any_of(section.atoms.begin(), section.atoms.end(), [](const TreeAtom& atom) {
    return atom.kind == TreeAtom::Kind::kSide || atom.role >= TreeRole::kHead;
  });
  // Every atom at every place that it has in a feature gets a number, those of one look next to each other.
  for (const TreeTemplate& feature : section.features)
    for (size_t a = 0; a < feature.count; ++a) {
      const TreeAtom& atom = section.atoms[feature.atoms[a]];
      const Value value{atom, look_of(atom), kTreePlaces[a]};
      const bool known = std::any_of(values_.begin(), values_.end(), [&](const Value& v) {
        return v.atom == value.atom && v.factor == value.factor;
      });
      if (!known) values_.push_back(value);
    }
  std::stable_sort(values_.begin(), values_.end(),
                   [](const Value& a, const Value& b) { return a.look < b.look; });
  for (const Value& value : values_) ++first_value_[value.look + 1u];
  for (size_t i = 1; i < first_value_.size(); ++i)
    first_value_[i] = static_cast<uint16_t>(first_value_[i] + first_value_[i - 1]);

  Cuts cuts;
  uint32_t all = 0;
  for (uint32_t f = 0; f < section.features.size(); ++f) {
    uint32_t looks = 0;
    const TreeTemplate& feature = section.features[f];
    for (size_t a = 0; a < feature.count; ++a) looks |= key_looks(section.atoms[feature.atoms[a]], relations);
    cuts[cut == Cut::kOne ? 0 : looks].push_back(f);
    all |= looks;
  }
  if (cut == Cut::kByLooks) join_blocks(cuts);
  for (uint8_t look = 0; look < TreeGlance::kLooks; ++look)
    if ((all & bit(look)) != 0) used_.push_back(look);
  for (auto& [looks, features] : cuts) {
    std::sort(features.begin(), features.end());
    add_block(cut == Cut::kOne ? all : looks, section, features);
  }
}

void TreeBlocks::add_block(uint32_t looks, const TreeSection& section, std::span<const uint32_t> features) {
  Block block;
  block.seed = small_hash(201, blocks_.size());
  block.begin = static_cast<uint32_t>(features_.size());
  uint32_t valued = 0;
  for (size_t count = 1; count <= kMostTreeAtoms; ++count) {
    for (uint32_t i = 0; i < features.size(); ++i) {
      const TreeTemplate& from = section.features[features[i]];
      if (from.count != count) continue;
      Feature& made = features_.emplace_back(Feature{from.seed, i, {}});
      for (size_t a = 0; a < count; ++a) {
        const TreeAtom& atom = section.atoms[from.atoms[a]];
        const auto it = std::find_if(values_.begin(), values_.end(), [&](const Value& v) {
          return v.atom == atom && v.factor == kTreePlaces[a];
        });
        made.value[a] = static_cast<uint16_t>(it - values_.begin());
        valued |= bit(it->look);
      }
    }
    block.end[count - 1] = static_cast<uint32_t>(features_.size());
  }
  for (uint8_t look = 0; look < TreeGlance::kLooks; ++look) {
    if ((looks & bit(look)) != 0) block.looks.push_back(look);
    if ((valued & bit(look)) != 0) block.valued.push_back(look);
  }
  blocks_.push_back(std::move(block));
}

void TreeBlocks::look(const TreeView& view, uint64_t round, TreeGlance& glance) const {
  const auto cell = [&](size_t role) { return view.cell[role]; };
  const auto word = [&](TreeRole role) {
    const TreeCell* const c = cell(static_cast<size_t>(role));
    return mixed(round + (c == nullptr ? 0 : c->word + 1));
  };
  glance.values.resize(values_.size());
  for (const uint8_t look : used_) {
    uint64_t& out = glance.seen[look];
    if (look == kSideLook) {
      out = round + view.side;
    } else if (look >= kChildLooks) {
      const TreeCell* const c = cell((look - kChildLooks) / 2u);
      out = round + (c == nullptr ? 1 : (look - kChildLooks) % 2 == 0 ? c->left_key : c->right_key);
    } else if (look == kBufferLook) {
      out = 0;
      for (const TreeRole role : {TreeRole::kB0, TreeRole::kB1, TreeRole::kB2, TreeRole::kB3})
        out = out * 0xD6E8FEB86659FD93ull + word(role);
    } else {
      out = word(look == kHeadLook ? TreeRole::kHead : look == kDepLook ? TreeRole::kDep : TreeRole{look});
    }
  }
}

void TreeBlocks::hash(size_t block, const TreeSentence& sentence, const TreeView& view, TreeGlance& glance,
                      std::vector<uint64_t>& out) const {
  const Block& b = blocks_[block];
  for (const uint8_t look : b.valued) {
    const bool fresh = look != kDistanceLook && glance.valued[look] == glance.seen[look];
    if (fresh) continue;
    glance.valued[look] = glance.seen[look];
    for (size_t v = first_value_[look]; v < first_value_[look + 1u]; ++v)
      glance.values[v] = tree_atom_value(values_[v].atom, sentence, view) * values_[v].factor;
  }
  const size_t first = out.size();
  out.resize(first + b.end.back() - b.begin);
  uint64_t* const to = out.data() + first;
  const uint64_t* const values = glance.values.data();
  const Feature* f = features_.data() + b.begin;
  for (size_t count = 1; count <= kMostTreeAtoms; ++count)
    for (const Feature* const end = features_.data() + b.end[count - 1]; f < end; ++f) {
      uint64_t sum = f->seed;
      for (size_t a = 0; a < count; ++a) sum += values[f->value[a]];
      to[f->place] = sum;
    }
}

}  // namespace espalier::tasks

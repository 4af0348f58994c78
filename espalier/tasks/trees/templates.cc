#include "espalier/tasks/trees/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "espalier/base/hash.h"

namespace espalier::tasks {
namespace {

constexpr std::array<std::string_view, kTreeFields> kFieldNames = {"word", "lemma", "tag", "fine", "feats"};
constexpr std::array<std::string_view, kTreeRoles> kRoleNames = {"s0", "s1", "s2", "s3",   "b0",
                                                                 "b1", "b2", "b3", "head", "dep"};
constexpr std::array<std::string_view, kTreeParts> kPartNames = {"", "l", "l2", "r", "r2"};
using Kind = TreeAtom::Kind;
struct NamedKind {
  std::string_view name;
  Kind kind;
};
constexpr NamedKind kLooks[] = {{"rel", Kind::kRelation},
                                {"left", Kind::kLeftCount},
                                {"right", Kind::kRightCount},
                                {"lefts", Kind::kLeftSet},
                                {"rights", Kind::kRightSet}};

template <size_t N>
std::optional<size_t> place_in(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return static_cast<size_t>(it - names.begin());
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> out;
  while (true) {
    const size_t begin = text.find_first_not_of(separators);
    if (begin == text.npos) return out;
    const size_t end = std::min(text.find_first_of(separators, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

Result<TreeAtom> parse_atom(std::string_view text, bool relations) {
  TreeAtom atom;
  if (text == "distance") {
    atom.kind = Kind::kDistance;
    return atom;
  }
  if (text == "side") {
    if (!relations) return fail("side is known in [relations] alone");
    atom.kind = Kind::kSide;
    return atom;
  }
  const std::vector<std::string_view> words = split(text, ".");
  const auto role = place_in(kRoleNames, words.front());
  if (!role) return fail("'{}': there is no '{}'; wanted s0 to s3, b0 to b3, head, dep", text, words.front());
  atom.role = static_cast<TreeRole>(*role);
  if (!relations && atom.role >= TreeRole::kHead)
    return fail("'{}': head and dep are known in [relations] alone", text);
  if (words.size() < 2 || words.size() > 3) return fail("'{}': wanted ROLE.FIELD or ROLE.CHILD.FIELD", text);
  if (words.size() == 3) {
    const auto part = place_in(kPartNames, words[1]);
    if (!part) return fail("'{}': there is no child '{}'; wanted l, l2, r or r2", text, words[1]);
    atom.part = static_cast<TreePart>(*part);
  }
  if (const auto field = place_in(kFieldNames, words.back())) {
    atom.field = static_cast<TreeField>(*field);
    return atom;
  }
  for (const NamedKind& look : kLooks) {
    if (look.name != words.back()) continue;
    const bool child = atom.part != TreePart::kSelf;
    if (look.kind != Kind::kRelation && child)
      return fail("'{}': only words of the stack and the buffer know their children", text);
    if (look.kind == Kind::kRelation && !child) return fail("'{}': only children have a relation", text);
    atom.kind = look.kind;
    return atom;
  }
  return fail(
      "'{}': '{}' is not known; wanted word, lemma, tag, fine, feats, rel, left, right, lefts, rights", text,
      words.back());
}

Status add_line(const std::vector<std::string_view>& words, bool relations,
                const std::array<bool, kTreeFields>& has, bool skip_missing, TreeSection& section) {
  if (words.size() > kMostTreeAtoms) return fail("{} atoms, wanted at most {}", words.size(), kMostTreeAtoms);
  std::vector<TreeAtom> atoms;
  uint64_t seed = hash_bytes(relations ? "relations" : "moves");
  for (const std::string_view word : words) {
    ESPALIER_ASSIGN(const TreeAtom atom, parse_atom(word, relations));
    if (atom.kind == Kind::kField && !has[static_cast<size_t>(atom.field)]) {
      if (skip_missing) return {};
      return fail("'{}': the data have no column for '{}'", word, tree_field_name(atom.field));
    }
    seed = hash_combine(seed, hash_bytes(word));
    atoms.push_back(atom);
  }
  TreeTemplate made;
  made.seed = seed;
  made.count = static_cast<uint8_t>(atoms.size());
  for (size_t i = 0; i < atoms.size(); ++i) {
    const auto it = std::find(section.atoms.begin(), section.atoms.end(), atoms[i]);
    if (it == section.atoms.end() && section.atoms.size() == 255)
      return fail("more than 255 different atoms");
    made.atoms[i] = static_cast<uint8_t>(it - section.atoms.begin());
    if (it == section.atoms.end()) section.atoms.push_back(atoms[i]);
  }
  for (const TreeTemplate& other : section.features)
    if (other.seed == seed) return fail("this feature is listed twice");
  section.features.push_back(made);
  return {};
}

}  // namespace

std::string_view tree_field_name(TreeField field) { return kFieldNames[static_cast<size_t>(field)]; }

std::string atom_name(const TreeAtom& atom) {
  if (atom.kind == Kind::kDistance) return "distance";
  if (atom.kind == Kind::kSide) return "side";
  std::string out(kRoleNames[static_cast<size_t>(atom.role)]);
  if (atom.part != TreePart::kSelf) out.append(".").append(kPartNames[static_cast<size_t>(atom.part)]);
  out.push_back('.');
  if (atom.kind == Kind::kField) return out.append(tree_field_name(atom.field));
  for (const NamedKind& look : kLooks)
    if (look.kind == atom.kind) out.append(look.name);
  return out;
}

Result<TreeTemplates> TreeTemplates::parse(std::string_view text, const std::string& name,
                                           const std::array<bool, kTreeFields>& has, bool skip_missing) {
  TreeTemplates out;
  TreeSection* section = nullptr;
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    const std::vector<std::string_view> words = split(line, " \t\r");
    if (words.empty()) continue;
    if (words.size() == 1 && words[0] == "[moves]") {
      section = &out.moves;
    } else if (words.size() == 1 && words[0] == "[relations]") {
      section = &out.relations;
    } else if (section == nullptr) {
      return fail("{}:{}: wanted [moves] or [relations] before the first feature", name, number);
    } else if (const Status added = add_line(words, section == &out.relations, has, skip_missing, *section);
               !added.ok()) {
      return fail("{}:{}: {}", name, number, added.error().message);
    }
  }
  if (out.moves.features.empty()) return fail("{}: there is no feature in [moves]", name);
  if (out.relations.features.empty()) return fail("{}: there is no feature in [relations]", name);
  return out;
}

}  // namespace espalier::tasks

#include "espalier/tasks/trees/tree_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "espalier/constrain/label_pattern.h"
#include "espalier/tasks/trees/sentence.h"

namespace espalier::tasks {
namespace {

bool names_tag(const constrain::LabelTerms& terms, std::string_view tag) {
  if (terms.any) return true;
  return std::any_of(terms.terms.begin(), terms.terms.end(), [&](const constrain::LabelTerm& term) {
    return term.literal || !constrain::is_pattern(term)
               ? term.text == tag
               : constrain::matches(term.text, tag, nullptr, nullptr);
  });
}

std::optional<uint32_t> whole_number(std::string_view text) {
  uint32_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Where following forced heads from a word comes back to it.
bool in_a_cycle(const std::vector<uint32_t>& heads, uint32_t word) {
  uint32_t at = heads[word];
  for (size_t steps = 0; steps < heads.size() && at < heads.size(); ++steps) {
    if (at == word) return true;
    at = heads[at];
  }
  return false;
}

}  // namespace

size_t SentenceRules::broken(std::span<const uint32_t> tree,
                             std::span<const data::Label> tree_relations) const {
  size_t count = 0;
  for (uint32_t w = 0; w < tree.size(); ++w) {
    const uint32_t head = tree[w] == 0 ? kNoWord : tree[w] - 1;
    bool wrong = head == kNoWord ? !not_root.empty() && not_root[w] != 0 : forbids(head, w);
    wrong = wrong || (head != kNoWord && only_root && tree_relations[w] == *only_root);
    wrong = wrong || (forces() && heads[w] != kFreeHead && heads[w] != head);
    wrong =
        wrong || (!relations.empty() && relations[w] != data::kNoLabel && relations[w] != tree_relations[w]);
    count += wrong;
  }
  return count;
}

Status read_forced_arcs(const data::Sequence& sequence, size_t column, const data::LabelSet& relations,
                        SentenceRules& out) {
  const size_t n = sequence.length();
  if (n == 0) return {};
  if (column >= sequence.columns())
    return fail("line {}: there is no column {} to take forced arcs from", sequence.line(0), column + 1);
  out.heads.assign(n, kFreeHead);
  out.relations.assign(n, data::kNoLabel);
  std::optional<size_t> root;
  for (size_t w = 0; w < n; ++w) {
    const std::string_view cell = sequence.cell(w, column);
    if (cell.empty() || cell == data::kUnknownLabelText) continue;
    const size_t colon = cell.find(':');
    const auto head = whole_number(cell.substr(0, colon));
    if (!head || *head > n || *head == w + 1)
      return fail(
          "line {}: '{}' is no arc to force: wanted the number of "
          "another word, 0 for the root, or _ to leave it "
          "free; a colon and the relation can follow",
          sequence.line(w), cell);
    if (*head == 0 && root)
      return fail("line {}: a second root is forced; the first is in line {}", sequence.line(w),
                  sequence.line(*root));
    if (*head == 0) root = w;
    out.heads[w] = *head == 0 ? kNoWord : *head - 1;
    if (colon == cell.npos) continue;
    const auto relation = relations.find(cell.substr(colon + 1));
    if (!relation)
      return fail("line {}: the parser has no relation '{}' to force", sequence.line(w),
                  cell.substr(colon + 1));
    out.relations[w] = *relation;
  }
  for (uint32_t w = 0; w < n; ++w)
    if (in_a_cycle(out.heads, w))
      return fail("line {}: the heads that are forced form a cycle", sequence.line(w));
  return {};
}

Result<TreeRules> TreeRules::resolve(std::string_view text, const std::string& file,
                                     const data::LabelSet& relations, data::Label root,
                                     std::optional<size_t> tags, size_t columns) {
  using constrain::Verb;
  TreeRules out;
  out.tags_ = tags;
  ESPALIER_ASSIGN(const auto statements, constrain::parse_constraints(text, file));
  for (const constrain::Statement& s : statements) {
    const auto wrong = [&](std::string_view what) {
      return fail("{}:{}:{}: {}", file, s.place.line, s.place.column, what);
    };
    if (s.penalty != constrain::kHard) return wrong("constraints on trees are hard");
    if (s.verb == Verb::kForbidHead || s.verb == Verb::kForbidRoot) {
      if (!tags) return wrong("the parser was trained without tags");
      if (constrain::has_placeholder(s.first) || constrain::has_placeholder(s.second))
        return wrong("'$' has no meaning here");
      (s.verb == Verb::kForbidHead ? out.pairs_ : out.roots_).push_back(s);
      if (out.pairs_.size() > kMostPairs)
        return wrong(
            fmt::format("more than {} lines of 'forbid head'; braces hold several tags", kMostPairs));
    } else if (s.verb == Verb::kForceColumn) {
      const auto column = whole_number(s.column);
      if (!column || *column == 0 || *column > columns)
        return wrong(fmt::format("there is no column '{}'; rows have {}", s.column, columns));
      if (out.force_column_) return wrong("arcs are forced by a column already");
      out.force_column_ = *column - 1;
      out.force_name_ = s.name;
    } else if (s.verb == Verb::kCount) {
      const bool single = s.most == 1 && s.least <= 1 && !s.first.any && s.first.terms.size() == 1 &&
                          s.first.terms[0].text == relations.name(root);
      if (!single)
        return wrong(fmt::format("a parser counts its root alone: at most 1 of {}", relations.name(root)));
      out.only_root_ = root;
      out.only_root_name_ = s.name;
    } else {
      return wrong(
          fmt::format("'{}' is about sequences; for trees there are "
                      "'forbid head A of B', 'forbid root A', "
                      "'exactly 1 of {}' and 'force column C'",
                      s.text, relations.name(root)));
    }
  }
  return out;
}

Status TreeRules::apply(const data::Sequence& sequence, const data::LabelSet& relations,
                        SentenceRules& out) const {
  const size_t n = sequence.length();
  out = SentenceRules();
  out.only_root = only_root_;
  if (!pairs_.empty()) {
    out.as_head.assign(n, 0);
    out.as_dependent.assign(n, 0);
  }
  if (!roots_.empty()) out.not_root.assign(n, 0);
  for (size_t w = 0; w < n && tags_; ++w) {
    const std::string_view tag = sequence.cell(w, *tags_);
    for (size_t i = 0; i < pairs_.size(); ++i) {
      if (names_tag(pairs_[i].first, tag)) out.as_head[w] |= uint64_t{1} << i;
      if (names_tag(pairs_[i].second, tag)) out.as_dependent[w] |= uint64_t{1} << i;
    }
    for (const constrain::Statement& s : roots_) out.not_root[w] |= names_tag(s.first, tag);
  }
  if (force_column_) return read_forced_arcs(sequence, *force_column_, relations, out);
  return {};
}

std::vector<std::string> TreeRules::broken(const SentenceRules& rules, std::span<const uint32_t> heads,
                                           std::span<const data::Label> relations) const {
  std::vector<std::string> out;
  uint64_t pairs = 0;
  bool root = false, arcs = false, label = false;
  for (uint32_t w = 0; w < heads.size(); ++w) {
    const uint32_t head = heads[w] == 0 ? kNoWord : heads[w] - 1;
    if (head != kNoWord && !rules.as_head.empty()) pairs |= rules.as_head[head] & rules.as_dependent[w];
    if (head == kNoWord && !rules.not_root.empty()) root = root || rules.not_root[w] != 0;
    if (rules.forces()) {
      arcs = arcs || (rules.heads[w] != kFreeHead && rules.heads[w] != head);
      arcs = arcs || (rules.relations[w] != data::kNoLabel && rules.relations[w] != relations[w]);
    }
    label = label || (head != kNoWord && rules.only_root && relations[w] == *rules.only_root);
  }
  for (size_t i = 0; i < pairs_.size(); ++i)
    if ((pairs >> i & 1) != 0) out.push_back(pairs_[i].name);
  for (const constrain::Statement& s : roots_)
    if (root) out.push_back(s.name);
  if (arcs) out.push_back(force_name_.empty() ? "forced arcs" : force_name_);
  if (label) out.push_back(only_root_name_);
  return out;
}

std::string TreeRules::about() const {
  return fmt::format(
      "pairs of tags that make no arc: {}; tags that are no "
      "root: {}; arcs forced by a column: {}. The search makes "
      "no other move as long as it has one, and looks wider "
      "where it has none.\n",
      pairs_.size(), roots_.size(), force_column_ ? "yes" : "no");
}

}  // namespace espalier::tasks

#include "espalier/tasks/trees/tree.h"

#include <algorithm>
#include <charconv>

#include "espalier/data/formats/lines.h"

namespace espalier::tasks {

std::optional<TreeFault> find_tree_fault(std::span<const uint32_t> heads) {
  const size_t n = heads.size();
  std::optional<size_t> root;
  for (size_t w = 0; w < n; ++w) {
    if (heads[w] > n)
      return TreeFault{w, fmt::format("the head is {}, but the sentence has {} words", heads[w], n)};
    if (heads[w] == w + 1) return TreeFault{w, fmt::format("word {} is its own head", w + 1)};
    if (heads[w] != 0) continue;
    if (root)
      return TreeFault{
          w, fmt::format("word {} is a second root (head 0); word {} is one already", w + 1, *root + 1)};
    root = w;
  }
  if (n > 0 && !root) return TreeFault{0, "no word of the sentence is the root (head 0)"};
  // Each walk towards the root ends at a word whose walk has succeeded, or meets itself.
  enum Mark : uint8_t { kNew, kOnPath, kGood };
  std::vector<Mark> mark(n, kNew);
  for (size_t w = 0; w < n; ++w) {
    size_t at = w;
    while (mark[at] == kNew) {
      mark[at] = kOnPath;
      if (heads[at] == 0) break;
      at = heads[at] - 1;
      if (mark[at] == kOnPath)
        return TreeFault{at, fmt::format("word {} is below itself: the heads form a cycle", at + 1)};
    }
    for (at = w; mark[at] == kOnPath; at = heads[at] - 1) {
      mark[at] = kGood;
      if (heads[at] == 0) break;
    }
  }
  return std::nullopt;
}

Status read_heads(const data::Sequence& sequence, size_t column, std::vector<uint32_t>& heads) {
  heads.clear();
  for (size_t row = 0; row < sequence.length(); ++row) {
    const std::string_view text = sequence.cell(row, column);
    uint32_t head = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), head);
    if (text.empty() || code != std::errc() || end != text.data() + text.size())
      return fail("line {}: the head in column {} is {}, wanted the number of a word, or 0 for the root",
                  sequence.line(row), column + 1, data::in_quotes(text));
    heads.push_back(head);
  }
  if (const auto fault = find_tree_fault(heads))
    return fail("line {}: {}", sequence.line(fault->word), fault->what);
  return {};
}

namespace {

/// Whether all words strictly between the word and its head are below the head.
bool arc_is_projective(std::span<const uint32_t> heads, size_t word) {
  const uint32_t head = heads[word];
  if (head == 0) return true;  // seen from the other arcs
  const size_t first = std::min<size_t>(word + 1, head), last = std::max<size_t>(word + 1, head);
  for (size_t w = first + 1; w < last; ++w) {
    size_t above = w;
    while (above != 0 && above != head) above = heads[above - 1];
    if (above != head) return false;
  }
  return true;
}

}  // namespace

bool is_projective(std::span<const uint32_t> heads) {
  for (size_t w = 0; w < heads.size(); ++w)
    if (!arc_is_projective(heads, w)) return false;
  return true;
}

std::vector<uint32_t> made_projective(std::vector<uint32_t> heads) {
  while (true) {
    std::optional<size_t> shortest;
    const auto length = [&](size_t w) { return heads[w] > w + 1 ? heads[w] - (w + 1) : (w + 1) - heads[w]; };
    for (size_t w = 0; w < heads.size(); ++w)
      if (!arc_is_projective(heads, w) && (!shortest || length(w) < length(*shortest))) shortest = w;
    if (!shortest) return heads;
    // An arc from the root's own dependents is never lifted to 0: all words between are below the root.
    heads[*shortest] = heads[heads[*shortest] - 1];
  }
}

std::vector<uint32_t> projective_order(std::span<const uint32_t> heads) {
  const size_t n = heads.size();
  std::vector<std::vector<uint32_t>> children(n);
  uint32_t root = 0;
  for (uint32_t w = 0; w < n; ++w) {
    if (heads[w] == 0) {
      root = w;
    } else {
      children[heads[w] - 1].push_back(w);
    }
  }
  std::vector<uint32_t> place(n, 0), next(n, 0);
  std::vector<bool> placed(n, false);
  uint32_t count = 0;
  std::vector<uint32_t> path;
  if (n > 0) path.push_back(root);
  while (!path.empty()) {
    const uint32_t w = path.back();
    if (!placed[w] && (next[w] == children[w].size() || children[w][next[w]] > w)) {
      place[w] = count++;
      placed[w] = true;
    }
    if (next[w] == children[w].size()) {
      path.pop_back();
    } else {
      path.push_back(children[w][next[w]++]);
    }
  }
  return place;
}

}  // namespace espalier::tasks

#include "espalier/tasks/trees/parse_space.h"

#include <algorithm>

#include "espalier/tasks/trees/tree.h"

namespace espalier::tasks {

using search::Action;

GoldTree GoldTree::make(std::span<const uint32_t> heads, std::vector<data::Label> relations, bool swap) {
  GoldTree out;
  out.relations = std::move(relations);
  if (swap) out.order = projective_order(heads);
  out.children.assign(heads.size(), 0);
  for (const uint32_t head : heads) {
    out.heads.push_back(head == 0 ? kNoWord : head - 1);
    if (head != 0) ++out.children[head - 1];
  }
  return out;
}

ParseSpace::ParseSpace(const TreeSystem& system, const TreeSentence& sentence, TreeScratch& scratch,
                       const GoldTree* gold, const SentenceRules* rules)
    : system_(system), sentence_(sentence), scratch_(scratch), gold_(gold), rules_(rules) {
  const auto n = static_cast<uint32_t>(sentence.length());
  scratch_.cells.clear();
  for (uint32_t w = 0; w < n; ++w) {
    TreeCell made;
    made.word = w;
    made.next = w + 1 < n ? w + 1 : kNoWord;
    scratch_.cells.push_back(made);
  }
  scratch_.on_stack.assign(n, 0);
  scratch_.query = 0;
}

ParseSpace::State ParseSpace::initial() const {
  State s;
  s.front = sentence_.length() == 0 ? kNoWord : 0;
  return s;
}

bool ParseSpace::allowed(const State& s, TreeMove move) const {
  switch (move) {
    case TreeMove::kShift:
      return s.front != kNoWord;
    case TreeMove::kLeft:
      return s.front != kNoWord && s.stack >= 1;
    case TreeMove::kRight:
      return s.stack >= 2;
    case TreeMove::kSwap:
      return system_.swap && s.front != kNoWord && s.stack >= 1 && word(s.top) < word(s.front);
  }
  return false;
}

void ParseSpace::actions(const State& s, std::vector<Action>& out) const {
  if (s.pending != 0 && rules_ != nullptr) return legal_relations(s, out);
  if (s.pending != 0) {
    for (const data::Label r : system_.relations) out.push_back({0, kTreeMoves + r});
    return;
  }
  const size_t before = out.size();
  if (rules_ != nullptr) legal_moves(s, out);
  if (out.size() > before) return;
  for (uint32_t m = 0; m < kTreeMoves; ++m)
    if (allowed(s, static_cast<TreeMove>(m))) out.push_back({0, m});
}

bool ParseSpace::stuck(const State& s) const {
  if (rules_ == nullptr || s.pending != 0) return false;
  std::vector<Action> legal;
  legal_moves(s, legal);
  return legal.empty();
}

/// Whether the move makes an arc that is forbidden, or leaves nothing but such
/// arcs. Once the buffer is empty, each word of the stack becomes the head of
/// the one above it, and the lowest is the root.
bool ParseSpace::breaks_rules(const State& s, TreeMove move) const {
  const Arc arc = arc_of(s, move);
  if (arc.dependent != kNoWord) return rules_->forbids(arc.head, arc.dependent);
  if (move != TreeMove::kShift || cell(s.front).next != kNoWord) return false;
  uint32_t above = word(s.front);
  for (uint32_t c = s.top; c != kNoWord; c = cell(c).next) {
    if (rules_->forbids(word(c), above)) return true;
    above = word(c);
  }
  return !rules_->not_root.empty() && rules_->not_root[above] != 0;
}

void ParseSpace::legal_moves(const State& s, std::vector<Action>& out) const {
  std::array<uint32_t, kTreeMoves> price{};
  uint32_t least = 0xFFFFFFFF;
  for (uint32_t m = 0; m < kTreeMoves; ++m) {
    const auto move = static_cast<TreeMove>(m);
    if (!allowed(s, move)) continue;
    // What is lost of forced arcs. Some move loses nothing as long as they do
    // not cross each other.
    if (rules_->forces()) price[m] = move_cost(s, move, rules_->heads);
    least = std::min(least, price[m]);
  }
  for (uint32_t m = 0; m < kTreeMoves; ++m) {
    const auto move = static_cast<TreeMove>(m);
    if (allowed(s, move) && price[m] == least && !breaks_rules(s, move)) out.push_back({0, m});
  }
}

void ParseSpace::legal_relations(const State& s, std::vector<Action>& out) const {
  const data::Label forced = rules_->relations.empty() ? data::kNoLabel : rules_->relations[word(s.top)];
  if (forced != data::kNoLabel) {
    out.push_back({0, kTreeMoves + forced});
    return;
  }
  const size_t before = out.size();
  for (const data::Label r : system_.relations)
    if (r != rules_->only_root) out.push_back({0, kTreeMoves + r});
  if (out.size() == before) out.push_back({0, kTreeMoves + system_.relations.front()});
}

size_t ParseSpace::level_after(const State& s, Action action) const {
  if (action.label >= kTreeMoves) return s.level + 1;
  const auto move = static_cast<TreeMove>(action.label);
  const bool arc = move == TreeMove::kLeft || move == TreeMove::kRight;
  return s.level + (arc && system_.labelled() ? 1 : 2);
}

uint32_t ParseSpace::add_cell(const TreeCell& made) const {
  scratch_.cells.push_back(made);
  return static_cast<uint32_t>(scratch_.cells.size() - 1);
}

/// Pops s0 and makes it a child of b0 (left) or s1.
void ParseSpace::attach(State& s, bool left, data::Label relation) const {
  const TreeCell child = cell(s.top);
  TreeCell head = cell(left ? s.front : child.next);
  // A word takes its children from the nearest outwards: the new one is the outermost.
  const size_t at = left ? 0 : 2;
  head.child[at + 1] = head.child[at];
  head.relation[at + 1] = head.relation[at];
  head.child[at] = child.word;
  head.relation[at] = relation;
  ++(left ? head.lefts : head.rights);
  uint64_t& set = left ? head.left_set : head.right_set;
  // The set is one of relations with a bit each, so that order and repetition do not matter.
  set |= uint64_t{1} << (relation % 64);
  uint64_t& key = left ? head.left_key : head.right_key;
  key = hash_combine(key + 1, (uint64_t{child.word} << 16) | relation);
  const uint32_t made = add_cell(head);
  --s.stack;
  if (left) {
    s.top = child.next;
    s.front = made;
  } else {
    s.top = made;
  }
}

ParseSpace::State ParseSpace::apply(const State& s, Action action) const {
  State out = s;
  out.level = static_cast<uint32_t>(level_after(s, action));
  if (action.label >= kTreeMoves) {
    if (gold_ != nullptr) out.lost += cost(s, action);
    out.pending = out.head_lost = 0;
    attach(out, s.pending == 1, static_cast<data::Label>(action.label - kTreeMoves));
    return out;
  }
  const auto move = static_cast<TreeMove>(action.label);
  if (gold_ != nullptr) {
    const uint32_t price = cost(s, action);
    out.lost += price;
  }
  switch (move) {
    case TreeMove::kShift: {
      TreeCell made = cell(s.front);
      out.front = made.next;
      made.next = s.top;
      out.top = add_cell(made);
      ++out.stack;
      break;
    }
    case TreeMove::kLeft:
    case TreeMove::kRight: {
      const Arc arc = arc_of(s, move);
      if (gold_ != nullptr) out.head_lost = gold_->heads[arc.dependent] != arc.head;
      out.pending = move == TreeMove::kLeft ? 1 : 2;
      if (system_.labelled()) break;
      out.pending = out.head_lost = 0;
      attach(out, move == TreeMove::kLeft, system_.relations.empty() ? system_.root : system_.relations[0]);
      break;
    }
    case TreeMove::kSwap: {
      TreeCell moved = cell(s.top), next = cell(s.front);
      out.top = moved.next;
      moved.next = next.next;
      next.next = add_cell(moved);
      out.front = add_cell(next);
      --out.stack;
      break;
    }
  }
  return out;
}

ParseSpace::Arc ParseSpace::arc_of(const State& s, TreeMove move) const {
  if (move == TreeMove::kLeft) return {word(s.top), word(s.front)};
  if (move == TreeMove::kRight) return {word(s.top), word(cell(s.top).next)};
  return {};
}

/// Children of a word that are still in the buffer.
uint32_t ParseSpace::waiting_children(const State& s, uint32_t w, Heads heads) const {
  uint32_t count = 0;
  if (s.front == kNoWord) return 0;
  for (uint32_t d = word(s.front); d < heads.size(); ++d) count += heads[d] == w;
  return count;
}

/// The arcs of a tree that can be reached before the move and not after it. A
/// tree has all arcs that can be reached one by one in reach together (Goldberg
/// and Nivre), so the best loss is the number of arcs lost on the way. The same
/// holds for a part of a tree; words with another head than these are free.
uint32_t ParseSpace::move_cost(const State& s, TreeMove move, Heads heads) const {
  const uint32_t s0 = word(s.top), b0 = word(s.front);
  if (move == TreeMove::kShift) {
    if (s.stack == 0) return 0;
    const uint32_t head = heads[b0];
    uint32_t lost = head == kNoWord;  // only the lowest word of the stack can be the root
    for (uint32_t c = s.top; c != kNoWord; c = cell(c).next) {
      const uint32_t w = word(c);
      lost += heads[w] == b0;
      lost += w == head && c != s.top;
    }
    return lost;
  }
  const uint32_t head = heads[s0];
  uint32_t lost = waiting_children(s, s0, heads);
  if (move == TreeMove::kLeft) {
    const uint32_t s1 = s.stack >= 2 ? word(cell(s.top).next) : kNoWord;
    if (head == kNoWord) {
      lost += s.stack == 1;
    } else {
      lost += head == s1 || (in_buffer(s, head) && head != b0);
    }
  } else {
    lost += in_buffer(s, head);
  }
  return lost;
}

/// Whether a word has a child in the gold tree that has no head yet.
bool ParseSpace::free_children(const State& s, uint32_t w) const {
  for (uint32_t c = s.top; c != kNoWord; c = cell(c).next)
    if (gold_->heads[word(c)] == w) return true;
  for (uint32_t c = s.front; c != kNoWord; c = cell(c).next)
    if (gold_->heads[word(c)] == w) return true;
  return false;
}

/// With swap: the next move towards the gold tree. The stack is kept in
/// projective order, so swaps sort the words as an insertion sort does. Where
/// the tree is out of reach: the arcs of it that are left are aimed at, and a
/// word whose head is gone takes any.
void ParseSpace::static_moves(const State& s, std::vector<Action>& out) const {
  const auto add = [&](TreeMove move) { out.push_back({0, static_cast<uint32_t>(move)}); };
  if (s.stack == 0) return add(TreeMove::kShift);
  const TreeCell& top = cell(s.top);
  const uint32_t head = gold_->heads[top.word];
  // Children of the top that others have got do not come any more.
  const bool complete =
      uint32_t{top.lefts} + top.rights == gold_->children[top.word] || !free_children(s, top.word);
  if (complete && s.front != kNoWord && head == word(s.front)) return add(TreeMove::kLeft);
  if (complete && s.stack >= 2 && head == word(top.next)) return add(TreeMove::kRight);
  if (s.front == kNoWord) return add(TreeMove::kRight);  // not on the path to the gold tree any more
  bool gone = complete && head != kNoWord;
  for (uint32_t c = s.top; gone && c != kNoWord; c = cell(c).next) gone = word(c) != head;
  for (uint32_t c = s.front; gone && c != kNoWord; c = cell(c).next) gone = word(c) != head;
  if (gone) {
    add(TreeMove::kLeft);
    if (s.stack >= 2) add(TreeMove::kRight);
    return;
  }
  if (top.word < word(s.front) && gold_->order[top.word] > gold_->order[word(s.front)])
    return add(TreeMove::kSwap);
  add(TreeMove::kShift);
}

uint32_t ParseSpace::cost(const State& s, Action action) const {
  if (action.label >= kTreeMoves) {
    if (s.head_lost != 0) return 0;  // paid for already
    const data::Label gold = gold_->relations[word(s.top)];
    return gold != data::kNoLabel && gold != action.label - kTreeMoves;
  }
  const auto move = static_cast<TreeMove>(action.label);
  if (!system_.swap) return move_cost(s, move, gold_->heads);
  if (move == TreeMove::kLeft || move == TreeMove::kRight) {
    const Arc arc = arc_of(s, move);
    if (gold_->heads[arc.dependent] != arc.head) return 1;
  }
  return 0;
}

void ParseSpace::optimal_actions(const State& s, std::vector<Action>& out) const {
  if (s.pending != 0) {
    const data::Label gold = gold_->relations[word(s.top)];
    const auto& all = system_.relations;
    const bool known = std::find(all.begin(), all.end(), gold) != all.end();
    if (known && s.head_lost == 0) {
      out.push_back({0, kTreeMoves + gold});
    } else {
      for (const data::Label r : all) out.push_back({0, kTreeMoves + r});
    }
    return;
  }
  if (system_.swap) return static_moves(s, out);
  // Arcs first: they are made as soon as nothing is lost by it.
  uint32_t least = 0xFFFFFFFF;
  for (const TreeMove move : {TreeMove::kLeft, TreeMove::kRight, TreeMove::kShift}) {
    if (!allowed(s, move)) continue;
    const uint32_t price = move_cost(s, move, gold_->heads);
    if (price < least) {
      out.clear();
      least = price;
    }
    if (price == least) out.push_back({0, static_cast<uint32_t>(move)});
  }
}

TreeView ParseSpace::view(const State& s) const {
  TreeView out;
  const auto at = [&](TreeRole role) -> const TreeCell*& { return out.cell[static_cast<size_t>(role)]; };
  uint32_t c = s.top;
  for (const TreeRole role : {TreeRole::kS0, TreeRole::kS1, TreeRole::kS2, TreeRole::kS3}) {
    if (c == kNoWord) break;
    at(role) = &cell(c);
    c = cell(c).next;
  }
  c = s.front;
  for (const TreeRole role : {TreeRole::kB0, TreeRole::kB1, TreeRole::kB2, TreeRole::kB3}) {
    if (c == kNoWord) break;
    at(role) = &cell(c);
    c = cell(c).next;
  }
  out.side = s.pending;
  if (s.pending != 0) {
    at(TreeRole::kDep) = at(TreeRole::kS0);
    at(TreeRole::kHead) = s.pending == 1 ? at(TreeRole::kB0) : at(TreeRole::kS1);
  }
  return out;
}

const std::vector<uint64_t>& ParseSpace::hashes(const State& s) const {
  (s.pending != 0 ? system_.labels : system_.moves).hash(sentence_, view(s), scratch_.atoms, scratch_.hashes);
  return scratch_.hashes;
}

void ParseSpace::features(const State& s, uint32_t, search::FeatureSink& sink) const {
  for (const uint64_t hash : hashes(s)) sink.add(hash);
}

void follow_path(const ParseSpace& space, std::span<const Action> actions, std::vector<uint32_t>& heads,
                 std::vector<data::Label>& relations) {
  const size_t n = space.sentence().length();
  const TreeSystem& system = space.system();
  heads.assign(n, 0);
  relations.assign(n, system.root);
  ParseSpace::State s = space.initial();
  uint32_t dependent = kNoWord;
  for (const Action action : actions) {
    if (action.label >= kTreeMoves) {
      relations[dependent] = static_cast<data::Label>(action.label - kTreeMoves);
    } else if (const auto arc = space.arc_of(s, static_cast<TreeMove>(action.label));
               arc.dependent != kNoWord) {
      dependent = arc.dependent;
      heads[dependent] = arc.head + 1;
      if (!system.labelled() && !system.relations.empty()) relations[dependent] = system.relations[0];
    }
    s = space.apply(s, action);
  }
}

}  // namespace espalier::tasks

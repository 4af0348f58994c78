#include "espalier/tasks/summary/summary_oracle.h"

#include <bit>
#include <map>
#include <memory>

#include "espalier/base/hash.h"

namespace espalier::tasks {

uint64_t piece_key(uint32_t piece) { return hash_combine(0x50A2, uint64_t{piece} + 1); }

SummaryGoal::SummaryGoal(const SummaryInput& input, std::span<const eval::RougeText> references)
    : rouge_(&input.rouge), references_(references.size()) {
  std::unordered_map<uint64_t, uint32_t> first_number;  // words of the cluster
  for (const uint64_t word : input.rouge) first_number.emplace(word, 0);
  // first word → second word → how often each reference has the pair
  std::map<uint64_t, std::map<uint64_t, std::vector<uint32_t>>> found;
  for (size_t r = 0; r < references.size(); ++r) {
    std::vector<uint64_t> words;
    for (const auto& sentence : references[r]) words.insert(words.end(), sentence.begin(), sentence.end());
    if (!words.empty()) total_ += words.size() - 1;
    for (size_t i = 0; i + 1 < words.size(); ++i) {
      if (!first_number.contains(words[i]) || !first_number.contains(words[i + 1])) continue;
      auto& counts = found[words[i]][words[i + 1]];
      counts.resize(references.size());
      ++counts[r];
    }
  }
  std::unordered_map<uint64_t, uint32_t> begin;
  worth_begin_.push_back(0);
  for (const auto& [first, seconds] : found) {
    begin[first] = static_cast<uint32_t>(seconds_.size());
    const auto end = static_cast<uint32_t>(seconds_.size() + seconds.size());
    for (const auto& [second, counts] : seconds) {
      seconds_.push_back(second);
      ends_.push_back(end);
      for (uint32_t count = 0;; ++count) {
        const auto more = std::count_if(counts.begin(), counts.end(), [&](uint32_t c) { return c > count; });
        if (more == 0) break;
        worth_.push_back(static_cast<uint32_t>(more));
      }
      worth_begin_.push_back(static_cast<uint32_t>(worth_.size()));
    }
  }
  for (const uint64_t word : input.rouge) {
    const auto at = begin.find(word);
    first_.push_back(at == begin.end() ? kNoPair : at->second);
  }
  inner_.resize(input.pieces.size());
  for (size_t p = 0; p < input.pieces.size(); ++p) {
    const SummaryPiece& piece = input.pieces[p];
    const uint32_t from = input.words[piece.first].first_rouge, to = input.words[piece.last - 1].last_rouge;
    for (uint32_t i = from; i + 1 < to; ++i)
      if (const uint32_t number = pair(i, i + 1); number != kNoPair) inner_[p].push_back(number);
  }
}

PieceSet::PieceSet(const SummaryInput& input, const SummaryGoal& goal)
    : input_(&input), goal_(&goal), bits_((input.pieces.size() + 63) / 64, 0), counts_(goal.pairs(), 0) {}

uint32_t PieceSet::next(uint32_t piece) const {
  for (size_t block = piece / 64; block < bits_.size(); ++block) {
    uint64_t bits = bits_[block];
    if (block == piece / 64) bits &= ~uint64_t{0} << (piece % 64);
    if (bits != 0) return static_cast<uint32_t>(64 * block) + static_cast<uint32_t>(std::countr_zero(bits));
  }
  return kNoPiece;
}

uint32_t PieceSet::before(uint32_t piece) const {
  for (size_t block = piece / 64 + 1; block-- > 0;) {
    uint64_t bits = bits_[block];
    if (block == piece / 64) bits &= (uint64_t{1} << (piece % 64)) - 1;
    if (bits != 0)
      return static_cast<uint32_t>(64 * block) + 63 - static_cast<uint32_t>(std::countl_zero(bits));
  }
  return kNoPiece;
}

void PieceSet::count_pair(uint32_t pair, int times) {
  if (times > 0) {
    worth_ += goal_->worth(pair, counts_[pair]++);
  } else {
    worth_ -= goal_->worth(pair, --counts_[pair]);
  }
}

void PieceSet::count(uint32_t first, uint32_t last, int times) {
  uint32_t left = before(first);
  for (uint32_t p = next(first); p != kNoPiece; p = next(p + 1)) {
    const SummaryPiece& piece = input_->pieces[p];
    if (left != kNoPiece) {
      const SummaryWord& word = input_->words[input_->pieces[left].last - 1];
      const uint32_t pair = goal_->pair(word.last_rouge - 1, input_->words[piece.first].first_rouge);
      if (pair != SummaryGoal::kNoPair) count_pair(pair, times);
    }
    if (p > last) break;
    for (const uint32_t pair : goal_->inner(p)) count_pair(pair, times);
    left = p;
    if (p + 1 == input_->pieces.size()) break;
  }
}

void PieceSet::change(std::span<const uint32_t> pieces, bool add) {
  if (pieces.empty()) return;
  count(pieces.front(), pieces.back(), -1);
  for (const uint32_t p : pieces) {
    bits_[p / 64] ^= uint64_t{1} << (p % 64);
    words_ = add ? words_ + input_->pieces[p].size() : words_ - input_->pieces[p].size();
    key_ = add ? key_ + piece_key(p) : key_ - piece_key(p);
  }
  count(pieces.front(), pieces.back(), 1);
}

SummaryOracle::SummaryOracle(const SummaryInput& input, std::span<const eval::RougeText> references,
                             size_t beam)
    : input_(input), goal_(input, references), beam_(beam) {
  ESPALIER_CHECK(beam > 0 && !references.empty());
  list_steps();
}

void SummaryOracle::add_step(std::initializer_list<uint32_t> pieces, uint32_t pair) {
  Step step;
  for (uint32_t p : pieces)
    for (; p != kNoPiece; p = input_.pieces[p].parent) step.pieces.push_back(p);
  std::sort(step.pieces.begin(), step.pieces.end());
  step.pieces.erase(std::unique(step.pieces.begin(), step.pieces.end()), step.pieces.end());
  step.sentence = input_.pieces[step.pieces.front()].sentence;
  const auto number = static_cast<uint32_t>(steps_.size());
  steps_of_sentence_[step.sentence].push_back(number);
  if (pair != SummaryGoal::kNoPair) steps_of_pair_[pair].push_back(number);
  steps_.push_back(std::move(step));
}

void SummaryOracle::list_steps() {
  constexpr uint32_t kReach = 3;  // words that are left out between the two, and one
  steps_of_sentence_.resize(input_.sentences.size());
  steps_of_pair_.resize(goal_.pairs());
  for (uint32_t p = 0; p < input_.pieces.size(); ++p) {
    if (input_.unit == SummaryUnit::kSentence || !goal_.inner(p).empty()) add_step({p}, SummaryGoal::kNoPair);
    if (input_.unit == SummaryUnit::kSentence) continue;
    const SentenceStatistics& sentence = input_.sentences[input_.pieces[p].sentence];
    for (uint32_t q = p + 1; q < sentence.last_piece && q <= p + kReach; ++q) {
      const uint32_t pair = goal_.pair(input_.words[p].last_rouge - 1, input_.words[q].first_rouge);
      if (pair != SummaryGoal::kNoPair) add_step({p, q}, pair);
    }
  }
}

/// A beam over the numbers of words.
class SummaryOracle::Search {
 public:
  explicit Search(const SummaryOracle& oracle)
      : oracle_(oracle), limit_(oracle.input_.limit), waiting_(limit_ + 1) {}

  PieceSet run(const PieceSet& start) {
    nodes_.push_back(std::make_unique<Node>(Node{start, std::vector<int32_t>(oracle_.steps_.size(), 0)}));
    for (uint32_t s = 0; s < oracle_.steps_.size(); ++s) update(*nodes_[0], s);
    expand(0);
    size_t best = 0;
    for (size_t level = start.words() + 1; level <= limit_; ++level) {
      prune(waiting_[level]);
      const std::vector<Child> children = std::move(waiting_[level]);
      for (const Child& child : children) {
        make_node(child);
        if (nodes_.back()->set.worth() > nodes_[best]->set.worth()) best = nodes_.size() - 1;
        expand(nodes_.size() - 1);
      }
    }
    return nodes_[best]->set;
  }

 private:
  struct Node {
    PieceSet set;
    std::vector<int32_t> gain;  ///< by step; those in other sentences are of an earlier state
  };
  struct Child {
    size_t parent;
    uint32_t step;
    int64_t worth;
    uint64_t key;
  };

  std::vector<uint32_t>& missing(const PieceSet& set, uint32_t step) {
    missing_.clear();
    for (const uint32_t p : oracle_.steps_[step].pieces)
      if (!set.has(p)) missing_.push_back(p);
    return missing_;
  }
  void update(Node& node, uint32_t step) {
    node.gain[step] = static_cast<int32_t>(node.set.gain(missing(node.set, step), true));
  }
  void make_node(const Child& child) {
    nodes_.push_back(std::make_unique<Node>(*nodes_[child.parent]));
    Node& node = *nodes_.back();
    node.set.add(missing(node.set, child.step));
    if (oracle_.input_.unit == SummaryUnit::kSentence) {
      for (uint32_t s = 0; s < oracle_.steps_.size(); ++s) update(node, s);
      return;
    }
    const uint32_t sentence = oracle_.steps_[child.step].sentence;
    for (const uint32_t s : oracle_.steps_of_sentence_[sentence]) update(node, s);
    // The pairs of a few words are worth less the second time.
    const auto& pieces = oracle_.steps_[child.step].pieces;
    for (size_t i = 0; i + 1 < pieces.size(); ++i) {
      const uint32_t pair = oracle_.goal_.pair(oracle_.input_.words[pieces[i]].last_rouge - 1,
                                               oracle_.input_.words[pieces[i + 1]].first_rouge);
      if (pair == SummaryGoal::kNoPair) continue;
      for (const uint32_t s : oracle_.steps_of_pair_[pair]) update(node, s);
    }
  }
  void expand(size_t n) {
    const Node& node = *nodes_[n];
    for (uint32_t s = 0; s < oracle_.steps_.size(); ++s) {
      if (node.gain[s] <= 0) continue;
      size_t words = node.set.words();
      uint64_t key = node.set.key();
      for (const uint32_t p : oracle_.steps_[s].pieces)
        if (!node.set.has(p)) {
          words += oracle_.input_.pieces[p].size();
          key += piece_key(p);
        }
      if (words > limit_ || words == node.set.words()) continue;
      std::vector<Child>& level = waiting_[words];
      level.push_back({n, s, node.set.worth() + node.gain[s], key});
      if (level.size() >= 8 * oracle_.beam_) prune(level);
    }
  }
  /// Keeps the best of each set of pieces, and of these the best.
  void prune(std::vector<Child>& level) const {
    std::stable_sort(level.begin(), level.end(),
                     [](const Child& a, const Child& b) { return a.worth > b.worth; });
    size_t kept = 0;
    for (size_t i = 0; i < level.size() && kept < oracle_.beam_; ++i) {
      const bool twice = std::any_of(level.begin(), level.begin() + static_cast<ptrdiff_t>(kept),
                                     [&](const Child& other) { return other.key == level[i].key; });
      if (!twice) level[kept++] = level[i];
    }
    level.resize(kept, Child{0, 0, 0, 0});
  }

  const SummaryOracle& oracle_;
  size_t limit_;
  std::vector<std::vector<Child>> waiting_;  ///< by words
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<uint32_t> missing_;
};

PieceSet SummaryOracle::complete(const PieceSet& start) const { return Search(*this).run(start); }

void SummaryOracle::fill(PieceSet& set) const {
  while (true) {
    uint32_t best = kNoPiece;
    int64_t most = 0;
    for (uint32_t p = 0; p < input_.pieces.size(); ++p) {
      const SummaryPiece& piece = input_.pieces[p];
      if (set.has(p) || (piece.parent != kNoPiece && !set.has(piece.parent)) ||
          set.words() + piece.size() > input_.limit)
        continue;
      const int64_t gain = set.gain({{p}}, true);
      // Ties: rather a word more of a sentence that is there.
      const bool better =
          best == kNoPiece || gain > most ||
          (gain == most && input_.pieces[best].parent == kNoPiece && piece.parent != kNoPiece);
      if (better) {
        best = p;
        most = gain;
      }
    }
    if (best == kNoPiece) return;
    set.add({{best}});
  }
}

std::vector<SummaryOracle::Leaf> SummaryOracle::leaves(PieceSet& set, const PieceSet& fixed) const {
  std::vector<Leaf> out;
  for (uint32_t p = set.next(0); p != kNoPiece;
       p = p + 1 < input_.pieces.size() ? set.next(p + 1) : kNoPiece) {
    if (fixed.has(p)) continue;
    const SummaryPiece& piece = input_.pieces[p];
    bool leaf = true;
    for (uint32_t c = piece.first_child; c < piece.last_child; ++c)
      leaf = leaf && !set.has(input_.children[c]);
    if (leaf) out.push_back({p, -set.gain({{p}}, false)});
  }
  // Those that lose least per word first.
  std::stable_sort(out.begin(), out.end(), [&](const Leaf& a, const Leaf& b) {
    return a.loss * input_.pieces[b.piece].size() < b.loss * input_.pieces[a.piece].size();
  });
  return out;
}

void SummaryOracle::repair(PieceSet& set, const PieceSet& fixed) const {
  while (set.words() > input_.limit) {
    const std::vector<Leaf> least = leaves(set, fixed);
    ESPALIER_CHECK(!least.empty());
    set.remove({{least.front().piece}});
  }
}

PieceSet SummaryOracle::set_of(const std::vector<uint32_t>& chosen) const {
  PieceSet out(input_, goal_);
  for (const uint32_t p : chosen) out.add({{p}});
  return out;
}

PieceSet SummaryOracle::best_for(const PieceSet& state) {
  const int most_repairs = input_.unit == SummaryUnit::kWord ? 40 : 8;
  if (last_.empty() || repairs_ >= most_repairs || state.words() == 0) {
    repairs_ = 0;
    return complete(state);
  }
  PieceSet best = set_of(last_);
  int added = 0;
  for (uint32_t p = state.next(0); p != kNoPiece;
       p = p + 1 < input_.pieces.size() ? state.next(p + 1) : kNoPiece)
    if (!best.has(p)) {
      best.add({{p}});
      ++added;
    }
  if (added == 0) return best;
  if (added > most_repairs) {
    repairs_ = 0;
    return complete(state);
  }
  ++repairs_;
  repair(best, state);
  return best;
}

double SummaryOracle::growth(PieceSet& state, uint32_t p) const {
  const auto under = input_.words_under(p);
  // The pieces of single words are words.
  const bool sentence = input_.unit == SummaryUnit::kSentence;
  const int64_t gained = sentence ? state.gain({{p}}, true) : state.gain(under, true);
  return static_cast<double>(gained) / static_cast<double>(under.size() * goal_.references());
}

SummaryOracle::Answer SummaryOracle::make_answer(PieceSet& state, const PieceSet& best) const {
  Answer out;
  out.best_loss = loss(best.worth());
  double most = 0;
  for (uint32_t p = 0; p < input_.pieces.size(); ++p) {
    const SummaryPiece& piece = input_.pieces[p];
    if (state.has(p)) continue;
    if (best.has(p)) out.wanted.push_back(p);
    if ((piece.parent != kNoPiece && !state.has(piece.parent)) || state.words() + piece.size() > input_.limit)
      continue;
    const double value = growth(state, p);
    most = out.regrets.empty() ? value : std::max(most, value);
    out.regrets.push_back({p, static_cast<float>(value)});
  }
  for (Regret& regret : out.regrets) regret.cost = static_cast<float>(most) - regret.cost;
  return out;
}

const SummaryOracle::Answer& SummaryOracle::answer(const std::vector<uint32_t>& chosen, uint64_t key) {
  constexpr size_t kMostKnown = 2000;
  if (known_.size() >= kMostKnown && !known_.contains(key)) known_.clear();
  auto found = known_.find(key);
  if (found == known_.end()) {
    PieceSet state = set_of(chosen);
    const PieceSet best = best_for(state);
    found = known_.emplace(key, make_answer(state, best)).first;
  }
  last_ = chosen;
  last_.insert(last_.end(), found->second.wanted.begin(), found->second.wanted.end());
  return found->second;
}

}  // namespace espalier::tasks

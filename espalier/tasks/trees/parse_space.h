// Dependency parsing as a search space: the arc-hybrid system (Kuhlmann et al. 2011) with the dynamic oracle
// of Goldberg and Nivre (2013), and optionally a swap move (Nivre 2009; de Lhoneux et al. 2017) that reaches
// every tree, also those that are not projective.
//
// A state has a stack and a buffer of words. Moves:
//   shift   the next word b0 of the buffer goes onto the stack
//   left    the top s0 of the stack becomes a dependent of b0 and leaves the stack
//   right   s0 becomes a dependent of the word s1 below it and leaves the stack
//   swap    s0 goes back into the buffer, behind b0; only if s0 comes before b0 in the sentence
// After left and right, a second action chooses the relation. There is no artificial root: the word that is
// left when the buffer is empty is the root, so every path ends in a tree with exactly one root. A sentence
// of n words takes n shifts and n − 1 arcs (two more moves for each swap); every step is O(1).
// States of the same number of moves compete in a beam (level).
//
// Tested in parse_space_test.cc, the oracles there against all completions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/data/label_set.h"
#include "espalier/search/space.h"
#include "espalier/tasks/trees/sentence.h"
#include "espalier/tasks/trees/tree_blocks.h"
#include "espalier/tasks/trees/tree_rules.h"

namespace espalier::tasks {

enum class TreeMove : uint32_t { kShift, kLeft, kRight, kSwap };
inline constexpr uint32_t kTreeMoves = 4;  ///< labels from here on are relations

/// What a parser is made of, apart from its weights. Shared by all sentences.
struct TreeSystem {
  bool swap = false;
  data::Label root = 0;  ///< the relation of the root
  /// The relations that other words may have; one: arcs get it without a second action.
  std::vector<data::Label> relations;
  size_t all_relations = 1;  ///< numbers of relations are below this
  TreeColumns columns;
  TreeFeatures moves, labels;
  /// The same features as trained parsers sum them.
  TreeBlocks move_blocks{moves.section(), TreeBlocks::Cut::kByLooks};
  TreeBlocks label_blocks{labels.section(), TreeBlocks::Cut::kOne};

  bool labelled() const { return relations.size() > 1; }
};

/// The true tree of a sentence, as the oracle uses it.
struct GoldTree {
  std::vector<uint32_t> heads;         ///< words from 0; kNoWord: the root
  std::vector<data::Label> relations;  ///< kNoLabel: not known, any is right
  std::vector<uint32_t> order;         ///< with swap: projective_order
  std::vector<uint32_t> children;      ///< how many each word has

  static GoldTree make(std::span<const uint32_t> heads, std::vector<data::Label> relations, bool swap);
};

/// Buffers that searches over one sentence after another reuse.
struct TreeScratch {
  std::vector<TreeCell> cells;
  std::vector<uint64_t> atoms, hashes;
  std::vector<uint32_t> on_stack;  ///< by word: the number of the last query that found it on the stack
  uint32_t query = 0;
};

class ParseSpace {
 public:
  struct State {
    uint32_t top = kNoWord, front = kNoWord;  ///< cells
    uint32_t stack = 0;                       ///< words on the stack
    uint32_t level = 0;
    uint32_t lost = 0;       ///< with a gold tree: words that cannot get their true head or relation any more
    uint32_t pending = 0;    ///< 1: a left arc waits for its relation, 2: a right arc
    uint32_t head_lost = 0;  ///< whether that arc is wrong
  };

  /// `gold` is null outside training, `rules` where nothing is forbidden or
  /// forced. All references outlive the space; a scratch serves one space at a
  /// time.
  ParseSpace(const TreeSystem& system, const TreeSentence& sentence, TreeScratch& scratch,
             const GoldTree* gold, const SentenceRules* rules = nullptr);

  State initial() const;
  bool is_goal(const State& s) const { return s.front == kNoWord && s.stack <= 1 && s.pending == 0; }
  /// What the rules allow; all moves where they allow none (stuck()).
  void actions(const State& s, std::vector<search::Action>& out) const;
  /// Whether every move breaks a rule, now or in the end.
  bool stuck(const State& s) const;
  State apply(const State& s, search::Action action) const;
  size_t labels() const { return kTreeMoves + system_.all_relations; }
  void features(const State& s, uint32_t candidate, search::FeatureSink& sink) const;
  size_t level(const State& s) const { return s.level; }
  size_t level_after(const State& s, search::Action action) const;

  double loss(const State& s) const { return s.lost; }
  double best_loss(const State& s) const { return s.lost; }
  /// How much better the best completion could have been without this action.
  /// Precondition: a gold tree. With swap it counts wrong arcs alone.
  uint32_t cost(const State& s, search::Action action) const;
  void optimal_actions(const State& s, std::vector<search::Action>& out) const;

  /// The hashes of the features that decide in a state, in scratch that the next call overwrites.
  const std::vector<uint64_t>& hashes(const State& s) const;
  TreeView view(const State& s) const;
  const TreeSystem& system() const { return system_; }
  const TreeSentence& sentence() const { return sentence_; }
  /// The word that an action gives a head to, and that head (kNoWord: none, the action makes no arc).
  struct Arc {
    uint32_t dependent = kNoWord, head = kNoWord;
  };
  Arc arc_of(const State& s, TreeMove move) const;

 private:
  const TreeCell& cell(uint32_t c) const { return scratch_.cells[c]; }
  uint32_t word(uint32_t c) const { return c == kNoWord ? kNoWord : scratch_.cells[c].word; }
  bool allowed(const State& s, TreeMove move) const;
  uint32_t add_cell(const TreeCell& made) const;
  void attach(State& s, bool left, data::Label relation) const;
  bool in_buffer(const State& s, uint32_t w) const {
    return s.front != kNoWord && w < sentence_.length() && w >= word(s.front);
  }
  using Heads = std::span<const uint32_t>;
  uint32_t waiting_children(const State& s, uint32_t w, Heads heads) const;
  uint32_t move_cost(const State& s, TreeMove move, Heads heads) const;
  void static_moves(const State& s, std::vector<search::Action>& out) const;
  bool free_children(const State& s, uint32_t w) const;
  bool breaks_rules(const State& s, TreeMove move) const;
  void legal_moves(const State& s, std::vector<search::Action>& out) const;
  void legal_relations(const State& s, std::vector<search::Action>& out) const;

  const TreeSystem& system_;
  const TreeSentence& sentence_;
  TreeScratch& scratch_;
  const GoldTree* gold_;
  const SentenceRules* rules_;
};

/// The tree that a path of actions builds: heads from 1 (0: the root), and relations.
void follow_path(const ParseSpace& space, std::span<const search::Action> actions,
                 std::vector<uint32_t>& heads, std::vector<data::Label>& relations);

}  // namespace espalier::tasks

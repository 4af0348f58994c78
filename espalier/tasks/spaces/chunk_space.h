// The search space that segments a sequence chunk by chunk (SEARN, section 6.1.5), and the conversion between
// labels and chunks: chunks_of() and labels_of(). A state has L·M actions for L types and chunks of at most M
// tokens. Chunks are decided from left to right only. Also tested in history_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/constrain/completion.h"
#include "espalier/search/space.h"
#include "espalier/tasks/spaces/decision_plan.h"
#include "espalier/tasks/spaces/recent_labels.h"

namespace espalier::tasks {

/// A segment and its type. Tokens outside any segment are chunks of length 1 and type 0.
struct Chunk {
  uint32_t first = 0, length = 1, type = 0;
  bool operator==(const Chunk&) const = default;
};

/// Numbers of the feature blocks of a sequence of T tokens whose chunks have at most M tokens.
struct ChunkBlocks {
  size_t tokens, longest;
  bool places = false;  ///< whether tokens also have a block for each position in a chunk after the first

  uint32_t begin(size_t t) const { return static_cast<uint32_t>(t); }             ///< token t begins a chunk
  uint32_t inside(size_t t) const { return static_cast<uint32_t>(tokens + t); }   ///< t continues one
  uint32_t end(size_t t) const { return static_cast<uint32_t>(2 * tokens + t); }  ///< t ends one
  uint32_t pair(size_t t) const {
    return static_cast<uint32_t>(3 * tokens + t);
  }  ///< tokens t and t+1 are in one chunk
  uint32_t triple(size_t t) const { return static_cast<uint32_t>(4 * tokens + t); }  ///< tokens t to t+2 are
  uint32_t whole(size_t t, size_t length) const {
    return static_cast<uint32_t>(5 * tokens + t * longest + length - 1);
  }
  /// Token t comes after `after` others of its chunk, at least one.
  uint32_t place(size_t t, size_t after) const {
    return static_cast<uint32_t>((5 + longest) * tokens + t * (longest - 1) + after - 1);
  }
  size_t size() const { return (5 + longest + (places ? longest - 1 : 0)) * tokens; }

  enum Kind { kRole, kGram, kWholeChunk, kPlace };
  struct What {
    Kind kind;
    size_t number;  ///< the role (0 begin, 1 inside, 2 end), or the number of tokens before the position
    size_t first, length;
  };
  What what(uint32_t block) const;
  /// Calls use(what) for every block in order.
  template <typename Use>
  void for_each(const Use& use) const {
    for (size_t role = 0; role < 3; ++role)
      for (size_t t = 0; t < tokens; ++t) use(What{kRole, role, t, 1});
    for (size_t length = 2; length < 4; ++length)
      for (size_t t = 0; t < tokens; ++t) use(What{kGram, 0, t, length});
    for (size_t t = 0; t < tokens; ++t)
      for (size_t length = 1; length <= longest; ++length) use(What{kWholeChunk, 0, t, length});
    for (size_t t = 0; t < tokens && places; ++t)
      for (size_t after = 1; after < longest; ++after) use(What{kPlace, after, t, 1});
  }
  /// Calls use(block) for every block of a chunk.
  template <typename Use>
  void for_each_of(size_t first, size_t length, const Use& use) const {
    const size_t last = first + length - 1;
    use(begin(first));
    for (size_t t = first + 1; t <= last; ++t) use(inside(t));
    use(end(last));
    for (size_t t = first; t + 1 <= last; ++t) use(pair(t));
    for (size_t t = first; t + 2 <= last; ++t) use(triple(t));
    use(whole(first, length));
    for (size_t t = first + 1; places && t <= last; ++t) use(place(t, t - first));
  }
};

/// What decisions see of a token in addition to its blocks, for features that also look at the previous
/// chunks.
struct TokenLook {
  uint64_t word = 0;  ///< hash of the lower-case word
  uint64_t tag = 0;   ///< hash of all its symbols; of its case pattern if it has none
};

struct ChunkInput {
  size_t length = 0;
  std::span<const Chunk> gold;       ///< covers the whole sequence; empty when only decoding
  std::span<const TokenLook> looks;  ///< one per token, or empty
  /// What constraints allow, and the labels of a chunk of each type (chunk_moves). Null: no constraints.
  const constrain::Completion* legal = nullptr;
  std::span<const constrain::Move> moves = {};
};

/// One decision per chunk: candidate m is a chunk of m + 1 tokens, the label is its type. Type 0 (outside)
/// has length 1. In a breadth-first search, states compete if they cover the same tokens.
class ChunkSpace {
 public:
  struct State {
    uint32_t at = 0;          ///< number of tokens covered
    uint32_t last_begin = 0;  ///< first token of the last chunk
    uint32_t errors = 0;      ///< number of wrong token labels
    uint32_t predicted = 0, correct = 0;
    constrain::Completion::State legal = 0;  ///< state of the constraints' automata
    /// Types of the previous chunks, latest first; kNoLabel where there is none. As many as features look at.
    RecentLabels<4> types;
  };

  ChunkSpace(const DecisionPlan& plan, const ChunkInput& input);

  State initial() const {
    State s;
    s.types = RecentLabels<4>(plan_.history);
    if (input_.legal != nullptr) s.legal = input_.legal->start();
    return s;
  }
  bool is_goal(const State& s) const { return s.at == input_.length; }
  void actions(const State& s, std::vector<search::Action>& out) const;
  State apply(const State& s, search::Action action) const;
  size_t labels() const { return plan_.types.size(); }
  void features(const State& s, uint32_t candidate, search::FeatureSink& sink) const;
  void shared_features(const State& s, search::FeatureSink& sink) const;
  void added_features(const State& s, uint32_t candidate, search::FeatureSink& sink) const;
  void own_features(const State& s, uint32_t candidate, search::FeatureSink& sink) const;
  size_t level(const State& s) const { return s.at; }
  size_t level_after(const State& s, search::Action action) const { return s.at + action.candidate + 1; }

  double loss(const State& s) const { return best_loss(s); }
  double best_loss(const State& s) const;
  void optimal_actions(const State& s, std::vector<search::Action>& out) const;
  /// The number of wrong labels; for F1, of missed plus wrong segments.
  double loss_so_far(const State& s) const {
    if (plan_.loss != SequenceLoss::kF1) return s.errors;
    const double begun = gold_begins_after_[0] - gold_begins_after_[s.at];
    return begun + s.predicted - 2.0 * s.correct;
  }
  /// The future depends on the last chunks and on the state of the constraints.
  uint64_t future_key(const State& s) const { return hash_combine(s.types.hash(s.last_begin), s.legal); }
  State goal_like(const State& s, const State& other, const State& goal) const {
    return with_counts_from(s, other, goal);
  }
  std::string entry_name(const State& s, uint32_t candidate, size_t i) const;

 private:
  /// Calls emit(hash, [&] { return name; }) for each feature that depends on the previous chunks. Those of
  /// the state alone, those that also look at the candidate, or both.
  enum class Entries { kAll, kShared, kOwn };
  template <Entries kWhich, typename Emit>
  void visit_entries(const State& s, uint32_t candidate, const Emit& emit) const;
  /// The gold chunk that contains token t.
  const Chunk& gold_at(size_t t) const { return input_.gold[gold_of_[t]]; }
  constrain::Completion::State legal_after(const State& s, search::Action action) const {
    return input_.legal->after(s.at, s.legal, input_.moves[action.label], action.candidate + 1);
  }
  bool allowed(const State& s, search::Action action) const {
    return input_.legal == nullptr || legal_after(s, action) != constrain::Completion::kNowhere;
  }

  const DecisionPlan& plan_;
  ChunkInput input_;
  ChunkBlocks blocks_;
  std::vector<uint32_t> gold_of_;            ///< per token
  std::vector<uint32_t> gold_begins_after_;  ///< number of gold segments that begin at t or later
};

/// The labels of chunks of each type, as moves of a constrained search. Fails for schemes in which a chunk's
/// labels depend on its neighbours (iob1, ioe1).
Result<std::vector<constrain::Move>> chunk_moves(const DecisionPlan& plan);

/// The chunks of a sequence of labels. Chunks longer than `longest` are cut into pieces of that length;
/// `cut`, if given, is increased by the number of such chunks.
std::vector<Chunk> chunks_of(const DecisionPlan& plan, std::span<const data::Label> labels, size_t longest,
                             size_t* cut = nullptr);
/// The inverse: the label of every token. Preconditions: the chunks cover `length` tokens, and the plan has
/// all labels of its scheme for every type (add_scheme_labels).
std::vector<data::Label> labels_of(const DecisionPlan& plan, std::span<const Chunk> chunks, size_t length);
/// Adds the labels that a scheme may need for the existing types, such as I-X if training only had B-X.
void add_scheme_labels(DecisionPlan& plan);

}  // namespace espalier::tasks

// Segmenting a sequence chunk by chunk, as a search (section 6.1.5).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/constrain/completion.h"
#include "espalier/search/space.h"
#include "espalier/tasks/spaces/recent_labels.h"
#include "espalier/tasks/spaces/sequence_shape.h"

namespace espalier::tasks {

/// A segment of a type; single tokens of type 0 are outside.
struct Chunk {
  uint32_t first = 0, length = 1, type = 0;
  bool operator==(const Chunk&) const = default;
};

/// Which block stands for what, in a sequence of T tokens whose chunks have at most M.
struct ChunkBlocks {
  size_t tokens, longest;
  bool places = false;  ///< tokens also have a block for each place in a chunk but the first

  uint32_t begin(size_t t) const { return static_cast<uint32_t>(t); }              ///< t begins a chunk
  uint32_t inside(size_t t) const { return static_cast<uint32_t>(tokens + t); }    ///< … goes on in one
  uint32_t end(size_t t) const { return static_cast<uint32_t>(2 * tokens + t); }   ///< … ends one
  uint32_t pair(size_t t) const { return static_cast<uint32_t>(3 * tokens + t); }  ///< t, t+1 within a chunk
  uint32_t triple(size_t t) const { return static_cast<uint32_t>(4 * tokens + t); }  ///< t … t+2
  uint32_t whole(size_t t, size_t length) const {
    return static_cast<uint32_t>(5 * tokens + t * longest + length - 1);
  }
  /// Token t follows so many others of its chunk, at least one.
  uint32_t place(size_t t, size_t after) const {
    return static_cast<uint32_t>((5 + longest) * tokens + t * (longest - 1) + after - 1);
  }
  size_t size() const { return (5 + longest + (places ? longest - 1 : 0)) * tokens; }

  enum Kind { kRole, kGram, kWholeChunk, kPlace };
  struct What {
    Kind kind;
    size_t number;  ///< of the role (0 begin, 1 inside, 2 end), or of tokens before the place
    size_t first, length;
  };
  What what(uint32_t block) const;
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

/// What decisions see of a token beside its blocks, to be joined with the chunks before.
struct TokenLook {
  uint64_t word = 0;  ///< hash of the word in lower case
  uint64_t tag = 0;   ///< of its symbols together; of its case pattern where there are none
};

struct ChunkInput {
  size_t length = 0;
  std::span<const Chunk> gold;       ///< covers the sequence; empty when only decoding
  std::span<const TokenLook> looks;  ///< of each token; may be empty
  /// What constraints leave to do, and the labels of a chunk of each type (chunk_moves); null: everything.
  const constrain::Completion* legal = nullptr;
  std::span<const constrain::Move> moves = {};
};

/// One decision a chunk: candidate m is a chunk of m + 1 tokens, the label its type; type 0 (outside) has one
/// token. States of a breadth-first search compete where they have covered the same tokens.
class ChunkSpace {
 public:
  struct State {
    uint32_t at = 0;          ///< tokens covered
    uint32_t last_begin = 0;  ///< of the last chunk
    uint32_t errors = 0;      ///< wrong token labels
    uint32_t predicted = 0, correct = 0;
    constrain::Completion::State legal = 0;  ///< what constraints remember
    /// Types of the chunks before, the latest first; kNoLabel: there was none. As many as are looked at.
    RecentLabels<4> types;
  };

  ChunkSpace(const SequenceShape& shape, const ChunkInput& input);

  State initial() const {
    State s;
    s.types = RecentLabels<4>(shape_.history);
    if (input_.legal != nullptr) s.legal = input_.legal->start();
    return s;
  }
  bool is_goal(const State& s) const { return s.at == input_.length; }
  void actions(const State& s, std::vector<search::Action>& out) const;
  State apply(const State& s, search::Action action) const;
  size_t labels() const { return shape_.types.size(); }
  void features(const State& s, uint32_t candidate, search::FeatureSink& sink) const;
  size_t level(const State& s) const { return s.at; }

  double loss(const State& s) const { return best_loss(s); }
  double best_loss(const State& s) const;
  void optimal_actions(const State& s, std::vector<search::Action>& out) const;
  /// Wrong labels; with F1 segments missed and segments made up.
  double loss_so_far(const State& s) const {
    if (shape_.loss != SequenceLoss::kF1) return s.errors;
    const double begun = gold_begins_after_[0] - gold_begins_after_[s.at];
    return begun + s.predicted - 2.0 * s.correct;
  }
  /// What lies ahead of a place depends on the last chunks and on what constraints remember.
  uint64_t future_key(const State& s) const { return hash_combine(s.types.hash(s.last_begin), s.legal); }
  State goal_like(const State& s, const State& other, const State& goal) const {
    State out = goal;
    out.errors = s.errors + (goal.errors - other.errors);
    out.predicted = s.predicted + (goal.predicted - other.predicted);
    out.correct = s.correct + (goal.correct - other.correct);
    return out;
  }
  std::string entry_name(const State& s, uint32_t candidate, size_t i) const;

 private:
  /// Calls emit(hash, [&] { return name; }) for what depends on the chunks before.
  template <typename Emit>
  void visit_entries(const State& s, uint32_t candidate, const Emit& emit) const;
  /// The gold chunk that token t is in.
  const Chunk& gold_at(size_t t) const { return input_.gold[gold_of_[t]]; }
  constrain::Completion::State legal_after(const State& s, search::Action action) const {
    return input_.legal->after(s.at, s.legal, input_.moves[action.label], action.candidate + 1);
  }
  bool allowed(const State& s, search::Action action) const {
    return input_.legal == nullptr || legal_after(s, action) != constrain::Completion::kNowhere;
  }

  const SequenceShape& shape_;
  ChunkInput input_;
  ChunkBlocks blocks_;
  std::vector<uint32_t> gold_of_;            ///< per token
  std::vector<uint32_t> gold_begins_after_;  ///< chunks of a type that begin at t or later
};

/// The labels of chunks of each type, as moves of a constrained search. Fails where the scheme lets a chunk's
/// labels depend on its neighbours (iob1, ioe1).
Result<std::vector<constrain::Move>> chunk_moves(const SequenceShape& shape);

/// The chunks in a sequence of labels. Chunks longer than `longest` are cut into pieces of that length;
/// `cut`, if given, is raised by the number of such chunks.
std::vector<Chunk> chunks_of(const SequenceShape& shape, std::span<const data::Label> labels, size_t longest,
                             size_t* cut = nullptr);
/// And back: the label of every token. Precondition: the chunks cover `length` tokens, and the shape has the
/// labels of its scheme for every type (add_scheme_labels).
std::vector<data::Label> labels_of(const SequenceShape& shape, std::span<const Chunk> chunks, size_t length);
/// Adds what a scheme may ask for with the types there are: I-X where training only had B-X.
void add_scheme_labels(SequenceShape& shape);

}  // namespace espalier::tasks

// Keeps a search within the constraints: which decisions can still end in a labelling that satisfies them.
// Make one Completion per sequence; ask it for the state after each move.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/deadline.h"
#include "espalier/constrain/compile.h"

namespace espalier::constrain {

/// A decision of a search at a token: label it, or label a segment of up to `longest` tokens as `single`, or
/// as `first`, any number of `middle`, and `last`.
struct Move {
  data::Label single = 0, first = 0, middle = 0, last = 0;
  size_t longest = 1;
};

/// The constraints as one automaton over a sequence of known length: a state combines the states of all
/// automata with what pair rules need to know of the previous label. For each position it stores the states
/// from which moves can reach the end without breaking a hard rule. A search that only moves into such states
/// never reaches a dead end and never breaks a rule. Time and memory: positions × reachable states × moves.
/// Immutable; holds no references.
///
/// Precondition: compiled.regular(), and every rule is hard.
class Completion {
 public:
  using State = uint64_t;
  static constexpr State kNowhere = ~State{0};

  /// Fails if the rules need more than `max_states` states in total, or more time. `forced`, if not empty,
  /// holds the label that each token must get, or kNoLabel.
  static Result<Completion> make(const Compiled& compiled, const Instance& instance,
                                 const std::vector<Move>& moves, std::span<const data::Label> forced = {},
                                 Deadline deadline = {}, size_t max_states = size_t{1} << 22);

  /// True if no labelling of this length that moves can produce satisfies the rules.
  bool infeasible() const { return alive_.front().empty(); }
  State start() const { return start_; }
  /// The state after a move of `length` tokens from token t, or kNowhere if no completion can satisfy the
  /// rules.
  State after(size_t t, State state, const Move& move, size_t length) const;

 private:
  State step(size_t t, State state, data::Label label) const;
  template <typename Visit>
  void for_each_end(size_t t, State state, const Move& move, Visit&& visit) const;
  bool accepting(State state) const;
  bool alive(size_t t, State state) const;

  struct Memory {
    size_t radix = 1, states = 1;
    std::vector<uint32_t> next;  ///< states × K; kStuck: forbidden
    std::vector<uint8_t> accepting;
  };
  size_t length_ = 0, labels_ = 0;
  State start_ = 0;
  std::vector<Memory> memories_;
  std::vector<uint8_t> forbidden_;         ///< length × K; empty: nothing is
  std::vector<std::vector<State>> alive_;  ///< per position, ascending
};

/// The moves of a search that labels token by token.
std::vector<Move> label_moves(size_t labels);

}  // namespace espalier::constrain

// What the references say about a summary in the making: how many of their pairs of neighbouring words it
// has (ROUGE-2), and the best way to complete it, found by search (Daumé, Langford and Marcu 2009, sections
// 3.4.2 and 6.2.3).
//
// SummaryGoal counts. SummaryOracle answers for the states of one cluster and remembers its answers. A search
// keeps the best `beam` summaries of every number of words. Its steps are sentences, or, for words, pairs
// that the references have, with all their ancestors: single words gain nothing by themselves, so a beam over
// them would be blind. Where a state follows the completion that is known, this is kept; where it leaves it,
// the completion is repaired by dropping what is worth least, and searched for again after every few repairs.
//
// What an action costs is another matter: nearly any piece can be made up for by the next ones, and the best
// completion is made of scraps that happen to match, which no learner can tell from others. A piece is judged
// by what it brings: with g(p) the pairs per word that are gained by p and all that is below it, the cost of
// p is max g − g(p).
// Tested in summary_oracle_test.cc against all completions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <unordered_map>
#include <vector>

#include "espalier/tasks/summary/summary_input.h"

namespace espalier::tasks {

/// The pairs of neighbouring words of the references.
class SummaryGoal {
 public:
  static constexpr uint32_t kNoPair = std::numeric_limits<uint32_t>::max();
  SummaryGoal(const SummaryInput& input, std::span<const eval::RougeText> references);

  size_t pairs() const { return worth_begin_.size() - 1; }
  /// The number of the pair of two words (of SummaryInput::rouge), or kNoPair.
  uint32_t pair(uint32_t rouge_first, uint32_t rouge_second) const {
    const uint32_t first = first_[rouge_first];
    if (first == kNoPair) return kNoPair;
    const auto begin = seconds_.begin() + first, end = seconds_.begin() + ends_[first];
    const auto found = std::lower_bound(begin, end, (*rouge_)[rouge_second]);
    return found != end && *found == (*rouge_)[rouge_second] ? static_cast<uint32_t>(found - seconds_.begin())
                                                             : kNoPair;
  }
  /// How many references have the pair more than `count` times.
  uint32_t worth(uint32_t pair, uint32_t count) const {
    const uint32_t at = worth_begin_[pair] + count;
    return at < worth_begin_[pair + 1] ? worth_[at] : 0;
  }
  /// The pairs within a piece, one entry per occurrence.
  const std::vector<uint32_t>& inner(uint32_t piece) const { return inner_[piece]; }
  /// Pairs of all references together.
  uint64_t total() const { return total_; }
  size_t references() const { return references_; }

 private:
  const std::vector<uint64_t>* rouge_;
  std::vector<uint32_t> first_;    ///< per word of SummaryInput::rouge: the first pair that begins with it
  std::vector<uint64_t> seconds_;  ///< by pair, ascending among those with the same first word …
  std::vector<uint32_t> ends_;     ///< … whose end this is
  std::vector<std::vector<uint32_t>> inner_;
  std::vector<uint32_t> worth_begin_, worth_;
  uint64_t total_ = 0;
  size_t references_ = 0;
};

/// A set of pieces that contains the parents of its members, with its worth.
class PieceSet {
 public:
  explicit PieceSet(const SummaryInput& input, const SummaryGoal& goal);

  bool has(uint32_t piece) const { return bits_[piece / 64] >> (piece % 64) & 1; }
  uint32_t words() const { return words_; }
  /// Pairs that the summary shares with the references, summed over references.
  int64_t worth() const { return worth_; }
  uint64_t key() const { return key_; }
  /// Adds or removes pieces of one sentence, all of them not in (in) the set, ascending.
  void add(std::span<const uint32_t> pieces) { change(pieces, true); }
  void remove(std::span<const uint32_t> pieces) { change(pieces, false); }
  /// By how much worth() would change.
  int64_t gain(std::span<const uint32_t> pieces, bool adding) {
    const int64_t before = worth_;
    change(pieces, adding);
    const int64_t after = worth_;
    change(pieces, !adding);
    return after - before;
  }
  /// The next piece from `piece` on that is in the set, or kNoPiece; the last one before it.
  uint32_t next(uint32_t piece) const;
  uint32_t before(uint32_t piece) const;

 private:
  void change(std::span<const uint32_t> pieces, bool add);
  /// Counts the pairs from the piece before `first` to the one after `last`, `times` 1 or −1.
  void count(uint32_t first, uint32_t last, int times);
  void count_pair(uint32_t pair, int times);

  const SummaryInput* input_;
  const SummaryGoal* goal_;
  std::vector<uint64_t> bits_;
  std::vector<uint16_t> counts_;  ///< by pair
  uint32_t words_ = 0;
  int64_t worth_ = 0;
  uint64_t key_ = 0;
};

/// The key of a set of pieces, whatever the order in which they were added: the sum of its pieces' keys.
uint64_t piece_key(uint32_t piece);

class SummaryOracle {
 public:
  SummaryOracle(const SummaryInput& input, std::span<const eval::RougeText> references, size_t beam);

  const SummaryGoal& goal() const { return goal_; }
  /// Pairs of the references that a summary lacks, per reference.
  double loss(int64_t worth) const {
    return static_cast<double>(static_cast<int64_t>(goal_.total()) - worth) /
           static_cast<double>(goal_.references());
  }

  struct Regret {
    uint32_t piece;
    float cost;
  };
  struct Answer {
    double best_loss = 0;
    std::vector<uint32_t> wanted;  ///< pieces of the best completion that are not in the state, ascending
    std::vector<Regret> regrets;   ///< of the pieces that can be added next, ascending by piece
  };
  /// `chosen` in the order of choice. The answer is valid until the next call.
  const Answer& answer(const std::vector<uint32_t>& chosen, uint64_t key);

  /// The best completion of a set that a search finds.
  PieceSet complete(const PieceSet& start) const;
  /// Adds pieces that gain most, or lose least, until no more fit.
  void fill(PieceSet& set) const;
  PieceSet empty_set() const { return PieceSet(input_, goal_); }

 private:
  struct Step {
    std::vector<uint32_t> pieces;  ///< ascending, with ancestors
    uint32_t sentence = 0;
  };
  class Search;
  void list_steps();
  void add_step(std::initializer_list<uint32_t> pieces, uint32_t pair);
  void repair(PieceSet& set, const PieceSet& fixed) const;
  /// Pieces without children in the set, not in `fixed`, with what their removal loses.
  struct Leaf {
    uint32_t piece;
    int64_t loss;
  };
  std::vector<Leaf> leaves(PieceSet& set, const PieceSet& fixed) const;
  PieceSet set_of(const std::vector<uint32_t>& chosen) const;
  Answer make_answer(PieceSet& state, const PieceSet& best) const;
  /// Pairs per word and reference that a state gains by a sentence, or a word with all that is below it.
  double growth(PieceSet& state, uint32_t piece) const;
  PieceSet best_for(const PieceSet& state);

  const SummaryInput& input_;
  SummaryGoal goal_;
  size_t beam_;
  std::vector<Step> steps_;
  std::vector<std::vector<uint32_t>> steps_of_sentence_, steps_of_pair_;
  std::unordered_map<uint64_t, Answer> known_;
  std::vector<uint32_t> last_;  ///< the completion that the last answer was about; empty: none
  int repairs_ = 0;
};

}  // namespace espalier::tasks

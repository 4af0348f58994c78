// The paths of a chain or a lattice by where they come from, and from that the probabilities of labels and of
// all segments that are likely. Tested in ways_back_test.cc and
// espalier/cascade/model/segment_answer_test.cc.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "espalier/chain/kernels.h"
#include "espalier/chain/lattice/lattice_viterbi.h"
#include "espalier/chain/span_marginals.h"
#include "espalier/data/segment_choice.h"

namespace espalier::chain {

/// Where the paths of a lattice come from. Read from the last position backwards it says how probable each
/// path is: that of its last state, times that of each arc on the way to the first position.
struct WaysBack {
  std::vector<uint32_t> begin;      ///< positions + 1: the states of each position
  std::vector<data::Label> label;   ///< per state
  std::vector<uint32_t> arc_begin;  ///< states + 1: the arcs into each state; none at the first position
  std::vector<uint32_t> source;     ///< per arc
  std::vector<double> probability;  ///< per arc: of its source among all ways to the state it leads to
  std::vector<double> last;         ///< per state of the last position: its probability

  size_t positions() const { return begin.size() - 1; }
  void clear();
};

/// Sums over the ways to each state, relative to the best of them, so that no exponent is above 0.
/// For every state in turn: start(); add() for each arc into it, with how far its score is below that of the
/// best arc; finish(). After the states of a position: end_position().
class WaySums {
 public:
  WaySums(double temperature, WaysBack& out) : factor_(1 / temperature), out_(out) { out.clear(); }
  /// A state of the first position.
  void add_first(data::Label label) {
    out_.label.push_back(label);
    out_.arc_begin.push_back(0);
    sum_.push_back(1);
  }
  void start(data::Label label) {
    out_.label.push_back(label);
    first_ = out_.source.size();
  }
  void add(uint32_t source, double below_best) {
    out_.source.push_back(source);
    const double exponent = below_best * factor_;
    out_.probability.push_back(exponent == 0            ? sum_[source]
                               : exponent > kNegligible ? 0
                                                        : sum_[source] * std::exp(-exponent));
  }
  void finish() {
    const size_t arcs = out_.source.size();
    out_.arc_begin.push_back(static_cast<uint32_t>(arcs));
    if (arcs == first_ + 1) {
      sum_.push_back(out_.probability.back());
      out_.probability.back() = 1;
      return;
    }
    double sum = 0;
    for (size_t a = first_; a < arcs; ++a) sum += out_.probability[a];
    sum_.push_back(sum);
    const double share = sum > 0 ? 1 / sum : 0;  // 0: next to impossible, so no way comes through here
    for (size_t a = first_; a < arcs; ++a) out_.probability[a] *= share;
  }
  void end_position();
  /// `below_best`: what each state of the last position lacks to the best of them.
  void end(std::span<const double> below_best);

 private:
  static constexpr double kNegligible = 25;  ///< e⁻²⁵ is 10⁻¹¹
  double factor_;
  WaysBack& out_;
  size_t first_ = 0;
  std::vector<double> sum_;  ///< per state; those of a position may share a factor
};

/// The ways through a lattice on which `forward` has run.
void find_ways_back(const Lattice& lattice, const ForwardMax& forward, double temperature, WaysBack& out);
/// The ways through a chain, `marginals` being those of its labels (T×S, from forward_backward on the same
/// scores): labels that are less probable than `least` are left out, all but the most probable of a position.
void find_ways_back(const ChainScores& scores, const float* marginals, float least, WaysBack& out);

/// The probability of every state of a WaysBack.
void find_state_probabilities(const WaysBack& ways, std::vector<double>& out);

/// Finds the segments that are likely. One object per thread; buffers are reused.
class SegmentFinder {
 public:
  /// All segments with a probability above `least`, exactly. A way back is given up where less than that is
  /// left of it, so with a large `least` this costs little more than a look at every arc.
  std::span<const data::LikelySegment> find(const WaysBack& ways, const SpanRules& rules, double least);
  /// Of the WaysBack that find() was called with last: the probability of every state.
  std::span<const double> states() const { return state_; }

 private:
  void follow(const WaysBack& ways, const SpanRules& rules, size_t end, uint32_t type, double least);

  std::vector<double> state_;  ///< per state: its probability
  std::vector<double> exit_;   ///< per state: the part of it whose segment ends there
  std::vector<double> mass_;   ///< per state: the part of exit_ that came through it in one segment
  std::vector<data::LikelySegment> likely_;
  std::vector<std::pair<uint32_t, double>>
      ends_;  ///< types of segments that end at a position, and how likely
};

}  // namespace espalier::chain

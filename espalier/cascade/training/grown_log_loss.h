// The log loss of the trellis that grow() would make, and its gradient, from the trellis it would be made of:
// what TrellisLogLoss and spread_gradient find, to the last bit, without making it. Tested in
// grown_log_loss_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "espalier/cascade/training/trellis_log_loss.h"
#include "espalier/cascade/weights.h"

namespace espalier::cascade {

/// Adds the grams that are missing for the trellis grown by one, in the order in which add_missing_grams
/// would. Precondition: none is missing for `from` itself.
void add_missing_grams_when_grown(const Trellis& from, GramTable& grams);

/// A path of the trellis grown by one: its states, and the arcs between them, as find_path and arcs_of_path
/// give them. Empty if there is none with these labels.
struct GrownPath {
  std::vector<uint32_t> states, arcs;
};
GrownPath find_path_when_grown(const Trellis& from, std::span<const data::Label> labels);

/// Buffers are reused: one object per thread. O(states + arcs) of the trellis grown by one.
class GrownLogLoss {
 public:
  /// −log P(truth), as TrellisLogLoss::find; `truth` is a path of the trellis grown by one, which has no
  /// ratings. Gets the gradient as spread_gradient does, where no feature looks at edges.
  std::optional<double> find(const LevelView& level, const GramPotentials& potentials, const GramTable& grams,
                             const float* node, size_t stride, const Trellis& from,
                             std::span<const uint32_t> truth, std::span<const uint32_t> truth_arcs,
                             float factor, float ignore, SequenceGradient& out);

 private:
  /// A sequence at work.
  struct Job {
    const LevelView& level;
    const GramPotentials& potentials;
    const GramTable& grams;
    const float* node;
    size_t stride;
    const Trellis& from;
    uint32_t starts;  ///< the gram of as many start symbols as grown states have labels
  };

  bool run_forward(const Job& job);
  void run_backward(const Job& job, std::span<const uint32_t> truth, std::span<const uint32_t> truth_arcs,
                    float factor, SequenceGradient& out);
  void spread_to_nodes(const Job& job, float ignore, SequenceGradient& out) const;
  /// The grams of a grown state: those of all its positions, and those with start and end symbols.
  void find_grams(const Job& job, size_t t, size_t target, uint32_t top);
  float score_of(const Job& job, float node);

  std::vector<double> forward_;  ///< per state, sums to 1 at every position
  std::vector<double> share_;    ///< per state: 1 / the sum of arc_ over the arcs into it
  std::vector<double> state_;    ///< per state: its probability
  std::vector<float> spread_;    ///< per state: its gradient
  /// Of every arc so far: the probability of its source times the factor of its gram; and the gram.
  std::vector<double> arc_;
  std::vector<uint32_t> arc_gram_;
  size_t arcs_ = 0;
  std::vector<uint32_t> state_grams_;
  double log_z_ = 0;
};

}  // namespace espalier::cascade

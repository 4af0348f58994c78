// Stochastic learning of one level's weights, the same at any number of threads. Tested in train_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/section_file.h"
#include "espalier/cascade/losses.h"
#include "espalier/cascade/restriction.h"
#include "espalier/cascade/weights.h"

namespace espalier::cascade {

/// A training sequence as a level sees it: what is alive, and the truth in it (put back where a filter had
/// dropped it).
struct TrainingLattice {
  Trellis trellis;
  std::vector<uint32_t> truth, truth_arcs;
  /// Positions whose item (state or clique) a filter before had dropped: put back to learn from, but lost
  /// already, so that no later filter is blamed for them. Empty: none.
  std::vector<uint8_t> lost;
};

enum class Steps {
  kPlain,    ///< equation 9: w ← (1 − ηλ)·w − η·g
  kAdaptive  ///< AdaGrad, the penalty l2·|w|² taken implicitly, as chain/stochastic.h does
};

struct LearnerOptions {
  LossOptions loss;
  Steps steps = Steps::kAdaptive;
  double rate = 0.2;     ///< η
  double lambda = 0;     ///< kPlain: λ of equation 8
  double l2 = 1;         ///< kAdaptive: against the loss summed over the data
  size_t batch = 8;      ///< sequences whose gradient is taken at the same weights
  double dropout = 0;    ///< share of the state features left out at random; see linear::Dropout
  double ignore = 1e-2;  ///< positions whose gradient is smaller in every label are not worth an update
  uint64_t seed = 1;
  const LatticeRestriction* restriction = nullptr;  ///< paths that may be; null: all
};

/// Learns pass by pass. Each pass takes the sequences in an order drawn from the seed and its number.
/// Deterministic: gradients of a batch are found in parallel at weights that stand still, rows are updated by
/// feature (shards), everything else in the order of the sequences.
class LevelLearner {
 public:
  /// `lattices`, one a sequence of the data, or empty for a level of order 1. References outlive the learner.
  LevelLearner(const Layout& layout, LevelWeights start, const linear::Dataset& data,
               std::span<TrainingLattice> lattices, LearnerOptions options, const Workers& workers,
               const Monitor& monitor);

  /// From here on another loss and other steps, from the average so far; what AdaGrad knows is kept. Dropout
  /// stays what it was.
  void go_on_with(const LearnerOptions& options);

  /// One pass over these sequences; with `average`, its weights count towards the average. Returns the loss
  /// summed. Ends early when the monitor wants it to.
  double pass(std::span<const uint32_t> sequences, int number, bool average);

  /// The average, or the weights as they stand where nothing has been averaged yet, as they are used where
  /// no feature is left out.
  LevelWeights weights() const;

  /// What it takes to go on from here, as sections that begin with `prefix`; load goes on from there.
  void save(std::string_view prefix, SectionWriter& out) const;
  Status load(const SectionFile& file, std::string_view prefix);

 private:
  struct Piece {
    AlignedVector<float> node;
    GramValues values;
    LossScratch scratch;
    LatticeGradient gradient, legal_gradient;
  };
  /// A group of weights with AdaGrad's squares and the sum for the average.
  struct Extra {
    AlignedVector<float> squares;
    std::vector<double> sum;
  };

  /// The average so far, or the weights as they stand, for features as they are dropped in training.
  LevelWeights averaged() const;
  void find_gradient(uint32_t sequence, linear::SequenceFeatures features, Piece& piece,
                     SequenceGradient& out);
  double loss_of(uint32_t sequence, TrainingLattice& lattice, Piece& piece) const;
  void update(std::span<const uint32_t> sequences);
  void update_rows(std::span<const uint32_t> sequences, float rate);
  void update_edges(std::span<const uint32_t> sequences, float rate);
  void step(const float* gradient, size_t n, float rate, float* w, float* squares) const;
  void end_of_step(bool average, double fraction);
  void fold_scale();

  const Layout& layout_;
  LevelWeights weights_;
  const linear::Dataset& data_;
  std::span<TrainingLattice> lattices_;
  LearnerOptions options_;
  const Workers& workers_;
  const Monitor& monitor_;

  double scale_ = 1;  ///< kPlain: the weights are scale_ · weights_
  Extra state_, gram_, edge_;
  std::array<float, kQuantiles> quantile_squares_{};
  std::array<double, kQuantiles> quantile_sum_{};
  uint64_t averaged_ = 0;
  std::vector<Piece> pieces_;
  std::vector<SequenceGradient> slots_;
  linear::BatchFeatures features_;
  GramValues gram_gradient_, edge_gradient_;
  std::vector<uint32_t> order_;
};

}  // namespace espalier::cascade

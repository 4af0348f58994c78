// Stochastic learning of the weights of one level. The result is the same at any number of threads. Tested in
// train_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/cascade/losses.h"
#include "espalier/cascade/restriction.h"
#include "espalier/cascade/training/grown_log_loss.h"
#include "espalier/cascade/training/trellis_log_loss.h"
#include "espalier/cascade/weights.h"

namespace espalier::cascade {

/// A training sequence as a level sees it: the lattice of what is alive, and the gold path in it (put back if
/// a filter dropped it). To take less memory, the trellis may be stored as what it is made of; it is then
/// made whenever it is used.
struct TrainingLattice {
  AliveLabels alive;   ///< not empty: the trellis is make_trellis of these, without ratings
  Trellis trellis;     ///< otherwise this one …
  bool grows = false;  ///< … or, where this says so, grown by one, without ratings
  std::vector<uint32_t> truth, truth_arcs;
  /// Positions whose gold item (state or clique) an earlier filter dropped. They are put back to learn from
  /// but count as lost already, so that later filters are not blamed for them. Empty: none.
  std::vector<uint8_t> lost;

  /// The trellis to work on: the one that is stored, or one made in `buffer`.
  Trellis& open(const GramTable& grams, Trellis& buffer);
  /// Adds the grams of that trellis that are missing in the table.
  void add_missing_grams(GramTable& grams, Trellis& buffer);
  /// Finds `truth`, the path of these labels; empty if there is none.
  void find_truth(std::span<const data::Label> gold, const GramTable& grams, Trellis& buffer);
  /// Asks for the memory that learning from this one will read first.
  void prefetch() const;
  /// Its states and arcs, without making it.
  std::pair<size_t, size_t> states_and_arcs() const;
};

enum class Steps {
  kPlain,    ///< equation 9: w ← (1 − ηλ)·w − η·g
  kPegasos,  ///< the same with η = 1/(λ·t) at sequence t, and |w| ≤ 1/√λ: has a rate of convergence
  kAdaptive  ///< AdaGrad, the penalty l2·|w|² taken implicitly, as chain/stochastic.h does
};

struct LearnerOptions {
  LossOptions loss;
  Steps steps = Steps::kAdaptive;
  double rate = 0.2;     ///< η
  double lambda = 0;     ///< kPlain, kPegasos: λ of equation 8
  double l2 = 1;         ///< kAdaptive: against the loss summed over the data
  size_t batch = 8;      ///< sequences whose gradient is taken at the same weights
  double dropout = 0;    ///< share of state features left out at random; see linear::Dropout
  double ignore = 1e-2;  ///< positions whose gradient is smaller for every label are not updated
  uint64_t seed = 1;
  const LatticeRestriction* restriction = nullptr;  ///< the allowed paths; null: all
};

/// Learns pass by pass. The order of the sequences in a pass is drawn from the seed and the number of the
/// pass. Deterministic: gradients of a batch are computed in parallel with fixed weights, rows are updated by
/// feature (shards), everything else in the order of the sequences.
class LevelLearner {
 public:
  /// A group of weights with AdaGrad's squares and the sum for the average.
  struct Extra {
    AlignedVector<float> squares;
    AlignedVector<double> sum;
  };
  /// The largest arrays of a learner, for the next one: memory that was in use before needs no new pages.
  struct Memory {
    Extra state, gram, edge;
  };

  /// `lattices`: one per sequence of the data, or empty for a level of order 1. References must outlive the
  /// learner.
  LevelLearner(const Layout& layout, LevelWeights start, const linear::Dataset& data,
               std::span<TrainingLattice> lattices, LearnerOptions options, const Workers& workers,
               const Monitor& monitor, Memory used = {});

  /// To be called first where `start` is a trained model: gives AdaGrad the squares that its training would
  /// have left (chain::estimate_squares), by a look at these sequences, and pulls towards the model in place
  /// of 0. Plain steps are averaged with the model (chain::kOldModelCounts); `passes` are to come.
  void fit_to_old(std::span<const uint32_t> sequences, double old_counts, int passes);

  /// To be called first where the state weights of `start` are those of the level before: AdaGrad takes them
  /// as weights that have had one gradient of 1, so that its first steps do not undo them.
  void keep_start();

  /// Continues with another loss and step rule from the average so far. The squared gradients of AdaGrad and
  /// the dropout are kept.
  void go_on_with(const LearnerOptions& options);

  /// One pass over these sequences; with `average`, its weights count towards the average. Returns the loss
  /// summed. Ends early if the monitor asks for it.
  double pass(std::span<const uint32_t> sequences, int number, bool average);

  /// The average (the current weights if nothing has been averaged yet), scaled for use without dropout.
  LevelWeights weights() const { return for_use(averaged(weights_)); }
  /// The same without a copy; the learner must not be used afterwards.
  LevelWeights take_weights() { return for_use(averaged(std::move(weights_))); }
  /// What a learner that is no longer used has worked in.
  Memory take_memory() { return {std::move(state_), std::move(gram_), std::move(edge_)}; }

  /// Saves what is needed to resume, as sections whose names begin with `prefix`; load resumes from them.
  void save(std::string_view prefix, SectionWriter& out) const;
  Status load(const SectionFile& file, std::string_view prefix);

 private:
  struct Piece {
    AlignedVector<float> node;
    LabelsAt alive;
    GramValues values;
    LossScratch scratch;
    TrellisLogLoss log_loss;
    GrownLogLoss grown_log_loss;
    Trellis trellis;  ///< where TrainingLattice::open may make one
    LatticeGradient gradient, legal_gradient;
  };

  /// The average so far, or the current weights, which are given; scaled for training with dropout.
  LevelWeights averaged(LevelWeights current) const;
  LevelWeights for_use(LevelWeights averaged) const;
  void find_gradient(uint32_t sequence, linear::SequenceFeatures features, Piece& piece,
                     SequenceGradient& out);
  bool keeps_potentials() const;
  double loss_of(uint32_t sequence, const TrainingLattice& lattice, Trellis& trellis, Piece& piece) const;
  void update(std::span<const uint32_t> sequences, double eta);
  void step_grams(float rate);
  void update_rows(std::span<const uint32_t> sequences, float rate);
  void update_edges(std::span<const uint32_t> sequences, float rate);
  void step(const float* gradient, size_t n, float rate, float* w, float* squares) const;
  void end_of_step(bool average, double fraction);
  void fold_scale();
  void project();

  const Layout& layout_;
  LevelWeights weights_;
  const linear::Dataset& data_;
  std::span<TrainingLattice> lattices_;
  LearnerOptions options_;
  const Workers& workers_;
  const Monitor& monitor_;

  bool anchored_ = false;
  LevelWeights anchor_;  ///< if so: what the penalty pulls towards
  double scale_ = 1;     ///< kPlain, kPegasos: the weights are scale_ · weights_
  Extra state_, gram_, edge_;
  std::array<float, kQuantiles> quantile_squares_{};
  std::array<double, kQuantiles> quantile_sum_{};
  uint64_t averaged_ = 0;
  std::vector<Piece> pieces_;
  std::vector<SequenceGradient> slots_;
  linear::BatchFeatures features_;
  GramValues gram_gradient_, edge_gradient_;
  GramPotentials potentials_;  ///< of the weights as they are, where keeps_potentials()
  std::vector<uint32_t> order_;
  std::vector<size_t> by_length_;  ///< the places of a batch
};

}  // namespace espalier::cascade

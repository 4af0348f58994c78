// Mini-batch training with the same result at any number of threads. Call BatchRunner::compute for the
// gradients of a batch, then for_each_state_row and for_each_edge_row to apply them. Tested in
// learners_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/chain/kernels.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/dataset.h"
#include "espalier/linear/token_features.h"

namespace espalier::chain {

/// The gradient of one sequence's loss with respect to its scores. Only `pairs` is shared.
struct ScoreGradient {
  float* node;      ///< T×S, zeroed beforehand: ∂loss/∂node[t][j]
  float* pairs;     ///< K×S, shared by the sequences of a piece: +=
  float* edge;      ///< T×K×S, or null where the model has no edge features: set
  uint8_t* active;  ///< T: set to 1 if node[t] is to be applied
};

/// Scores the sequences of a batch with fixed weights, lets `gradient` turn scores into a loss and its
/// gradient, and passes the result to an update of rows. Both steps run in parallel: sequences in the first,
/// features (by kUpdateShards) in the second. Every float is added in an order fixed by the data.
class BatchRunner {
 public:
  /// Returns the loss. Called from any thread, for different sequences at once.
  using Gradient = std::function<double(size_t sequence, SequenceScores& scores, ChainScratch& scratch,
                                        const TransitionPotentials& potentials, ScoreGradient out)>;

  /// If the monitor asks to stop, the batch is dropped, even in the middle of a sequence: with thousands of
  /// labels, one of them takes seconds.
  BatchRunner(const linear::Dataset& data, const Workers& workers, const Monitor& monitor,
              linear::Dropout dropout = {})
      : data_(data), workers_(workers), monitor_(monitor), features_(data, dropout) {}

  /// Sets the pass; with dropout, every pass drops different features.
  void begin_pass(int pass) { pass_ = pass; }

  /// The memory that the pairs of labels take in a runner that prepares potentials, with batches of kPieces
  /// or more.
  static double bytes_of_pairs(size_t labels) {
    const double pairs = static_cast<double>(labels) * static_cast<double>(linear::padded(labels));
    return pairs * sizeof(float) * (kPieces + 2);
  }

  /// First step. Returns the summed loss. `with_potentials` prepares exp(trans) for gradients that need it. A
  /// batch that was dropped has no loss, no rows and no pairs.
  double compute(const ChainWeights& weights, std::span<const uint32_t> sequences, bool with_potentials,
                 const Gradient& gradient);

  /// The summed gradient of the transitions after compute(): K×S, or empty.
  const AlignedVector<float>& pairs() const { return pieces_[0].pairs; }

  /// Second step: calls update(feature range of one token, values or null, that token's gradient row) for
  /// every active token, each feature on exactly one thread, tokens in order.
  template <typename Update>
  void for_each_state_row(const Update& update) const;
  /// The same for edge features: update(features, K×S gradient).
  template <typename Update>
  void for_each_edge_row(const Update& update) const;

 private:
  double drop();

  static constexpr size_t kPieces = 8;
  struct Piece {
    AlignedVector<float> pairs;
    SequenceScores scores;
    ChainScratch scratch;
    double loss = 0;
  };
  struct Slot {
    uint32_t sequence;
    size_t first_row;  ///< of the batch's token arrays
  };

  const linear::Dataset& data_;
  const Workers& workers_;
  const Monitor& monitor_;
  std::vector<Piece> pieces_;
  std::vector<Slot> slots_;
  AlignedVector<float> node_, edge_;
  std::vector<uint8_t> active_;
  TransitionPotentials potentials_;
  linear::BatchFeatures features_;
  int pass_ = 0;
  size_t stride_ = 0, labels_ = 0;
};

template <typename Update>
void BatchRunner::for_each_state_row(const Update& update) const {
  // One range of shards per thread; with one thread, all features of a token at once.
  const size_t stretches = std::min<size_t>(static_cast<size_t>(workers_.threads()), linear::kUpdateShards);
  workers_.for_each(stretches, [&](size_t stretch) {
    const Range shards = piece_of(linear::kUpdateShards, stretches, stretch);
    for (size_t i = 0; i < slots_.size(); ++i) {
      const linear::SequenceFeatures sequence = features_[i];
      const size_t T = data_.length(slots_[i].sequence), first_row = slots_[i].first_row;
      for (size_t t = 0; t < T; ++t) {
        if (!active_[first_row + t]) continue;
        const linear::TokenFeatures token = stretches > 1 ? sequence[t].in_shards(shards) : sequence[t];
        update(token.features, token.values, node_.data() + (first_row + t) * stride_);
      }
    }
  });
}

template <typename Update>
void BatchRunner::for_each_edge_row(const Update& update) const {
  if (edge_.empty()) return;
  for (const Slot& slot : slots_) {
    const uint64_t first = data_.sequence_begin[slot.sequence];
    for (size_t t = 1; t < data_.length(slot.sequence); ++t)
      update(data_.edge[first + t], edge_.data() + (slot.first_row + t) * labels_ * stride_);
  }
}

}  // namespace espalier::chain

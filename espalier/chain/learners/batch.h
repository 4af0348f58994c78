// Mini-batch training with the same result at any number of threads and ranks. Call BatchRunner::compute for
// the gradients of a batch, then for_each_state_row and for_each_edge_row to apply them. Tested in
// learners_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/exact_sum.h"
#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/team.h"
#include "espalier/chain/kernels.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/encoding/token_features.h"

namespace espalier::chain {

/// The gradient of one sequence's loss with respect to its scores.
struct ScoreGradient {
  float* node;      ///< T×S, zeroed beforehand: ∂loss/∂node[t][j]
  float* pairs;     ///< K×S, zeroed beforehand: +=. That of a sequence without loss is not looked at
  float* edge;      ///< T×K×S, or null where the model has no edge features: set
  uint8_t* active;  ///< T: set to 1 if node[t] is to be applied
};

/// Scores the sequences of a batch with fixed weights, lets `gradient` turn scores into a loss and its
/// gradient, and passes the result to an update of rows. Both steps run in parallel: sequences in the first,
/// features (by kUpdateShards) in the second. Tokens are updated in the order of the batch; gradients of
/// pairs, which are summed, are summed as integers (base/exact_sum.h), so that no order matters.
class BatchRunner {
 public:
  /// Returns the loss. Called from any thread, for different sequences at once.
  using Gradient = std::function<double(size_t sequence, SequenceScores& scores, ChainScratch& scratch,
                                        const TransitionPotentials& potentials, ScoreGradient out)>;

  /// If the monitor asks to stop, the batch is dropped, even in the middle of a sequence: with thousands of
  /// labels, one of them takes seconds. With a team, batches are sequences of all ranks by their numbers
  /// (Dataset::spread): each rank computes its own, and all apply all gradients; a rank that is to stop
  /// leaves out the sequences that it has not begun, since the others wait for its message.
  BatchRunner(const linear::Dataset& data, const Workers& workers, const Monitor& monitor,
              linear::Dropout dropout = {}, const Team* team = nullptr);

  /// Sets the pass; with dropout, every pass drops different features.
  void begin_pass(int pass) { pass_ = pass; }

  /// The memory that the pairs of labels take in a runner that prepares potentials, with batches of kPieces
  /// or more.
  static double bytes_of_pairs(size_t labels) {
    const double pairs = static_cast<double>(labels) * static_cast<double>(linear::padded(labels));
    return pairs * (sizeof(float) * (kPieces + 3) + sizeof(int64_t));
  }

  /// First step. Returns the summed loss. `with_potentials` prepares exp(trans) for gradients that need it. A
  /// batch that was dropped has no loss, no rows and no pairs.
  double compute(const ChainWeights& weights, std::span<const uint32_t> sequences, bool with_potentials,
                 const Gradient& gradient);

  /// The loss of each sequence after compute().
  std::span<const double> losses() const { return losses_; }
  /// The summed gradient of the transitions after compute(): K×S, or empty.
  const AlignedVector<float>& pairs() const { return pairs_; }
  /// The same as integers, of which any number of batches of the data set can be added up.
  std::span<const int64_t> pair_sums() const { return pair_sums_; }
  const FixedPoint& pair_unit() const { return pair_unit_; }

  /// Second step: calls update(feature range of one token, values or null, that token's gradient row) for
  /// every active token, each feature on exactly one thread, tokens in order.
  template <typename Update>
  void for_each_state_row(const Update& update) const;
  /// The same for edge features: update(features, K×S gradient).
  template <typename Update>
  void for_each_edge_row(const Update& update) const;

 private:
  bool dropped() const { return team_ == nullptr && monitor_.stop_requested(); }
  double drop();

  static constexpr size_t kPieces = 8;
  /// What a thread works with while it computes a piece.
  struct Buffers {
    AlignedVector<float> pairs;      ///< of one sequence; 0 between them
    std::vector<int64_t> pair_sums;  ///< of this thread's sequences; 0 between batches
    SequenceScores scores;
    ChainScratch scratch;
  };
  struct Slot {
    uint32_t place;     ///< in the batch
    uint32_t sequence;  ///< of this rank's data
    size_t first_row;   ///< of the batch's token arrays
  };
  struct Token {
    linear::TokenFeatures state;
    const float* gradient;
  };
  struct EdgeToken {
    std::span<const uint32_t> features;
    const float* gradient;
  };

  /// A token that another rank has sent: where its features, their values and its gradient are in Received.
  struct RemoteToken {
    size_t features, count, numbers;
    bool values, edge;
  };
  struct Received {
    std::vector<uint32_t> features;
    AlignedVector<float> numbers;
    std::vector<RemoteToken> tokens;
    std::vector<Range> of_place;  ///< the tokens of each place of the batch
  };

  void choose_slots(std::span<const uint32_t> sequences);
  void compute_piece(const ChainWeights& weights, Range slots, const Gradient& gradient);
  void add_pairs(Buffers& buffers);
  void merge_pairs();
  void list_tokens(const Slot& slot, size_t number);
  // batch_exchange.cc
  void exchange();
  std::vector<std::byte> message() const;
  void read_message(std::span<const std::byte> bytes);

  const linear::Dataset& data_;
  const Workers& workers_;
  const Monitor& monitor_;
  const Team* team_;                               ///< null where the batches are this rank's own
  std::vector<std::unique_ptr<Buffers>> buffers_;  ///< that no thread uses
  std::mutex mutex_;                               ///< of buffers_, and of pair_sums_ during the loop
  std::vector<Slot> slots_;
  std::vector<double> losses_;
  AlignedVector<float> node_, edge_, pairs_;
  std::vector<int64_t> pair_sums_;
  FixedPoint pair_unit_;
  std::vector<uint8_t> active_;
  std::vector<Token> tokens_;           ///< that are updated, in the order of the batch
  std::vector<EdgeToken> edge_tokens_;  ///< that have edge features
  Received received_;
  TransitionPotentials potentials_;
  linear::BatchFeatures features_;
  int pass_ = 0;
  size_t stride_ = 0, labels_ = 0;
  bool transitions_ = false, edges_ = false;
};

template <typename Update>
void BatchRunner::for_each_state_row(const Update& update) const {
  // One range of shards per thread; with one thread, all features of a token at once.
  const size_t stretches = std::min<size_t>(static_cast<size_t>(workers_.threads()), linear::kUpdateShards);
  workers_.for_each(stretches, [&](size_t stretch) {
    const Range shards = piece_of(linear::kUpdateShards, stretches, stretch);
    for (const Token& active : tokens_) {
      const linear::TokenFeatures token = stretches > 1 ? active.state.in_shards(shards) : active.state;
      update(token.features, token.values, active.gradient);
    }
  });
}

template <typename Update>
void BatchRunner::for_each_edge_row(const Update& update) const {
  for (const EdgeToken& token : edge_tokens_) update(token.features, token.gradient);
}

}  // namespace espalier::chain

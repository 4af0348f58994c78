// The weights of a search in training: rows over labels, found by number (static features) or by hash.
// RowWeights scores states, learns by plain or AdaGrad steps, and averages. One step costs a row operation
// per feature. Trained weights are written to a model by stored_policy.h, which packs them; RowWeights itself
// is not saved.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/growing_array.h"
#include "espalier/base/hash_index.h"
#include "espalier/base/parallel.h"
#include "espalier/linear/encoding/feature_map.h"
#include "espalier/linear/packed_rows.h"
#include "espalier/linear/rows.h"
#include "espalier/linear/whole_rows.h"
#include "espalier/search/policy/scorer.h"

namespace espalier::search {

/// A classifier in a model file that is trained further: its tables and rows, which must outlive the
/// training. Made by StoredPolicy::old_rows.
struct OldRows {
  const linear::FeatureMap* state_map = nullptr;
  const linear::PackedRows* state = nullptr;
  const linear::FeatureMap* hashed_map = nullptr;
  const linear::PackedRows* hashed = nullptr;
  std::span<const uint64_t> known_hashes = {};  ///< those of hashed features that are known in full
  std::vector<uint32_t> old_value = {};  ///< of the static features of the new layout (linear/grown_rows.h)
};

/// Rows with 64-bit hashes as keys, added when first needed. A row has weights for all labels, or for a range
/// of them that is known when it is added, rounded to whole vectors.
class HashedRows {
 public:
  explicit HashedRows(size_t stride) : stride_(stride) {}

  /// Where the weights of a row are: those of the labels [first, first + width) begin at `begin`.
  struct Place {
    size_t begin, first, width;
    bool has(size_t label) const { return label >= first && label < first + width; }
    size_t of(size_t label) const { return begin + label - first; }
  };

  static constexpr uint32_t kNone = HashIndex::kNone;
  uint32_t find(uint64_t hash) const {
    const uint32_t row = index_.find(hash, [&](uint32_t r) { return hashes_[r] == hash; });
    return row != kNone || old_map_ == nullptr ? row : find_old(hash);
  }
  /// The row of the hash; a new row of zeros for these labels (the empty range: all) if there is none.
  uint32_t insert(uint64_t hash, LabelRange labels = {});

  size_t size() const { return hashes_.size(); }
  size_t stride() const { return stride_; }
  const std::vector<uint64_t>& hashes() const { return hashes_; }
  Place place(uint32_t r) const {
    const Stored& row = rows_[r];
    return {row.begin * linear::kLanes, row.first * linear::kLanes, row.width * linear::kLanes};
  }
  /// The weights of a row. Precondition: it has all labels.
  const float* row(uint32_t r) const { return weights_.data() + rows_[r].begin * linear::kLanes; }
  float* row(uint32_t r) { return weights_.data() + rows_[r].begin * linear::kLanes; }
  /// The weight of a label; 0 for one that the row has no room for.
  float weight(uint32_t r, size_t label) const {
    const Place at = place(r);
    return at.has(label) ? weights_[at.of(label)] : 0.0f;
  }
  GrowingArray<float>& weights() { return weights_; }
  const GrowingArray<float>& weights() const { return weights_; }

  /// Takes over the rows of a model, whose table must outlive this. Precondition: there are no rows yet.
  /// Hashes that are not known in full are made up.
  void start_from(const OldRows& old);
  /// The values in the old table, of the first rows.
  const std::vector<uint32_t>& old_values() const { return old_values_; }

 private:
  /// A place in vectors of kLanes weights.
  struct Stored {
    uint32_t begin;
    uint16_t first, width;
  };
  uint32_t find_old(uint64_t hash) const;
  void append_row(LabelRange labels);

  const linear::FeatureMap* old_map_ = nullptr;
  std::vector<uint32_t> old_values_;  ///< ascending
  size_t stride_;
  HashIndex index_;
  std::vector<uint64_t> hashes_;
  std::vector<Stored> rows_;
  GrowingArray<float> weights_;
};

/// The layout for search spaces whose features are all hashed.
inline std::shared_ptr<const linear::StateRows> no_static_rows(size_t labels) {
  linear::StateRows rows;
  rows.width = static_cast<uint32_t>(labels);
  return std::make_shared<const linear::StateRows>(std::move(rows));
}

/// Gradients up to this size are ignored. AdaGrad's first step on a weight has the length of the rate,
/// however small the gradient, so tiny gradients of hopeless actions would add noise; and the square of the
/// smallest ones is 0, which would be a division by 0.
inline constexpr float kLeastGradient = 1e-3f;

/// score(features)[l] = Σ_{static f} value · w[f][l] + Σ_{hashed f} value · h[f][l]. Static features have the
/// weights that `layout` defines; hashed features get a weight for every label at their first update. Sums of
/// blocks are cached until a weight changes or a new input begins, so that the states of a beam share them.
///
/// Learns by plain steps (add, subtract) or by AdaGrad (descend, shrink), and can return the average of its
/// weights. Plain steps are averaged over every tick: with Δ_s the change made in tick s of c, the average of
/// w_0 … w_{c−1} is w_c − (1/c) Σ_s (s+1)·Δ_s. AdaGrad changes weights all the time, and penalties change
/// every weight, so there the average is over a few snapshots per pass.
class RowWeights final : public Scorer {
 public:
  /// `adaptive` keeps the squared gradients that descend() needs.
  RowWeights(std::shared_ptr<const linear::StateRows> layout, size_t labels, bool adaptive = false);
  /// The weights of a model that is trained further, in a layout made by linear::join_rows.
  RowWeights(std::shared_ptr<const linear::StateRows> layout, size_t labels, bool adaptive,
             std::shared_ptr<const OldRows> old);
  RowWeights(const RowWeights&);
  RowWeights(RowWeights&&) noexcept;
  RowWeights& operator=(RowWeights&&) noexcept;
  ~RowWeights() override;

  void begin(const StaticBlocks& blocks) override;
  std::span<const float> score(const FeatureSink& features) override;

  /// The scores of all actions of a state. While weights are whole numbers, sums are exact in any order, and
  /// what growing candidates have in common is summed once.
  template <SearchSpace S>
  requires HasGrowingCandidates<S>
  void score_actions(const S& space, const typename S::State& state, std::span<const Action> actions,
                     std::vector<float>& scores) {
    if (!sums_are_exact()) return score_by_rows(space, *this, state, actions, scores);
    float* const common = common_.data();
    std::fill_n(common, stride_, 0.0f);
    sink_.clear();
    space.shared_features(state, sink_);
    add_score(sink_, common);
    uint32_t grown = 0;
    for (size_t i = 0; i < actions.size();) {
      const uint32_t candidate = actions[i].candidate;
      for (; grown <= candidate; ++grown) {
        sink_.clear();
        space.added_features(state, grown, sink_);
        add_score(sink_, common);
      }
      std::copy_n(common, stride_, row_.data());
      sink_.clear();
      space.own_features(state, candidate, sink_);
      add_score(sink_, row_.data());
      for (; i < actions.size() && actions[i].candidate == candidate; ++i) scores[i] = row_[actions[i].label];
    }
  }

  template <SearchSpace S>
  void add(const S& space, const typename S::State& state, Action action, double x) {
    update_sink_.clear();
    space.features(state, action.candidate, update_sink_);
    add(update_sink_, action.label, static_cast<float>(x));
  }
  /// w[·][label] += x · features.
  void add(const FeatureSink& features, uint32_t label, float x);
  /// Adds the derivative gradient[l] of the loss with respect to the score of label l with these features.
  /// The candidates of a state share most of their blocks, so gradients are summed per block first.
  void gather(const FeatureSink& features, std::span<const float> gradient);
  /// One AdaGrad step along the gathered gradient: w −= rate · g / sqrt(Σ g²) for each weight with |g| >
  /// kLeastGradient.
  void descend(float rate);
  /// Applies the penalty l2·|w|² for this fraction of a pass, with the step sizes of AdaGrad.
  void shrink(float rate, float fraction, float l2);
  /// After a pass of descend(0) over the new data at the weights of the old model: gives those the squares
  /// that their training would have left. See chain::estimate_squares.
  void estimate_squares(float old_counts);
  /// For plain steps: averaged() also averages with the old model, and what is new has this share. See
  /// chain::share_of_new.
  void average_with_old(float share_of_new) { share_of_new_ = share_of_new; }
  /// One plain step along the gathered gradient: w −= g.
  void subtract();
  /// Counts one more step of the average, for plain steps.
  void tick() { ++ticks_; }
  /// Adds the current weights to the average, for AdaGrad steps.
  void snapshot();
  /// The average of the weights so far; the weights themselves before the first tick or snapshot. The result
  /// cannot be trained further.
  RowWeights averaged() const&;
  /// The same in place, at the end of training: takes no more memory.
  RowWeights averaged() &&;
  /// The weights rounded as a model file with 16-bit weights stores them. The result cannot be trained
  /// further.
  RowWeights rounded(const Workers& workers) const;

  size_t labels() const { return labels_; }
  size_t stride() const { return stride_; }
  const std::shared_ptr<const linear::StateRows>& layout() const { return layout_; }
  const AlignedVector<float>& static_weights() const { return state_; }
  AlignedVector<float>& static_weights() {
    whole_.stop();
    return state_;
  }
  const HashedRows& hashed() const { return hashed_; }
  HashedRows& hashed() {
    whole_.stop();
    return hashed_;
  }
  /// The model that these weights began with; null: none.
  const OldRows* old() const { return old_.get(); }

 private:
  /// Sums of gradients: one row per block or hashed row used since the last step.
  struct Gathered {
    std::vector<uint32_t> touched, place;  ///< place: by block or hashed row, its number in touched or kNone
    AlignedVector<float> sums;
    float* row(uint32_t number, size_t stride);
  };
  uint32_t insert(uint64_t hash, LabelRange labels);
  /// row += score(features).
  void add_score(const FeatureSink& features, float* row);
  /// Whether every sum of features that this input may ask for is a whole number that a float holds exactly.
  bool sums_are_exact() const {
    constexpr double kExact = 1 << 24, kHashed = 1 << 12;  // hashed features of a candidate: far fewer
    const double most =
        static_cast<double>(blocks_.size() == 0 ? 0 : blocks_.begin.back() - blocks_.begin.front());
    return whole_.in_use() && blocks_.values == nullptr && (most + kHashed) * double{largest_} < kExact;
  }
  /// A copy of the weights, without what only training needs.
  RowWeights weights_alone() const;
  /// Puts the average of what `from` has learned in the place of the weights.
  void take_average(const RowWeights& from);
  void forget_gathered();
  void end_of_training();

  std::shared_ptr<const linear::StateRows> layout_;
  size_t labels_, stride_;
  bool adaptive_;
  /// The lag is Σ_s (s+1)·Δ_s for plain steps, the sum of snapshots for adaptive ones.
  AlignedVector<float> state_, state_lag_, state_squares_;
  linear::WholeRows whole_;  ///< of state_, while all weights are whole numbers and only add() changes them
  float largest_ = 0;        ///< while whole_ is in use: no weight has ever been larger
  HashedRows hashed_;
  GrowingArray<float> hashed_lag_, hashed_squares_;
  std::shared_ptr<const OldRows> old_;
  AlignedVector<float> state_anchor_;  ///< what penalties pull towards, where there is an old model
  GrowingArray<float> hashed_anchor_;
  float share_of_new_ = 1;
  uint64_t ticks_ = 0;  ///< or snapshots

  StaticBlocks blocks_;
  uint64_t version_ = 1;  ///< of the weights and the input together
  AlignedVector<float> block_scores_;
  std::vector<uint64_t> block_version_;
  AlignedVector<float> row_, common_;
  FeatureSink update_sink_;
  Gathered block_gradients_, hashed_gradients_;
  std::vector<std::pair<uint32_t, float>> some_;  ///< scratch: labels with a gradient
};

}  // namespace espalier::search

// The weights of a level: their layout, how they score a lattice, and how gradients of a lattice become
// gradients of weights. Tested in trellis_test.cc and losses_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/cascade/gram_table.h"
#include "espalier/cascade/max_pass.h"
#include "espalier/cascade/trellis.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/encoding/token_features.h"
#include "espalier/linear/rows.h"

namespace espalier::cascade {

/// Features for the rating of a state at the level before, in eighths of the training data.
inline constexpr size_t kQuantiles = 8;
using QuantileCuts = std::array<float, kQuantiles - 1>;

/// The eighth into which a rating falls. Precondition: not kNoRating.
inline size_t quantile_of(const QuantileCuts& cuts, float rating) {
  size_t bin = 0;
  while (bin < cuts.size() && rating >= cuts[bin]) ++bin;
  return bin;
}

/// score of a labelling at a level of order n =
///   Σ_t  state[f][y_t] over the features f of t
///      + gram[y_{t−j+1} … y_t] for j = 2 … n, and those that close with the end symbol
///      + edge[f][y_{t−j+1} … y_t] over the edge features f of t, for j = 2 … the order they go up to
///      + quantile[where the state stood at the level before].
/// Layouts and the table of grams are shared by all levels.
struct LevelWeights {
  size_t order = 1;
  AlignedVector<float> state;
  AlignedVector<float> gram;  ///< per gram of the table, and slack
  AlignedVector<float> edge;
  std::array<float, kQuantiles> quantile{};
  QuantileCuts cuts{};
  PriorMean prior;  ///< of new data
};

/// Which weights exist.
struct Layout {
  size_t labels = 0, stride = 0;
  linear::StateRows state;
  linear::EdgeRows edge;  ///< columns: gram numbers
  GramTable grams;

  LevelWeights zeros(size_t order) const;
  /// The number of weights of a level, zeros included.
  size_t weights_of(const LevelWeights& level) const;
};

/// Rows laid out by chain::make_weights, the grams of the gold labels up to `order`, and for each edge
/// feature the grams up to `edge_order` with which it was seen.
Layout make_layout(const linear::EncodedTraining& training, uint32_t full_rows_from, size_t order,
                   size_t edge_order);

/// Scores of the labels of every position: node gets T×S.
void score_nodes(const Layout& layout, const LevelWeights& level, const linear::Dataset& data,
                 size_t sequence, AlignedVector<float>& node);
/// The same for given features of a number of positions.
void score_nodes(const Layout& layout, const LevelWeights& level, linear::SequenceFeatures features,
                 size_t positions, AlignedVector<float>& node);

/// The labels that the states of each position have, ascending.
struct LabelsAt {
  std::vector<uint32_t> begin;     ///< position t owns [begin[t], begin[t+1])
  std::vector<data::Label> label;  ///< ascending within a position

  void find(const chain::Lattice& lattice);
  std::span<const data::Label> operator[](size_t t) const {
    return {label.data() + begin[t], label.data() + begin[t + 1]};
  }
};
/// score_nodes for these labels alone. What is left alive of many labels is a few, and only their weights are
/// read. Positions with fewer labels than `fewest` are left at 0.
void score_nodes(const Layout& layout, const LevelWeights& level, linear::SequenceFeatures features,
                 const LabelsAt& labels, size_t fewest, AlignedVector<float>& node);

/// A view of the weights of a level that score_trellis needs, in training or from a model file.
struct LevelView {
  size_t order = 1;
  std::span<const float> gram;  ///< per gram of the table
  std::span<const float, kQuantiles> quantile;
  const QuantileCuts* cuts = nullptr;
  float scale = 1;  ///< a factor for all scores

  float weight(uint32_t number) const { return number < gram.size() ? gram[number] : 0.0f; }
};
inline LevelView view_of(const LevelWeights& level, float scale = 1) {
  const size_t grams = level.gram.size() < linear::kLanes ? 0 : level.gram.size() - linear::kLanes;
  return {level.order, {level.gram.data(), grams}, level.quantile, &level.cuts, scale};
}

/// Grams with their gradients. push_if() makes no branch, since nobody can predict which gradients count, and
/// does not look whether there is room: reserve_more() does, for several. Or they are put in from the last to
/// the first, with a pointer: room_from_end() gives it, begin_at() takes it back.
class GramGradients {
 public:
  using Item = std::pair<uint32_t, float>;
  void clear() { first_ = last_ = 0; }
  void reserve_more(size_t n) {
    if (last_ + n > items_.size()) items_.resize(std::max(last_ + n, 2 * items_.size()));
  }
  void push_if(bool counts, uint32_t gram, float g) {
    items_[last_] = {gram, g};
    last_ += counts;
  }
  /// Empty, with room for so many items in front of what it returns, and for one more, which may be written
  /// to.
  Item* room_from_end(size_t room) {
    if (items_.size() < room + 1) items_.resize(room + 1);
    last_ = room + 1;
    return items_.data() + last_;
  }
  void begin_at(const Item* first) { first_ = static_cast<size_t>(first - items_.data()); }
  const Item* begin() const { return items_.data() + first_; }
  const Item* end() const { return items_.data() + last_; }

 private:
  std::vector<Item> items_;
  size_t first_ = 0, last_ = 0;
};

/// Values per gram for one position, all 0 between uses.
struct GramValues {
  std::vector<float> value;       ///< per gram
  std::vector<uint32_t> touched;  ///< grams whose value is not 0
  void add(uint32_t gram, float x) {
    if (value[gram] == 0) touched.push_back(gram);
    value[gram] += x;
  }
  void add_all(const GramGradients& gradients) {  // without a branch, as GramGradients::push_if()
    size_t n = touched.size();
    touched.resize(n + static_cast<size_t>(gradients.end() - gradients.begin()));
    for (const auto& [gram, x] : gradients) {
      touched[n] = gram;
      n += value[gram] == 0;
      value[gram] += x;
    }
    touched.resize(n);
  }
  void clear() {
    for (const uint32_t gram : touched) value[gram] = 0;
    touched.clear();
  }
};

/// Computes the scores of a trellis with order − 1 labels per state (1 for order 1) from node scores (T×S).
/// edges(t, values) adds the weights of the edge features of position t to `values`.
template <typename Edges>
void score_trellis(const LevelView& level, const float* node, size_t stride, const Edges& edges,
                   GramValues& values, Trellis& trellis);

/// The gradient of a loss with respect to the weights that a sequence uses.
struct SequenceGradient {
  AlignedVector<float> node;    ///< T×S
  std::vector<uint8_t> active;  ///< per position: worth an update
  LabelsAt labels;              ///< those with a gradient; empty: any may have one
  GramGradients grams;
  std::vector<std::pair<uint32_t, float>> edge_grams;  ///< those of edge features, position after position …
  std::vector<uint32_t> edge_begin;                    ///< … whose begins are here; empty: no edge features
  std::array<float, kQuantiles> quantile{};
  double loss = 0;
};

/// Turns gradients of states and arcs into gradients of weights: the transpose of score_trellis. A position
/// is active if some label's gradient is above `ignore` in absolute value.
void spread_gradient(const LevelView& level, const Trellis& trellis, std::span<const double> states,
                     std::span<const double> arcs, size_t stride, float factor, float ignore, bool edges,
                     SequenceGradient& out);

/// The score of state s at position t, before LevelView::scale. gram_score(gram): what a gram of its labels
/// adds.
template <typename GramScore>
float score_state(const LevelView& level, float node, const Trellis& trellis, size_t t, size_t s,
                  const GramScore& gram_score) {
  const size_t T = trellis.lattice.positions(), m = trellis.gram_length;
  float score = node;
  if (level.order > 1) {
    for (const uint32_t gram : trellis.grams_of(s)) score += gram_score(gram);
    if (t == 0) score += level.weight(trellis.first_gram[s]);
    if (t + 1 == T)
      for (size_t j = 0; j < m; ++j)
        score += level.weight(trellis.end_grams[(s - trellis.lattice.states_at(t).first) * m + j]);
  }
  if (trellis.rating[s] != kNoRating) score += level.quantile[quantile_of(*level.cuts, trellis.rating[s])];
  return score;
}

template <typename Edges>
void score_trellis(const LevelView& level, const float* node, size_t stride, const Edges& edges,
                   GramValues& values, Trellis& trellis) {
  chain::Lattice& lattice = trellis.lattice;
  const size_t T = lattice.positions();
  const bool use_grams = level.order > 1;  // order 1 runs on a trellis of single labels and ignores arcs
  const std::span<float> state_scores = lattice.state_scores(), arc_scores = lattice.arc_scores();
  for (size_t t = 0; t < T; ++t) {
    bool extra = false;
    if (t > 0 && use_grams) {
      edges(t, values);
      extra = !values.touched.empty();
    }
    const auto gram_score = [&](uint32_t gram) {
      float score = level.weight(gram);
      if (extra && gram != kNoGram) score += values.value[gram];
      return score;
    };
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      state_scores[s] =
          level.scale * score_state(level, node[t * stride + lattice.label(s)], trellis, t, s, gram_score);
      const Range arcs = lattice.arcs_into(s);
      if (use_grams)
        for (size_t a = arcs.first; a < arcs.last; ++a)
          arc_scores[a] = level.scale * gram_score(trellis.arc_gram[a]);
    }
    if (extra) values.clear();
  }
}

}  // namespace espalier::cascade

#include "espalier/cascade/weights.h"

#include <algorithm>
#include <cmath>

#include "espalier/chain/weights.h"

namespace espalier::cascade {

using data::Label;

namespace {

/// Calls visit(token, gram) for the gold grams of 2 … order labels that end at each token; new grams are
/// added to the table.
template <typename Visit>
void for_gold_grams(const linear::Dataset& data, size_t order, GramTable& grams, const Visit& visit) {
  std::vector<uint32_t> symbols;
  for (size_t s = 0; s < data.sequences(); ++s) {
    if (!data.fully_labelled(s)) continue;
    const auto gold = data.gold_of(s);
    symbols.assign(order - 1, grams.start());
    symbols.insert(symbols.end(), gold.begin(), gold.end());
    for (size_t t = 0; t < gold.size(); ++t)
      for (size_t j = 2; j <= order; ++j) {
        const size_t last = t + order - 1;
        uint32_t gram = symbols[last + 1 - j];
        for (size_t i = last + 2 - j; i <= last; ++i) gram = grams.add(gram, symbols[i]);
        visit(data.sequence_begin[s] + t, t, gram);
      }
  }
}

}  // namespace

LevelWeights Layout::zeros(size_t order) const {
  LevelWeights level;
  level.order = order;
  level.state = linear::make_weights(state.weights());
  if (order > 1) {
    level.gram = linear::make_weights(grams.size());
    level.edge = linear::make_weights(edge.weights());
  }
  return level;
}

size_t Layout::weights_of(const LevelWeights& level) const {
  if (level.order == 1) return state.weights();
  return state.weights() + edge.weights() + grams.entries().size() + kQuantiles;
}

Layout make_layout(const linear::EncodedTraining& training, uint32_t full_rows_from, size_t order,
                   size_t edge_order) {
  Layout layout;
  layout.labels = training.labels.size();
  layout.stride = linear::padded(layout.labels);
  chain::PairOptions pairs;
  pairs.full_rows_from = full_rows_from;
  layout.state = chain::make_weights(training, false, pairs).state_rows;
  layout.grams = GramTable(layout.labels);
  layout.edge.width = 0;
  if (order == 1) {
    layout.edge.begin.assign(training.edge.size() + 1, 0);
    return layout;
  }
  std::vector<std::pair<uint32_t, uint32_t>> seen;  // edge feature and gram
  const linear::FeatureLists& edges = training.data.edge;
  const size_t longest = std::min(order, edge_order);
  for_gold_grams(training.data, order, layout.grams, [&](size_t token, size_t t, uint32_t gram) {
    if (t == 0 || edges.values.empty() || edges[token].empty()) return;
    if (layout.grams.order(gram) > longest) return;
    for (const uint32_t f : edges[token]) seen.emplace_back(f, gram);
  });
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  layout.edge.begin.assign(training.edge.size() + 1, 0);
  for (const auto& [f, gram] : seen) {
    ++layout.edge.begin[f + 1];
    layout.edge.column.push_back(gram);
  }
  for (size_t f = 0; f < training.edge.size(); ++f) layout.edge.begin[f + 1] += layout.edge.begin[f];
  return layout;
}

void score_nodes(const Layout& layout, const LevelWeights& level, const linear::Dataset& data,
                 size_t sequence, AlignedVector<float>& node) {
  score_nodes(layout, level, linear::features_of(data, sequence), data.length(sequence), node);
}

void score_nodes(const Layout& layout, const LevelWeights& level, linear::SequenceFeatures features,
                 size_t positions, AlignedVector<float>& node) {
  node.assign(positions * layout.stride, 0.0f);
  for (size_t t = 0; t < positions; ++t)
    linear::add_rows(layout.state, level.state.data(), features[t].features, features[t].values,
                     node.data() + t * layout.stride);
}

void LabelsAt::find(const chain::Lattice& lattice) {
  begin.assign(1, 0);
  label.clear();
  for (size_t t = 0; t < lattice.positions(); ++t) {
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s)
      if (s == states.first || lattice.label(s) != label.back()) label.push_back(lattice.label(s));
    begin.push_back(static_cast<uint32_t>(label.size()));
  }
}

void score_nodes(const Layout& layout, const LevelWeights& level, linear::SequenceFeatures features,
                 const LabelsAt& labels, size_t fewest, AlignedVector<float>& node) {
  const size_t positions = labels.begin.size() - 1;
  node.assign(positions * layout.stride, 0.0f);
  for (size_t t = 0; t < positions; ++t)
    if (labels[t].size() >= fewest)
      linear::add_rows_of_columns(layout.state, level.state.data(), features[t].features, features[t].values,
                                  labels[t], node.data() + t * layout.stride);
}

void spread_gradient(const LevelView& level, const Trellis& trellis, std::span<const double> states,
                     std::span<const double> arcs, size_t stride, float factor, float ignore, bool edges,
                     SequenceGradient& out) {
  const chain::Lattice& lattice = trellis.lattice;
  const size_t T = lattice.positions(), m = trellis.gram_length;
  const bool use_grams = level.order > 1;
  const float tiny = 1e-6f;  // gradients that are only rounding errors are not worth an update
  out.node.assign(T * stride, 0.0f);
  out.active.assign(T, 0);
  out.labels.begin.assign(1, 0);
  out.labels.label.clear();
  out.grams.clear();
  out.edge_grams.clear();
  out.edge_begin.clear();
  out.quantile.fill(0);
  const auto counts = [=](uint32_t gram, float g) { return (gram != kNoGram) & (std::abs(g) > tiny); };
  const auto add_gram = [&](uint32_t gram, float g, bool with_edges) {
    out.grams.push_if(counts(gram, g), gram, g);
    if (with_edges && counts(gram, g)) out.edge_grams.emplace_back(gram, g);
  };
  for (size_t t = 0; t < T; ++t) {
    if (edges) out.edge_begin.push_back(static_cast<uint32_t>(out.edge_grams.size()));
    const bool with_edges = edges && t > 0;
    const Range at = lattice.states_at(t);
    for (size_t s = at.first; s < at.last; ++s) {
      const Range into = lattice.arcs_into(s);
      if (use_grams) out.grams.reserve_more(2 * m + 1 + into.last - into.first);
      const float g = factor * static_cast<float>(states[s]);
      if (std::abs(g) > tiny) {
        const Label label = lattice.label(s);
        out.node[t * stride + label] += g;
        if (out.labels.label.size() == out.labels.begin.back() || out.labels.label.back() != label)
          out.labels.label.push_back(label);
        if (use_grams) {
          for (const uint32_t gram : trellis.grams_of(s)) add_gram(gram, g, with_edges);
          if (t == 0) add_gram(trellis.first_gram[s], g, false);
          if (t + 1 == T)
            for (size_t j = 0; j < m; ++j) add_gram(trellis.end_grams[(s - at.first) * m + j], g, false);
        }
        if (trellis.rating[s] != kNoRating) out.quantile[quantile_of(*level.cuts, trellis.rating[s])] += g;
      }
      if (!use_grams) continue;
      for (size_t a = into.first; a < into.last; ++a) {  // most of the work
        const uint32_t gram = trellis.arc_gram[a];
        const float ga = factor * static_cast<float>(arcs[a]);
        out.grams.push_if(counts(gram, ga), gram, ga);
        if (with_edges && counts(gram, ga)) out.edge_grams.emplace_back(gram, ga);
      }
    }
    out.labels.begin.push_back(static_cast<uint32_t>(out.labels.label.size()));
    const float* row = out.node.data() + t * stride;
    for (const Label label : out.labels[t]) out.active[t] |= std::abs(row[label]) > ignore;
  }
  if (edges) out.edge_begin.push_back(static_cast<uint32_t>(out.edge_grams.size()));
}

}  // namespace espalier::cascade

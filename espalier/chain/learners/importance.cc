#include "espalier/chain/learners/importance.h"

#include <algorithm>
#include <utility>

namespace espalier::chain {

double counted_tokens(const linear::Dataset& data) {
  return data.spread ? data.spread->counted : data.weighted_tokens().value();
}

BatchRunner::Gradient counting_copies(const linear::Dataset& data, BatchRunner::Gradient inner) {
  return [&data, inner = std::move(inner)](size_t s, SequenceScores& scores, ChainScratch& scratch,
                                           const TransitionPotentials& potentials, ScoreGradient out) {
    const float copies = data.weight[s];
    if (copies == 1) return inner(s, scores, scratch, potentials, out);
    const ChainScores& view = scores.view;
    const size_t edges = out.edge == nullptr ? 0 : view.length * view.labels * view.stride;
    if (copies == 0) {
      std::fill(out.edge, out.edge + edges, 0.0f);
      return 0.0;
    }
    // Pairs are summed over sequences, so compute this sequence's separately, scale them, then add them.
    thread_local AlignedVector<float> own_pairs;
    own_pairs.assign(view.labels * view.stride, 0.0f);
    ScoreGradient own = out;
    own.pairs = own_pairs.data();
    const double loss = inner(s, scores, scratch, potentials, own);
    for (size_t i = 0; i < view.length * view.stride; ++i) out.node[i] *= copies;
    for (size_t i = 0; i < own_pairs.size(); ++i) out.pairs[i] += copies * own_pairs[i];
    for (size_t i = 0; i < edges; ++i) out.edge[i] *= copies;
    return static_cast<double>(copies) * loss;
  };
}

void add_costs(SequenceScores& scores, std::span<const data::Label> gold, std::span<const float> label_weight,
               float base) {
  const ChainScores& view = scores.view;
  for (size_t t = 0; t < view.length; ++t) {
    if (gold[t] == data::kNoLabel) continue;
    const float cost = (label_weight.empty() ? 1.0f : label_weight[gold[t]]) - base;
    if (cost == 0) continue;
    float* node = scores.node.data() + t * view.stride;
    for (size_t j = 0; j < view.labels; ++j)
      if (j != gold[t]) node[j] += cost;
  }
}

}  // namespace espalier::chain

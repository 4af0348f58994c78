#include "espalier/chain/gradients.h"

#include <algorithm>
#include <cmath>

namespace espalier::chain {

using data::kNoLabel;
using data::Label;

namespace {

bool all_known(std::span<const Label> gold) {
  return std::find(gold.begin(), gold.end(), kNoLabel) == gold.end();
}

/// Adds `amount` at the gold labels of a fully labelled sequence.
void add_indicator(const ChainScores& s, std::span<const Label> labels, float amount, ScoreGradient out) {
  for (size_t t = 0; t < labels.size(); ++t) {
    out.node[t * s.stride + labels[t]] += amount;
    if (t == 0) continue;
    out.pairs[labels[t - 1] * s.stride + labels[t]] += amount;
    if (out.edge != nullptr) out.edge[(t * s.labels + labels[t - 1]) * s.stride + labels[t]] += amount;
  }
}

void mark_active(const ChainScores& s, float ignore, ScoreGradient out) {
  for (size_t t = 0; t < s.length; ++t) {
    const float* g = out.node + t * s.stride;
    float largest = 0;
    for (size_t j = 0; j < s.labels; ++j) largest = std::max(largest, std::abs(g[j]));
    out.active[t] = largest > ignore;
  }
}

}  // namespace

double log_loss_gradient(SequenceScores& scores, std::span<const Label> gold, ChainScratch& scratch,
                         const TransitionPotentials& potentials, float ignore, ScoreGradient out,
                         const Restriction* restriction, size_t sequence) {
  const ChainScores& s = scores.view;
  const bool restricted = restriction != nullptr && restriction->applies(sequence);
  const auto sums = [&](float* node, float* pairs, float* edge) {
    return restricted ? restriction->sums(sequence, s, scratch, node, pairs, edge)
                      : forward_backward(s, potentials, scratch, node, pairs, edge);
  };
  double loss = sums(out.node, out.pairs, out.edge);
  if (all_known(gold)) {
    loss -= score_of(s, gold) - (restricted ? restriction->penalty(sequence, gold) : 0);
    add_indicator(s, gold, -1.0f, out);
  } else {
    // The restricted sum is the same computation with the other labels at −∞.
    AlignedVector<float> node(s.length * s.stride), pairs(s.labels * s.stride, 0.0f),
        edge(out.edge == nullptr ? 0 : s.length * s.labels * s.stride, 0.0f);
    force_labels(scores, gold);
    loss -= sums(node.data(), pairs.data(), out.edge == nullptr ? nullptr : edge.data());
    for (size_t i = 0; i < node.size(); ++i) out.node[i] -= node[i];
    for (size_t i = 0; i < pairs.size(); ++i) out.pairs[i] -= pairs[i];
    for (size_t i = 0; i < edge.size(); ++i) out.edge[i] -= edge[i];
  }
  mark_active(s, ignore, out);
  return loss;
}

double local_log_loss_gradient(const SequenceScores& scores, std::span<const Label> gold, bool transitions,
                               float ignore, ScoreGradient out) {
  const ChainScores& s = scores.view;
  double loss = 0;
  if (out.edge != nullptr) std::fill(out.edge, out.edge + s.length * s.labels * s.stride, 0.0f);
  for (size_t t = 0; t < s.length; ++t) {
    if (gold[t] == kNoLabel || (transitions && t > 0 && gold[t - 1] == kNoLabel)) continue;
    float* g = out.node + t * s.stride;
    std::copy(s.node + t * s.stride, s.node + (t + 1) * s.stride, g);
    if (transitions && t > 0) {
      const float* trans = s.transitions_into(t) + gold[t - 1] * s.stride;
      for (size_t j = 0; j < s.labels; ++j) g[j] += trans[j];
    }
    const float gold_score = g[gold[t]];
    loss += softmax(g, s.labels) - gold_score;
    g[gold[t]] -= 1;
    if (transitions && t > 0) {
      float* pairs = out.pairs + gold[t - 1] * s.stride;
      for (size_t j = 0; j < s.labels; ++j) pairs[j] += g[j];
      if (out.edge != nullptr) std::copy(g, g + s.labels, out.edge + (t * s.labels + gold[t - 1]) * s.stride);
    }
  }
  mark_active(s, ignore, out);
  return loss;
}

double structure_difference(const ChainScores& s, std::span<const Label> gold,
                            std::span<const Label> predicted, ScoreGradient out) {
  double different = 0;
  if (out.edge != nullptr) std::fill(out.edge, out.edge + s.length * s.labels * s.stride, 0.0f);
  for (size_t t = 0; t < gold.size(); ++t) {
    const bool here = gold[t] != predicted[t];
    if (here) {
      out.node[t * s.stride + gold[t]] -= 1;
      out.node[t * s.stride + predicted[t]] += 1;
      out.active[t] = 1;
      ++different;
    }
    if (t > 0 && (here || gold[t - 1] != predicted[t - 1])) {
      const size_t right = gold[t - 1] * s.stride + gold[t],
                   wrong = predicted[t - 1] * s.stride + predicted[t];
      out.pairs[right] -= 1;
      out.pairs[wrong] += 1;
      if (out.edge != nullptr) {
        out.edge[t * s.labels * s.stride + right] -= 1;
        out.edge[t * s.labels * s.stride + wrong] += 1;
      }
    }
  }
  return different;
}

void complete_gold(SequenceScores& scores, std::span<const Label> gold, ChainScratch& scratch,
                   std::vector<Label>& completed, const Restriction* restriction, size_t sequence) {
  completed.assign(gold.begin(), gold.end());
  if (all_known(gold)) return;
  SequenceScores forced = scores;
  forced.view.node = forced.node.data();
  if (scores.view.edge != nullptr) forced.view.edge = forced.edge.data();
  force_labels(forced, gold);
  decode_for_training(restriction, sequence, forced.view, scratch, completed.data());
}

}  // namespace espalier::chain

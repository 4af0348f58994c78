// Part of level_learner.h: how weights step after a batch, and what is done between batches. Tested in
// train_test.cc.
#include <algorithm>
#include <cmath>

#include "espalier/cascade/training/level_learner.h"
#include "espalier/chain/learners/adagrad.h"

namespace espalier::cascade {

namespace {
/// w[c] −= rate · value · g[c] along the rows of a token.
void plain_rows(const linear::StateRows& layout, std::span<const uint32_t> features, const float* values,
                const float* g, float rate, float* weights) {
  for (size_t i = 0; i < features.size(); ++i) {
    const uint32_t first = layout.begin[features[i]], last = layout.begin[features[i] + 1];
    const float by = rate * (values == nullptr ? 1.0f : values[i]);
    if (last - first == layout.width) {
      for (uint32_t j = 0; j < layout.width; ++j) weights[first + j] -= by * g[j];
    } else {
      for (uint32_t w = first; w < last; ++w) weights[w] -= by * g[layout.column[w]];
    }
  }
}
}  // namespace

void LevelLearner::step(const float* gradient, size_t n, float rate, float* w, float* squares) const {
  if (options_.steps == Steps::kAdaptive) {
    chain::adagrad_dense(gradient, n, rate, w, squares);
  } else {
    for (size_t i = 0; i < n; ++i) w[i] -= rate * gradient[i];
  }
}

void LevelLearner::update(std::span<const uint32_t> sequences, double eta) {
  float rate = static_cast<float>(eta);
  if (options_.steps != Steps::kAdaptive) {
    // Sequences without a subgradient do not shrink the weights either (equation 9). A loss of 0 is not
    // enough to tell: if all weights are 0, a wrong answer ties with gold. Pegasos shrinks at every step.
    size_t moved = 0;
    for (size_t i = 0; i < sequences.size(); ++i)
      moved += std::find(slots_[i].active.begin(), slots_[i].active.end(), 1) != slots_[i].active.end();
    if (options_.steps == Steps::kPegasos) moved = sequences.size();
    if (moved == 0) return;
    scale_ *= std::pow(1 - eta * options_.lambda, static_cast<double>(moved));
    if (scale_ < 1e-6) fold_scale();
    rate = static_cast<float>(eta / scale_);
  }
  update_rows(sequences, rate);
  if (weights_.order == 1) return;
  std::array<float, kQuantiles> quantile{};
  for (size_t i = 0; i < sequences.size(); ++i) {
    gram_gradient_.add_all(slots_[i].grams);
    for (size_t q = 0; q < kQuantiles; ++q) quantile[q] += slots_[i].quantile[q];
  }
  step_grams(rate);
  step(quantile.data(), kQuantiles, rate, weights_.quantile.data(), quantile_squares_.data());
  update_edges(sequences, rate);
}

void LevelLearner::step_grams(float rate) {
  const std::vector<uint32_t>& touched = gram_gradient_.touched;  // a gram may be in the list twice
  std::vector<float>& gradient = gram_gradient_.value;
  if (options_.steps == Steps::kAdaptive) {
    chain::adagrad_at(touched, gradient.data(), rate, weights_.gram.data(), gram_.squares.data());
    if (keeps_potentials())
      for (const uint32_t gram : touched) potentials_.set(gram, weights_.gram[gram]);
  } else {
    for (const uint32_t gram : touched) weights_.gram[gram] -= rate * std::exchange(gradient[gram], 0.0f);
  }
  gram_gradient_.clear();
}

void LevelLearner::update_rows(std::span<const uint32_t> sequences, float rate) {
  // As in chain/learners/batch.h: features belong to shards, each thread owns a range of shards and takes
  // tokens in order.
  const size_t stretches = std::min<size_t>(static_cast<size_t>(workers_.threads()), linear::kUpdateShards);
  workers_.for_each(stretches, [&](size_t stretch) {
    const Range shards = piece_of(linear::kUpdateShards, stretches, stretch);
    for (size_t i = 0; i < sequences.size(); ++i) {
      const SequenceGradient& slot = slots_[i];
      const linear::SequenceFeatures sequence = features_[i];
      for (size_t t = 0; t < data_.length(sequences[i]); ++t) {
        if (!slot.active[t]) continue;
        const linear::TokenFeatures token = stretches > 1 ? sequence[t].in_shards(shards) : sequence[t];
        const float* g = slot.node.data() + t * layout_.stride;
        if (options_.steps == Steps::kAdaptive && !slot.labels.begin.empty()) {
          chain::adagrad_rows_of_columns(layout_.state, token.features, token.values, slot.labels[t], g, rate,
                                         weights_.state.data(), state_.squares.data());
        } else if (options_.steps == Steps::kAdaptive) {
          chain::adagrad_rows(layout_.state, token.features, token.values, g, rate, weights_.state.data(),
                              state_.squares.data());
        } else {
          plain_rows(layout_.state, token.features, token.values, g, rate, weights_.state.data());
        }
      }
    }
  });
}

void LevelLearner::update_edges(std::span<const uint32_t> sequences, float rate) {
  if (data_.edge.values.empty()) return;
  for (size_t i = 0; i < sequences.size(); ++i) {
    const SequenceGradient& slot = slots_[i];
    const uint64_t first = data_.sequence_begin[sequences[i]];
    for (size_t t = 1; t < data_.length(sequences[i]); ++t) {
      for (uint32_t j = slot.edge_begin[t]; j < slot.edge_begin[t + 1]; ++j)
        edge_gradient_.add(slot.edge_grams[j].first, slot.edge_grams[j].second);
      for (const uint32_t f : data_.edge[first + t])
        for (uint32_t w = layout_.edge.begin[f]; w < layout_.edge.begin[f + 1]; ++w) {
          const float g = edge_gradient_.value[layout_.edge.column[w]];
          if (g != 0)
            step(&g, 1, rate, &weights_.edge[w], edge_.squares.empty() ? nullptr : &edge_.squares[w]);
        }
      edge_gradient_.clear();
    }
  }
}

void LevelLearner::fold_scale() {
  const float scale = static_cast<float>(scale_);
  for (float& w : weights_.state) w *= scale;
  for (float& w : weights_.gram) w *= scale;
  for (float& w : weights_.edge) w *= scale;
  for (float& w : weights_.quantile) w *= scale;
  scale_ = 1;
}

/// Pegasos's projection to |w| ≤ 1/√λ, where the optimum lies. It costs a look at every weight, so it is done
/// as often as averages are taken, not after each sequence.
void LevelLearner::project() {
  double square = 0;
  for (const float w : weights_.state) square += double{w} * w;
  for (const float w : weights_.gram) square += double{w} * w;
  for (const float w : weights_.edge) square += double{w} * w;
  for (const float w : weights_.quantile) square += double{w} * w;
  const double norm = scale_ * std::sqrt(square), most = 1 / std::sqrt(options_.lambda);
  if (norm > most) scale_ *= most / norm;
}

void LevelLearner::end_of_step(bool average, double fraction) {
  if (options_.steps == Steps::kPegasos) project();
  const auto each = [&](float* w, Extra& extra, const float* anchor, size_t n) {
    const float rate = static_cast<float>(options_.rate), l2 = static_cast<float>(options_.l2);
    const bool shrinks = options_.steps == Steps::kAdaptive && options_.l2 > 0;
    const auto end_part = [&](Range part) {
      const size_t count = part.last - part.first;
      float* const own = w + part.first;
      if (shrinks && anchored_) {
        chain::shrink_towards(count, rate, static_cast<float>(fraction), 0.0f, l2, anchor + part.first, own,
                              extra.squares.data() + part.first);
      } else if (shrinks) {
        chain::shrink(count, rate, static_cast<float>(fraction), 0.0f, l2, own,
                      extra.squares.data() + part.first);
      }
      if (!average) return;
      double* const sum = extra.sum.data() + part.first;
      if (scale_ == 1) return chain::accumulate(own, count, sum);
      for (size_t i = 0; i < count; ++i) sum[i] += scale_ * static_cast<double>(own[i]);
    };
    // In parts that are still in the first cache when they are added up.
    constexpr size_t kPart = 2048;
    for_each_stretch(workers_, n, [&](Range stretch) {
      for (size_t first = stretch.first; first < stretch.last; first += kPart)
        end_part({first, std::min(first + kPart, stretch.last)});
    });
  };
  each(weights_.state.data(), state_, anchor_.state.data(), layout_.state.weights());
  if (weights_.order > 1) {
    each(weights_.gram.data(), gram_, anchor_.gram.data(), layout_.grams.size());
    each(weights_.edge.data(), edge_, anchor_.edge.data(), layout_.edge.weights());
  }
  if (!average) return;
  for (size_t q = 0; q < kQuantiles; ++q)
    quantile_sum_[q] += scale_ * static_cast<double>(weights_.quantile[q]);
  ++averaged_;
}

}  // namespace espalier::cascade

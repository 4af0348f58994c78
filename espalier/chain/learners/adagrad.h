// AdaGrad steps and penalties on weights, one by one or on contiguous rows with vector instructions.
#pragma once

#include <cstdint>
#include <span>

#include "espalier/base/array.h"
#include "espalier/linear/rows.h"

namespace espalier::chain {

/// One weight's step of AdaGrad (Duchi, Hazan and Singer 2011): h += g², w −= η·g/√h.
void adagrad_rows(const linear::StateRows& layout, std::span<const uint32_t> features, const float* values,
                  const float* gradient, float rate, float* weights, float* squares);

/// The same where only these columns (ascending) have a gradient other than 0.
void adagrad_rows_of_columns(const linear::StateRows& layout, std::span<const uint32_t> features,
                             const float* values, std::span<const uint16_t> columns, const float* gradient,
                             float rate, float* weights, float* squares);

/// adagrad_rows for contiguous weights: n of them.
void adagrad_dense(const float* gradient, size_t n, float rate, float* weights, float* squares);

/// The same for some of them: gradient[i] is that of weight i, for each i in `which`, and becomes 0.
void adagrad_at(std::span<const uint32_t> which, float* gradient, float rate, float* weights, float* squares);

/// Applies the penalties for a fraction of a pass, by implicit steps, which are stable at any rate: with the
/// step a = rate·fraction/√h, w ← sign(w)·max(0, |w| − a·l1) / (1 + 2·a·l2). Weights without any gradient so
/// far (h = 0) stay, so that a warm start keeps what the new data does not touch.
void shrink(size_t n, float rate, float fraction, float l1, float l2, float* weights, const float* squares);

/// The same penalties on the distance from `anchor`: w − anchor takes the place of w.
void shrink_towards(size_t n, float rate, float fraction, float l1, float l2, const float* anchor,
                    float* weights, const float* squares);

/// What AdaGrad's squares of a trained model would be if its training had kept them. `squares` comes in with
/// the squared gradients of one pass over the new data at the weights of the model, and the training data is
/// assumed to have had gradients like these, `times` as many. Every weight of a model had at
/// least one gradient near 1, its first. Weights that are 0 are new: they get the squares of untrained
/// weights, 0.
void estimate_squares(size_t n, float times, const float* weights, float* squares);
/// How many times as much as the new data the training data of a model counts there: the ratio of their
/// tokens, and much more where the new data are a handful of sentences (under 1,500 tokens, and under a tenth
/// of the old). The gradients of so few say little about weights that many have taught, and following them
/// made models worse on both; what is learned then is mostly the weights of features that are new. Chosen on
/// held-out training data.
double old_counts(double learned_tokens, double new_tokens);
/// How many snapshots of the weights the old model counts as in the average: as many as a pass over as much
/// data as it has learned from, and of less data in proportion. So another pass over the same data, whose
/// average has few snapshots of its own, does not cost accuracy, and a little data of another kind still
/// decides alone.
uint64_t old_snapshots(double old_counts, size_t of_a_pass);

/// What the new data count compared with an old model that learners by plain steps (perceptrons, SVMs,
/// searches) are averaged with: the more it has learned from, the less, by the root of that ratio, as steps
/// get smaller in AdaGrad, which are 1/√n after n steps. So a handful of sentences does not undo what
/// thousands have taught.
float share_of_new(double learned_tokens, double new_tokens);
/// w ← old + share·(w − old) where there is an old weight. Those that the old model did not have (0) are new
/// and stay as they are.
void average_with_old(std::span<const float> old, float share, std::span<float> weights);

/// Filters of cascades that are learned by plain steps, which do not get smaller, are averaged with the old
/// ones, which count like this many times the steps of the new training. Chosen on held-out training data.
inline constexpr uint64_t kOldModelCounts = 2;

/// sum += weights.
void accumulate(const float* weights, size_t n, double* sum);

}  // namespace espalier::chain

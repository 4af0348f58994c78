#include "espalier/chain/learners/svm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "espalier/base/random.h"
#include "espalier/chain/learners/importance.h"
#include "espalier/chain/learners/pass_steps.h"
#include "espalier/chain/learners/svm_run.h"
#include "espalier/chain/stop_kernels.h"

namespace espalier::chain {

using data::kNoLabel;
using data::Label;

Result<ChainWeights> SvmRun::run() {
  const double tokens = std::max(1.0, counted_tokens(data_));
  const StopKernels stop(context_.monitor);
  int first = 1;
  if (context_.resume != nullptr) {
    ESPALIER_ASSIGN(const int done, load(*context_.resume));
    first = done + 1;
  }
  for (int pass = first; pass <= options_.passes && !stopped_; ++pass) {
    const double hinges = one_pass(pass);
    if (stopped_ && pass > 1) break;
    bool converged = false;
    if (options_.gap_every > 0 && pass % options_.gap_every == 0 && !stopped_) {
      const DualityGap measured = gap(pass);
      stopped_ = context_.monitor.stop_requested();
      if (!stopped_ && options_.gap_measured) options_.gap_measured(measured);
      converged = !stopped_ && measured.per_sequence < options_.tolerance;
    }
    const Round round{{pass, (hinges + penalty()) / tokens,
                       [this, pass](SectionWriter& out) { save(out, pass); }, 0, kLossPerToken},
                      [this] { return result(); }};
    if (!context_.round_ended(round).go_on || converged) break;
  }
  return result();
}

double SvmRun::one_pass(int pass) {
  // Blocks of a sequence are processed together, while its features are in the cache.
  std::vector<uint32_t> order(data_.sequences());
  std::iota(order.begin(), order.end(), 0);
  Random(context_.seed).split(static_cast<uint64_t>(pass)).shuffle(std::span<uint32_t>(order));
  double hinges = 0;
  PassSteps steps(context_.monitor, pass, options_.passes, order.size());
  for (size_t done = 0; done < order.size() && !stopped_; ++done) {
    const uint32_t s = order[done];
    if (data_.weight[s] > 0) {
      if (by_token_) {
        for (uint64_t b = data_.sequence_begin[s]; b < data_.sequence_begin[s + 1]; ++b) hinges += step(b);
      } else {
        hinges += step(s);
      }
    }
    steps.advance(done + 1);
    stopped_ = context_.monitor.stop_requested();
  }
  return hinges;
}

void SvmRun::score(const Block& block, SequenceScores& scores) const {
  if (!by_token_) {
    score_sequence(weights_, data_, block.sequence, scores);
    return;
  }
  const size_t K = weights_.labels, S = weights_.stride;
  scores.node.assign(S, 0.0f);
  const float* values = data_.state_values.empty() ? nullptr : data_.state_values.data();
  linear::add_rows(weights_.state_rows, weights_.state.data(), data_.state[block.first],
                   values == nullptr ? nullptr : values + data_.state.begin[block.first], scores.node.data());
  std::fill(scores.node.begin() + static_cast<ptrdiff_t>(K), scores.node.end(),
            -std::numeric_limits<float>::infinity());
  scores.view = {1, K, S, scores.node.data(), weights_.trans.data(), nullptr};
}

/// Completes the block's unknown labels by the best labelling under the current scores. If that changes an
/// earlier completion, the gold part of w changes with it: w += C·weight·(feature(new) − feature(old)).
void SvmRun::complete(size_t b) {
  const Block& block = blocks_[b];
  const std::span<const Label> known(data_.gold.data() + block.first, block.length);
  if (std::find(known.begin(), known.end(), kNoLabel) == known.end()) return;
  complete_gold(bench_.scores, known, bench_.scratch, completed_, context_.restriction, block.sequence);
  if (context_.monitor.stop_requested()) return;
  const std::span<Label> gold(gold_.data() + block.first, block.length);
  const bool visited = std::find(gold.begin(), gold.end(), kNoLabel) == gold.end();
  if (visited && !std::equal(gold.begin(), gold.end(), completed_.begin())) {
    difference(completed_, gold, weights_.stride, weights_.edge_rows.rows() > 0, towards_);
    set_direction(block, towards_);
    move(scale(block), static_cast<double>(steps_) * static_cast<double>(steps_ - 1));
    combine(1, duals_[b].nodes, 1, towards_.nodes, moved_);
    duals_[b].nodes.swap(moved_);
    combine(1, duals_[b].pairs, 1, towards_.pairs, moved_);
    duals_[b].pairs.swap(moved_);
    score(block, bench_.scores);
  }
  std::copy(completed_.begin(), completed_.end(), gold.begin());
}

/// The answer of loss-augmented decoding and its hinge; the block must be scored.
double SvmRun::hinge(const Block& block, Bench& bench) const {
  const std::span<const Label> gold = gold_of(block);
  const double gold_score = score_of(bench.scores.view, gold);
  add_costs(bench.scores, {data_.gold.data() + block.first, block.length}, context_.label_weight, 0);
  bench.answer.resize(block.length);
  decode_for_training(context_.restriction, block.sequence, bench.scores.view, bench.scratch,
                      bench.answer.data());
  return std::max(0.0, score_of(bench.scores.view, bench.answer) - soft_penalty(block, bench.answer) -
                           gold_score + soft_penalty(block, gold));
}

/// The penalty of a labelling under soft constraints. Penalties are part of the score but not of the
/// features: in the dual they are added to the loss, as loss(y) − penalty(y) + penalty(gold).
double SvmRun::soft_penalty(const Block& block, std::span<const Label> labels) const {
  if (context_.restriction == nullptr || !context_.restriction->applies(block.sequence)) return 0;
  const double penalty = context_.restriction->penalty(block.sequence, labels);
  return std::isfinite(penalty) ? penalty : 0;  // an approximate answer may break a hard one
}

double SvmRun::cost(uint64_t token) const {
  if (data_.gold[token] == kNoLabel) return 0;
  return context_.label_weight.empty() ? 1.0 : static_cast<double>(context_.label_weight[data_.gold[token]]);
}

/// The expected loss of the block's dual distribution: at each token, the cost times the probability that is
/// not on gold; minus the expected penalty.
double SvmRun::loss(size_t b) const {
  double sum = 0;
  for (const DualTerm& term : duals_[b].nodes) {
    const uint64_t token = blocks_[b].first + dual_token(term.key);
    if (dual_index(term.key) == gold_[token]) sum += cost(token) * term.value;
  }
  return sum - dual_penalty_[b];
}

/// Turns terms over nodes and pairs into a direction over weights: feature f of token t adds value·term to
/// its row.
void SvmRun::set_direction(const Block& block, const BlockDual& terms) {
  const linear::StateRows& rows = weights_.state_rows;
  state_.direction.clear();
  trans_.direction.clear();
  edge_.direction.clear();
  for (size_t i = 0; i < terms.nodes.size();) {
    const size_t first = i, t = dual_token(terms.nodes[i].key);
    for (; i < terms.nodes.size() && dual_token(terms.nodes[i].key) == t; ++i)
      row_[dual_index(terms.nodes[i].key)] = static_cast<float>(terms.nodes[i].value);
    const std::span<const uint32_t> features = data_.state[block.first + t];
    const float* values =
        data_.state_values.empty() ? nullptr : data_.state_values.data() + data_.state.begin[block.first + t];
    for (size_t f = 0; f < features.size(); ++f)
      for (uint32_t k = rows.begin[features[f]]; k < rows.begin[features[f] + 1]; ++k)
        if (const float x = row_[rows.column[k]]; x != 0)
          state_.direction.add(k, values == nullptr ? x : values[f] * x);
    for (size_t j = first; j < i; ++j) row_[dual_index(terms.nodes[j].key)] = 0;
  }
  const linear::EdgeRows& edges = weights_.edge_rows;
  const size_t K = weights_.labels, S = weights_.stride;
  for (const DualTerm& term : terms.pairs) {
    const size_t index = dual_index(term.key);
    const float x = static_cast<float>(term.value);
    if (weights_.transitions) trans_.direction.add(index, x);
    if (edges.rows() == 0) continue;
    const size_t pair = index / S * K + index % S;
    for (const uint32_t f : data_.edge[block.first + dual_token(term.key)]) {
      const auto begin = edges.column.begin() + edges.begin[f],
                 end = edges.column.begin() + edges.begin[f + 1];
      const auto at = std::lower_bound(begin, end, pair);
      if (at != end && *at == pair) edge_.direction.add(static_cast<size_t>(at - edges.column.begin()), x);
    }
  }
  state_.direction.close();
  trans_.direction.close();
  edge_.direction.close();
}

void SvmRun::move(double by, double factor) {
  state_.direction.apply(by, factor, weights_.state, state_.lag);
  trans_.direction.apply(by, factor, weights_.trans, trans_.lag);
  edge_.direction.apply(by, factor, weights_.edge, edge_.lag);
}

/// One Frank–Wolfe step on block b. With the answer y of loss-augmented decoding as the corner to move
/// towards, e = [indicator(gold) − indicator(y)] − dual and a = C·weight, the dual objective along dual + γ·e
/// is a parabola:
///   γ* = (loss(y) − loss(dual) − w·Φe) / (a·|Φe|²), clipped to [0, 1];  w += γ·a·Φe.
/// Returns the hinge before the step, times the sequence's weight.
double SvmRun::step(size_t b) {
  const Block& block = blocks_[b];
  ++steps_;
  score(block, bench_.scores);
  complete(b);
  const double block_hinge = hinge(block, bench_);
  if (context_.monitor.stop_requested()) return 0;  // it may have ended in the middle
  const std::span<const Label> gold = gold_of(block);
  difference(gold, bench_.answer, weights_.stride, weights_.edge_rows.rows() > 0, corner_);
  BlockDual& dual = duals_[b];
  combine(1, corner_.nodes, -1, dual.nodes, towards_.nodes);
  combine(1, corner_.pairs, -1, dual.pairs, towards_.pairs);
  const double counted = static_cast<double>(data_.weight[block.sequence]) * block_hinge;
  if (towards_.nodes.empty() && towards_.pairs.empty()) return counted;

  set_direction(block, towards_);
  double corner_loss = 0;
  for (size_t t = 0; t < block.length; ++t)
    if (gold[t] != bench_.answer[t]) corner_loss += cost(block.first + t);
  const double corner_penalty = soft_penalty(block, bench_.answer) - soft_penalty(block, gold);
  corner_loss -= corner_penalty;
  const double gain = corner_loss - loss(b) - state_.direction.dot(weights_.state) -
                      trans_.direction.dot(weights_.trans) - edge_.direction.dot(weights_.edge);
  const double curvature =
      scale(block) * (state_.direction.square() + trans_.direction.square() + edge_.direction.square());
  const double gamma = gain <= 0 ? 0 : gain >= curvature ? 1 : gain / curvature;
  if (gamma == 0) return counted;
  move(gamma * scale(block), static_cast<double>(steps_) * static_cast<double>(steps_ - 1));
  dual_penalty_[b] += gamma * (corner_penalty - dual_penalty_[b]);
  combine(1 - gamma, dual.nodes, gamma, corner_.nodes, moved_);
  dual.nodes.assign(moved_.begin(), moved_.end());
  combine(1 - gamma, dual.pairs, gamma, corner_.pairs, moved_);
  dual.pairs.assign(moved_.begin(), moved_.end());
  return counted;
}

Result<ChainWeights> train_svm(TrainingContext context, const SvmOptions& options) {
  return SvmRun(std::move(context), options).run();
}

}  // namespace espalier::chain

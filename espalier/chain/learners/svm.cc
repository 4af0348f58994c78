#include "espalier/chain/learners/svm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "espalier/base/random.h"
#include "espalier/chain/gradients.h"
#include "espalier/chain/learners/checkpoint.h"
#include "espalier/chain/learners/importance.h"
#include "espalier/chain/learners/pass_steps.h"
#include "espalier/chain/learners/svm_dual.h"

namespace espalier::chain {

namespace {

using data::kNoLabel;
using data::Label;

/// A sequence, or one token of it.
struct Block {
  uint32_t sequence;
  uint32_t length;
  uint64_t first;  ///< token of the data set
};

/// What decoding a block needs, one a thread.
struct Bench {
  SequenceScores scores;
  ChainScratch scratch;
  std::vector<Label> answer;
};

/// A weight array's own part of the run. With Δ_i the change made in step i of k, the average Σ_i i·w_i / Σ_i
/// i is w_k − Σ_i i(i−1)·Δ_i / k(k+1): each change is also added to a lagging sum with the factor i(i−1).
struct Part {
  AlignedVector<float> origin;  ///< empty where training starts from 0
  AlignedVector<float> lag;
  SparseDirection direction;
  explicit Part(const AlignedVector<float>& start) : lag(start.size(), 0.0f), direction(start.size()) {
    if (std::any_of(start.begin(), start.end(), [](float w) { return w != 0; })) origin = start;
  }
};

class SvmRun {
 public:
  SvmRun(TrainingContext context, const SvmOptions& options)
      : context_(std::move(context)),
        data_(context_.training.data),
        options_(options),
        weights_(std::move(context_.start)),
        state_(weights_.state),
        trans_(weights_.trans),
        edge_(weights_.edge),
        gold_(data_.gold),
        by_token_(!weights_.transitions && weights_.edge_rows.rows() == 0 &&
                  context_.restriction == nullptr) {
    for (uint32_t s = 0; s < data_.sequences(); ++s) {
      const uint64_t begin = data_.sequence_begin[s];
      const uint32_t length = static_cast<uint32_t>(data_.length(s));
      if (by_token_) {
        for (uint32_t t = 0; t < length; ++t) blocks_.push_back({s, 1, begin + t});
      } else {
        blocks_.push_back({s, length, begin});
      }
    }
    duals_.resize(blocks_.size());
    dual_penalty_.assign(blocks_.size(), 0.0);
    row_.assign(weights_.stride, 0.0f);
  }

  Result<ChainWeights> run();

 private:
  double one_pass(int pass);
  double step(size_t b);
  void score(const Block& block, SequenceScores& scores) const;
  void complete(size_t b);
  double hinge(const Block& block, Bench& bench) const;
  double cost(uint64_t token) const;
  double loss(size_t b) const;
  double soft_penalty(const Block& block, std::span<const Label> labels) const;
  void set_direction(const Block& block, const BlockDual& terms);
  double scale(const Block& block) const {
    return options_.c * static_cast<double>(data_.weight[block.sequence]);
  }
  void move(double by, double factor);
  DualityGap gap(int pass) const;
  double penalty() const;
  ChainWeights result() const;
  void save(SectionWriter& out, int pass) const;
  Result<int> load(const SectionFile& in);
  std::span<const Label> gold_of(const Block& block) const {
    return {gold_.data() + block.first, block.length};
  }

  TrainingContext context_;
  const linear::Dataset& data_;
  SvmOptions options_;
  ChainWeights weights_;
  Part state_, trans_, edge_;
  std::vector<Label> gold_;  ///< completed where it is not known; kNoLabel before the first visit
  bool by_token_;
  std::vector<Block> blocks_;
  std::vector<BlockDual> duals_;
  std::vector<double>
      dual_penalty_;  ///< per block: what soft constraints cost its dual labelling beyond gold
  uint64_t steps_ = 0;
  bool stopped_ = false;

  Bench bench_;
  std::vector<Label> completed_;
  BlockDual corner_, towards_;
  DualTerms moved_;
  std::vector<float> row_;
};

Result<ChainWeights> SvmRun::run() {
  const double tokens = std::max(1.0, counted_tokens(data_));
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
      if (options_.gap_measured) options_.gap_measured(measured);
      converged = measured.per_sequence < options_.tolerance;
    }
    const Round round{pass, (hinges + penalty()) / tokens, [this] { return result(); },
                      [this, pass](SectionWriter& out) { save(out, pass); }};
    if (!context_.round_ended(round) || converged) break;
  }
  return result();
}

double SvmRun::one_pass(int pass) {
  // Blocks of a sequence stay together: its features are then in the cache.
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

/// Gives the block's unknown labels their best values under the scores at hand. Where that changes a
/// completion made earlier, gold's part of w goes along: w += C·weight·(feature(new) − feature(old)).
void SvmRun::complete(size_t b) {
  const Block& block = blocks_[b];
  const std::span<const Label> known(data_.gold.data() + block.first, block.length);
  if (std::find(known.begin(), known.end(), kNoLabel) == known.end()) return;
  complete_gold(bench_.scores, known, bench_.scratch, completed_, context_.restriction, block.sequence);
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

/// What soft constraints take off the score of a labelling. They are part of the score, but not of the
/// features: in the dual they stand beside the loss, as loss(y) − penalty(y) + penalty(gold).
double SvmRun::soft_penalty(const Block& block, std::span<const Label> labels) const {
  if (context_.restriction == nullptr || !context_.restriction->applies(block.sequence)) return 0;
  const double penalty = context_.restriction->penalty(block.sequence, labels);
  return std::isfinite(penalty) ? penalty : 0;  // an answer found out of time may break a hard one
}

double SvmRun::cost(uint64_t token) const {
  if (data_.gold[token] == kNoLabel) return 0;
  return context_.label_weight.empty() ? 1.0 : static_cast<double>(context_.label_weight[data_.gold[token]]);
}

/// The expected loss of the block's dual labelling: at each token, the cost times what is not on gold; less
/// what soft constraints cost it.
double SvmRun::loss(size_t b) const {
  double sum = 0;
  for (const DualTerm& term : duals_[b].nodes) {
    const uint64_t token = blocks_[b].first + dual_token(term.key);
    if (dual_index(term.key) == gold_[token]) sum += cost(token) * term.value;
  }
  return sum - dual_penalty_[b];
}

/// Turns terms over nodes and pairs into one over weights: feature f of token t adds value·term to its row.
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
/// Returns the hinge before the step, as often as the sequence counts.
double SvmRun::step(size_t b) {
  const Block& block = blocks_[b];
  ++steps_;
  score(block, bench_.scores);
  complete(b);
  const double block_hinge = hinge(block, bench_);
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

/// |w − start|² / 2C.
double SvmRun::penalty() const {
  double sum = 0;
  const auto add = [&](const AlignedVector<float>& w, const Part& part) {
    for (size_t i = 0; i < w.size(); ++i) {
      const double x =
          static_cast<double>(w[i]) - (part.origin.empty() ? 0.0 : static_cast<double>(part.origin[i]));
      sum += x * x;
    }
  };
  add(weights_.state, state_);
  add(weights_.trans, trans_);
  add(weights_.edge, edge_);
  return sum / (2 * options_.c);
}

/// Primal and dual by a decoding of everything with the weights as they are. With u = w − start, the dual is
/// Σ weight·loss(dual) − |u|²/2C − start·u/C.
DualityGap SvmRun::gap(int pass) const {
  constexpr size_t kGapPieces = 64;
  struct Sums {
    double hinge = 0, loss = 0;
  };
  std::vector<Sums> sums(kGapPieces);
  context_.workers.for_each(kGapPieces, [&](size_t piece) {
    Bench bench;
    const Range range = piece_of(blocks_.size(), kGapPieces, piece);
    for (size_t b = range.first; b < range.last; ++b) {
      const Block& block = blocks_[b];
      const double weight = static_cast<double>(data_.weight[block.sequence]);
      if (weight == 0) continue;
      score(block, bench.scores);
      sums[piece].hinge += weight * hinge(block, bench);
      sums[piece].loss += weight * loss(b);
    }
  });
  DualityGap measured;
  measured.pass = pass;
  const double half_square = penalty();
  measured.primal = half_square;
  measured.dual = -half_square;
  for (const Sums& s : sums) {
    measured.primal += s.hinge;
    measured.dual += s.loss;
  }
  const auto toward_origin = [&](const AlignedVector<float>& w, const Part& part) {
    double sum = 0;
    for (size_t i = 0; i < part.origin.size(); ++i)
      sum += static_cast<double>(part.origin[i]) *
             (static_cast<double>(w[i]) - static_cast<double>(part.origin[i]));
    return sum / options_.c;
  };
  measured.dual -= toward_origin(weights_.state, state_) + toward_origin(weights_.trans, trans_) +
                   toward_origin(weights_.edge, edge_);
  const double sequences = std::accumulate(data_.weight.begin(), data_.weight.end(), 0.0);
  measured.per_sequence = (measured.primal - measured.dual) / std::max(1.0, sequences);
  return measured;
}

ChainWeights SvmRun::result() const {
  ChainWeights w = weights_;
  if (!options_.average || steps_ == 0) return w;
  const double share = 1.0 / (static_cast<double>(steps_) * static_cast<double>(steps_ + 1));
  const auto average = [&](AlignedVector<float>& out, const Part& part) {
    for (size_t i = 0; i < out.size(); ++i)
      out[i] -= static_cast<float>(share * static_cast<double>(part.lag[i]));
  };
  average(w.state, state_);
  average(w.trans, trans_);
  average(w.edge, edge_);
  return w;
}

void SvmRun::save(SectionWriter& out, int pass) const {
  const uint64_t counters[3] = {static_cast<uint64_t>(pass), steps_, blocks_.size()};
  out.add_array("counters", counters);
  out.add_array("state", weights_.state);
  out.add_array("state.lag", state_.lag);
  out.add_array("trans", weights_.trans);
  out.add_array("trans.lag", trans_.lag);
  out.add_array("edge", weights_.edge);
  out.add_array("edge.lag", edge_.lag);
  out.add_array("gold", gold_);
  out.add_array("penalties", dual_penalty_);
  save_terms(out, "nodes", duals_, &BlockDual::nodes);
  save_terms(out, "pairs", duals_, &BlockDual::pairs);
}

Result<int> SvmRun::load(const SectionFile& in) {
  uint64_t counters[3] = {0, 0, 0};
  ESPALIER_TRY(restore_array(in, "counters", counters));
  ESPALIER_TRY(restore_array(in, "state", weights_.state));
  ESPALIER_TRY(restore_array(in, "state.lag", state_.lag));
  ESPALIER_TRY(restore_array(in, "trans", weights_.trans));
  ESPALIER_TRY(restore_array(in, "trans.lag", trans_.lag));
  ESPALIER_TRY(restore_array(in, "edge", weights_.edge));
  ESPALIER_TRY(restore_array(in, "edge.lag", edge_.lag));
  ESPALIER_TRY(restore_array(in, "gold", gold_));
  for (size_t t = 0; t < gold_.size(); ++t) {
    const bool fits = data_.gold[t] == kNoLabel ? gold_[t] == kNoLabel || gold_[t] < weights_.labels
                                                : gold_[t] == data_.gold[t];
    if (!fits) return fail("{}: the label of token {} is not that of the data", in.name(), t + 1);
  }
  std::vector<uint32_t> lengths;
  for (const Block& block : blocks_) lengths.push_back(block.length);
  ESPALIER_ASSIGN(const auto penalties, in.array<double>("penalties"));
  if (penalties.size() != blocks_.size())
    return fail("{}: section 'penalties' has the wrong size", in.name());
  dual_penalty_.assign(penalties.begin(), penalties.end());
  ESPALIER_TRY(load_terms(in, "nodes", lengths, weights_.labels, duals_, &BlockDual::nodes));
  ESPALIER_TRY(
      load_terms(in, "pairs", lengths, weights_.labels * weights_.stride, duals_, &BlockDual::pairs));
  steps_ = counters[1];
  return saved_pass(in, counters[0]);
}

}  // namespace

Result<ChainWeights> train_svm(TrainingContext context, const SvmOptions& options) {
  return SvmRun(std::move(context), options).run();
}

}  // namespace espalier::chain

// What a run of the structured SVM has reached: penalty, duality gap, averaged weights, and checkpoints.
// Part of svm_run.h. Tested in svm_test.cc.
#include <numeric>

#include "espalier/chain/learners/adagrad.h"
#include "espalier/chain/learners/checkpoint.h"
#include "espalier/chain/learners/importance.h"
#include "espalier/chain/learners/svm_run.h"
#include "espalier/chain/stop_kernels.h"

namespace espalier::chain {

using data::kNoLabel;

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

/// Primal and dual, by decoding all data with the current weights. With u = w − start, the dual is
/// Σ weight·loss(dual) − |u|²/2C − start·u/C.
DualityGap SvmRun::gap(int pass) const {
  constexpr size_t kGapPieces = 64;
  struct Sums {
    double hinge = 0, loss = 0;
  };
  std::vector<Sums> sums(kGapPieces);
  context_.workers.for_each(kGapPieces, [&](size_t piece) {
    Bench bench;
    const StopKernels stop(context_.monitor);
    const Range range = piece_of(blocks_.size(), kGapPieces, piece);
    for (size_t b = range.first; b < range.last && !context_.monitor.stop_requested(); ++b) {
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
  if (steps_ == 0) return w;
  const double steps = static_cast<double>(steps_);
  const double share = options_.average ? 1.0 / (steps * (steps + 1)) : 0;
  const float new_share = share_of_new(context_.learned_tokens, counted_tokens(data_));
  const auto average = [&](AlignedVector<float>& out, const Part& part) {
    for (size_t i = 0; i < out.size(); ++i)
      out[i] -= static_cast<float>(share * static_cast<double>(part.lag[i]));
    if (context_.learned_tokens > 0) average_with_old(part.origin, new_share, out);
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

}  // namespace espalier::chain

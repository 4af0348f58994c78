#include "espalier/chain/learners/objective.h"

#include <algorithm>
#include <numeric>

#include "espalier/chain/gradients.h"
#include "espalier/chain/learners/importance.h"

namespace espalier::chain {

namespace {
/// A block's gradient is held until it has been added to the rows: enough sequences to keep all threads busy,
/// not so many that their edge gradients (K² floats per token) fill the memory.
constexpr size_t kBlockSequences = 256;
constexpr size_t kBlockFloats = size_t{1} << 24;
}  // namespace

DataLoss::DataLoss(const linear::Dataset& data, const Workers& workers, LogLoss loss,
                   std::span<const float> label_weight, const Restriction* restriction,
                   const Monitor& monitor)
    : data_(data),
      monitor_(monitor),
      loss_(loss),
      label_weight_(label_weight),
      restriction_(restriction),
      runner_(data, workers, monitor_),
      order_(data.sequences()) {
  std::iota(order_.begin(), order_.end(), 0);
}

std::vector<size_t> DataLoss::cut_into_blocks(const ChainWeights& weights) const {
  const size_t floats_a_token = weights.stride * (weights.edge_rows.rows() == 0 ? 1 : 1 + weights.labels);
  std::vector<size_t> begin{0};
  size_t held = 0;
  for (size_t s = 0; s < data_.sequences(); ++s) {
    const size_t more = data_.length(s) * floats_a_token;
    const size_t in_block = s - begin.back();
    if (in_block > 0 && (in_block == kBlockSequences || held + more > kBlockFloats)) {
      begin.push_back(s);
      held = 0;
    }
    held += more;
  }
  begin.push_back(data_.sequences());
  return begin;
}

double DataLoss::evaluate(const ChainWeights& weights, WeightGradient& gradient) {
  gradient.state.assign(weights.state_rows.weights(), 0.0);
  gradient.trans.assign(weights.trans.size(), 0.0);
  gradient.edge.assign(weights.edge_rows.weights(), 0.0);
  const BatchRunner::Gradient of_sequence =
      counting_copies(data_, [&](size_t s, SequenceScores& scores, ChainScratch& scratch,
                                 const TransitionPotentials& potentials, ScoreGradient out) {
        const auto gold = data_.gold_of(s);
        if (!label_weight_.empty()) add_costs(scores, gold, label_weight_, 1);
        return loss_ == LogLoss::kSequence
                   ? log_loss_gradient(scores, gold, scratch, potentials, 0, out, restriction_, s)
                   : local_log_loss_gradient(scores, gold, weights.transitions, 0, out);
      });
  const std::vector<size_t> begin = cut_into_blocks(weights);
  double loss = 0;
  for (size_t b = 0; b + 1 < begin.size() && !monitor_.stop_requested(); ++b) {
    loss += runner_.compute(weights, std::span(order_).subspan(begin[b], begin[b + 1] - begin[b]),
                            loss_ == LogLoss::kSequence, of_sequence);
    add_rows(weights, gradient);
  }
  return loss;
}

void DataLoss::add_rows(const ChainWeights& weights, WeightGradient& gradient) const {
  const linear::StateRows& rows = weights.state_rows;
  runner_.for_each_state_row([&](std::span<const uint32_t> features, const float* values, const float* node) {
    for (size_t i = 0; i < features.size(); ++i) {
      const double value = values == nullptr ? 1.0 : values[i];
      for (uint32_t k = rows.begin[features[i]]; k < rows.begin[features[i] + 1]; ++k)
        gradient.state[k] += value * static_cast<double>(node[rows.column[k]]);
    }
  });
  const AlignedVector<float>& pairs = runner_.pairs();
  if (weights.transitions)
    for (size_t i = 0; i < pairs.size(); ++i) gradient.trans[i] += static_cast<double>(pairs[i]);
  const size_t K = weights.labels, S = weights.stride;
  runner_.for_each_edge_row([&](std::span<const uint32_t> features, const float* edge) {
    for (const uint32_t f : features)
      for (uint32_t k = weights.edge_rows.begin[f]; k < weights.edge_rows.begin[f + 1]; ++k) {
        const uint32_t pair = weights.edge_rows.column[k];
        gradient.edge[k] += static_cast<double>(edge[pair / K * S + pair % K]);
      }
  });
}

}  // namespace espalier::chain

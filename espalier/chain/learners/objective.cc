#include "espalier/chain/learners/objective.h"

#include <algorithm>
#include <bit>
#include <cmath>
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
                   const Monitor& monitor, const Team* team)
    : data_(data),
      monitor_(monitor),
      loss_(loss),
      label_weight_(label_weight),
      restriction_(restriction),
      team_(team != nullptr && !team->alone() ? team : nullptr),
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

namespace {

/// The exponent of a number, in eight bits: x < 2^(e − kMiddle).
constexpr int kMiddle = 128;
uint8_t exponent_of(float x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return static_cast<uint8_t>(std::clamp(exponent + kMiddle, 0, 255));
}

/// For each of `rows` features, the exponent of a bound of its gradient's terms in all: their number times
/// the largest of them.
std::vector<uint8_t> bounds_of(const linear::Dataset& data, bool edges, size_t rows, const Team* team) {
  std::vector<int64_t> count(rows, 0);
  std::vector<uint8_t> largest(rows, 0);
  linear::SequenceBuffer buffer;
  for (size_t s = 0; s < data.sequences(); ++s) {
    const linear::SequenceFeatures sequence = linear::features_of(data, s, buffer);
    for (size_t t = 0; t < data.length(s); ++t) {
      const linear::TokenFeatures token = edges ? linear::TokenFeatures{sequence.edge(t)} : sequence[t];
      for (size_t i = 0; i < token.features.size(); ++i) {
        const uint32_t f = token.features[i];
        ++count[f];
        const float factor = token.values == nullptr ? 1.0f : std::abs(token.values[i]);
        largest[f] = std::max(largest[f], exponent_of(data.weight[s] * factor));
      }
    }
  }
  if (team != nullptr) {
    team->sum(count);
    team->max(largest);
  }
  for (size_t f = 0; f < rows; ++f)
    largest[f] = static_cast<uint8_t>(
        std::min(255, largest[f] + static_cast<int>(std::bit_width(static_cast<uint64_t>(count[f])))));
  return largest;
}

}  // namespace

/// Decides how many bits after the point the gradient of each feature has: a term is at most the weight of
/// the sequence times the value of the feature.
void DataLoss::choose_units(const ChainWeights& weights) {
  if (!units_.empty()) return;
  for (int e = 0; e < 256; ++e) units_.emplace_back(std::ldexp(1.0, e - kMiddle));
  state_unit_ = bounds_of(data_, false, weights.state_rows.rows(), team_);
  edge_unit_ = bounds_of(data_, true, weights.edge_rows.rows(), team_);
}

double DataLoss::evaluate(const ChainWeights& weights, WeightGradient& gradient) {
  choose_units(weights);
  sums_.state.assign(weights.state_rows.weights(), 0);
  sums_.trans.assign(weights.trans.size(), 0);
  sums_.edge.assign(weights.edge_rows.weights(), 0);
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
  ExactSum loss;
  for (size_t b = 0; b + 1 < begin.size() && !monitor_.stop_requested(); ++b) {
    runner_.compute(weights, std::span(order_).subspan(begin[b], begin[b + 1] - begin[b]),
                    loss_ == LogLoss::kSequence, of_sequence);
    for (const double one : runner_.losses()) loss.add(one);
    add_rows(weights);
  }
  if (team_ != nullptr) {
    int64_t total[ExactSum::kIntegers];
    loss.to_integers(total);
    team_->sum(total);
    loss = ExactSum::from_integers(total);
    team_->sum(sums_.state);
    team_->sum(sums_.trans);
    team_->sum(sums_.edge);
  }
  const auto to_numbers = [&](const auto& rows, const std::vector<uint8_t>& unit,
                              const std::vector<int64_t>& sums, std::vector<double>& out) {
    out.resize(sums.size());
    for (size_t f = 0; f < rows.rows(); ++f)
      for (uint32_t k = rows.begin[f]; k < rows.begin[f + 1]; ++k) out[k] = units_[unit[f]].value(sums[k]);
  };
  to_numbers(weights.state_rows, state_unit_, sums_.state, gradient.state);
  to_numbers(weights.edge_rows, edge_unit_, sums_.edge, gradient.edge);
  gradient.trans.resize(sums_.trans.size());
  for (size_t i = 0; i < sums_.trans.size(); ++i)
    gradient.trans[i] = runner_.pair_unit().value(sums_.trans[i]);
  return loss.value();
}

void DataLoss::add_rows(const ChainWeights& weights) {
  const linear::StateRows& rows = weights.state_rows;
  runner_.for_each_state_row([&](std::span<const uint32_t> features, const float* values, const float* node) {
    for (size_t i = 0; i < features.size(); ++i) {
      const double value = values == nullptr ? 1.0 : values[i];
      const FixedPoint unit = units_[state_unit_[features[i]]];
      for (uint32_t k = rows.begin[features[i]]; k < rows.begin[features[i] + 1]; ++k)
        sums_.state[k] += unit.multiple(value * static_cast<double>(node[rows.column[k]]));
    }
  });
  const std::span<const int64_t> pairs = runner_.pair_sums();
  if (weights.transitions)
    for (size_t i = 0; i < pairs.size(); ++i) sums_.trans[i] += pairs[i];
  const size_t K = weights.labels, S = weights.stride;
  runner_.for_each_edge_row([&](std::span<const uint32_t> features, const float* edge) {
    for (const uint32_t f : features)
      for (uint32_t k = weights.edge_rows.begin[f]; k < weights.edge_rows.begin[f + 1]; ++k) {
        const uint32_t pair = weights.edge_rows.column[k];
        sums_.edge[k] += units_[edge_unit_[f]].multiple(static_cast<double>(edge[pair / K * S + pair % K]));
      }
  });
}

}  // namespace espalier::chain

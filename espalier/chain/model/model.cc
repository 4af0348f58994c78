#include "espalier/chain/model/model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/base/stop_scope.h"
#include "espalier/chain/lattice/lattice_nbest.h"
#include "espalier/chain/model/model_buffers.h"

namespace espalier::chain {

using data::kNoLabel;
using data::Label;

std::unique_ptr<data::Predictor::Scratch> ChainPredictor::make_scratch() const {
  auto buffers = std::make_unique<Buffers>();
  const linear::GroupedSums::Source source{extractor_, state_map_, {}, {&state_}, {}};
  if (!kernel_ && linear::GroupedSums::possible(source)) buffers->sums.emplace(source);
  return buffers;
}

void ChainPredictor::score_nodes(const data::Sequence& sequence, Each each, Buffers& b) const {
  const size_t T = sequence.length(), S = stride_;
  AlignedVector<float>& node = b.scores.node;
  if (each == Each::kSum && b.sums && b.sums->sum(sequence, b.extraction, b.grouped)) {
    std::swap(b.features, b.grouped.others);
    node.resize(T * S);
    b.sums->scores(0, 0, node.data());
    return;
  }
  extractor_.extract(sequence, b.extraction, b.features);
  b.state_offsets.resize(b.features.state.size());
  state_map_.find_all(b.features.state, b.state_offsets.data());
  node.assign(T * S, 0.0f);
  if (kernel_) {
    for (size_t t = 0; t < T; ++t)
      kernel_scores(b.features.state_begin[t], b.features.state_begin[t + 1], b, node.data() + t * S);
  } else {
    state_.add(b.state_offsets, b.features.state_begin,
               b.features.state_values.empty() ? nullptr : b.features.state_values.data(), S, node.data());
  }
}

void ChainPredictor::score(const data::Sequence& sequence, std::span<const Label> forced, Each each,
                           Buffers& b) const {
  const size_t T = sequence.length(), K = labels_.size(), S = stride_;
  score_nodes(sequence, each, b);
  SequenceScores& scores = b.scores;
  if (!b.features.state_values.empty())
    for (float& score : scores.node)
      if (score <= kRuledOut) score = kImpossible;
  if (K < S)
    for (size_t t = 0; t < T; ++t) std::fill_n(scores.node.data() + t * S + K, S - K, kImpossible);
  scores.view = {T, K, S, scores.node.data(), trans_.data(), nullptr};
  if (!b.features.edge.empty()) {
    b.edge_offsets.resize(b.features.edge.size());
    edge_map_.find_all(b.features.edge, b.edge_offsets.data());
    scores.edge.resize(T * K * S);
    for (size_t t = 1; t < T; ++t) {
      float* edge = scores.edge.data() + t * K * S;
      std::copy(trans_.begin(), trans_.end(), edge);
      for (uint32_t i = b.features.edge_begin[t]; i < b.features.edge_begin[t + 1]; ++i)
        if (b.edge_offsets[i] != linear::kNoFeature)
          edge_.for_each(b.edge_offsets[i],
                         [&](uint32_t pair, float w) { edge[pair / K * S + pair % K] += w; });
      for (size_t i = 0; i < K; ++i) std::fill(edge + i * S + K, edge + (i + 1) * S, kImpossible);
    }
    scores.view.edge = scores.edge.data();
  }
  if (normalisation_ == Normalisation::kPosition) normalise_positions(scores);
  if (!forced.empty()) force_labels(scores, forced, labels_.plain_numbers());
}

void ChainPredictor::kernel_scores(uint32_t first, uint32_t last, Buffers& b, float* node) const {
  b.known.clear();
  b.known_values.clear();
  for (uint32_t i = first; i < last; ++i) {
    if (b.state_offsets[i] == linear::kNoFeature) continue;
    b.known.push_back(b.state_offsets[i]);
    b.known_values.push_back(b.features.state_values.empty() ? 1.0f : b.features.state_values[i]);
  }
  kernel_->scores(b.known, b.known_values.data(), b.kernel, {node, labels_.size()});
}

void ChainPredictor::normalise_positions(SequenceScores& scores) const {
  // edge[t][i][j] = log P(j | i, x_t) holds everything; node scores are 0 after the first position.
  const size_t T = scores.view.length, K = labels_.size(), S = stride_;
  const auto log_normalise = [&](float* row) {
    float top = *std::max_element(row, row + K);
    double sum = 0;
    for (size_t j = 0; j < K; ++j) sum += std::exp(static_cast<double>(row[j]) - top);
    const float log_sum = top + static_cast<float>(std::log(sum));
    for (size_t j = 0; j < K; ++j) row[j] -= log_sum;
  };
  const bool own_edges = scores.view.edge != nullptr;
  if (!own_edges) scores.edge.resize(T * K * S);
  for (size_t t = 0; t < T; ++t) {
    float* node = scores.node.data() + t * S;
    if (t == 0 || !transitions_) {
      log_normalise(node);
      continue;
    }
    float* edge = scores.edge.data() + t * K * S;
    if (!own_edges) std::copy(trans_.begin(), trans_.end(), edge);
    for (size_t i = 0; i < K; ++i) {
      for (size_t j = 0; j < K; ++j) edge[i * S + j] += node[j];
      log_normalise(edge + i * S);
      std::fill(edge + i * S + K, edge + (i + 1) * S, kImpossible);
    }
    std::fill(node, node + K, 0.0f);
  }
  if (transitions_) scores.view.edge = scores.edge.data();
}

Status ChainPredictor::predict(const data::Sequence& sequence, std::span<const Label> forced,
                               const data::PredictOptions& options, data::Predictor::Scratch& scratch,
                               data::Prediction& out) const {
  scores(sequence, forced, scratch);
  return decode(options, scratch, out);
}

SequenceScores& ChainPredictor::scores(const data::Sequence& sequence, std::span<const Label> forced,
                                       data::Predictor::Scratch& scratch) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  ESPALIER_CHECK(forced.empty() || forced.size() == sequence.length());
  score(sequence, forced, Each::kSum, b);
  return b.scores;
}

Status ChainPredictor::decode(const data::PredictOptions& options, data::Predictor::Scratch& scratch,
                              data::Prediction& out) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  out.clear();
  ESPALIER_TRY(best_labellings(options, b, out));
  if (options.confidence || options.marginals || options.decoder == data::Decoder::kPosterior)
    add_confidence(options, b, out);
  return {};
}

Status ChainPredictor::best_labellings(const data::PredictOptions& options, Buffers& b,
                                       data::Prediction& out) const {
  constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
  const Error infeasible{
      "no labelling is possible: forced labels, or scores of minus infinity, rule all of them out"};
  if (options.nbest <= 1) {
    data::Labelling& best = out.best.front();
    best.labels.resize(b.scores.view.length);
    // Constraints may have put other transitions in the place of the model's.
    const bool own = b.scores.view.trans == trans_.data() && !trans_into_.empty();
    best.score = viterbi(b.scores.view, b.chain, best.labels.data(), own ? trans_into_.data() : nullptr);
    if (best.score == -std::numeric_limits<double>::infinity()) return infeasible;
    return {};
  }
  const Lattice lattice = make_lattice(b.scores.view);
  const NBestResult found = n_best(lattice, options.nbest);
  if (found.outcome == Outcome::kInfeasible) return infeasible;
  if (found.outcome == Outcome::kOutOfBudget)
    return fail("the {} best labellings of {} tokens take too much memory; ask for fewer", options.nbest,
                b.scores.view.length);
  out.best.clear();
  for (const LatticePath& path : found.paths) {
    out.best.push_back({path_labels(lattice, path.states), path.score, kNotKnown});
    if (StopScope::wanted()) break;
  }
  return {};
}

}  // namespace espalier::chain

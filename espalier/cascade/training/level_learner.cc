#include "espalier/cascade/training/level_learner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "espalier/base/random.h"
#include "espalier/chain/learners/adagrad.h"

namespace espalier::cascade {

namespace {

/// Penalties are applied and averages taken this many times per pass.
constexpr size_t kStepsPerPass = 8;
/// A batch is cut into at most this many pieces, whatever the number of threads.
constexpr size_t kPieces = 8;

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

LevelLearner::LevelLearner(const Layout& layout, LevelWeights start, const linear::Dataset& data,
                           std::span<TrainingLattice> lattices, LearnerOptions options,
                           const Workers& workers, const Monitor& monitor)
    : layout_(layout),
      weights_(std::move(start)),
      data_(data),
      lattices_(lattices),
      options_(options),
      workers_(workers),
      monitor_(monitor),
      features_(data, {options.dropout, options.seed}) {
  ESPALIER_CHECK(options.steps != Steps::kPegasos || options.lambda > 0);
  ESPALIER_CHECK(lattices.empty() ? weights_.order == 1 : lattices.size() == data.sequences());
  const auto prepare = [&](Extra& extra, size_t n) {
    if (options_.steps == Steps::kAdaptive) extra.squares.assign(n, 0.0f);
    extra.sum.assign(n, 0.0);
  };
  prepare(state_, weights_.state.size());
  prepare(gram_, weights_.gram.size());
  prepare(edge_, weights_.edge.size());
  gram_gradient_.value.assign(layout.grams.size(), 0.0f);
  edge_gradient_.value.assign(data.edge.values.empty() ? 0 : layout.grams.size(), 0.0f);
}

void LevelLearner::fit_to_old(std::span<const uint32_t> sequences, double old_counts, int passes) {
  if (const linear::Dropout dropout{options_.dropout, options_.seed}; dropout.share > 0)
    for (float& w : weights_.state) w /= dropout.kept();
  if (options_.steps != Steps::kAdaptive) {
    averaged_ = chain::kOldModelCounts * static_cast<uint64_t>(passes) * kStepsPerPass;
    const auto count = [this](const AlignedVector<float>& w, Extra& extra) {
      for (size_t i = 0; i < w.size(); ++i)
        extra.sum[i] = static_cast<double>(averaged_) * static_cast<double>(w[i]);
    };
    count(weights_.state, state_);
    count(weights_.gram, gram_);
    count(weights_.edge, edge_);
    return;
  }
  // A pass of steps of length 0 collects the squares of the gradients.
  const double rate = std::exchange(options_.rate, 0), l2 = std::exchange(options_.l2, 0);
  pass(sequences, 0, false);
  options_.rate = rate;
  options_.l2 = l2;
  const auto estimate = [&](const AlignedVector<float>& w, Extra& extra) {
    chain::estimate_squares(w.size(), static_cast<float>(old_counts), w.data(), extra.squares.data());
  };
  estimate(weights_.state, state_);
  estimate(weights_.gram, gram_);
  estimate(weights_.edge, edge_);
  anchor_ = weights_;
  anchored_ = true;
}

void LevelLearner::go_on_with(const LearnerOptions& options) {
  ESPALIER_CHECK(options.dropout == options_.dropout);
  weights_ = averaged();
  scale_ = 1;
  averaged_ = 0;
  for (Extra* extra : {&state_, &gram_, &edge_}) std::fill(extra->sum.begin(), extra->sum.end(), 0.0);
  quantile_sum_.fill(0);
  options_ = options;
}

namespace {
/// The gold path among the allowed paths: automata are deterministic, so it occurs once.
std::vector<uint32_t> legal_truth(const LegalPart& legal, std::span<const uint32_t> truth) {
  std::vector<uint32_t> path;
  for (size_t t = 0; t < truth.size(); ++t) {
    const Range states = legal.lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      if (legal.old_state[s] != truth[t]) continue;
      const Range arcs = legal.lattice.arcs_into(s);
      bool follows = t == 0;
      for (size_t a = arcs.first; a < arcs.last && !follows; ++a)
        follows = legal.lattice.source(a) == path.back();
      if (!follows) continue;
      path.push_back(static_cast<uint32_t>(s));
      break;
    }
    if (path.size() != t + 1) return {};
  }
  return path;
}
}  // namespace

/// The loss of a scored lattice over the allowed paths; the gradient is with respect to the lattice's own
/// states and arcs.
double LevelLearner::loss_of(uint32_t s, TrainingLattice& lattice, Piece& piece) const {
  const auto gold = data_.gold_of(s);
  if (options_.restriction != nullptr && options_.restriction->applies(s)) {
    LegalPart legal = options_.restriction->legal_part(s, lattice.trellis.lattice);
    const std::vector<uint32_t> truth =
        legal.outcome == chain::Outcome::kExact ? legal_truth(legal, lattice.truth) : std::vector<uint32_t>();
    if (!truth.empty()) {
      const std::vector<uint32_t> arcs = arcs_of_path(legal.lattice, truth);
      const double loss =
          lattice_loss(legal.lattice, truth, arcs, gold, options_.loss, piece.scratch, piece.legal_gradient);
      piece.gradient.state.assign(lattice.trellis.lattice.states(), 0.0);
      piece.gradient.arc.assign(lattice.trellis.lattice.arcs(), 0.0);
      for (size_t i = 0; i < legal.old_state.size(); ++i)
        piece.gradient.state[legal.old_state[i]] += piece.legal_gradient.state[i];
      for (size_t i = 0; i < legal.old_arc.size(); ++i)
        piece.gradient.arc[legal.old_arc[i]] += piece.legal_gradient.arc[i];
      return loss;
    }
  }
  return lattice_loss(lattice.trellis.lattice, lattice.truth, lattice.truth_arcs, gold, options_.loss,
                      piece.scratch, piece.gradient);
}

void LevelLearner::find_gradient(uint32_t s, linear::SequenceFeatures features, Piece& piece,
                                 SequenceGradient& out) {
  const auto gold = data_.gold_of(s);
  const float copies = data_.weight[s];
  score_nodes(layout_, weights_, features, gold.size(), piece.node);
  if (lattices_.empty()) {
    if (scale_ != 1)
      for (float& x : piece.node) x *= static_cast<float>(scale_);
    out.node.resize(gold.size() * layout_.stride);
    out.active.assign(gold.size(), 0);
    out.grams.clear();
    out.edge_begin.clear();
    out.quantile.fill(0);
    out.loss = copies * unigram_loss(piece.node.data(), layout_.labels, layout_.stride, gold, options_.loss,
                                     out.node.data());
    for (size_t t = 0; t < gold.size(); ++t) {
      float* row = out.node.data() + t * layout_.stride;
      for (size_t j = 0; j < layout_.labels; ++j) {
        row[j] *= copies;
        if (std::abs(row[j]) > options_.ignore) out.active[t] = 1;
      }
    }
    return;
  }
  TrainingLattice& lattice = lattices_[s];
  const LevelView view = view_of(weights_, static_cast<float>(scale_));
  const uint64_t first = data_.sequence_begin[s];
  const bool edges = !data_.edge.values.empty();
  if (edges) piece.values.value.resize(layout_.grams.size(), 0.0f);
  score_trellis(
      view, piece.node.data(), layout_.stride,
      [&](size_t t, GramValues& values) {
        if (!edges) return;
        for (const uint32_t f : data_.edge[first + t])
          for (uint32_t w = layout_.edge.begin[f]; w < layout_.edge.begin[f + 1]; ++w)
            values.add(layout_.edge.column[w], weights_.edge[w]);
      },
      piece.values, lattice.trellis);
  out.loss = copies * loss_of(s, lattice, piece);
  spread_gradient(view, lattice.trellis, piece.gradient.state, piece.gradient.arc, layout_.stride, copies,
                  static_cast<float>(options_.ignore), edges, out);
}

double LevelLearner::pass(std::span<const uint32_t> sequences, int number, bool average) {
  order_.assign(sequences.begin(), sequences.end());
  Random(options_.seed).split(static_cast<uint64_t>(number)).shuffle(std::span<uint32_t>(order_));
  pieces_.resize(kPieces);
  double loss = 0;
  size_t done = 0, next_step = 1;
  while (done < order_.size()) {
    const size_t n = std::min(options_.batch, order_.size() - done);
    const std::span<const uint32_t> batch(order_.data() + done, n);
    if (slots_.size() < n) slots_.resize(n);
    features_.make_places(n);
    const size_t pieces = std::min(kPieces, n);
    workers_.for_each(pieces, [&](size_t p) {
      const Range range = piece_of(n, pieces, p);
      for (size_t i = range.first; i < range.last; ++i)
        if (data_.length(batch[i]) > 0)
          find_gradient(batch[i], features_.put(i, batch[i], number), pieces_[p], slots_[i]);
    });
    for (size_t i = 0; i < n; ++i)
      if (data_.length(batch[i]) > 0) loss += slots_[i].loss;
    // Pegasos begins at t = 2: the first step would multiply the weights by 0.
    const double t = static_cast<double>((static_cast<size_t>(number) - 1) * order_.size() + done + 2);
    update(batch, options_.steps == Steps::kPegasos ? 1 / (options_.lambda * t) : options_.rate);
    done += n;
    if (done * kStepsPerPass >= next_step * order_.size()) {
      const size_t after = done * kStepsPerPass / order_.size() + 1;
      end_of_step(average, static_cast<double>(after - next_step) / kStepsPerPass);
      next_step = after;
    }
    if (monitor_.stop_requested()) break;
  }
  return loss;
}

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
    for (const auto& [gram, g] : slots_[i].grams) gram_gradient_.add(gram, g);
    for (size_t q = 0; q < kQuantiles; ++q) quantile[q] += slots_[i].quantile[q];
  }
  for (const uint32_t gram : gram_gradient_.touched) {
    const float g = gram_gradient_.value[gram];
    if (g == 0) continue;
    gram_gradient_.value[gram] = 0;  // a gram may be in the list twice
    step(&g, 1, rate, &weights_.gram[gram], gram_.squares.empty() ? nullptr : &gram_.squares[gram]);
  }
  gram_gradient_.clear();
  step(quantile.data(), kQuantiles, rate, weights_.quantile.data(), quantile_squares_.data());
  update_edges(sequences, rate);
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
        if (options_.steps == Steps::kAdaptive) {
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
    if (options_.steps == Steps::kAdaptive && options_.l2 > 0 && n > 0) {
      if (anchored_) {
        chain::shrink_towards(n, rate, static_cast<float>(fraction), 0.0f, l2, anchor, w,
                              extra.squares.data());
      } else {
        chain::shrink(n, rate, static_cast<float>(fraction), 0.0f, l2, w, extra.squares.data());
      }
    }
    if (!average) return;
    for (size_t i = 0; i < n; ++i) extra.sum[i] += scale_ * static_cast<double>(w[i]);
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

LevelWeights LevelLearner::weights() const {
  LevelWeights out = averaged();
  if (options_.dropout > 0) {
    const float kept = linear::Dropout{options_.dropout}.kept();
    for (float& w : out.state) w *= kept;
  }
  return out;
}

LevelWeights LevelLearner::averaged() const {
  LevelWeights out = weights_;
  const double share = averaged_ == 0 ? 0 : 1.0 / static_cast<double>(averaged_);
  const auto finish = [&](auto& w, const auto& sum) {
    for (size_t i = 0; i < w.size(); ++i)
      w[i] = static_cast<float>(averaged_ == 0 ? scale_ * static_cast<double>(w[i]) : sum[i] * share);
  };
  finish(out.state, state_.sum);
  finish(out.gram, gram_.sum);
  finish(out.edge, edge_.sum);
  finish(out.quantile, quantile_sum_);
  return out;
}

}  // namespace espalier::cascade

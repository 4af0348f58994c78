#include "espalier/cascade/training/level_learner.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "espalier/base/random.h"
#include "espalier/cascade/training/stages.h"
#include "espalier/chain/learners/adagrad.h"

namespace espalier::cascade {

namespace {

/// Penalties are applied and averages taken this many times per pass.
constexpr size_t kStepsPerPass = 8;
/// A batch is cut into at most this many pieces, whatever the number of threads.
constexpr size_t kPieces = 8;

}  // namespace

Trellis& TrainingLattice::open(const GramTable& grams, Trellis& buffer) {
  if (alive.label.empty() && !grows) return trellis;
  buffer =
      grows ? grow(trellis, {}, grams, std::move(buffer)) : make_trellis(alive, grams, std::move(buffer));
  buffer.rating.assign(buffer.states(), kNoRating);
  return buffer;
}

void TrainingLattice::add_missing_grams(GramTable& grams, Trellis& buffer) {
  if (grows) return add_missing_grams_when_grown(trellis, grams);
  cascade::add_missing_grams(open(grams, buffer), grams);
}

void TrainingLattice::find_truth(std::span<const data::Label> gold, const GramTable& grams, Trellis& buffer) {
  if (grows) {
    GrownPath path = find_path_when_grown(trellis, gold);
    truth = std::move(path.states);
    truth_arcs = std::move(path.arcs);
    return;
  }
  const Trellis& opened = open(grams, buffer);
  truth = find_path(opened, gold);
  truth_arcs = arcs_of_path(opened.lattice, truth);
}

void TrainingLattice::prefetch() const {
  trellis.lattice.prefetch();
  for (size_t i = 0; i < trellis.arc_gram.size(); i += 16) __builtin_prefetch(trellis.arc_gram.data() + i);
}

std::pair<size_t, size_t> TrainingLattice::states_and_arcs() const {
  if (!alive.label.empty()) return {alive.label.size(), arcs_of(alive)};
  if (!grows) return {trellis.lattice.states(), trellis.lattice.arcs()};
  const Growth growth = plan_growth(trellis);
  return {growth.place.back(), growth.arcs};
}

LevelLearner::LevelLearner(const Layout& layout, LevelWeights start, const linear::Dataset& data,
                           std::span<TrainingLattice> lattices, LearnerOptions options,
                           const Workers& workers, const Monitor& monitor, Memory used)
    : layout_(layout),
      weights_(std::move(start)),
      data_(data),
      lattices_(lattices),
      options_(options),
      workers_(workers),
      monitor_(monitor),
      state_(std::move(used.state)),
      gram_(std::move(used.gram)),
      edge_(std::move(used.edge)),
      features_(data, {options.dropout, options.seed}) {
  ESPALIER_CHECK(options.steps != Steps::kPegasos || options.lambda > 0);
  ESPALIER_CHECK(lattices.empty() ? weights_.order == 1 : lattices.size() == data.sequences());
  const auto prepare = [&](Extra& extra, size_t n) {
    extra.squares.assign(options_.steps == Steps::kAdaptive ? n : 0, 0.0f);
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
  const bool adaptive = options_.steps == Steps::kAdaptive;
  averaged_ = adaptive ? chain::old_snapshots(old_counts, kStepsPerPass)
                       : chain::kOldModelCounts * static_cast<uint64_t>(passes) * kStepsPerPass;
  const auto count = [this](const auto& w, auto& sum) {
    for (size_t i = 0; i < w.size(); ++i) sum[i] = static_cast<double>(averaged_) * static_cast<double>(w[i]);
  };
  count(weights_.state, state_.sum);
  count(weights_.gram, gram_.sum);
  count(weights_.edge, edge_.sum);
  count(weights_.quantile, quantile_sum_);
  if (!adaptive) return;
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

void LevelLearner::keep_start() {
  for (size_t i = 0; i < state_.squares.size(); ++i) state_.squares[i] = weights_.state[i] == 0 ? 0.0f : 1.0f;
}

void LevelLearner::go_on_with(const LearnerOptions& options) {
  ESPALIER_CHECK(options.dropout == options_.dropout);
  weights_ = averaged(std::move(weights_));
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

/// Whether losses are found by TrellisLogLoss.
bool LevelLearner::keeps_potentials() const {
  return options_.loss.loss == Loss::kLog && options_.loss.label_weight.empty() &&
         options_.steps == Steps::kAdaptive && weights_.order > 1 && data_.edge.values.empty();
}

/// The loss of a scored lattice over the allowed paths; the gradient is with respect to the lattice's own
/// states and arcs.
double LevelLearner::loss_of(uint32_t s, const TrainingLattice& lattice, Trellis& trellis,
                             Piece& piece) const {
  const auto gold = data_.gold_of(s);
  if (options_.restriction != nullptr && options_.restriction->applies(s)) {
    LegalPart legal = options_.restriction->legal_part(s, trellis.lattice);
    const std::vector<uint32_t> truth =
        legal.outcome == chain::Outcome::kExact ? legal_truth(legal, lattice.truth) : std::vector<uint32_t>();
    if (!truth.empty()) {
      const std::vector<uint32_t> arcs = arcs_of_path(legal.lattice, truth);
      const double loss =
          lattice_loss(legal.lattice, truth, arcs, gold, options_.loss, piece.scratch, piece.legal_gradient);
      piece.gradient.state.assign(trellis.lattice.states(), 0.0);
      piece.gradient.arc.assign(trellis.lattice.arcs(), 0.0);
      for (size_t i = 0; i < legal.old_state.size(); ++i)
        piece.gradient.state[legal.old_state[i]] += piece.legal_gradient.state[i];
      for (size_t i = 0; i < legal.old_arc.size(); ++i)
        piece.gradient.arc[legal.old_arc[i]] += piece.legal_gradient.arc[i];
      return loss;
    }
  }
  return lattice_loss(trellis.lattice, lattice.truth, lattice.truth_arcs, gold, options_.loss, piece.scratch,
                      piece.gradient);
}

void LevelLearner::find_gradient(uint32_t s, linear::SequenceFeatures features, Piece& piece,
                                 SequenceGradient& out) {
  const auto gold = data_.gold_of(s);
  const float copies = data_.weight[s];
  if (lattices_.empty()) {
    score_nodes(layout_, weights_, features, gold.size(), piece.node);
    if (scale_ != 1)
      for (float& x : piece.node) x *= static_cast<float>(scale_);
    out.node.resize(gold.size() * layout_.stride);
    out.active.assign(gold.size(), 0);
    out.labels = {};
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
  const auto ignore = static_cast<float>(options_.ignore);
  const bool finds_log_loss =
      keeps_potentials() && (options_.restriction == nullptr || !options_.restriction->applies(s));
  if (finds_log_loss && lattice.grows) {
    // The labels at each position are those of what it grows from.
    piece.alive.find(lattice.trellis.lattice);
    score_nodes(layout_, weights_, features, piece.alive, 2, piece.node);
    if (const auto loss = piece.grown_log_loss.find(view, potentials_, layout_.grams, piece.node.data(),
                                                    layout_.stride, lattice.trellis, lattice.truth,
                                                    lattice.truth_arcs, copies, ignore, out)) {
      out.loss = copies * *loss;
      return;
    }
  }
  Trellis& trellis = lattice.open(layout_.grams, piece.trellis);
  piece.alive.find(trellis.lattice);
  // Where one label is left, its score is a factor of all paths and has no gradient.
  score_nodes(layout_, weights_, features, piece.alive, finds_log_loss ? 2 : 1, piece.node);
  const bool edges = !data_.edge.values.empty();
  const auto finish = [&](double loss) {
    out.loss = copies * loss;
    spread_gradient(view, trellis, piece.gradient.state, piece.gradient.arc, layout_.stride, copies, ignore,
                    edges, out);
  };
  if (finds_log_loss) {
    if (const auto loss = piece.log_loss.find(view, potentials_, piece.node.data(), layout_.stride, trellis,
                                              lattice.truth, lattice.truth_arcs, piece.gradient))
      return finish(*loss);
    score_nodes(layout_, weights_, features, piece.alive, 1, piece.node);
  }
  const uint64_t first = data_.sequence_begin[s];
  if (edges) piece.values.value.resize(layout_.grams.size(), 0.0f);
  score_trellis(
      view, piece.node.data(), layout_.stride,
      [&](size_t t, GramValues& values) {
        if (!edges) return;
        for (const uint32_t f : data_.edge[first + t])
          for (uint32_t w = layout_.edge.begin[f]; w < layout_.edge.begin[f + 1]; ++w)
            values.add(layout_.edge.column[w], weights_.edge[w]);
      },
      piece.values, trellis);
  finish(loss_of(s, lattice, trellis, piece));
}

double LevelLearner::pass(std::span<const uint32_t> sequences, int number, bool average) {
  order_.assign(sequences.begin(), sequences.end());
  Random(options_.seed).split(static_cast<uint64_t>(number)).shuffle(std::span<uint32_t>(order_));
  pieces_.resize(kPieces);
  const auto set_potentials = [&] {
    if (keeps_potentials()) potentials_.set_all({weights_.gram.data(), layout_.grams.size()});
  };
  set_potentials();
  double loss = 0;
  size_t done = 0, next_step = 1;
  while (done < order_.size()) {
    const size_t n = std::min(options_.batch, order_.size() - done);
    const std::span<const uint32_t> batch(order_.data() + done, n);
    if (slots_.size() < n) slots_.resize(n);
    features_.make_places(n);
    // Long sequences come first, so that no thread begins one when the others are about to end.
    by_length_.resize(n);
    std::iota(by_length_.begin(), by_length_.end(), size_t{0});
    std::stable_sort(by_length_.begin(), by_length_.end(),
                     [&](size_t a, size_t b) { return data_.length(batch[a]) > data_.length(batch[b]); });
    const size_t pieces = std::min(kPieces, n);
    workers_.for_each(pieces, [&](size_t p) {
      for (size_t k = p; k < n; k += pieces) {
        const size_t i = by_length_[k];
        if (!lattices_.empty() && done + k + 1 < order_.size())
          lattices_[k + 1 < n ? batch[by_length_[k + 1]] : order_[done + n]].prefetch();
        if (data_.length(batch[i]) > 0)
          find_gradient(batch[i], features_.put(i, batch[i], number), pieces_[p], slots_[i]);
      }
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
      set_potentials();
      next_step = after;
    }
    if (monitor_.stop_requested()) break;
  }
  return loss;
}

LevelWeights LevelLearner::for_use(LevelWeights out) const {
  if (options_.dropout > 0) {
    const float kept = linear::Dropout{options_.dropout}.kept();
    for (float& w : out.state) w *= kept;
  }
  return out;
}

LevelWeights LevelLearner::averaged(LevelWeights out) const {
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

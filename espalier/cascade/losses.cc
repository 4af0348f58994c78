#include "espalier/cascade/losses.h"

#include <algorithm>
#include <cmath>

#include "espalier/base/array.h"
#include "espalier/chain/kernels.h"
#include "espalier/chain/lattice/lattice_marginals.h"

namespace espalier::cascade {

using chain::Lattice;
using data::Label;

namespace {

float cost_of(const LossOptions& options, Label gold) {
  return options.label_weight.empty() ? 1.0f : options.label_weight[gold];
}

void add_path(std::span<const uint32_t> path, std::span<const uint32_t> arcs, double value,
              LatticeGradient& out) {
  for (size_t t = 0; t < path.size(); ++t) {
    out.state[path[t]] += value;
    if (t > 0) out.arc[arcs[t]] += value;
  }
}
void add_best_path(const MaxPass& pass, double value, LatticeGradient& out) {
  for (size_t t = 0; t < pass.path().size(); ++t) {
    out.state[pass.path()[t]] += value;
    if (t > 0) out.arc[pass.arc_before(pass.path()[t])] += value;
  }
}

/// t_x(α) = α·θ* + (1 − α)·mean of the max-marginals (equation 6); how many there are in `items`.
double threshold(const Lattice& lattice, const MaxPass& pass, const LossOptions& options, size_t& items) {
  double sum = 0;
  items = 0;
  const size_t first_end = lattice.states_at(0).last;
  for (size_t s = 0; s < lattice.states(); ++s) {
    if (options.unit == Unit::kStates || s < first_end) {
      sum += pass.state(s);
      ++items;
    }
    if (options.unit == Unit::kStates) continue;
    const Range arcs = lattice.arcs_into(s);
    for (size_t a = arcs.first; a < arcs.last; ++a) sum += pass.arc(lattice, a, s);
    items += arcs.last - arcs.first;
  }
  return options.alpha * pass.best() + (1 - options.alpha) * sum / static_cast<double>(items);
}

/// H = max(0, ℓ + t_x(α) − θ(y)); its subgradient is that of equation 9.
double filter_loss(const Lattice& lattice, std::span<const uint32_t> truth,
                   std::span<const uint32_t> truth_arcs, std::span<const Label> gold,
                   const LossOptions& options, LossScratch& scratch, LatticeGradient& out) {
  MaxPass& pass = scratch.pass;
  pass.run(lattice);
  double score = 0, length = 0;
  for (size_t t = 0; t < truth.size(); ++t) {
    score += lattice.state_score(truth[t]) + (t > 0 ? lattice.arc_score(truth_arcs[t]) : 0.0f);
    length += cost_of(options, gold[t]);
  }
  size_t items = 0;
  const double loss = length + threshold(lattice, pass, options, items) - score;
  if (loss <= 0) {
    out.state.assign(lattice.states(), 0.0);
    out.arc.assign(lattice.arcs(), 0.0);
    return 0;
  }
  pass.count_witnesses(lattice, options.unit, out.state, out.arc);
  const double share = (1 - options.alpha) / static_cast<double>(items);
  for (double& g : out.state) g *= share;
  for (double& g : out.arc) g *= share;
  add_best_path(pass, options.alpha, out);
  add_path(truth, truth_arcs, -1, out);
  return loss;
}

/// Adds to wrong labels what the options say they cost beyond `base`.
void add_costs(Lattice& lattice, std::span<const Label> gold, const LossOptions& options, float base) {
  for (size_t t = 0; t < gold.size(); ++t) {
    const float cost = cost_of(options, gold[t]) - base;
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s)
      if (lattice.label(s) != gold[t]) lattice.state_scores()[s] += cost;
  }
}

}  // namespace

double lattice_loss(Lattice& lattice, std::span<const uint32_t> truth, std::span<const uint32_t> truth_arcs,
                    std::span<const Label> gold, const LossOptions& options, LossScratch& scratch,
                    LatticeGradient& out) {
  if (options.loss == Loss::kFilter)
    return filter_loss(lattice, truth, truth_arcs, gold, options, scratch, out);
  const bool costs = options.loss == Loss::kMargin || !options.label_weight.empty();
  if (costs) {
    scratch.plain_scores.assign(lattice.state_scores().begin(), lattice.state_scores().end());
    add_costs(lattice, gold, options, options.loss == Loss::kMargin ? 0.0f : 1.0f);
  }
  double score = 0;
  for (size_t t = 0; t < truth.size(); ++t)
    score += lattice.state_score(truth[t]) + (t > 0 ? lattice.arc_score(truth_arcs[t]) : 0.0f);
  double loss = 0;
  if (options.loss == Loss::kLog) {
    chain::SumMarginals marginals = chain::sum_marginals(lattice);
    out.state = std::move(marginals.state);
    out.arc = std::move(marginals.arc);
    loss = marginals.log_z - score;
    add_path(truth, truth_arcs, -1, out);
  } else {
    out.state.assign(lattice.states(), 0.0);
    out.arc.assign(lattice.arcs(), 0.0);
    scratch.pass.run(lattice);
    loss = std::max(0.0, scratch.pass.best() - score);
    const bool wrong = !std::equal(truth.begin(), truth.end(), scratch.pass.path().begin());
    if (wrong) {
      add_best_path(scratch.pass, 1, out);
      add_path(truth, truth_arcs, -1, out);
    }
  }
  if (costs)
    std::copy(scratch.plain_scores.begin(), scratch.plain_scores.end(), lattice.state_scores().begin());
  return loss;
}

namespace {

double unigram_filter_loss(const float* node, size_t K, size_t S, std::span<const Label> gold,
                           const LossOptions& options, float* gradient) {
  // With r[t][j] = max_i node[t][i] − node[t][j], the max-marginal of (t, j) is θ* − r[t][j]. Label j of t is
  // on its own witness, the best label of t on those of all other positions' labels too.
  const size_t T = gold.size();
  double regret = 0, length = 0, truth = 0;
  std::vector<size_t> best(T);
  for (size_t t = 0; t < T; ++t) {
    const float* row = node + t * S;
    best[t] = static_cast<size_t>(std::max_element(row, row + K) - row);
    for (size_t j = 0; j < K; ++j) regret += static_cast<double>(row[best[t]]) - row[j];
    truth += static_cast<double>(row[best[t]]) - row[gold[t]];
    length += cost_of(options, gold[t]);
  }
  const double items = static_cast<double>(T * K);
  const double loss = length - (1 - options.alpha) * regret / items + truth;
  std::fill(gradient, gradient + T * S, 0.0f);
  if (loss <= 0) return 0;
  const float share = static_cast<float>((1 - options.alpha) / items);
  for (size_t t = 0; t < T; ++t) {
    float* g = gradient + t * S;
    for (size_t j = 0; j < K; ++j) g[j] = share;
    g[best[t]] += static_cast<float>(options.alpha) + share * static_cast<float>(T * K - K);
    g[gold[t]] -= 1;
  }
  return loss;
}

}  // namespace

double unigram_loss(const float* node, size_t K, size_t S, std::span<const Label> gold,
                    const LossOptions& options, float* gradient) {
  if (options.loss == Loss::kFilter) return unigram_filter_loss(node, K, S, gold, options, gradient);
  double loss = 0;
  AlignedVector<float> row(S, 0.0f);
  std::fill(gradient, gradient + gold.size() * S, 0.0f);
  for (size_t t = 0; t < gold.size(); ++t) {
    std::copy_n(node + t * S, K, row.begin());
    const float cost = options.loss == Loss::kMargin  ? cost_of(options, gold[t])
                       : options.label_weight.empty() ? 0.0f
                                                      : cost_of(options, gold[t]) - 1;
    for (size_t j = 0; j < K; ++j)
      if (j != gold[t]) row[j] += cost;
    float* g = gradient + t * S;
    const float truth = row[gold[t]];
    if (options.loss == Loss::kLog) {
      loss += chain::softmax(row.data(), K) - truth;
      std::copy_n(row.begin(), K, g);
      g[gold[t]] -= 1;
      continue;
    }
    const size_t best = static_cast<size_t>(
        std::max_element(row.begin(), row.begin() + static_cast<ptrdiff_t>(K)) - row.begin());
    if (best == gold[t]) continue;
    loss += row[best] - truth;
    g[best] += 1;
    g[gold[t]] -= 1;
  }
  return loss;
}

}  // namespace espalier::cascade

#include "espalier/chain/lattice/lattice_marginals.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace espalier::chain {
namespace {

/// x[i] ← exp(x[i]) / Σ exp(x); returns log Σ exp(x). All 0, and −∞, if every x is −∞ or there is none.
double normalise_logs(double* x, size_t n) {
  double top = kMinusInfinity;
  for (size_t i = 0; i < n; ++i) top = std::max(top, x[i]);
  if (top == kMinusInfinity) {
    std::fill(x, x + n, 0.0);
    return top;
  }
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += x[i] = std::exp(x[i] - top);
  for (size_t i = 0; i < n; ++i) x[i] /= sum;
  return top + std::log(sum);
}

/// The first index at which the running sum of probabilities passes `u`; the last possible one if the sum
/// falls short through rounding. Precondition: some probability is above 0.
size_t draw_index(const double* probability, size_t n, double u) {
  size_t possible = 0;
  for (size_t i = 0; i < n; ++i) {
    if (probability[i] <= 0) continue;
    possible = i;
    u -= probability[i];
    if (u < 0) break;
  }
  return possible;
}

}  // namespace

void ForwardSums::run(const Lattice& lattice) {
  outcome = Outcome::kExact;
  log_z = 0;
  alpha.resize(lattice.states());
  back.resize(lattice.arcs());
  last.clear();
  if (lattice.positions() == 0) return;
  for (size_t t = 0; t < lattice.positions(); ++t) {
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      const Range arcs = lattice.arcs_into(s);
      for (size_t a = arcs.first; a < arcs.last; ++a)
        back[a] = alpha[lattice.source(a)] + lattice.arc_score(a);
      const double sum = t == 0 ? 0 : normalise_logs(back.data() + arcs.first, arcs.last - arcs.first);
      alpha[s] = sum + lattice.state_score(s);
    }
  }
  const Range ends = lattice.states_at(lattice.positions() - 1);
  last.assign(alpha.begin() + static_cast<ptrdiff_t>(ends.first), alpha.end());
  log_z = normalise_logs(last.data(), last.size());
  if (log_z == kMinusInfinity) outcome = Outcome::kInfeasible;
}

double log_partition(const Lattice& lattice) {
  ForwardSums forward;
  forward.run(lattice);
  return forward.log_z;
}

SumMarginals sum_marginals(const Lattice& lattice) {
  ForwardSums forward;
  forward.run(lattice);
  SumMarginals result;
  result.outcome = forward.outcome;
  result.log_z = forward.log_z;
  result.state.assign(lattice.states(), 0.0);
  result.arc = std::move(forward.back);
  std::copy(forward.last.begin(), forward.last.end(),
            result.state.end() - static_cast<ptrdiff_t>(forward.last.size()));
  for (size_t s = lattice.states(); s-- > 0;) {
    const Range arcs = lattice.arcs_into(s);
    for (size_t a = arcs.first; a < arcs.last; ++a) {
      result.arc[a] *= result.state[s];
      result.state[lattice.source(a)] += result.arc[a];
    }
  }
  return result;
}

PathSampler::PathSampler(const Lattice& lattice) : lattice_(lattice) { forward_.run(lattice); }

LatticePath PathSampler::draw(Random& random) const {
  LatticePath path;
  path.outcome = forward_.outcome;
  if (path.outcome == Outcome::kInfeasible) {
    path.score = kMinusInfinity;
    return path;
  }
  const size_t T = lattice_.positions();
  if (T == 0) return path;
  path.states.resize(T);
  size_t state = lattice_.states_at(T - 1).first +
                 draw_index(forward_.last.data(), forward_.last.size(), random.uniform());
  for (size_t t = T; t-- > 0;) {
    path.states[t] = static_cast<uint32_t>(state);
    path.score += lattice_.state_score(state);
    if (t == 0) break;
    const Range arcs = lattice_.arcs_into(state);
    const size_t arc =
        arcs.first + draw_index(forward_.back.data() + arcs.first, arcs.last - arcs.first, random.uniform());
    path.score += lattice_.arc_score(arc);
    state = lattice_.source(arc);
  }
  return path;
}

}  // namespace espalier::chain

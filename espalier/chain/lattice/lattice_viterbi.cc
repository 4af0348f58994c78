#include "espalier/chain/lattice/lattice_viterbi.h"

#include <algorithm>
#include <limits>

namespace espalier::chain {
namespace {}  // namespace

void ForwardMax::run(const Lattice& lattice) {
  best.resize(lattice.states());
  back.resize(lattice.states());
  for (size_t t = 0; t < lattice.positions(); ++t) {
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      double top = t == 0 ? 0 : kMinusInfinity;
      uint32_t from = kNoArc;
      const Range arcs = lattice.arcs_into(s);
      for (size_t a = arcs.first; a < arcs.last; ++a) {
        const double score = best[lattice.source(a)] + lattice.arc_score(a);
        if (score > top) {
          top = score;
          from = static_cast<uint32_t>(a);
        }
      }
      best[s] = top + lattice.state_score(s);
      back[s] = from;
    }
  }
}

size_t ForwardMax::last_state(const Lattice& lattice) const {
  const Range last = lattice.states_at(lattice.positions() - 1);
  const auto first = best.begin();
  const auto top =
      std::max_element(first + static_cast<ptrdiff_t>(last.first), first + static_cast<ptrdiff_t>(last.last));
  const size_t state = static_cast<size_t>(top - first);
  const bool reachable = state < last.last && best[state] > kMinusInfinity;
  return reachable ? state : lattice.states();
}

LatticePath viterbi(const Lattice& lattice, ForwardMax& scratch) {
  LatticePath path;
  if (lattice.positions() == 0) {
    path.outcome = Outcome::kExact;
    return path;
  }
  scratch.run(lattice);
  size_t state = scratch.last_state(lattice);
  if (state == lattice.states()) {
    path.score = kMinusInfinity;
    return path;
  }
  path.outcome = Outcome::kExact;
  path.score = scratch.best[state];
  path.states.resize(lattice.positions());
  for (size_t t = lattice.positions(); t-- > 0;) {
    path.states[t] = static_cast<uint32_t>(state);
    if (t > 0) state = lattice.source(scratch.back[state]);
  }
  return path;
}

LatticePath viterbi(const Lattice& lattice) {
  ForwardMax scratch;
  return viterbi(lattice, scratch);
}

MaxMarginals max_marginals(const Lattice& lattice) {
  MaxMarginals result;
  if (lattice.positions() == 0) {
    result.outcome = Outcome::kExact;
    return result;
  }
  ForwardMax forward;
  forward.run(lattice);
  const size_t top = forward.last_state(lattice);
  result.best = kMinusInfinity;
  result.arc.assign(lattice.arcs(), kMinusInfinity);
  // Holds β until the last loop. A state's β is complete once all states of the next position have been
  // passed.
  std::vector<double>& beta = result.state;
  beta.assign(lattice.states(), kMinusInfinity);
  if (top == lattice.states()) return result;
  result.outcome = Outcome::kExact;
  result.best = forward.best[top];

  const Range last = lattice.states_at(lattice.positions() - 1);
  std::fill(beta.begin() + static_cast<ptrdiff_t>(last.first), beta.end(), 0.0);
  for (size_t s = lattice.states(); s-- > 0;) {
    const Range arcs = lattice.arcs_into(s);
    const double here = beta[s] + lattice.state_score(s);
    for (size_t a = arcs.first; a < arcs.last; ++a) {
      const uint32_t source = lattice.source(a);
      const double behind = here + lattice.arc_score(a);
      beta[source] = std::max(beta[source], behind);
      result.arc[a] = forward.best[source] + behind;
    }
  }
  for (size_t s = 0; s < lattice.states(); ++s) result.state[s] += forward.best[s];
  return result;
}

}  // namespace espalier::chain

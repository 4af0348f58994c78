#include "espalier/chain/lattice/lattice_filter.h"

#include <algorithm>
#include <limits>

#include "espalier/base/result.h"

namespace espalier::chain {
namespace {

void guard_best_path(const Lattice& lattice, KeepMasks& keep) {
  ForwardMax forward;
  const LatticePath best = viterbi(lattice, forward);
  for (size_t t = 0; t < best.states.size(); ++t) {
    keep.states[best.states[t]] = 1;
    if (t > 0) keep.arcs[forward.back[best.states[t]]] = 1;
  }
}

}  // namespace

void drop_unconnected(const Lattice& lattice, KeepMasks& keep) {
  // Forwards: keep a state if an arc into it is kept and comes from a kept state.
  for (size_t t = 1; t < lattice.positions(); ++t) {
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      const Range arcs = lattice.arcs_into(s);
      bool reached = false;
      for (size_t a = arcs.first; a < arcs.last; ++a) {
        keep.arcs[a] = keep.arcs[a] && keep.states[s] && keep.states[lattice.source(a)];
        reached = reached || keep.arcs[a];
      }
      keep.states[s] = reached;
    }
  }
  // Backwards: keep a state if an arc out of it is kept and leads to a kept state.
  std::vector<uint8_t> leads_on(lattice.states(), 0);
  for (size_t t = lattice.positions(); t-- > 0;) {
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      if (t + 1 < lattice.positions()) keep.states[s] = keep.states[s] && leads_on[s];
      const Range arcs = lattice.arcs_into(s);
      for (size_t a = arcs.first; a < arcs.last; ++a) {
        keep.arcs[a] = keep.arcs[a] && keep.states[s];
        if (keep.arcs[a]) leads_on[lattice.source(a)] = 1;
      }
    }
  }
}

FilteredLattice filter(const Lattice& lattice, const KeepMasks& wanted, BestPath best_path) {
  ESPALIER_CHECK(wanted.states.empty() || wanted.states.size() == lattice.states());
  ESPALIER_CHECK(wanted.arcs.empty() || wanted.arcs.size() == lattice.arcs());
  KeepMasks keep = wanted;
  if (keep.states.empty()) keep.states.assign(lattice.states(), 1);
  if (keep.arcs.empty()) keep.arcs.assign(lattice.arcs(), 1);
  if (best_path == BestPath::kKept) guard_best_path(lattice, keep);
  drop_unconnected(lattice, keep);

  FilteredLattice result;
  LatticeBuilder builder;
  const auto kept = [](const std::vector<uint8_t>& mask) {
    return static_cast<size_t>(std::count(mask.begin(), mask.end(), uint8_t{1}));
  };
  const size_t kept_states = kept(keep.states), kept_arcs = kept(keep.arcs);
  builder.reserve(kept_states, kept_arcs);
  result.old_state.reserve(kept_states);
  result.old_arc.reserve(kept_arcs);
  std::vector<uint32_t> new_state(lattice.states());
  for (size_t t = 0; t < lattice.positions(); ++t) {
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      if (!keep.states[s]) continue;
      new_state[s] = builder.add_state(lattice.label(s), lattice.state_score(s));
      result.old_state.push_back(static_cast<uint32_t>(s));
      const Range arcs = lattice.arcs_into(s);
      for (size_t a = arcs.first; a < arcs.last; ++a) {
        if (!keep.arcs[a]) continue;
        builder.add_arc(new_state[lattice.source(a)], lattice.arc_score(a));
        result.old_arc.push_back(static_cast<uint32_t>(a));
      }
    }
    builder.end_position();
  }
  result.lattice = builder.finish();
  const bool any = result.lattice.positions() == 0 || result.lattice.states() > 0;
  result.outcome = any ? Outcome::kExact : Outcome::kInfeasible;
  return result;
}

}  // namespace espalier::chain

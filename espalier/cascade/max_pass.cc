#include "espalier/cascade/max_pass.h"

#include "espalier/base/result.h"

namespace espalier::cascade {

using chain::kMinusInfinity;
using chain::kNoArc;
using chain::Lattice;

void MaxPass::run(const Lattice& lattice) {
  ESPALIER_CHECK(lattice.positions() > 0);
  forward_.run(lattice);
  size_t state = forward_.last_state(lattice);
  ESPALIER_CHECK(state < lattice.states());
  best_ = forward_.best[state];
  path_.resize(lattice.positions());
  for (size_t t = lattice.positions(); t-- > 0;) {
    path_[t] = static_cast<uint32_t>(state);
    if (t > 0) state = lattice.source(forward_.back[state]);
  }
  beta_.assign(lattice.states(), kMinusInfinity);
  next_arc_.assign(lattice.states(), kNoArc);
  next_state_.assign(lattice.states(), 0);
  for (size_t s = lattice.states_at(lattice.positions() - 1).first; s < lattice.states(); ++s) beta_[s] = 0;
  for (size_t s = lattice.states(); s-- > 0;) {
    const Range arcs = lattice.arcs_into(s);
    const double here = beta_[s] + lattice.state_score(s);
    for (size_t a = arcs.first; a < arcs.last; ++a) {
      const uint32_t source = lattice.source(a);
      const double behind = here + lattice.arc_score(a);
      if (behind >= beta_[source]) {  // targets come in falling order: equals go to the lower one
        beta_[source] = behind;
        next_arc_[source] = static_cast<uint32_t>(a);
        next_state_[source] = static_cast<uint32_t>(s);
      }
    }
  }
}

void MaxPass::count_witnesses(const Lattice& lattice, Unit unit, std::vector<double>& states,
                              std::vector<double>& arcs) {
  const size_t first_end = lattice.states_at(0).last;
  const auto own = [&](size_t s) { return unit == Unit::kStates || s < first_end ? 1.0 : 0.0; };
  states.assign(lattice.states(), 0.0);
  arcs.assign(lattice.arcs(), unit == Unit::kCliques ? 1.0 : 0.0);
  suffix_.assign(lattice.states(), 0.0);
  // Towards the front: states[s] holds the witnesses that came along arc_before, and at last its own.
  for (size_t s = lattice.states(); s-- > 0;) {
    states[s] += own(s);
    const Range into = lattice.arcs_into(s);
    if (unit == Unit::kCliques) {
      for (size_t a = into.first; a < into.last; ++a) states[lattice.source(a)] += 1;
      suffix_[s] += static_cast<double>(into.last - into.first);
    }
    const uint32_t before = arc_before(s);
    if (before == kNoArc) continue;
    arcs[before] += states[s];
    states[lattice.source(before)] += states[s];
  }
  // Towards the end: suffix_[s] holds those that came along arc_after (or, of an arc, end in s).
  for (size_t s = 0; s < lattice.states(); ++s) {
    states[s] += suffix_[s];
    const uint32_t after = next_arc_[s];
    if (after == kNoArc) continue;
    const double on = suffix_[s] + own(s);
    arcs[after] += on;
    suffix_[next_state_[s]] += on;
  }
}

}  // namespace espalier::cascade

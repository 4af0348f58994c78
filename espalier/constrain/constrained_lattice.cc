#include "espalier/constrain/constrained_lattice.h"

#include <algorithm>

#include "espalier/chain/lattice/lattice_filter.h"
#include "espalier/chain/lattice/lattice_viterbi.h"

namespace espalier::constrain {

using chain::Outcome;

namespace {

/// Subtracts the costs of an automaton's steps from the scores of its product with a lattice.
void subtract_costs(const CostAutomaton& automaton, chain::IntersectedLattice& product) {
  chain::Lattice& lattice = product.lattice;
  const std::span<float> state_scores = lattice.state_scores(), arc_scores = lattice.arc_scores();
  for (size_t t = 0; t < lattice.positions(); ++t) {
    const Range states = lattice.states_at(t);
    const bool last = t + 1 == lattice.positions();
    for (size_t s = states.first; s < states.last; ++s) {
      if (t == 0)
        state_scores[s] -= static_cast<float>(automaton.cost_of_step(automaton.dfa.start, lattice.label(s)));
      if (last) state_scores[s] -= static_cast<float>(automaton.end_cost[product.automaton_state[s]]);
      if (automaton.step_cost.empty()) continue;
      const Range arcs = lattice.arcs_into(s);
      for (size_t a = arcs.first; a < arcs.last; ++a)
        arc_scores[a] -= static_cast<float>(
            automaton.cost_of_step(product.automaton_state[lattice.source(a)], lattice.label(s)));
    }
  }
}

/// For each arc of a product, the original arc: the one between the original states of its ends.
std::vector<uint32_t> old_arcs(const chain::Lattice& from, const chain::IntersectedLattice& product) {
  std::vector<uint32_t> out(product.lattice.arcs());
  for (size_t s = 0; s < product.lattice.states(); ++s) {
    const Range arcs = product.lattice.arcs_into(s), before = from.arcs_into(product.old_state[s]);
    for (size_t a = arcs.first; a < arcs.last; ++a) {
      const uint32_t source = product.old_state[product.lattice.source(a)];
      size_t low = before.first, high = before.last;  // sources ascend
      while (low < high) {
        const size_t middle = (low + high) / 2;
        if (from.source(middle) < source) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      out[a] = static_cast<uint32_t>(low);
    }
  }
  return out;
}

/// Intersects out.lattice with all automata and updates old_state and old_arc, if they are filled in.
ConstrainedLattice intersect_all(const Compiled& compiled, ConstrainedLattice out, size_t max_arcs,
                                 Deadline deadline) {
  ESPALIER_CHECK(compiled.regular());
  out.outcome = Outcome::kExact;
  for (const CostAutomaton& automaton : compiled.automata()) {
    // What follows takes about as long as making the product, and does not look at the clock.
    chain::IntersectedLattice product =
        chain::intersect(out.lattice, automaton.dfa, max_arcs, deadline.share(0.4));
    out.outcome = product.outcome;
    if (out.outcome != Outcome::kExact) return out;
    subtract_costs(automaton, product);
    if (!out.old_state.empty()) {
      std::vector<uint32_t> arcs = old_arcs(out.lattice, product);
      for (uint32_t& a : arcs) a = out.old_arc[a];
      for (uint32_t& s : product.old_state) s = out.old_state[s];
      out.old_arc = std::move(arcs);
      out.old_state = std::move(product.old_state);
    }
    out.lattice = std::move(product.lattice);
  }
  return out;
}

}  // namespace

ConstrainedLattice constrained_lattice(const Compiled& compiled, const Scores& folded, size_t max_arcs,
                                       Deadline deadline) {
  return intersect_all(compiled, {Outcome::kExact, chain::make_lattice(folded)}, max_arcs, deadline);
}

ConstrainedLattice constrained_lattice(const Compiled& compiled, const Instance& instance,
                                       const chain::Lattice& from, size_t max_arcs, bool mapped,
                                       Deadline deadline) {
  const LocalPenalties& local = compiled.local();
  const std::vector<double> rows = compiled.row_penalties(instance);
  const size_t T = from.positions(), K = local.labels;
  std::vector<double> state_cost(from.states(), 0.0), arc_cost(from.arcs(), 0.0);
  for (size_t t = 0; t < T; ++t) {
    const Range states = from.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      const size_t y = from.label(s);
      if (!rows.empty()) state_cost[s] += rows[t * K + y];
      if (t == 0) state_cost[s] += local.start[y];
      if (t + 1 == T) state_cost[s] += local.end[y];
      const Range arcs = from.arcs_into(s);
      for (size_t a = arcs.first; a < arcs.last; ++a)
        arc_cost[a] = local.pair[from.label(from.source(a)) * K + y];
    }
  }
  chain::FilteredLattice left = chain::filter(from,
                                              chain::KeepMasks::where(
                                                  from, [&](uint32_t s) { return state_cost[s] != kHard; },
                                                  [&](uint32_t a) { return arc_cost[a] != kHard; }),
                                              chain::BestPath::kAsMasked);
  if (left.outcome != Outcome::kExact) return {left.outcome, {}};
  for (size_t s = 0; s < left.lattice.states(); ++s)
    left.lattice.state_scores()[s] -= static_cast<float>(state_cost[left.old_state[s]]);
  for (size_t a = 0; a < left.lattice.arcs(); ++a)
    left.lattice.arc_scores()[a] -= static_cast<float>(arc_cost[left.old_arc[a]]);
  ConstrainedLattice start{Outcome::kExact, std::move(left.lattice)};
  if (mapped) {
    start.old_state = std::move(left.old_state);
    start.old_arc = std::move(left.old_arc);
  }
  return intersect_all(compiled, std::move(start), max_arcs, deadline);
}

Decoded decode_lattice(const Compiled& compiled, const Instance& instance, const Scores& scores,
                       size_t max_arcs, Deadline deadline) {
  ESPALIER_CHECK(compiled.regular());
  Decoded out;
  PenalisedScores folded;
  folded.assign(compiled, instance, scores);
  if (compiled.automata().empty() && instance.length > 0) {
    chain::ChainScratch scratch;
    out.labels.resize(instance.length);
    const double value = chain::viterbi(folded.view, scratch, out.labels.data());
    if (value == chain::kMinusInfinity) {
      out.labels.clear();
      return out;
    }
    out.outcome = Outcome::kExact;
  } else {
    const ConstrainedLattice lattice = constrained_lattice(compiled, folded.view, max_arcs, deadline);
    out.outcome = lattice.outcome;
    if (out.outcome != Outcome::kExact) return out;
    const chain::LatticePath path = chain::viterbi(lattice.lattice);
    out.outcome = path.outcome;
    if (out.outcome != Outcome::kExact) return out;
    out.labels = chain::path_labels(lattice.lattice, path.states);
  }
  out.score = score_labels(scores, out.labels);
  out.penalty = compiled.constraints().penalty(instance, out.labels);
  return out;
}

}  // namespace espalier::constrain

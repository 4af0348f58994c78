#include "espalier/constrain/fold.h"

#include <algorithm>

#include "espalier/chain/lattice_viterbi.h"

namespace espalier::constrain {

using chain::kImpossible;
using chain::Outcome;

void fold_nodes(const Compiled& compiled, const std::vector<double>& row_penalties, size_t length,
                size_t stride, float* node) {
  const LocalPenalties& local = compiled.local();
  const size_t K = local.labels;
  if (length == 0) return;
  for (size_t t = 0; t < length && !row_penalties.empty(); ++t)
    for (size_t y = 0; y < K; ++y) node[t * stride + y] -= static_cast<float>(row_penalties[t * K + y]);
  if (!local.edges) return;
  for (size_t y = 0; y < K; ++y) {
    node[y] -= static_cast<float>(local.start[y]);
    node[(length - 1) * stride + y] -= static_cast<float>(local.end[y]);
  }
}

void fold_pairs(const LocalPenalties& local, size_t stride, float* pairs) {
  const size_t K = local.labels;
  for (size_t i = 0; i < K; ++i)
    for (size_t j = 0; j < K; ++j) pairs[i * stride + j] -= static_cast<float>(local.pair[i * K + j]);
}

void FoldedScores::assign(const Compiled& compiled, const Instance& instance, const Scores& scores) {
  const size_t T = instance.length, K = scores.labels, S = scores.stride;
  const LocalPenalties& local = compiled.local();
  node.assign(scores.node, scores.node + T * S);
  fold_nodes(compiled, compiled.row_penalties(instance), T, S, node.data());
  view = {T, K, S, node.data(), scores.trans, scores.edge};
  if (scores.edge != nullptr) {
    if (!local.pairs) return;
    edge.assign(scores.edge, scores.edge + T * K * S);
    for (size_t t = 1; t < T; ++t) fold_pairs(local, S, edge.data() + t * K * S);
    view.edge = edge.data();
    return;
  }
  if (scores.trans != nullptr && !local.pairs) return;
  if (scores.trans != nullptr) {
    trans.assign(scores.trans, scores.trans + K * S);
  } else {
    trans.assign(K * S, 0.0f);
  }
  fold_pairs(local, S, trans.data());
  view.trans = trans.data();
}

namespace {

/// Takes what an automaton's steps cost from the scores of its product with a lattice.
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

}  // namespace

ConstrainedLattice constrained_lattice(const Compiled& compiled, const Scores& folded, size_t max_arcs) {
  ESPALIER_CHECK(compiled.regular());
  ConstrainedLattice out;
  out.lattice = chain::make_lattice(folded);
  out.outcome = Outcome::kExact;
  for (const CostAutomaton& automaton : compiled.automata()) {
    chain::IntersectedLattice product = chain::intersect(out.lattice, automaton.dfa, max_arcs);
    out.outcome = product.outcome;
    if (out.outcome != Outcome::kExact) return out;
    subtract_costs(automaton, product);
    out.lattice = std::move(product.lattice);
  }
  return out;
}

Decoded decode_lattice(const Compiled& compiled, const Instance& instance, const Scores& scores,
                       size_t max_arcs) {
  ESPALIER_CHECK(compiled.regular());
  Decoded out;
  FoldedScores folded;
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
    const ConstrainedLattice lattice = constrained_lattice(compiled, folded.view, max_arcs);
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

#include "espalier/cascade/training/trellis_log_loss.h"

#include <algorithm>
#include <cmath>

namespace espalier::cascade {

using data::Label;

void GramPotentials::set_all(std::span<const float> weights) {
  value_.resize(weights.size());
  for (size_t g = 0; g < weights.size(); ++g) value_[g] = std::exp(weights[g]);
}

void GramPotentials::set(uint32_t gram, float weight) { value_[gram] = std::exp(weight); }

/// forward[s] = P(the labels so far end in s), up to what comes later; out.arc[a] = P(arc | its target).
/// Everything is divided by its sum at each position, so that only the ratios within one position have to
/// fit into a double.
bool TrellisLogLoss::run_forward(const LevelView& level, const GramPotentials& potentials, const float* node,
                                 size_t stride, const Trellis& trellis, LatticeGradient& out) {
  const chain::Lattice& lattice = trellis.lattice;
  const size_t T = lattice.positions();
  forward_.resize(lattice.states());
  out.arc.resize(lattice.arcs());
  log_z_ = 0;
  for (size_t t = 0; t < T; ++t) {
    const Range states = lattice.states_at(t);
    const float* const row = node + t * stride;
    float top = row[lattice.label(states.first)];
    for (size_t s = states.first; s < states.last; ++s) top = std::max(top, row[lattice.label(s)]);
    const bool border = t == 0 || t + 1 == T;
    Label label = lattice.label(states.first);
    double own = std::exp(static_cast<double>(row[label] - top)), total = 0;  // of the label by itself
    for (size_t s = states.first; s < states.last; ++s) {
      if (lattice.label(s) != label) {
        label = lattice.label(s);
        own = std::exp(static_cast<double>(row[label] - top));
      }
      double here = own;
      if (border || trellis.rating[s] != kNoRating) {
        here = std::exp(static_cast<double>(score_state(level, row[label] - top, trellis, t, s,
                                                        [&](uint32_t gram) { return level.weight(gram); })));
      } else {
        for (const uint32_t gram : trellis.grams_of(s)) here *= static_cast<double>(potentials[gram]);
      }
      if (t > 0) {
        const Range arcs = lattice.arcs_into(s);
        double sum = 0;
        for (size_t a = arcs.first; a < arcs.last; ++a)
          sum += out.arc[a] =
              forward_[lattice.source(a)] * static_cast<double>(potentials[trellis.arc_gram[a]]);
        const double share = sum > 0 ? 1 / sum : 0;
        for (size_t a = arcs.first; a < arcs.last; ++a) out.arc[a] *= share;
        here *= sum;
      }
      forward_[s] = here;
      total += here;
    }
    if (!(total > 1e-250 && total < 1e250)) return false;
    for (size_t s = states.first; s < states.last; ++s) forward_[s] /= total;
    log_z_ += static_cast<double>(top) + std::log(total);
  }
  return true;
}

std::optional<double> TrellisLogLoss::find(const LevelView& level, const GramPotentials& potentials,
                                           const float* node, size_t stride, const Trellis& trellis,
                                           std::span<const uint32_t> truth,
                                           std::span<const uint32_t> truth_arcs, LatticeGradient& out) {
  ESPALIER_CHECK(level.order > 1 && level.scale == 1);
  const chain::Lattice& lattice = trellis.lattice;
  if (!run_forward(level, potentials, node, stride, trellis, out)) return std::nullopt;
  out.state.assign(lattice.states(), 0.0);
  const Range last = lattice.states_at(lattice.positions() - 1);
  std::copy(forward_.begin() + static_cast<ptrdiff_t>(last.first), forward_.end(),
            out.state.begin() + static_cast<ptrdiff_t>(last.first));
  for (size_t s = lattice.states(); s-- > 0;) {
    const Range arcs = lattice.arcs_into(s);
    const double here = out.state[s];
    for (size_t a = arcs.first; a < arcs.last; ++a) {
      out.arc[a] *= here;
      out.state[lattice.source(a)] += out.arc[a];
    }
  }
  double score = 0;
  for (size_t t = 0; t < truth.size(); ++t) {
    const size_t s = truth[t];
    score += static_cast<double>(score_state(level, node[t * stride + lattice.label(s)], trellis, t, s,
                                             [&](uint32_t gram) { return level.weight(gram); }));
    if (t > 0) score += static_cast<double>(level.weight(trellis.arc_gram[truth_arcs[t]]));
    out.state[s] -= 1;
    if (t > 0) out.arc[truth_arcs[t]] -= 1;
  }
  return log_z_ - score;
}

}  // namespace espalier::cascade

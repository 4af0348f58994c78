#include "espalier/cascade/training/grown_log_loss.h"

#include <algorithm>
#include <cmath>

namespace espalier::cascade {

using chain::Lattice;
using data::Label;

namespace {

/// Gradients that are only rounding errors are not worth an update (as in spread_gradient).
constexpr float kTinyGradient = 1e-6f;

/// The gram of n start symbols.
uint32_t gram_of_starts(const GramTable& grams, size_t n) {
  uint32_t gram = grams.start();
  for (size_t i = 1; i < n; ++i) gram = grams.find(gram, grams.start());
  return gram;
}

/// Numbers in the trellis grown by one: its states are those of position 0, then the arcs of the old one.
struct GrownStates {
  const Trellis& from;
  size_t first = from.lattice.states_at(0).last;  ///< how many are not arcs

  size_t count() const { return first + from.lattice.arcs(); }
  /// Those that end with an old state.
  Range ending_with(size_t old_state) const {
    if (old_state < first) return {old_state, old_state + 1};
    const Range into = from.lattice.arcs_into(old_state);
    return {first + into.first, first + into.last};
  }
  /// Those of a position.
  Range at(size_t t) const {
    const Range old = from.lattice.states_at(t);
    return {ending_with(old.first).first, ending_with(old.last - 1).last};
  }
  /// The gram of all labels of a state.
  uint32_t top_gram(size_t state) const {
    return state < first ? from.first_gram[state] : from.arc_gram[state - first];
  }
};

/// The states of the position before t: places in `value` and `top_gram`, by the old state that they end
/// with.
struct Before {
  const GrownStates& states;
  bool first;     ///< they are those of position 0
  double* value;  ///< per state, somewhere in an array of values of all states
  const uint32_t* top_gram;

  Before(const GrownStates& all, size_t t, double* values)
      : states(all),
        first(t == 1),
        value(values + (first ? 0 : all.first)),
        top_gram(first ? all.from.first_gram.data() : all.from.arc_gram.data()) {}
  Range ending_with(size_t old_state) const {
    return first ? Range{old_state, old_state + 1} : states.from.lattice.arcs_into(old_state);
  }
};

}  // namespace

void add_missing_grams_when_grown(const Trellis& from, GramTable& grams) {
  const Lattice& old = from.lattice;
  if (old.positions() == 0) return;
  const size_t m = from.gram_length + 1;
  const GrownStates states{from};
  uint32_t starts = grams.start();
  for (size_t i = 1; i < m; ++i) starts = grams.add(starts, grams.start());
  for (size_t s = 0; s < states.first; ++s) grams.add(starts, old.label(s));
  for (size_t target = states.first; target < old.states(); ++target) {
    const Range into = old.arcs_into(target);
    for (size_t a = into.first; a < into.last; ++a) {
      const Range before = states.ending_with(old.source(a));
      for (size_t s = before.first; s < before.last; ++s) grams.add(states.top_gram(s), old.label(target));
    }
  }
  const size_t T = old.positions();
  const Range last = old.states_at(T - 1);
  for (size_t target = last.first; target < last.last; ++target) {
    const Range own = states.ending_with(target);
    for (size_t s = own.first; s < own.last; ++s) {
      grams.add(old.label(target), grams.end());
      for (const uint32_t gram : from.grams_of(target)) grams.add(gram, grams.end());
      grams.add(states.top_gram(s), grams.end());
    }
  }
}

GrownPath find_path_when_grown(const Trellis& from, std::span<const Label> labels) {
  const Lattice& old = from.lattice;
  const std::vector<uint32_t> path = find_path(from, labels);
  GrownPath grown;
  if (path.empty()) return grown;
  const std::vector<uint32_t> arcs = arcs_of_path(old, path);
  const GrownStates states{from};
  size_t passed = 0, next = 0;  // arcs of the grown trellis, and the old arcs that lead to them
  grown.states = {path[0]};
  grown.arcs = {0};
  for (size_t t = 1; t < path.size(); ++t) {
    for (; next < arcs[t]; ++next) {
      const Range before = states.ending_with(old.source(next));
      passed += before.last - before.first;
    }
    const Range before = states.ending_with(path[t - 1]);
    grown.arcs.push_back(static_cast<uint32_t>(passed + grown.states.back() - before.first));
    grown.states.push_back(static_cast<uint32_t>(states.first + arcs[t]));
  }
  return grown;
}

void GrownLogLoss::find_grams(const Job& job, size_t t, size_t target, uint32_t top) {
  const Lattice& old = job.from.lattice;
  const std::span<const uint32_t> shorter = job.from.grams_of(target);
  state_grams_.assign(shorter.begin(), shorter.end());
  state_grams_.push_back(top);
  const size_t own = state_grams_.size();
  if (t == 0) state_grams_.push_back(job.grams.find(job.starts, old.label(target)));
  if (t + 1 < old.positions()) return;
  const uint32_t end = job.grams.end();
  state_grams_.push_back(job.grams.find(old.label(target), end));
  for (size_t i = 0; i < own; ++i) state_grams_.push_back(job.grams.find(state_grams_[i], end));
}

/// The score of the state that find_grams was asked for last.
float GrownLogLoss::score_of(const Job& job, float node) {
  float score = node;
  for (const uint32_t gram : state_grams_) score += job.level.weight(gram);
  return score;
}

/// As TrellisLogLoss::run_forward; arc_ is not divided by the sum over the arcs into the same state, by which
/// share_ says to multiply it.
bool GrownLogLoss::run_forward(const Job& job) {
  const Lattice& old = job.from.lattice;
  const GrownStates states{job.from};
  const size_t T = old.positions();
  forward_.resize(states.count());
  share_.resize(states.count());
  arcs_ = 0;
  log_z_ = 0;
  size_t widest = 1;  // states of the position before that end with the same old one
  for (size_t t = 0; t < T; ++t) {
    const Range targets = old.states_at(t), here_states = states.at(t);
    const float* const row = job.node + t * job.stride;
    float top = row[old.label(targets.first)];
    for (size_t s = targets.first; s < targets.last; ++s) top = std::max(top, row[old.label(s)]);
    if (const size_t room = arcs_ + (here_states.last - here_states.first) * widest; room > arc_.size()) {
      arc_.resize(2 * room);
      arc_gram_.resize(2 * room);
    }
    const bool border = t == 0 || t + 1 == T;
    const Before before(states, t, forward_.data());
    double* arc = arc_.data() + arcs_;
    uint32_t* arc_gram = arc_gram_.data() + arcs_;
    Label label = old.label(targets.first);
    double own = std::exp(static_cast<double>(row[label] - top)), total = 0;  // of the label by itself
    size_t widest_here = 1;
    for (size_t target = targets.first; target < targets.last; ++target) {
      if (old.label(target) != label) {
        label = old.label(target);
        own = std::exp(static_cast<double>(row[label] - top));
      }
      double common = own;  // to all states that end with this old one
      for (const uint32_t gram : job.from.grams_of(target))
        common *= static_cast<double>(job.potentials[gram]);
      const Range grown = states.ending_with(target);
      widest_here = std::max(widest_here, grown.last - grown.first);
      for (size_t s = grown.first; s < grown.last; ++s) {
        const uint32_t top_gram = states.top_gram(s);
        double here = common * static_cast<double>(job.potentials[top_gram]);
        if (border) {
          find_grams(job, t, target, top_gram);
          here = std::exp(static_cast<double>(score_of(job, row[label] - top)));
        }
        if (t > 0) {
          const Range from = before.ending_with(old.source(s - states.first));
          double sum = 0;
          for (size_t b = from.first; b < from.last; ++b) {  // most of the work
            const uint32_t gram = job.grams.find(before.top_gram[b], label);
            const double product = before.value[b] * static_cast<double>(job.potentials[gram]);
            *arc_gram++ = gram;
            *arc++ = product;
            sum += product;
          }
          share_[s] = sum > 0 ? 1 / sum : 0;
          here *= sum;
        }
        forward_[s] = here;
        total += here;
      }
    }
    arcs_ = static_cast<size_t>(arc - arc_.data());
    if (!(total > 1e-250 && total < 1e250)) return false;
    for (size_t s = here_states.first; s < here_states.last; ++s) forward_[s] /= total;
    log_z_ += static_cast<double>(top) + std::log(total);
    widest = widest_here;
  }
  return true;
}

/// Turns arc_ into probabilities, from the last to the first, and puts grams with their gradients before
/// those that are there, so that they end up in the order of spread_gradient.
void GrownLogLoss::run_backward(const Job& job, std::span<const uint32_t> truth,
                                std::span<const uint32_t> truth_arcs, float factor, SequenceGradient& out) {
  const Lattice& old = job.from.lattice;
  const GrownStates states{job.from};
  const size_t T = old.positions(), m = job.from.gram_length + 1;
  const Range first = states.at(0), last = states.at(T - 1);
  state_.assign(states.count(), 0.0);
  spread_.resize(states.count());
  std::copy(forward_.begin() + static_cast<ptrdiff_t>(last.first), forward_.end(),
            state_.begin() + static_cast<ptrdiff_t>(last.first));
  GramGradients::Item* next = out.grams.room_from_end(states.count() * m + (first.last - first.first) +
                                                      (last.last - last.first) * (m + 1) + arcs_);
  const auto add = [&next](uint32_t gram, float g) {
    next[-1] = {gram, g};
    next -= (gram != kNoGram) & (std::abs(g) > kTinyGradient);
  };
  const double* arc = arc_.data() + arcs_;
  const uint32_t* arc_gram = arc_gram_.data() + arcs_;
  for (size_t t = T; t-- > 0;) {
    const Range targets = old.states_at(t);
    const bool border = t == 0 || t + 1 == T;
    const Before before(states, t, state_.data());
    const double* const true_arc = arc_.data() + truth_arcs[t];
    for (size_t target = targets.last; target-- > targets.first;) {
      const Range grown = states.ending_with(target);
      for (size_t s = grown.last; s-- > grown.first;) {
        const double here = state_[s];
        if (t > 0) {
          const Range from = before.ending_with(old.source(s - states.first));
          const double share = share_[s];
          for (size_t b = from.last; b-- > from.first;) {  // most of the work
            const double p = *--arc * share * here;
            before.value[b] += p;
            add(*--arc_gram, factor * static_cast<float>(p - (arc == true_arc ? 1.0 : 0.0)));
          }
        }
        const float g = factor * static_cast<float>(here - (truth[t] == s ? 1.0 : 0.0));
        spread_[s] = g;
        if (!(std::abs(g) > kTinyGradient)) continue;
        const uint32_t top_gram = states.top_gram(s);
        if (border) {
          find_grams(job, t, target, top_gram);
          for (size_t i = state_grams_.size(); i-- > 0;) add(state_grams_[i], g);
          continue;
        }
        add(top_gram, g);
        const std::span<const uint32_t> shorter = job.from.grams_of(target);
        for (size_t i = shorter.size(); i-- > 0;) add(shorter[i], g);
      }
    }
  }
  out.grams.begin_at(next);
}

void GrownLogLoss::spread_to_nodes(const Job& job, float ignore, SequenceGradient& out) const {
  const Lattice& old = job.from.lattice;
  const GrownStates states{job.from};
  const size_t T = old.positions();
  out.node.assign(T * job.stride, 0.0f);
  out.active.assign(T, 0);
  out.labels.begin.assign(1, 0);
  out.labels.label.clear();
  out.edge_grams.clear();
  out.edge_begin.clear();
  out.quantile.fill(0);
  for (size_t t = 0; t < T; ++t) {
    const Range targets = old.states_at(t);
    float* const row = out.node.data() + t * job.stride;
    for (size_t target = targets.first; target < targets.last; ++target) {
      const Label label = old.label(target);
      const Range grown = states.ending_with(target);
      for (size_t s = grown.first; s < grown.last; ++s) {
        const float g = spread_[s];
        if (!(std::abs(g) > kTinyGradient)) continue;
        row[label] += g;
        if (out.labels.label.size() == out.labels.begin.back() || out.labels.label.back() != label)
          out.labels.label.push_back(label);
      }
    }
    out.labels.begin.push_back(static_cast<uint32_t>(out.labels.label.size()));
    for (const Label label : out.labels[t]) out.active[t] |= std::abs(row[label]) > ignore;
  }
}

std::optional<double> GrownLogLoss::find(const LevelView& level, const GramPotentials& potentials,
                                         const GramTable& grams, const float* node, size_t stride,
                                         const Trellis& from, std::span<const uint32_t> truth,
                                         std::span<const uint32_t> truth_arcs, float factor, float ignore,
                                         SequenceGradient& out) {
  ESPALIER_CHECK(level.order > 1 && level.scale == 1 && from.lattice.positions() > 0);
  const Job job{level, potentials, grams, node, stride, from, gram_of_starts(grams, from.gram_length + 1)};
  if (!run_forward(job)) return std::nullopt;
  run_backward(job, truth, truth_arcs, factor, out);
  spread_to_nodes(job, ignore, out);
  // The score of the truth.
  const Lattice& old = from.lattice;
  const GrownStates states{from};
  double score = 0;
  for (size_t t = 0; t < truth.size(); ++t) {
    const Range targets = old.states_at(t);
    size_t target = targets.first;
    while (states.ending_with(target).last <= truth[t]) ++target;
    find_grams(job, t, target, states.top_gram(truth[t]));
    score += static_cast<double>(score_of(job, node[t * stride + old.label(target)]));
    if (t > 0) score += static_cast<double>(level.weight(arc_gram_[truth_arcs[t]]));
  }
  return log_z_ - score;
}

}  // namespace espalier::cascade

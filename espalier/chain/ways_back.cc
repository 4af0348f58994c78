#include "espalier/chain/ways_back.h"

#include <algorithm>
#include <cmath>

namespace espalier::chain {

using data::Label;
using data::LikelySegment;

void WaysBack::clear() {
  begin.assign(1, 0);
  label.clear();
  arc_begin.assign(1, 0);
  source.clear();
  probability.clear();
  last.clear();
}

void WaySums::end_position() {
  // Sums only count for what they are relative to each other, and grow by a factor at every position.
  constexpr double kLarge = 1e100;
  const size_t from = out_.begin.back();
  const double most = *std::max_element(sum_.begin() + static_cast<ptrdiff_t>(from), sum_.end());
  if (most > kLarge)
    for (size_t s = from; s < sum_.size(); ++s) sum_[s] /= most;
  out_.begin.push_back(static_cast<uint32_t>(out_.label.size()));
}

void WaySums::end(std::span<const double> below_best) {
  const size_t from = sum_.size() - below_best.size();
  double all = 0;
  for (size_t s = 0; s < below_best.size(); ++s) {
    out_.last.push_back(sum_[from + s] * std::exp(-below_best[s] * factor_));
    all += out_.last.back();
  }
  for (double& p : out_.last) p /= all;
}

void find_ways_back(const Lattice& lattice, const ForwardMax& forward, double temperature, WaysBack& out) {
  WaySums sums(temperature, out);
  const size_t T = lattice.positions();
  for (size_t t = 0; t < T; ++t) {
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      if (t == 0) {
        sums.add_first(lattice.label(s));
        continue;
      }
      sums.start(lattice.label(s));
      const auto through = [&](size_t a) { return forward.best[lattice.source(a)] + lattice.arc_score(a); };
      const Range arcs = lattice.arcs_into(s);
      const double best = through(forward.back[s]);
      for (size_t a = arcs.first; a < arcs.last; ++a) sums.add(lattice.source(a), best - through(a));
      sums.finish();
    }
    sums.end_position();
  }
  if (T == 0) return;
  const Range states = lattice.states_at(T - 1);
  const double best = forward.best[forward.last_state(lattice)];
  std::vector<double> below;
  for (size_t s = states.first; s < states.last; ++s) below.push_back(best - forward.best[s]);
  sums.end(below);
}

void find_ways_back(const ChainScores& scores, const float* marginals, float least, WaysBack& out) {
  const size_t T = scores.length, K = scores.labels, S = scores.stride;
  WaySums sums(1, out);
  std::vector<double> best, before, below;
  for (size_t t = 0; t < T; ++t) {
    const float* const p = marginals + t * S;
    const auto top = static_cast<size_t>(std::max_element(p, p + K) - p);
    const float* const trans = scores.transitions_into(t);
    std::swap(best, before);
    best.clear();
    for (size_t j = 0; j < K; ++j) {
      if (p[j] < least && j != top) continue;
      const auto label = static_cast<Label>(j);
      if (t == 0) {
        sums.add_first(label);
        best.push_back(scores.node[j]);
        continue;
      }
      sums.start(label);
      const uint32_t from = out.begin[t - 1];
      const auto through = [&](size_t i) { return before[i] + trans[out.label[from + i] * S + j]; };
      double most = kMinusInfinity;
      for (size_t i = 0; i < before.size(); ++i) most = std::max(most, through(i));
      // Where no way leads to a label, any is as good: it has no probability.
      for (size_t i = 0; i < before.size(); ++i)
        sums.add(from + static_cast<uint32_t>(i), most == kMinusInfinity ? 0 : most - through(i));
      sums.finish();
      best.push_back(most + scores.node[t * S + j]);
    }
    sums.end_position();
  }
  if (T == 0) return;
  const double most = *std::max_element(best.begin(), best.end());
  for (const double score : best) below.push_back(score == kMinusInfinity ? 1e9 : most - score);
  sums.end(below);
}

void find_state_probabilities(const WaysBack& ways, std::vector<double>& out) {
  out.assign(ways.label.size(), 0.0);
  if (ways.positions() == 0) return;
  std::copy(ways.last.begin(), ways.last.end(), out.end() - static_cast<ptrdiff_t>(ways.last.size()));
  for (size_t s = out.size(); s-- > 0;)
    for (uint32_t a = ways.arc_begin[s]; a < ways.arc_begin[s + 1]; ++a)
      out[ways.source[a]] += out[s] * ways.probability[a];
}

std::span<const LikelySegment> SegmentFinder::find(const WaysBack& ways, const SpanRules& rules,
                                                   double least) {
  constexpr double kLeast = 1e-12;  // what has less makes no difference
  const size_t T = ways.positions(), states = ways.label.size();
  likely_.clear();
  if (T == 0) return likely_;
  state_.assign(states, 0.0);
  exit_.assign(states, 0.0);
  mass_.assign(states, 0.0);
  std::copy(ways.last.begin(), ways.last.end(), state_.begin() + ways.begin[T - 1]);
  std::copy(ways.last.begin(), ways.last.end(), exit_.begin() + ways.begin[T - 1]);
  for (size_t t = T; t-- > 0;) {
    ends_.clear();
    for (uint32_t s = ways.begin[t]; s < ways.begin[t + 1]; ++s) {
      const uint32_t type = rules.type(ways.label[s]);
      if (exit_[s] == 0 || type == SpanRules::kOutside) continue;
      auto known = ends_.begin();
      while (known != ends_.end() && known->first != type) ++known;
      if (known == ends_.end()) {
        ends_.emplace_back(type, exit_[s]);
      } else {
        known->second += exit_[s];
      }
    }
    for (const auto& [type, probability] : ends_)
      if (probability > least) follow(ways, rules, t, type, least);
    if (t == 0) break;
    for (uint32_t s = ways.begin[t]; s < ways.begin[t + 1]; ++s) {
      if (state_[s] < kLeast) continue;
      for (uint32_t a = ways.arc_begin[s]; a < ways.arc_begin[s + 1]; ++a) {
        const double p = state_[s] * ways.probability[a];
        if (p < kLeast) continue;
        const uint32_t before = ways.source[a];
        state_[before] += p;
        if (!rules.continues(ways.label[before], ways.label[s])) exit_[before] += p;
      }
    }
  }
  return likely_;
}

/// The segments of a type whose last row is `last`, by where they begin.
void SegmentFinder::follow(const WaysBack& ways, const SpanRules& rules, size_t last, uint32_t type,
                           double least) {
  for (uint32_t s = ways.begin[last]; s < ways.begin[last + 1]; ++s)
    mass_[s] = rules.type(ways.label[s]) == type ? exit_[s] : 0;
  for (size_t t = last;; --t) {
    double begins = 0, goes_on = 0;
    if (t > 0) std::fill(mass_.begin() + ways.begin[t - 1], mass_.begin() + ways.begin[t], 0.0);
    for (uint32_t s = ways.begin[t]; s < ways.begin[t + 1]; ++s) {
      if (mass_[s] == 0) continue;
      if (t == 0) begins += mass_[s];
      for (uint32_t a = ways.arc_begin[s]; a < ways.arc_begin[s + 1]; ++a) {
        const double p = mass_[s] * ways.probability[a];
        const uint32_t before = ways.source[a];
        if (rules.continues(ways.label[before], ways.label[s])) {
          mass_[before] += p;
          goes_on += p;
        } else {
          begins += p;
        }
      }
    }
    if (begins > least)
      likely_.push_back({static_cast<uint32_t>(t), static_cast<uint32_t>(last + 1), type, begins});
    if (goes_on <= least) return;
  }
}

}  // namespace espalier::chain

#include "espalier/chain/lattice/lattice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "espalier/base/result.h"

namespace espalier::chain {

void Lattice::clear() {
  position_begin_.assign(1, 0);
  label_.clear();
  state_score_.clear();
  arc_begin_.assign(1, 0);
  source_.clear();
  arc_score_.clear();
}

void Lattice::prefetch() const {
  const auto ask_for = [](const auto& items) {
    const auto bytes = std::as_bytes(std::span(items));
    for (size_t i = 0; i < bytes.size(); i += 64) __builtin_prefetch(bytes.data() + i);
  };
  ask_for(position_begin_);
  ask_for(label_);
  ask_for(arc_begin_);
  ask_for(source_);
}

void LatticeBuilder::reserve(size_t states, size_t arcs) {
  lattice_.label_.reserve(states);
  lattice_.state_score_.reserve(states);
  lattice_.arc_begin_.reserve(states + 1);
  lattice_.source_.reserve(arcs);
  lattice_.arc_score_.reserve(arcs);
}

void LatticeBuilder::add_arcs(uint32_t first_source, size_t count) {
  if (count == 0) return;
  const uint32_t open_begin = lattice_.position_begin_.back();
  ESPALIER_CHECK(lattice_.states() > open_begin);
  ESPALIER_CHECK(first_source >= previous_begin_ && first_source + count <= open_begin);
  const size_t old = lattice_.arcs();
  ESPALIER_CHECK(lattice_.arc_begin_[lattice_.states() - 1] == old || lattice_.source_.back() < first_source);
  ESPALIER_CHECK(old + count <= std::numeric_limits<uint32_t>::max());
  lattice_.source_.resize(old + count);
  std::iota(lattice_.source_.begin() + static_cast<ptrdiff_t>(old), lattice_.source_.end(), first_source);
  lattice_.arc_begin_.back() += static_cast<uint32_t>(count);
}

void LatticeBuilder::end_position() {
  previous_begin_ = lattice_.position_begin_.back();
  lattice_.position_begin_.push_back(static_cast<uint32_t>(lattice_.states()));
}

Lattice LatticeBuilder::finish() {
  ESPALIER_CHECK(lattice_.states() == lattice_.position_begin_.back());
  lattice_.arc_score_.resize(lattice_.arcs(), 0.0f);
  previous_begin_ = 0;
  return std::exchange(lattice_, Lattice());
}

Lattice make_lattice(const ChainScores& scores) {
  const size_t T = scores.length, K = scores.labels, S = scores.stride;
  LatticeBuilder builder;
  builder.reserve(T * K, T > 0 ? (T - 1) * K * K : 0);
  std::vector<std::pair<uint32_t, size_t>> before, here;  // state and its label
  for (size_t t = 0; t < T; ++t) {
    here.clear();
    const float* const node = scores.node + t * S;
    const float* const trans = t > 0 ? scores.transitions_into(t) : nullptr;
    for (size_t j = 0; j < K; ++j) {
      if (node[j] == kImpossible) continue;
      here.emplace_back(builder.add_state(static_cast<data::Label>(j), node[j]), j);
      for (const auto& [state, i] : before)
        if (trans[i * S + j] != kImpossible) builder.add_arc(state, trans[i * S + j]);
    }
    builder.end_position();
    std::swap(before, here);
  }
  return builder.finish();
}

OutgoingArcs::OutgoingArcs(const Lattice& lattice)
    : begin(lattice.states() + 1, 0), arc(lattice.arcs()), target(lattice.arcs()) {
  for (size_t a = 0; a < lattice.arcs(); ++a) ++begin[lattice.source(a) + 1];
  for (size_t s = 0; s < lattice.states(); ++s) begin[s + 1] += begin[s];
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  for (size_t s = 0; s < lattice.states(); ++s) {
    const Range into = lattice.arcs_into(s);
    for (size_t a = into.first; a < into.last; ++a) {
      const uint32_t place = next[lattice.source(a)]++;
      arc[place] = static_cast<uint32_t>(a);
      target[place] = static_cast<uint32_t>(s);
    }
  }
}

double path_score(const Lattice& lattice, std::span<const uint32_t> path) {
  ESPALIER_CHECK(path.size() == lattice.positions());
  double score = 0;
  for (size_t t = 0; t < path.size(); ++t) {
    const Range states = lattice.states_at(t);
    ESPALIER_CHECK(path[t] >= states.first && path[t] < states.last);
    if (t > 0) {
      size_t arc = lattice.arcs_into(path[t]).first;
      const size_t end = lattice.arcs_into(path[t]).last;
      while (arc < end && lattice.source(arc) != path[t - 1]) ++arc;
      if (arc == end) return -std::numeric_limits<double>::infinity();
      score += lattice.arc_score(arc);
    }
    score += lattice.state_score(path[t]);
  }
  return score;
}

std::vector<data::Label> path_labels(const Lattice& lattice, std::span<const uint32_t> path) {
  std::vector<data::Label> labels;
  labels.reserve(path.size());
  for (const uint32_t state : path) labels.push_back(lattice.label(state));
  return labels;
}

}  // namespace espalier::chain

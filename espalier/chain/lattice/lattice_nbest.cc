#include "espalier/chain/lattice/lattice_nbest.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace espalier::chain {
namespace {}  // namespace

NBestPaths::NBestPaths(const Lattice& lattice, NBestOptions options) : lattice_(lattice), options_(options) {
  options_.max_nodes = std::min<size_t>(options_.max_nodes, kEnd);
  if (lattice.positions() == 0) {
    empty_path_left_ = true;
    return;
  }
  forward_.run(lattice);
  ranking_.resize(lattice.arcs());
  ranked_.assign(lattice.states(), 0);
  live_.assign(lattice.states(), 0);
  const Range last = lattice.states_at(lattice.positions() - 1);
  for (size_t s = last.first; s < last.last; ++s)
    if (forward_.best[s] > kMinusInfinity) last_.push_back(static_cast<uint32_t>(s));
  std::stable_sort(last_.begin(), last_.end(),
                   [this](uint32_t a, uint32_t b) { return forward_.best[a] > forward_.best[b]; });
  if (!last_.empty()) push({forward_.best[last_.front()], kEnd, 0});
}

/// Best arc first; ties go to the lower source. Arcs from states that no path reaches come last, after live_.
void NBestPaths::rank_arcs(size_t state) {
  if (ranked_[state]) return;
  ranked_[state] = 1;
  const Range arcs = lattice_.arcs_into(state);
  const auto begin = ranking_.begin() + static_cast<ptrdiff_t>(arcs.first);
  const auto end = ranking_.begin() + static_cast<ptrdiff_t>(arcs.last);
  std::iota(begin, end, static_cast<uint32_t>(arcs.first));
  const auto value = [this](uint32_t a) { return forward_.best[lattice_.source(a)] + lattice_.arc_score(a); };
  std::stable_sort(begin, end, [&](uint32_t a, uint32_t b) { return value(a) > value(b); });
  live_[state] =
      static_cast<uint32_t>(std::count_if(begin, end, [&](uint32_t a) { return value(a) > kMinusInfinity; }));
}

/// Number of states that can precede a suffix. Precondition: its state is ranked.
size_t NBestPaths::choices(uint32_t node) const {
  return node == kEnd ? last_.size() : live_[nodes_[node].state];
}

/// The state of a given rank before a suffix.
uint32_t NBestPaths::choice(uint32_t node, size_t rank) {
  if (node == kEnd) return last_[rank];
  const uint32_t state = nodes_[node].state;
  rank_arcs(state);
  return lattice_.source(ranking_[lattice_.arcs_into(state).first + rank]);
}

/// Score of the best path into a suffix through the choice of this rank, up to a term that all choices share.
double NBestPaths::worth(uint32_t node, size_t rank) const {
  if (node == kEnd) return forward_.best[last_[rank]];
  const uint32_t arc = ranking_[lattice_.arcs_into(nodes_[node].state).first + rank];
  return forward_.best[lattice_.source(arc)] + lattice_.arc_score(arc);
}

/// The states of an entry's best path from the last position to the first.
void NBestPaths::top_path(const Entry& entry, std::vector<uint32_t>& reversed) {
  reversed.clear();
  for (uint32_t node = entry.node; node != kEnd; node = nodes_[node].parent)
    reversed.push_back(nodes_[node].state);
  std::reverse(reversed.begin(), reversed.end());
  uint32_t state = choice(entry.node, entry.rank);
  reversed.push_back(state);
  while (reversed.size() < lattice_.positions()) {
    state = lattice_.source(forward_.back[state]);
    reversed.push_back(state);
  }
}

bool NBestPaths::comes_later(const Entry& a, const Entry& b) {
  if (a.score != b.score) return a.score < b.score;
  top_path(a, compare_a_);
  top_path(b, compare_b_);
  return compare_a_ > compare_b_;
}

void NBestPaths::push(Entry entry) {
  queue_.push_back(entry);
  std::push_heap(queue_.begin(), queue_.end(),
                 [this](const Entry& a, const Entry& b) { return comes_later(a, b); });
}

NBestPaths::Entry NBestPaths::pop() {
  std::pop_heap(queue_.begin(), queue_.end(),
                [this](const Entry& a, const Entry& b) { return comes_later(a, b); });
  const Entry entry = queue_.back();
  queue_.pop_back();
  return entry;
}

LatticePath NBestPaths::next() {
  LatticePath path;
  if (empty_path_left_) {
    empty_path_left_ = false;
    path.outcome = Outcome::kExact;
    return path;
  }
  path.score = kMinusInfinity;
  if (queue_.empty()) return path;
  const size_t T = lattice_.positions();
  if (nodes_.size() + queue_.size() + 2 * T > options_.max_nodes) {
    path.outcome = Outcome::kOutOfBudget;
    return path;
  }
  // The best path of the queue's top is the next one. Going along it to the front, add the second choice of
  // each new suffix to the queue, and the next choice of the suffix that the entry belongs to. The difference
  // to the path just taken is exact and never positive, so scores cannot rise through rounding.
  const Entry top = pop();
  path.outcome = Outcome::kExact;
  path.score = top.score;
  path.states.resize(T);
  size_t t = T;
  for (uint32_t node = top.node; node != kEnd; node = nodes_[node].parent) --t;
  uint32_t node = top.node;
  for (size_t i = t; node != kEnd; node = nodes_[node].parent) path.states[i++] = nodes_[node].state;
  node = top.node;
  size_t rank = top.rank;
  while (true) {
    const uint32_t state = choice(node, rank);
    if (rank + 1 < choices(node))
      push({top.score + (worth(node, rank + 1) - worth(node, rank)), node, static_cast<uint32_t>(rank + 1)});
    path.states[--t] = state;
    if (t == 0) return path;
    nodes_.push_back({state, node});
    node = static_cast<uint32_t>(nodes_.size() - 1);
    rank = 0;
  }
}

NBestResult n_best(const Lattice& lattice, size_t n, NBestOptions options) {
  NBestResult result;
  NBestPaths paths(lattice, options);
  while (result.paths.size() < n) {
    LatticePath path = paths.next();
    if (path.outcome == Outcome::kOutOfBudget) {
      result.outcome = path.outcome;
      return result;
    }
    if (path.outcome != Outcome::kExact) break;
    result.paths.push_back(std::move(path));
  }
  const bool none = n > 0 && result.paths.empty();
  result.outcome = none ? Outcome::kInfeasible : Outcome::kExact;
  return result;
}

}  // namespace espalier::chain

#include "espalier/chain/lattice/lattice_nbest.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "espalier/base/stop_scope.h"

namespace espalier::chain {
namespace {

/// A path not found yet: it goes with path number `path` behind position `at`, has the choice of this rank
/// there, and goes on to the front by the best way. `score` is that of the whole path.
struct Candidate {
  double score;
  uint32_t path;
  uint32_t at;
  uint32_t rank;
};

class NBestSearch {
 public:
  NBestSearch(const Lattice& lattice, size_t n) : lattice_(lattice), wanted_(n) {
    forward_.run(lattice);
    ranking_.resize(lattice.arcs());
    ranked_.assign(lattice.states(), 0);
    live_.assign(lattice.states(), 0);
    const Range last = lattice.states_at(lattice.positions() - 1);
    for (size_t s = last.first; s < last.last; ++s)
      if (forward_.best[s] > kMinusInfinity) last_.push_back(static_cast<uint32_t>(s));
    std::stable_sort(last_.begin(), last_.end(),
                     [this](uint32_t a, uint32_t b) { return forward_.best[a] > forward_.best[b]; });
  }

  NBestResult run(size_t max_states) {
    NBestResult result;
    const size_t T = lattice_.positions();
    if (last_.empty() || wanted_ == 0) {
      if (wanted_ == 0) result.outcome = Outcome::kExact;
      return result;
    }
    result.outcome = Outcome::kExact;
    // The best path leaves no other one.
    Candidate next{forward_.best[last_.front()], kNoPath, static_cast<uint32_t>(T - 1), 0};
    while (true) {
      if ((found_.size() + 1) * T > max_states || StopScope::wanted()) {
        result.outcome = Outcome::kOutOfBudget;
        break;
      }
      add_path(next);
      if (found_.size() == wanted_) break;
      add_candidates(next);
      if (queue_.empty()) break;
      std::pop_heap(queue_.begin(), queue_.end(), later_);
      next = queue_.back();
      queue_.pop_back();
    }
    result.paths = std::move(found_);
    return result;
  }

 private:
  static constexpr uint32_t kNoPath = std::numeric_limits<uint32_t>::max();

  /// Best arc first; ties go to the lower source. Arcs from states that no path reaches come last, after
  /// live_.
  void rank_arcs(size_t state) {
    if (ranked_[state] != 0) return;
    ranked_[state] = 1;
    const Range arcs = lattice_.arcs_into(state);
    const auto begin = ranking_.begin() + static_cast<ptrdiff_t>(arcs.first);
    const auto end = ranking_.begin() + static_cast<ptrdiff_t>(arcs.last);
    std::iota(begin, end, static_cast<uint32_t>(arcs.first));
    const auto value = [this](uint32_t a) {
      return forward_.best[lattice_.source(a)] + lattice_.arc_score(a);
    };
    std::stable_sort(begin, end, [&](uint32_t a, uint32_t b) { return value(a) > value(b); });
    live_[state] = static_cast<uint32_t>(
        std::count_if(begin, end, [&](uint32_t a) { return value(a) > kMinusInfinity; }));
  }

  /// The choices at position `at` of a path whose states behind it are known, best first: how many there are,
  /// …
  size_t choices(const std::vector<uint32_t>& path, size_t at) {
    if (at + 1 == lattice_.positions()) return last_.size();
    rank_arcs(path[at + 1]);
    return live_[path[at + 1]];
  }
  /// … which state the one of a given rank is …
  uint32_t choice(const std::vector<uint32_t>* path, size_t at, size_t rank) {
    if (at + 1 == lattice_.positions()) return last_[rank];
    rank_arcs((*path)[at + 1]);
    return lattice_.source(ranking_[lattice_.arcs_into((*path)[at + 1]).first + rank]);
  }
  /// … and the score of the best path with it, up to a term that all choices share.
  double worth(const std::vector<uint32_t>& path, size_t at, size_t rank) const {
    if (at + 1 == lattice_.positions()) return forward_.best[last_[rank]];
    const uint32_t arc = ranking_[lattice_.arcs_into(path[at + 1]).first + rank];
    return forward_.best[lattice_.source(arc)] + lattice_.arc_score(arc);
  }

  void add_path(const Candidate& from) {
    LatticePath path;
    path.outcome = Outcome::kExact;
    path.score = from.score;
    path.states.resize(lattice_.positions());
    const std::vector<uint32_t>* parent = from.path == kNoPath ? nullptr : &found_[from.path].states;
    if (parent != nullptr)
      std::copy(parent->begin() + from.at + 1, parent->end(), path.states.begin() + from.at + 1);
    uint32_t state = choice(parent, from.at, from.rank);
    for (size_t t = from.at;; --t) {
      path.states[t] = state;
      if (t == 0) break;
      state = lattice_.source(forward_.back[state]);
    }
    found_.push_back(std::move(path));
    derived_.push_back({from.path, from.at});
  }

  /// What leaves the path just found: at the position where it left its own, the next choice; before it,
  /// towards the front, the second choice of each. The difference to the path's score is exact and never
  /// positive, so scores cannot rise through rounding.
  void add_candidates(const Candidate& taken) {
    const auto number = static_cast<uint32_t>(found_.size() - 1);
    const LatticePath& path = found_.back();
    const size_t room = wanted_ - found_.size();
    const bool full = queue_.size() >= room;
    double worst = kMinusInfinity;
    if (full) {
      worst = std::numeric_limits<double>::infinity();
      for (const Candidate& c : queue_) worst = std::min(worst, c.score);
    }
    for (size_t at = taken.at + size_t{1}; at-- > 0;) {
      const size_t rank = at == taken.at ? taken.rank : 0;
      if (rank + 1 >= choices(path.states, at)) continue;
      const double score = path.score + (worth(path.states, at, rank + 1) - worth(path.states, at, rank));
      if (score >= worst)
        queue_.push_back({score, number, static_cast<uint32_t>(at), static_cast<uint32_t>(rank + 1)});
    }
    if (queue_.size() > room) {
      const auto end = queue_.begin() + static_cast<ptrdiff_t>(room);
      std::nth_element(queue_.begin(), end, queue_.end(),
                       [this](const Candidate& a, const Candidate& b) { return comes_later(b, a); });
      queue_.erase(end, queue_.end());
    }
    std::make_heap(queue_.begin(), queue_.end(), later_);
  }

  /// The last position at which two paths differ. A path differs from the one that it left at the position
  /// where it left, and agrees with it behind; so this is the largest of these positions on the way from one
  /// to the other.
  size_t last_difference(uint32_t a, uint32_t b) const {
    size_t last = 0;
    while (a != b) {
      uint32_t& later = a > b ? a : b;  // a path comes after the one that it left
      last = std::max<size_t>(last, derived_[later].at);
      later = derived_[later].path;
    }
    return last;
  }

  bool comes_later(const Candidate& a, const Candidate& b) {
    if (a.score != b.score) return a.score < b.score;
    if (a.path == b.path && a.at == b.at) return false;  // the same one
    size_t differ = std::max(a.at, b.at);
    if (a.path != b.path) differ = std::max(differ, last_difference(a.path, b.path));
    const auto state = [&](const Candidate& c) {
      const std::vector<uint32_t>& path = found_[c.path].states;
      return differ == c.at ? choice(&path, c.at, c.rank) : path[differ];
    };
    return state(a) > state(b);
  }

  /// Where a path left another one.
  struct Derivation {
    uint32_t path;
    uint32_t at;
  };

  const Lattice& lattice_;
  size_t wanted_;
  ForwardMax forward_;
  std::vector<uint32_t> last_;     ///< states of the last position that a path reaches, best first
  std::vector<uint32_t> ranking_;  ///< arcs into each state, best first where ranked_
  std::vector<uint8_t> ranked_;    ///< per state
  std::vector<uint32_t> live_;     ///< per ranked state: how many of its arcs come from states a path reaches
  std::vector<LatticePath> found_;
  std::vector<Derivation> derived_;  ///< of each path found; the first left none
  std::vector<Candidate> queue_;     ///< a heap
  const std::function<bool(const Candidate&, const Candidate&)> later_ =
      [this](const Candidate& a, const Candidate& b) { return comes_later(a, b); };
};

}  // namespace

NBestResult n_best(const Lattice& lattice, size_t n, NBestOptions options) {
  if (lattice.positions() > 0) return NBestSearch(lattice, n).run(options.max_states);
  NBestResult result;  // of the empty sequence, there is one path
  result.outcome = Outcome::kExact;
  if (n > 0) result.paths.push_back({Outcome::kExact, 0, {}});
  return result;
}

}  // namespace espalier::chain

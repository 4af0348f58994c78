// Exact search and beam search over outputs from first to last.
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "espalier/constrain/decode.h"

namespace espalier::constrain {

using chain::kMinusInfinity;
using chain::Outcome;
using data::Label;

bool searchable(const Compiled& compiled) {
  const auto rules = compiled.constraints().rules();
  return std::all_of(compiled.embeddings().begin(), compiled.embeddings().end(), [&](size_t e) {
    return std::any_of(compiled.overlaps().begin(), compiled.overlaps().end(), [&](size_t o) {
      if (!rules[o].hard()) return false;
      for (size_t y = 0; y < rules[e].first.size(); ++y)
        if (rules[e].first[y] != 0 && rules[o].first[y] == 0) return false;
      return true;  // spans that share no word cannot lie within each other
    });
  });
}

namespace {

/// Differences of scores below this are rounding; a partial labelling is only given up where it is worse by
/// more.
constexpr double kSlack = 1e-9;
constexpr uint32_t kNoParent = 0xFFFFFFFF;

/// A partial labelling. What still matters of it lies in its layer's keys.
struct Partial {
  double value = 0;  ///< score − penalties so far
  uint32_t parent = kNoParent;
  Label label = 0;
};

class StateSearch {
 public:
  StateSearch(const Compiled& compiled, const Instance& instance, const Scores& scores)
      : compiled_(compiled),
        rules_(compiled.constraints().rules()),
        instance_(instance),
        scores_(scores),
        T_(instance.length),
        K_(scores.labels),
        scored_neighbours_(scores.trans != nullptr || scores.edge != nullptr),
        neighbours_(scored_neighbours_ || compiled.local().pairs),
        automata_(compiled.automata().size()),
        width_(automata_ + compiled.overlaps().size() + (neighbours_ ? 1 : 0)) {
    prepare_values();
    prepare_bounds();
  }

  /// beam 0: all that could still be better than `floor`.
  Decoded run(size_t beam, double floor, size_t max_states) {
    partials_.assign(1, Partial{});
    size_t first = 0, last = 1;  // the layer at hand
    keys_.assign(width_, 0);
    for (size_t a = 0; a < automata_; ++a) keys_[a] = compiled_.automata()[a].dfa.start;
    if (neighbours_) keys_[width_ - 1] = static_cast<uint32_t>(K_);
    bool cut = false;
    for (size_t t = 0; t < T_; ++t) {
      extend(t, first, last, floor);
      first = last;
      last = partials_.size();
      if (beam > 0 && last - first > beam) {
        keep_best(first, beam, t);
        last = partials_.size();
        cut = true;
      }
      if (partials_.size() > max_states) return {Outcome::kOutOfBudget, {}, kMinusInfinity, 0};
    }
    return finish(first, last, cut);
  }

 private:
  /// value_[t·K + y]: node score less local penalties; −∞ where impossible. order_: labels by falling value.
  void prepare_values() {
    const std::vector<double> rows = compiled_.row_penalties(instance_);
    const LocalPenalties& local = compiled_.local();
    value_.resize(T_ * K_);
    order_.resize(T_ * K_);
    for (size_t t = 0; t < T_; ++t) {
      for (size_t y = 0; y < K_; ++y) {
        double v = scores_.node[t * scores_.stride + y];
        if (!rows.empty()) v -= rows[t * K_ + y];
        if (t == 0) v -= local.start[y];
        if (t + 1 == T_) v -= local.end[y];
        value_[t * K_ + y] = v;
        order_[t * K_ + y] = static_cast<Label>(y);
      }
      const double* v = value_.data() + t * K_;
      std::sort(order_.begin() + static_cast<std::ptrdiff_t>(t * K_),
                order_.begin() + static_cast<std::ptrdiff_t>((t + 1) * K_),
                [v](Label a, Label b) { return v[a] != v[b] ? v[a] > v[b] : a < b; });
    }
  }

  double pair(size_t t, size_t before, size_t y) const {
    double v = -compiled_.local().pair[before * K_ + y];
    if (scored_neighbours_) v += scores_.transitions_into(t)[before * scores_.stride + y];
    return v;
  }

  /// What the outputs from t on can add at most, rules that are not local left aside. Penalties only ever
  /// take away, so this is admissible. With neighbours it depends on the label before: a backward Viterbi.
  void prepare_bounds() {
    if (!neighbours_) {
      rest_.assign(T_ + 1, 0.0);
      for (size_t t = T_; t-- > 0;) rest_[t] = rest_[t + 1] + value_[t * K_ + order_[t * K_]];
      return;
    }
    rest_.assign((T_ + 1) * K_, 0.0);  // row t: after output t − 1 has the label of the column
    for (size_t t = T_; t-- > 1;)
      for (size_t i = 0; i < K_; ++i) {
        double best = kMinusInfinity;
        for (size_t y = 0; y < K_; ++y)
          best = std::max(best, pair(t, i, y) + value_[t * K_ + y] + rest_[(t + 1) * K_ + y]);
        rest_[t * K_ + i] = best;
      }
  }
  /// What can follow after output t got label y.
  double bound_after(size_t t, size_t y) const {
    return neighbours_ ? rest_[(t + 1) * K_ + y] : rest_[t + 1];
  }

  /// Writes into key what still matters after output t got label y; returns what that costs, infinite where
  /// it may not be.
  double step(size_t t, Label y, std::vector<uint32_t>& key) const {
    double cost = 0;
    for (const uint32_t a : compiled_.touched_by(y)) {
      const CostAutomaton& automaton = compiled_.automata()[a];
      const uint32_t q = key[a];
      key[a] = automaton.dfa.next[q * K_ + y];
      if (key[a] == chain::LabelAutomaton::kNowhere) return kHard;
      cost += automaton.cost_of_step(q, y);
    }
    for (size_t o = 0; o < compiled_.overlaps().size(); ++o) {
      const Rule& rule = rules_[compiled_.overlaps()[o]];
      if (rule.first[y] == 0) continue;
      uint32_t& covered = key[automata_ + o];
      const CandidateSpan& span = instance_.spans[t];
      const size_t shared = std::min<size_t>(covered, span.end);
      if (shared > span.begin) {
        if (rule.hard()) return kHard;
        cost += rule.penalty * static_cast<double>(shared - span.begin);
      }
      covered = std::max(covered, static_cast<uint32_t>(span.end));
    }
    // Words before the next candidate's beginning no longer matter: forgetting them lets more states be one.
    if (t + 1 < T_)
      for (size_t o = 0; o < compiled_.overlaps().size(); ++o)
        if (key[automata_ + o] <= instance_.spans[t + 1].begin) key[automata_ + o] = 0;
    if (neighbours_) key[width_ - 1] = y;
    return cost;
  }

  void extend(size_t t, size_t first, size_t last, double floor) {
    const std::vector<uint32_t> from = std::move(keys_);
    keys_.clear();
    found_.clear();
    std::vector<uint32_t> key(width_);
    const size_t layer = partials_.size();
    for (size_t p = first; p < last; ++p) {
      const uint32_t* old = from.data() + (p - first) * width_;
      const double base = partials_[p].value;
      for (size_t n = 0; n < K_; ++n) {
        const Label y = order_[t * K_ + n];
        double value = base + value_[t * K_ + y];
        if (!neighbours_ && value + rest_[t + 1] < floor - kSlack) break;  // all that follow are worse
        if (neighbours_ && t > 0) value += pair(t, old[width_ - 1], y);
        if (!(value + bound_after(t, y) >= floor - kSlack) || value == kMinusInfinity) continue;
        key.assign(old, old + width_);
        value -= step(t, y, key);
        if (!(value + bound_after(t, y) >= floor - kSlack) || value == kMinusInfinity) continue;
        insert(key, value, static_cast<uint32_t>(p), y, layer);
      }
    }
  }

  /// Keeps the better of two partial labellings that agree in all that matters.
  void insert(const std::vector<uint32_t>& key, double value, uint32_t parent, Label y, size_t layer) {
    const uint64_t hash = width_ == 0 ? 0 : XXH3_64bits(key.data(), width_ * sizeof(uint32_t));
    const auto [begin, end] = found_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      const uint32_t at = it->second;
      if (!std::equal(key.begin(), key.end(),
                      keys_.begin() + static_cast<std::ptrdiff_t>((at - layer) * width_)))
        continue;
      if (value > partials_[at].value) partials_[at] = {value, parent, y};
      return;
    }
    found_.emplace(hash, static_cast<uint32_t>(partials_.size()));
    partials_.push_back({value, parent, y});
    keys_.insert(keys_.end(), key.begin(), key.end());
  }

  /// Leaves the best `beam` of the layer that begins at `first`, judged with what can still be gained.
  void keep_best(size_t first, size_t beam, size_t t) {
    std::vector<uint32_t> ranked(partials_.size() - first);
    for (size_t i = 0; i < ranked.size(); ++i) ranked[i] = static_cast<uint32_t>(first + i);
    const auto judged = [&](uint32_t p) { return partials_[p].value + bound_after(t, partials_[p].label); };
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(beam), ranked.end(),
                      [&](uint32_t a, uint32_t b) {
                        const double x = judged(a), y = judged(b);
                        return x != y ? x > y : a < b;
                      });
    ranked.resize(beam);
    std::sort(ranked.begin(), ranked.end());
    for (size_t i = 0; i < beam; ++i) {
      partials_[first + i] = partials_[ranked[i]];
      std::copy_n(keys_.begin() + static_cast<std::ptrdiff_t>((ranked[i] - first) * width_), width_,
                  keys_.begin() + static_cast<std::ptrdiff_t>(i * width_));
    }
    partials_.resize(first + beam);
    keys_.resize(beam * width_);
  }

  Decoded finish(size_t first, size_t last, bool cut) {
    Decoded out;
    double best = kMinusInfinity;
    size_t winner = partials_.size();
    for (size_t p = first; p < last; ++p) {
      double value = partials_[p].value;
      for (size_t a = 0; a < automata_ && value > kMinusInfinity; ++a) {
        const uint32_t q = keys_[(p - first) * width_ + a];
        const CostAutomaton& automaton = compiled_.automata()[a];
        value = automaton.dfa.accepting[q] != 0 ? value - automaton.end_cost[q] : kMinusInfinity;
      }
      if (value > best) {
        best = value;
        winner = p;
      }
    }
    if (winner == partials_.size()) {
      // A beam that has lost everything proves nothing.
      out.outcome = cut ? Outcome::kOutOfBudget : Outcome::kInfeasible;
      return out;
    }
    out.outcome = cut ? Outcome::kApproximate : Outcome::kExact;
    out.labels.resize(T_);
    for (size_t t = T_, p = winner; t-- > 0; p = partials_[p].parent) out.labels[t] = partials_[p].label;
    out.score = score_labels(scores_, out.labels);
    out.penalty = compiled_.constraints().penalty(instance_, out.labels);
    return out;
  }

  const Compiled& compiled_;
  std::span<const Rule> rules_;
  const Instance& instance_;
  const Scores& scores_;
  size_t T_, K_;
  bool scored_neighbours_, neighbours_;
  size_t automata_, width_;
  std::vector<double> value_, rest_;
  std::vector<Label> order_;
  std::vector<Partial> partials_;
  std::vector<uint32_t> keys_;  ///< of the layer at hand, width_ words each
  std::unordered_multimap<uint64_t, uint32_t> found_;
};

}  // namespace

Decoded decode_search(const Compiled& compiled, const Instance& instance, const Scores& scores, size_t beam,
                      size_t max_states) {
  ESPALIER_CHECK(searchable(compiled));
  StateSearch search(compiled, instance, scores);
  if (beam > 0) return search.run(beam, kMinusInfinity, max_states);
  // A narrow beam finds an answer that is mostly the best already; what cannot beat it need not be looked at.
  constexpr size_t kScout = 4;
  const Decoded scout = search.run(kScout, kMinusInfinity, max_states);
  if (scout.outcome == Outcome::kExact || scout.outcome == Outcome::kInfeasible) return scout;
  return search.run(0, scout.labels.empty() ? kMinusInfinity : scout.value(), max_states);
}

}  // namespace espalier::constrain

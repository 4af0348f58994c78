// Exact search and beam search over outputs from first to last.
#include <xxhash.h>

#include <algorithm>
#include <cmath>

#include "espalier/base/array.h"
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

/// Where partial labellings of a layer that agree find each other: open addressing over numbers, kept from
/// layer to layer.
class LayerTable {
 public:
  void clear() { std::fill(slots_.begin(), slots_.end(), kEmpty); }
  /// The place of an entry that `same` recognises, or an empty one. `hash_of` gives the hash of an entry
  /// there is.
  template <typename Same, typename HashOf>
  uint32_t& find(uint64_t hash, size_t entries, const Same& same, const HashOf& hash_of) {
    if (2 * (entries + 1) > slots_.size()) grow(entries, hash_of);
    for (size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1))
      if (slots_[i] == kEmpty || same(slots_[i])) return slots_[i];
  }
  static constexpr uint32_t kEmpty = 0xFFFFFFFF;

 private:
  template <typename HashOf>
  void grow(size_t entries, const HashOf& hash_of) {
    slots_.assign(std::max<size_t>(64, slots_.size() * 4), kEmpty);
    for (uint32_t e = 0; e < entries; ++e) {
      size_t i = hash_of(e) & (slots_.size() - 1);
      while (slots_[i] != kEmpty) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = e;
    }
  }
  std::vector<uint32_t> slots_;
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
        neighbours_(scored_neighbours_ || compiled.local().pairs) {
    prepare_values();
    if (!neighbours_) drop_dominated();
    prepare_order();
    prepare_automata();
    width_ = automata_.size() + compiled.overlaps().size() + (neighbours_ ? 1 : 0);
    prepare_bounds();
  }

  /// beam 0: all that could still be better than `floor`.
  Decoded run(size_t beam, double floor, size_t max_states) {
    partials_.assign(1, Partial{});
    size_t first = 0, last = 1;  // the layer at hand
    keys_.assign(width_, 0);
    for (size_t a = 0; a < automata_.size(); ++a) keys_[a] = automata_[a]->dfa.start;
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
  /// value_[t·K + y]: node score less local penalties; −∞ where impossible.
  void prepare_values() {
    const std::vector<double> rows = compiled_.row_penalties(instance_);
    const LocalPenalties& local = compiled_.local();
    value_.resize(T_ * K_);
    for (size_t t = 0; t < T_; ++t)
      for (size_t y = 0; y < K_; ++y) {
        double v = scores_.node[t * scores_.stride + y];
        if (!rows.empty()) v -= rows[t * K_ + y];
        if (t == 0) v -= local.start[y];
        if (t + 1 == T_) v -= local.end[y];
        value_[t * K_ + y] = v;
      }
  }

  /// Whether a label that no rule could hold against anyone covers no word that y would not cover.
  bool covers_no_more(size_t y, size_t other) const {
    return std::all_of(compiled_.overlaps().begin(), compiled_.overlaps().end(),
                       [&](size_t r) { return rules_[r].first[other] <= rules_[r].first[y]; });
  }

  /// Strikes out labels that no best labelling needs. A label is free where no rule can hold it against the
  /// labelling (it is not counted, owes nothing); it is wanted where some rule may need it (it pays for a
  /// label that is still possible, or is counted from below). An output's label that is not wanted and scores
  /// no better than a free one that covers no more words can be replaced by that, whatever the others are.
  /// What is struck out makes others unwanted, and so on.
  void drop_dominated() {
    std::vector<uint8_t> free(K_, 1);
    for (const CostAutomaton& automaton : compiled_.automata()) {
      const Rule& rule = rules_[automaton.rule];
      const bool everyone = rule.kind == Rule::Kind::kAssignments;
      const bool harms = rule.kind == Rule::Kind::kImplies || rule.most != kNoLimit || everyone;
      for (size_t y = 0; y < K_ && harms; ++y)
        if (everyone || rule.first[y] != 0) free[y] = 0;
    }
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<uint8_t> possible(K_, 0), wanted(K_, 0);
      for (size_t i = 0; i < value_.size(); ++i)
        if (value_[i] > kMinusInfinity) possible[i % K_] = 1;
      for (const CostAutomaton& automaton : compiled_.automata()) {
        const Rule& rule = rules_[automaton.rule];
        bool owed =
            rule.kind == Rule::Kind::kAssignments || (rule.kind == Rule::Kind::kCount && rule.least > 0);
        const LabelBits& pays = rule.kind == Rule::Kind::kCount ? rule.first : rule.second;
        for (size_t y = 0; y < K_ && rule.kind == Rule::Kind::kImplies; ++y)
          owed = owed || (rule.first[y] != 0 && possible[y] != 0);
        for (size_t y = 0; y < K_ && owed; ++y)
          if (rule.kind == Rule::Kind::kAssignments || pays[y] != 0) wanted[y] = 1;
      }
      for (size_t t = 0; t < T_; ++t) {
        double* v = value_.data() + t * K_;
        for (size_t y = 0; y < K_; ++y) {
          if (v[y] == kMinusInfinity || wanted[y] != 0) continue;
          for (size_t other = 0; other < K_; ++other) {
            const bool better = v[other] > v[y] || (v[other] == v[y] && other < y);
            if (free[other] == 0 || !better || !covers_no_more(y, other)) continue;
            v[y] = kMinusInfinity;
            changed = true;
            break;
          }
        }
      }
    }
  }

  /// Labels that are left, by falling value.
  void prepare_order() {
    order_.begin.assign(1, 0);
    for (size_t t = 0; t < T_; ++t) {
      const double* v = value_.data() + t * K_;
      for (size_t y = 0; y < K_; ++y)
        if (v[y] > kMinusInfinity) order_.push(static_cast<Label>(y));
      order_.close();
      const std::span<Label> labels = order_[t];
      std::sort(labels.begin(), labels.end(),
                [v](Label a, Label b) { return v[a] != v[b] ? v[a] > v[b] : a < b; });
    }
  }

  /// The automata that labels which are left can bring to reject or to charge.
  void prepare_automata() {
    place_.assign(compiled_.automata().size(), kNoPlace);
    for (size_t a = 0; a < compiled_.automata().size(); ++a) {
      const CostAutomaton& automaton = compiled_.automata()[a];
      const Rule& rule = rules_[automaton.rule];
      size_t outputs = 0;
      for (size_t t = 0; t < T_; ++t) {
        const std::span<Label> labels = order_[t];
        outputs += rule.kind != Rule::Kind::kAssignments &&
                   std::any_of(labels.begin(), labels.end(), [&](Label y) { return rule.first[y] != 0; });
      }
      const bool idle = (rule.kind == Rule::Kind::kImplies && outputs == 0) ||
                        (rule.kind == Rule::Kind::kCount && rule.least == 0 && outputs <= rule.most);
      if (idle) continue;
      place_[a] = static_cast<uint32_t>(automata_.size());
      automata_.push_back(&automaton);
    }
  }

  double pair(size_t t, size_t before, size_t y) const {
    double v = -compiled_.local().pair[before * K_ + y];
    if (scored_neighbours_) v += scores_.transitions_into(t)[before * scores_.stride + y];
    return v;
  }

  /// What the outputs from t on can add at most. Penalties only ever take away, so leaving rules aside is
  /// admissible. With neighbours the bound depends on the label before (a backward Viterbi); otherwise on how
  /// far words are covered, where there is a hard `no overlap`: rest[t][e] = max(out_t + rest[t+1][e], and
  /// where candidate t begins at e or later, in_t + rest[t+1][its end]).
  void prepare_bounds() {
    if (neighbours_) {
      rest_.assign((T_ + 1) * K_, 0.0);  // row t: after output t − 1 has the label of the column
      for (size_t t = T_; t-- > 1;)
        for (size_t i = 0; i < K_; ++i) {
          double best = kMinusInfinity;
          for (size_t y = 0; y < K_; ++y)
            best = std::max(best, pair(t, i, y) + value_[t * K_ + y] + rest_[(t + 1) * K_ + y]);
          rest_[t * K_ + i] = best;
        }
      return;
    }
    const std::vector<size_t>& overlaps = compiled_.overlaps();
    const auto hard =
        std::find_if(overlaps.begin(), overlaps.end(), [&](size_t r) { return rules_[r].hard(); });
    if (hard != overlaps.end()) bounding_ = static_cast<size_t>(hard - overlaps.begin());
    words_ = 1;
    if (bounding_ != kNoPlace)
      for (const CandidateSpan& span : instance_.spans) words_ = std::max(words_, span.end + 1);
    rest_.assign((T_ + 1) * words_, 0.0);  // row t, column how far words are covered
    for (size_t t = T_; t-- > 0;) {
      double in = kMinusInfinity, out = kMinusInfinity;
      for (const Label y : order_[t]) {
        const bool covers = bounding_ != kNoPlace && rules_[overlaps[bounding_]].first[y] != 0;
        (covers ? in : out) = std::max(covers ? in : out, value_[t * K_ + y]);
      }
      for (size_t e = 0; e < words_; ++e) {
        double best = out + rest_[(t + 1) * words_ + e];
        if (bounding_ != kNoPlace && instance_.spans[t].begin >= e)
          best = std::max(best, in + rest_[(t + 1) * words_ + instance_.spans[t].end]);
        rest_[t * words_ + e] = best;
      }
    }
  }
  /// What can follow after output t got label y and left this key.
  double bound_after(size_t t, size_t y, const uint32_t* key) const {
    if (neighbours_) return rest_[(t + 1) * K_ + y];
    return rest_[(t + 1) * words_ + (bounding_ == kNoPlace ? 0 : key[automata_.size() + bounding_])];
  }

  /// Writes into key what still matters after output t got label y; returns what that costs, infinite where
  /// it may not be.
  double step(size_t t, Label y, uint32_t* key) const {
    double cost = 0;
    for (const uint32_t touched : compiled_.touched_by(y)) {
      const uint32_t a = place_[touched];
      if (a == kNoPlace) continue;
      const CostAutomaton& automaton = *automata_[a];
      const uint32_t q = key[a];
      key[a] = automaton.dfa.next[q * K_ + y];
      if (key[a] == chain::LabelAutomaton::kNowhere) return kHard;
      cost += automaton.cost_of_step(q, y);
    }
    for (size_t o = 0; o < compiled_.overlaps().size(); ++o) {
      const Rule& rule = rules_[compiled_.overlaps()[o]];
      uint32_t& covered = key[automata_.size() + o];
      const CandidateSpan& span = instance_.spans[t];
      if (rule.first[y] != 0) {
        const size_t shared = std::min<size_t>(covered, span.end);
        if (shared > span.begin) {
          if (rule.hard()) return kHard;
          cost += rule.penalty * static_cast<double>(shared - span.begin);
        }
        covered = std::max(covered, static_cast<uint32_t>(span.end));
      }
      // Words before the next candidate's beginning no longer matter: forgetting them lets more states be
      // one.
      if (t + 1 < T_ && covered <= instance_.spans[t + 1].begin) covered = 0;
    }
    if (neighbours_) key[width_ - 1] = y;
    return cost;
  }

  void extend(size_t t, size_t first, size_t last, double floor) {
    old_keys_.swap(keys_);
    keys_.clear();
    table_.clear();
    key_.resize(width_);
    const double loosest = neighbours_ ? 0 : rest_[(t + 1) * words_];
    const size_t layer = partials_.size();
    for (size_t p = first; p < last; ++p) {
      const uint32_t* old = old_keys_.data() + (p - first) * width_;
      const double base = partials_[p].value;
      for (const Label y : order_[t]) {
        double value = base + value_[t * K_ + y];
        if (!neighbours_ && value + loosest < floor - kSlack) break;  // all that follow are worse
        if (neighbours_ && t > 0) value += pair(t, old[width_ - 1], y);
        if (value == kMinusInfinity) continue;
        std::copy(old, old + width_, key_.begin());
        value -= step(t, y, key_.data());
        if (value == kMinusInfinity || !(value + bound_after(t, y, key_.data()) >= floor - kSlack)) continue;
        insert(value, static_cast<uint32_t>(p), y, layer);
      }
    }
  }

  uint64_t hash_of(const uint32_t* key) const {
    return width_ == 0 ? 0 : XXH3_64bits(key, width_ * sizeof(uint32_t));
  }

  /// Keeps the better of two partial labellings that agree in all that matters.
  void insert(double value, uint32_t parent, Label y, size_t layer) {
    const auto key_at = [&](uint32_t entry) { return keys_.data() + entry * width_; };
    const size_t entries = partials_.size() - layer;
    uint32_t& place = table_.find(
        hash_of(key_.data()), entries,
        [&](uint32_t entry) { return std::equal(key_.begin(), key_.end(), key_at(entry)); },
        [&](uint32_t entry) { return hash_of(key_at(entry)); });
    if (place != LayerTable::kEmpty) {
      if (value > partials_[layer + place].value) partials_[layer + place] = {value, parent, y};
      return;
    }
    place = static_cast<uint32_t>(entries);
    partials_.push_back({value, parent, y});
    keys_.insert(keys_.end(), key_.begin(), key_.end());
  }

  /// Leaves the best `beam` of the layer that begins at `first`, judged with what can still be gained.
  void keep_best(size_t first, size_t beam, size_t t) {
    std::vector<std::pair<double, uint32_t>> ranked(partials_.size() - first);
    for (uint32_t i = 0; i < ranked.size(); ++i) {
      const Partial& p = partials_[first + i];
      ranked[i] = {-(p.value + bound_after(t, p.label, keys_.data() + i * width_)), i};
    }
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(beam), ranked.end());
    ranked.resize(beam);
    std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (size_t i = 0; i < beam; ++i) {
      const size_t from = ranked[i].second;
      partials_[first + i] = partials_[first + from];
      std::copy_n(keys_.begin() + static_cast<std::ptrdiff_t>(from * width_), width_,
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
      for (size_t a = 0; a < automata_.size() && value > kMinusInfinity; ++a) {
        const uint32_t q = keys_[(p - first) * width_ + a];
        value = automata_[a]->dfa.accepting[q] != 0 ? value - automata_[a]->end_cost[q] : kMinusInfinity;
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

  static constexpr uint32_t kNoPlace = 0xFFFFFFFF;

  const Compiled& compiled_;
  std::span<const Rule> rules_;
  const Instance& instance_;
  const Scores& scores_;
  size_t T_, K_;
  bool scored_neighbours_, neighbours_;
  std::vector<const CostAutomaton*> automata_;  ///< those that matter here
  std::vector<uint32_t> place_;                 ///< of every automaton among these
  size_t width_ = 0, words_ = 1;
  size_t bounding_ = kNoPlace;  ///< the overlap rule that bounds look at, by its place among overlap rules
  std::vector<double> value_, rest_;
  Ragged<Label> order_;
  std::vector<Partial> partials_;
  std::vector<uint32_t> keys_, old_keys_;  ///< of a layer, width_ words each
  std::vector<uint32_t> key_;
  LayerTable table_;
};

}  // namespace

Decoded decode_search(const Compiled& compiled, const Instance& instance, const Scores& scores, size_t beam,
                      size_t max_states) {
  ESPALIER_CHECK(searchable(compiled));
  StateSearch search(compiled, instance, scores);
  if (beam > 0) return search.run(beam, kMinusInfinity, max_states);
  // A narrow beam finds an answer that is mostly the best already; what cannot beat it need not be looked at.
  constexpr size_t kScout = 16;
  const Decoded scout = search.run(kScout, kMinusInfinity, max_states);
  if (scout.outcome == Outcome::kExact || scout.outcome == Outcome::kInfeasible) return scout;
  return search.run(0, scout.labels.empty() ? kMinusInfinity : scout.value(), max_states);
}

}  // namespace espalier::constrain

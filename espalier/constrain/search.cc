// Part of decode.h: exact search and beam search over outputs from first to last. Tested in decode_test.cc.
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "espalier/base/array.h"
#include "espalier/base/hash_index.h"
#include "espalier/constrain/decode.h"
#include "espalier/constrain/dominated.h"
#include "espalier/constrain/relaxation.h"

namespace espalier::constrain {

using chain::kMinusInfinity;
using chain::Outcome;
using data::Label;

namespace {

/// Smaller differences are rounding errors; a partial labelling is only dropped if it is worse by more.
constexpr double kSlack = 1e-9;
constexpr uint32_t kNoParent = 0xFFFFFFFF;

/// A partial labelling. What still matters of it is in the keys of its layer.
struct Partial {
  double value = 0;  ///< score − penalties so far
  double relaxed =
      0;  ///< the same with the prices of a relaxation; never less, once all outputs are labelled
  uint32_t parent = kNoParent;
  Label label = 0;
};

class StateSearch {
 public:
  StateSearch(const Compiled& compiled, const Instance& instance, const Scores& scores, Deadline deadline)
      : deadline_(deadline),
        compiled_(compiled),
        rules_(compiled.constraints().rules()),
        instance_(instance),
        scores_(scores),
        T_(instance.length),
        K_(scores.labels),
        scored_neighbours_(scores.trans != nullptr || scores.edge != nullptr),
        neighbours_(scored_neighbours_ || compiled.local().pairs) {
    prepare_values();
    if (neighbours_) {
      prepare_neighbour_bounds();
    } else {
      drop_dominated(compiled, value_);
      relaxation_.emplace(compiled, instance, value_);
      relaxation_->solve();
    }
    const std::vector<size_t>& overlaps = compiled.overlaps();
    bounding_ = static_cast<size_t>(
        std::find_if(overlaps.begin(), overlaps.end(), [&](size_t r) { return rules_[r].hard(); }) -
        overlaps.begin());
    prepare_run();
  }

  /// The best labelling of all, found by whatever is quickest on this instance.
  Decoded best(size_t max_states);

  /// beam 0: keep all that could still be better than `floor`, until time is up.
  Decoded run(size_t beam, double floor, size_t max_states) {
    partials_.assign(1, Partial{});
    size_t first = 0, last = 1;  // the current layer
    keys_.assign(width_, 0);
    for (size_t a = 0; a < automata_.size(); ++a) keys_[a] = automata_[a]->dfa.start;
    if (neighbours_) keys_[width_ - 1] = static_cast<uint32_t>(K_);
    partials_.front().relaxed = relaxation_ ? relaxation_->constant() : 0;
    bool cut = false;
    for (size_t t = 0; t < T_; ++t) {
      if (beam > 1 && t % kOutputsPerLook == 0 && deadline_.passed()) beam = 1;
      if (!extend(t, first, last, floor, beam == 0)) return {Outcome::kOutOfBudget, {}, kMinusInfinity, 0};
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
  void tighten(Decoded& known);

  /// value_[t·K + y]: node score minus local penalties; −∞ if impossible.
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

  /// Prepares everything that depends on the remaining labels.
  void prepare_run() {
    prepare_order();
    prepare_automata();
    width_ = automata_.size() + compiled_.overlaps().size() + (neighbours_ ? 1 : 0);
  }

  /// The remaining labels of each output, by falling relaxed value.
  void prepare_order() {
    order_.clear();
    for (size_t t = 0; t < T_; ++t) {
      for (size_t y = 0; y < K_; ++y)
        if (value_[t * K_ + y] > kMinusInfinity) order_.push(static_cast<Label>(y));
      order_.close();
      const std::span<Label> labels = order_[t];
      std::sort(labels.begin(), labels.end(), [&](Label a, Label b) {
        const double x = relaxed(t, a), y = relaxed(t, b);
        return x != y ? x > y : a < b;
      });
    }
  }
  double relaxed(size_t t, size_t y) const {
    return relaxation_ ? relaxation_->value(t, y) : value_[t * K_ + y];
  }

  /// The automata that the remaining labels can make reject or charge.
  void prepare_automata() {
    automata_.clear();
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

  /// The most that the outputs from t on can add after a label, ignoring rules that are not local: a backward
  /// Viterbi.
  void prepare_neighbour_bounds() {
    rest_.assign((T_ + 1) * K_, 0.0);  // row t: after output t − 1 has the label of the column
    for (size_t t = T_; t-- > 1;)
      for (size_t i = 0; i < K_; ++i) {
        double best = kMinusInfinity;
        for (size_t y = 0; y < K_; ++y)
          best = std::max(best, pair(t, i, y) + value_[t * K_ + y] + rest_[(t + 1) * K_ + y]);
        rest_[t * K_ + i] = best;
      }
  }
  /// The most that can follow after output t gets label y, with this key.
  double bound_after(size_t t, size_t y, const uint32_t* key) const {
    if (neighbours_) return rest_[(t + 1) * K_ + y];
    return relaxation_->rest(t,
                             bounding_ < compiled_.overlaps().size() ? key[automata_.size() + bounding_] : 0);
  }

  /// Updates the key for label y at output t; returns the cost, infinite if y is forbidden.
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
      // Words before the next candidate's beginning no longer matter; forgetting them merges more states.
      if (t + 1 < T_ && covered <= instance_.spans[t + 1].begin) covered = 0;
    }
    if (neighbours_) key[width_ - 1] = y;
    return cost;
  }

  /// False if it looks at the clock and time is up.
  bool extend(size_t t, size_t first, size_t last, double floor, bool timed) {
    old_keys_.swap(keys_);
    keys_.clear();
    table_.clear();
    key_.resize(width_);
    const size_t layer = partials_.size();
    for (size_t p = first; p < last; ++p) {
      if (timed && ++extended_ % kPartialsPerLook == 0 && deadline_.passed()) return false;
      const uint32_t* old = old_keys_.data() + (p - first) * width_;
      const Partial base = partials_[p];
      for (const Label y : order_[t]) {
        double value = base.value + value_[t * K_ + y], bound = base.relaxed + relaxed(t, y);
        if (!neighbours_ && bound + relaxation_->most_after(t) < floor - kSlack)
          break;  // and so do all labels after it
        if (neighbours_ && t > 0) {
          const double neighbours = pair(t, old[width_ - 1], y);
          value += neighbours;
          bound += neighbours;
        }
        if (value == kMinusInfinity) continue;
        std::copy(old, old + width_, key_.begin());
        const double cost = step(t, y, key_.data());
        if (cost == kHard) continue;
        value -= cost;
        bound -= cost;
        if (!(bound + bound_after(t, y, key_.data()) >= floor - kSlack)) continue;
        insert({value, bound, static_cast<uint32_t>(p), y}, layer);
      }
    }
    return true;
  }

  uint64_t hash_of(const uint32_t* key) const {
    return width_ == 0 ? 0 : XXH3_64bits(key, width_ * sizeof(uint32_t));
  }

  /// Adds a partial labelling; of two with the same key the better one is kept.
  void insert(const Partial& partial, size_t layer) {
    const auto key_at = [&](uint32_t entry) { return keys_.data() + entry * width_; };
    const size_t entries = partials_.size() - layer;
    const uint32_t entry = table_.find_or_add(
        hash_of(key_.data()), entries,
        [&](uint32_t e) { return std::equal(key_.begin(), key_.end(), key_at(e)); },
        [&](uint32_t e) { return hash_of(key_at(e)); });
    if (entry < entries) {
      if (partial.value > partials_[layer + entry].value) partials_[layer + entry] = partial;
      return;
    }
    partials_.push_back(partial);
    keys_.insert(keys_.end(), key_.begin(), key_.end());
  }

  /// Keeps the best `beam` of the layer that begins at `first`, counting what can still be gained.
  void keep_best(size_t first, size_t beam, size_t t) {
    std::vector<std::pair<double, uint32_t>> ranked(partials_.size() - first);
    for (uint32_t i = 0; i < ranked.size(); ++i) {
      const Partial& p = partials_[first + i];
      ranked[i] = {-(p.relaxed + bound_after(t, p.label, keys_.data() + i * width_)), i};
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
      // An empty beam does not prove that there is no labelling.
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
  static constexpr size_t kOutputsPerLook = 16, kPartialsPerLook = 256;  ///< at the clock

  Deadline deadline_;
  size_t extended_ = 0;
  const Compiled& compiled_;
  std::span<const Rule> rules_;
  const Instance& instance_;
  const Scores& scores_;
  size_t T_, K_;
  bool scored_neighbours_, neighbours_;
  std::vector<const CostAutomaton*> automata_;  ///< those that can matter
  std::vector<uint32_t> place_;                 ///< of every automaton among these
  size_t width_ = 0;
  size_t bounding_ = 0;  ///< the overlap rule that the relaxation keeps, by its place among overlap rules
  std::optional<Relaxation> relaxation_;  ///< where outputs are scored each by itself
  std::vector<double> value_, rest_;
  Ragged<Label> order_;
  std::vector<Partial> partials_;
  std::vector<uint32_t> keys_, old_keys_;  ///< of a layer, width_ words each
  std::vector<uint32_t> key_;
  HashIndex table_;  ///< of the layer's keys
};

Decoded StateSearch::best(size_t max_states) {
  // A narrow beam finds an answer that is usually the best; what cannot beat it is then skipped.
  constexpr size_t kScout = 16;
  if (relaxation_) {
    const std::vector<Label>& relaxed = relaxation_->labels();
    if (relaxed.empty() && T_ > 0) return {};
    // Usually the best candidates that do not overlap break no other rule.
    if (compiled_.constraints().penalty(instance_, relaxed) == 0)
      return {Outcome::kExact, relaxed, score_labels(scores_, relaxed), 0};
  }
  Decoded known = run(kScout, kMinusInfinity, max_states);
  if (known.outcome == Outcome::kExact || known.outcome == Outcome::kInfeasible) return known;
  if (relaxation_) tighten(known);
  Decoded found = run(0, known.labels.empty() ? kMinusInfinity : known.value(), max_states);
  if (found.outcome == Outcome::kOutOfBudget)
    return {Outcome::kOutOfBudget, known.labels, known.score, known.penalty};
  if (known.labels.empty() || found.value() >= known.value()) return found;
  known.outcome = Outcome::kExact;  // nothing is better
  return known;
}

/// Adjusts prices until few labels are left; replaces `known` if the relaxation finds a better labelling.
void StateSearch::tighten(Decoded& known) {
  constexpr int kRounds = 8, kSteps = 12, kPatience = 3;
  constexpr double kSmallest = 0.05;
  double size = 1, lowest = relaxation_->bound();
  int idle = 0;
  for (int round = 0; round < kRounds && size >= kSmallest && !deadline_.passed(); ++round) {
    for (int i = 0; i < kSteps && !deadline_.passed(); ++i) {
      // Without an answer yet, aim at a tenth below the bound.
      const double floor =
          known.labels.empty() ? lowest - 0.1 * std::abs(lowest) - 1 : std::min(known.value(), lowest);
      if (!relaxation_->step(floor, size)) break;
      relaxation_->solve();
      const std::vector<Label>& labels = relaxation_->labels();
      const double penalty = labels.empty() ? kHard : compiled_.constraints().penalty(instance_, labels);
      if (penalty != kHard) {
        const double score = score_labels(scores_, labels);
        if (known.labels.empty() || score - penalty > known.value())
          known = {Outcome::kApproximate, labels, score, penalty};
      }
      idle = relaxation_->bound() < lowest ? 0 : idle + 1;
      lowest = std::min(lowest, relaxation_->bound());
      if (idle < kPatience) continue;
      size /= 2;
      idle = 0;
    }
    relaxation_->take_best();
    if (known.labels.empty()) continue;
    const size_t left = relaxation_->strike(known.value() - kSlack);
    if (left <= 2 * T_) break;
  }
  relaxation_->solve();
  prepare_run();
}

}  // namespace

Decoded decode_search(const Compiled& compiled, const Instance& instance, const Scores& scores, size_t beam,
                      size_t max_states, Deadline deadline) {
  ESPALIER_CHECK(searchable(compiled));
  StateSearch search(compiled, instance, scores, deadline);
  return beam > 0 ? search.run(beam, kMinusInfinity, max_states) : search.best(max_states);
}

}  // namespace espalier::constrain

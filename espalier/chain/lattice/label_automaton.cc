#include "espalier/chain/lattice/label_automaton.h"

#include <algorithm>
#include <map>
#include <utility>

#include "espalier/chain/lattice/lattice_filter.h"

namespace espalier::chain {

uint32_t LabelAutomaton::add_state(bool is_accepting) {
  accepting.push_back(is_accepting ? 1 : 0);
  next.resize(states() * labels, kNowhere);
  return static_cast<uint32_t>(states() - 1);
}

bool LabelAutomaton::accepts(std::span<const data::Label> sequence) const {
  uint32_t q = start;
  for (const data::Label label : sequence) {
    q = step(q, label);
    if (q == kNowhere) return false;
  }
  return accepting[q] != 0;
}

Status LabelAutomaton::check() const {
  if (start >= states()) return fail("the automaton starts in state {} of {}", start, states());
  if (next.size() != states() * labels)
    return fail("the automaton has {} transitions, wanted {} states times {} labels", next.size(), states(),
                labels);
  for (size_t i = 0; i < next.size(); ++i)
    if (next[i] != kNowhere && next[i] >= states())
      return fail("the automaton's state {} leads with label {} to state {} of {}", i / labels, i % labels,
                  next[i], states());
  return {};
}

LabelAutomaton intersect(const LabelAutomaton& a, const LabelAutomaton& b) {
  ESPALIER_CHECK(a.check().ok() && b.check().ok() && a.labels == b.labels);
  LabelAutomaton product;
  product.labels = a.labels;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers;
  const auto number_of = [&](uint32_t p, uint32_t q) {
    const auto [it, added] = numbers.try_emplace({p, q}, static_cast<uint32_t>(pairs.size()));
    if (added) {
      pairs.emplace_back(p, q);
      product.add_state(a.accepting[p] != 0 && b.accepting[q] != 0);
    }
    return it->second;
  };
  product.start = number_of(a.start, b.start);
  for (uint32_t i = 0; i < pairs.size(); ++i) {
    const auto [p, q] = pairs[i];
    for (size_t label = 0; label < a.labels; ++label) {
      const uint32_t p_next = a.step(p, static_cast<data::Label>(label));
      const uint32_t q_next = b.step(q, static_cast<data::Label>(label));
      if (p_next == LabelAutomaton::kNowhere || q_next == LabelAutomaton::kNowhere) continue;
      const uint32_t target = number_of(p_next, q_next);
      product.next[i * a.labels + label] = target;
    }
  }
  return product;
}

namespace {

/// An arc of the product into a copy of the current state.
struct ProductArc {
  uint32_t automaton_state;  ///< of the copy
  uint32_t source;           ///< state of the product
  float score;
};

/// The product of lattice and automaton, built from front to back; copies of a state are contiguous, ordered
/// by automaton state.
class ProductMaker {
 public:
  ProductMaker(const Lattice& lattice, const LabelAutomaton& automaton, Deadline deadline)
      : lattice_(lattice), automaton_(automaton), deadline_(deadline) {
    first_copy_.reserve(lattice.states() + 1);
  }

  /// False if it would exceed the budget.
  bool run(size_t max_arcs) {
    for (size_t t = 0; t < lattice_.positions(); ++t) {
      const Range states = lattice_.states_at(t);
      const bool last = t + 1 == lattice_.positions();
      for (size_t s = states.first; s < states.last; ++s) {
        first_copy_.push_back(static_cast<uint32_t>(old_state.size()));
        if (t == 0) {
          start_copy(s, last);
        } else if (!add_copies(s, last, max_arcs)) {
          return false;
        }
      }
      builder.end_position();
    }
    return true;
  }

  LatticeBuilder builder;
  std::vector<uint32_t> old_state, automaton_state;

 private:
  bool usable(uint32_t q, bool last) const {
    return q != LabelAutomaton::kNowhere && (!last || automaton_.accepting[q] != 0);
  }
  void add_copy(size_t s, uint32_t q) {
    builder.add_state(lattice_.label(s), lattice_.state_score(s));
    old_state.push_back(static_cast<uint32_t>(s));
    automaton_state.push_back(q);
  }
  void start_copy(size_t s, bool last) {
    const uint32_t q = automaton_.step(automaton_.start, lattice_.label(s));
    if (usable(q, last)) add_copy(s, q);
  }
  bool add_copies(size_t s, bool last, size_t max_arcs) {
    arcs_.clear();
    const Range into = lattice_.arcs_into(s);
    for (size_t a = into.first; a < into.last; ++a) {
      const uint32_t source = lattice_.source(a);
      for (uint32_t copy = first_copy_[source]; copy < first_copy_[source + 1]; ++copy) {
        const uint32_t q = automaton_.step(automaton_state[copy], lattice_.label(s));
        if (usable(q, last)) arcs_.push_back({q, copy, lattice_.arc_score(a)});
      }
    }
    arcs_made_ += arcs_.size();
    if (arcs_made_ > max_arcs) return false;
    if (arcs_made_ >= next_look_) {
      next_look_ = arcs_made_ + kArcsPerLook;
      if (deadline_.passed()) return false;
    }
    // Sources already ascend; order by the copy of s first.
    std::stable_sort(arcs_.begin(), arcs_.end(), [](const ProductArc& x, const ProductArc& y) {
      return x.automaton_state < y.automaton_state;
    });
    for (size_t i = 0; i < arcs_.size(); ++i) {
      if (i == 0 || arcs_[i].automaton_state != arcs_[i - 1].automaton_state)
        add_copy(s, arcs_[i].automaton_state);
      builder.add_arc(arcs_[i].source, arcs_[i].score);
    }
    return true;
  }

  static constexpr size_t kArcsPerLook = 1 << 14;  ///< at the clock

  const Lattice& lattice_;
  const LabelAutomaton& automaton_;
  Deadline deadline_;
  std::vector<uint32_t>
      first_copy_;  ///< of each state up to the current one; the copies of s end where those of s + 1 begin
  std::vector<ProductArc> arcs_;
  size_t arcs_made_ = 0, next_look_ = kArcsPerLook;
};

}  // namespace

IntersectedLattice intersect(const Lattice& lattice, const LabelAutomaton& automaton, size_t max_arcs,
                             Deadline deadline) {
  ESPALIER_CHECK(automaton.check().ok());
  IntersectedLattice result;
  if (lattice.positions() == 0) {
    if (automaton.accepting[automaton.start] != 0) result.outcome = Outcome::kExact;
    return result;
  }
  ProductMaker maker(lattice, automaton, deadline);
  if (!maker.run(max_arcs)) {
    result.outcome = Outcome::kOutOfBudget;
    return result;
  }
  FilteredLattice kept = drop_dead_ends(maker.builder.finish());
  result.outcome = kept.outcome;
  result.lattice = std::move(kept.lattice);
  for (const uint32_t s : kept.old_state) {
    result.old_state.push_back(maker.old_state[s]);
    result.automaton_state.push_back(maker.automaton_state[s]);
  }
  return result;
}

}  // namespace espalier::chain

#include "espalier/constrain/completion.h"

#include <algorithm>
#include <limits>
#include <map>

namespace espalier::constrain {

using data::Label;

namespace {

constexpr uint32_t kStuck = chain::LabelAutomaton::kNowhere;

/// What pair rules need to know of the previous label: labels that forbid the same neighbours and the same
/// ends share a state. State 0 is the start.
struct PairMemory {
  std::vector<uint32_t> next;
  std::vector<uint8_t> accepting;
  size_t states = 1;
};

PairMemory pair_memory(const LocalPenalties& local) {
  const size_t K = local.labels;
  PairMemory out;
  std::map<std::vector<uint8_t>, uint32_t> classes;
  std::vector<uint32_t> class_of(K);
  std::vector<std::vector<uint8_t>> rows;
  for (size_t i = 0; i < K; ++i) {
    std::vector<uint8_t> row(K + 1);
    for (size_t j = 0; j < K; ++j) row[j] = local.pair[i * K + j] == kHard;
    row[K] = local.end[i] == kHard;
    const auto [entry, fresh] = classes.emplace(row, static_cast<uint32_t>(classes.size() + 1));
    class_of[i] = entry->second;
    if (fresh) rows.push_back(std::move(row));
  }
  out.states = rows.size() + 1;
  out.next.assign(out.states * K, kStuck);
  out.accepting.assign(out.states, 1);
  for (size_t y = 0; y < K; ++y) {
    if (local.start[y] != kHard) out.next[y] = class_of[y];
    for (size_t c = 0; c < rows.size(); ++c)
      if (rows[c][y] == 0) out.next[(c + 1) * K + y] = class_of[y];
  }
  for (size_t c = 0; c < rows.size(); ++c) out.accepting[c + 1] = rows[c][K] == 0;
  return out;
}

}  // namespace

std::vector<Move> label_moves(size_t labels) {
  std::vector<Move> moves(labels);
  for (size_t y = 0; y < labels; ++y) moves[y].single = static_cast<Label>(y);
  return moves;
}

Completion::State Completion::step(size_t t, State state, Label label) const {
  if (!forbidden_.empty() && forbidden_[t * labels_ + label] != 0) return kNowhere;
  State out = 0;
  for (const Memory& memory : memories_) {
    const size_t q = state / memory.radix % memory.states;
    const uint32_t next = memory.next[q * labels_ + label];
    if (next == kStuck) return kNowhere;
    out += memory.radix * next;
  }
  return out;
}

bool Completion::accepting(State state) const {
  return std::all_of(memories_.begin(), memories_.end(), [&](const Memory& memory) {
    return memory.accepting[state / memory.radix % memory.states] != 0;
  });
}

bool Completion::alive(size_t t, State state) const {
  return std::binary_search(alive_[t].begin(), alive_[t].end(), state);
}

/// Calls visit(end, state) for every length of the move that no rule forbids; a result of false ends the
/// loop.
template <typename Visit>
void Completion::for_each_end(size_t t, State state, const Move& move, Visit&& visit) const {
  if (const State end = step(t, state, move.single); end != kNowhere && !visit(t + 1, end)) return;
  const size_t most = std::min(move.longest, length_ - t);
  if (most < 2) return;
  State inside = step(t, state, move.first);
  for (size_t length = 2; length <= most && inside != kNowhere; ++length) {
    const State end = step(t + length - 1, inside, move.last);
    if (end != kNowhere && !visit(t + length, end)) return;
    inside = step(t + length - 1, inside, move.middle);
  }
}

Completion::State Completion::after(size_t t, State state, const Move& move, size_t length) const {
  ESPALIER_CHECK(length >= 1 && t + length <= length_);
  if (length == 1) {
    state = step(t, state, move.single);
  } else {
    state = step(t, state, move.first);
    for (size_t i = 1; i + 1 < length && state != kNowhere; ++i) state = step(t + i, state, move.middle);
    if (state != kNowhere) state = step(t + length - 1, state, move.last);
  }
  return state != kNowhere && alive(t + length, state) ? state : kNowhere;
}

Result<Completion> Completion::make(const Compiled& compiled, const Instance& instance,
                                    const std::vector<Move>& moves, std::span<const Label> forced,
                                    Deadline deadline, size_t max_states) {
  ESPALIER_CHECK(compiled.regular());
  Completion out;
  out.length_ = instance.length;
  out.labels_ = compiled.constraints().labels();
  const std::vector<double> rows = compiled.row_penalties(instance);
  for (const double penalty : rows) out.forbidden_.push_back(penalty == kHard ? 1 : 0);
  for (size_t t = 0; t < forced.size(); ++t) {
    if (forced[t] == data::kNoLabel) continue;
    out.forbidden_.resize(out.length_ * out.labels_, 0);
    for (size_t y = 0; y < out.labels_; ++y)
      if (y != forced[t]) out.forbidden_[t * out.labels_ + y] = 1;
  }
  double joint = 1;
  const auto add = [&](std::vector<uint32_t> next, std::vector<uint8_t> accepting, size_t states,
                       size_t start) {
    const size_t radix = out.memories_.empty() ? 1 : out.memories_.back().radix * out.memories_.back().states;
    out.memories_.push_back({radix, states, std::move(next), std::move(accepting)});
    out.start_ += radix * start;
    joint *= static_cast<double>(states);
  };
  if (compiled.local().pairs || compiled.local().edges) {
    PairMemory pairs = pair_memory(compiled.local());
    add(std::move(pairs.next), std::move(pairs.accepting), pairs.states, 0);
  }
  for (const CostAutomaton& automaton : compiled.automata()) {
    add(automaton.dfa.next, automaton.dfa.accepting, automaton.dfa.states(), automaton.dfa.start);
    if (joint > 1e18) return fail("the constraints have too many joint states for a search");
  }
  // Forwards: the reachable states. Backwards: those of them that lead to the end.
  const size_t T = out.length_;
  std::vector<std::vector<State>> reached(T + 1);
  reached[0].push_back(out.start_);
  size_t states = 0, looked_at = 0;
  const auto out_of_time = [&] {
    constexpr size_t kStatesPerLook = 256;  // at the clock
    return ++looked_at % kStatesPerLook == 0 && deadline.passed();
  };
  const auto too_slow = [&] {
    return fail(
        "the constraints need too much time for a search over {} tokens; fewer constraints or more time "
        "(--time-limit) would help",
        T);
  };
  for (size_t t = 0; t < T; ++t) {
    std::sort(reached[t].begin(), reached[t].end());
    reached[t].erase(std::unique(reached[t].begin(), reached[t].end()), reached[t].end());
    states += reached[t].size();
    if (states > max_states)
      return fail("the constraints need more than {} states over {} tokens, too many for a search",
                  max_states, T);
    for (const State state : reached[t]) {
      if (out_of_time()) return too_slow();
      for (const Move& move : moves)
        out.for_each_end(t, state, move, [&](size_t end, State next) {
          reached[end].push_back(next);
          return true;
        });
    }
  }
  std::sort(reached[T].begin(), reached[T].end());
  reached[T].erase(std::unique(reached[T].begin(), reached[T].end()), reached[T].end());
  out.alive_.resize(T + 1);
  for (const State state : reached[T])
    if (out.accepting(state)) out.alive_[T].push_back(state);
  for (size_t t = T; t-- > 0;)
    for (const State state : reached[t]) {
      if (out_of_time()) return too_slow();
      bool leads = false;
      for (size_t m = 0; m < moves.size() && !leads; ++m)
        out.for_each_end(t, state, moves[m], [&](size_t end, State next) {
          leads = out.alive(end, next);
          return !leads;
        });
      if (leads) out.alive_[t].push_back(state);
    }
  return out;
}

}  // namespace espalier::constrain

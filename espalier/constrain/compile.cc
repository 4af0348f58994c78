#include "espalier/constrain/compile.h"

#include <algorithm>
#include <map>
#include <set>

#include "espalier/base/text/format.h"

namespace espalier::constrain {

using chain::LabelAutomaton;
using data::Label;

namespace {

constexpr uint32_t kNowhere = LabelAutomaton::kNowhere;

CostAutomaton with_states(size_t rule, size_t labels, size_t states, bool accepting) {
  CostAutomaton out;
  out.rule = rule;
  out.dfa.labels = labels;
  for (size_t q = 0; q < states; ++q) out.dfa.add_state(accepting);
  out.end_cost.assign(states, 0.0);
  return out;
}

/// State c: c labels of the set were read, up to the largest count that matters.
CostAutomaton counter(const Rule& rule, size_t number, size_t K) {
  const bool bounded = rule.most != kNoLimit;
  const size_t top = bounded ? std::max(rule.most, rule.least) : rule.least;
  CostAutomaton out = with_states(number, K, top + 1, true);
  if (!rule.hard() && bounded) out.step_cost.assign((top + 1) * K, 0.0);
  for (size_t q = 0; q <= top; ++q) {
    for (size_t y = 0; y < K; ++y) {
      uint32_t& next = out.dfa.next[q * K + y];
      next = static_cast<uint32_t>(q);
      if (rule.first[y] == 0) continue;
      if (q < top) {
        next = static_cast<uint32_t>(q + 1);
      } else if (bounded && rule.hard()) {
        next = kNowhere;
      } else if (bounded) {
        out.step_cost[q * K + y] = rule.penalty;
      }
    }
    if (q < rule.least) {
      out.dfa.accepting[q] = rule.hard() ? 0 : 1;
      if (!rule.hard()) out.end_cost[q] = rule.penalty * static_cast<double>(rule.least - q);
    }
  }
  return out;
}

CostAutomaton implication(const Rule& rule, size_t number, size_t K) {
  // before: 0 nothing of second yet, 1 seen, 2 broken (soft only).
  // after, anywhere: 0 nothing owed, 1 second seen (anywhere only), 2 owed.
  CostAutomaton out = with_states(number, K, 3, true);
  const bool before = rule.order == Order::kBefore, anywhere = rule.order == Order::kAnywhere;
  if (before && !rule.hard()) out.step_cost.assign(3 * K, 0.0);
  for (size_t y = 0; y < K; ++y) {
    const bool owes = rule.first[y] != 0, pays = rule.second[y] != 0;
    uint32_t* next = out.dfa.next.data();
    if (before) {
      next[y] = pays ? 1 : 0;
      if (owes) {
        next[y] = rule.hard() ? kNowhere : 2;
        if (!rule.hard()) out.step_cost[y] = rule.penalty;
      }
      next[K + y] = 1;
      next[2 * K + y] = 2;
    } else {
      next[y] = owes ? 2 : pays && anywhere ? 1 : 0;
      next[K + y] = 1;
      next[2 * K + y] = pays ? (anywhere ? 1 : owes ? 2 : 0) : 2;
    }
  }
  if (!before) {
    out.dfa.accepting[2] = rule.hard() ? 0 : 1;
    if (!rule.hard()) out.end_cost[2] = rule.penalty;
  }
  return out;
}

/// A trie of the allowed assignments; a soft rule has one more state for labellings outside it.
CostAutomaton list(const Rule& rule, size_t number, size_t K) {
  CostAutomaton out = with_states(number, K, 1, false);
  for (const std::vector<Label>& assignment : rule.assignments) {
    uint32_t q = 0;
    for (const Label y : assignment) {
      uint32_t next = out.dfa.next[q * K + y];
      if (next == kNowhere) {
        next = out.dfa.add_state(false);
        out.dfa.next[q * K + y] = next;
      }
      q = next;
    }
    out.dfa.accepting[q] = 1;
  }
  out.end_cost.assign(out.dfa.states(), 0.0);
  if (rule.hard()) return out;
  const uint32_t off = out.dfa.add_state(true);
  for (uint32_t& next : out.dfa.next)
    if (next == kNowhere) next = off;
  out.end_cost.assign(out.dfa.states(), 0.0);
  for (size_t q = 0; q < out.dfa.states(); ++q)
    if (q == off || out.dfa.accepting[q] == 0) out.end_cost[q] = rule.penalty;
  std::fill(out.dfa.accepting.begin(), out.dfa.accepting.end(), uint8_t{1});
  return out;
}

void add_local(const Rule& rule, LocalPenalties& local) {
  const size_t K = local.labels, width = K + 1;
  for (size_t i = 0; i < K; ++i) {
    for (size_t j = 0; j < K; ++j)
      if (rule.broken[i * width + j] != 0) {
        local.pair[i * K + j] += rule.penalty;
        local.pairs = true;
      }
    if (rule.broken[K * width + i] != 0) local.start[i] += rule.penalty;
    if (rule.broken[i * width + K] != 0) local.end[i] += rule.penalty;
    if (rule.broken[K * width + i] != 0 || rule.broken[i * width + K] != 0) local.edges = true;
  }
}

}  // namespace

Compiled::Compiled(Constraints constraints) : constraints_(std::move(constraints)) {
  const size_t K = constraints_.labels();
  local_.labels = K;
  local_.pair.assign(K * K, 0.0);
  local_.start.assign(K, 0.0);
  local_.end.assign(K, 0.0);
  for (size_t r = 0; r < constraints_.rules().size(); ++r) {
    const Rule& rule = constraints_.rules()[r];
    if (rule.penalty == 0) continue;  // has no effect
    switch (rule.kind) {
      case Rule::Kind::kPairs:
        add_local(rule, local_);
        break;
      case Rule::Kind::kTokens:
        break;
      case Rule::Kind::kCount:
        automata_.push_back(counter(rule, r, K));
        break;
      case Rule::Kind::kImplies:
        automata_.push_back(implication(rule, r, K));
        break;
      case Rule::Kind::kAssignments:
        automata_.push_back(list(rule, r, K));
        break;
      case Rule::Kind::kNoOverlap:
        overlaps_.push_back(r);
        break;
      case Rule::Kind::kNoEmbedding:
        embeddings_.push_back(r);
        break;
    }
  }
  touched_.resize(K);
  for (size_t a = 0; a < automata_.size(); ++a)
    for (size_t y = 0; y < K; ++y) {
      bool inert = true;
      for (size_t q = 0; q < automata_[a].dfa.states() && inert; ++q)
        inert = automata_[a].dfa.next[q * K + y] == q && automata_[a].cost_of_step(q, y) == 0;
      if (!inert) touched_[y].push_back(static_cast<uint32_t>(a));
    }
}

size_t Compiled::joint_states() const {
  constexpr size_t kMost = size_t{1} << 40;
  size_t product = 1;
  for (const CostAutomaton& a : automata_) product = std::min(kMost, product * a.dfa.states());
  return product;
}

std::vector<double> Compiled::row_penalties(const Instance& instance) const {
  std::vector<double> out;
  for (size_t r = 0; r < constraints_.rules().size(); ++r) {
    const double penalty = constraints_.rules()[r].penalty;
    if (instance.forbidden[r].empty() || penalty == 0) continue;
    out.resize(instance.length * constraints_.labels(), 0.0);
    for (size_t i = 0; i < out.size(); ++i)
      if (instance.forbidden[r][i] != 0) out[i] += penalty;
  }
  return out;
}

std::string Compiled::describe() const {
  std::map<size_t, std::set<std::string>> how;
  for (const Rule& rule : constraints_.rules()) {
    const bool spans = rule.kind == Rule::Kind::kNoOverlap || rule.kind == Rule::Kind::kNoEmbedding;
    const bool local = rule.kind == Rule::Kind::kPairs || rule.kind == Rule::Kind::kTokens;
    how[rule.constraint].insert(spans ? "spans" : local ? "local" : "automaton");
  }
  std::string out;
  for (const auto& [constraint, kinds] : how) {
    const Statement& s = constraints_.statements()[constraint];
    out += fmt::format("{}: {} ({}{})\n", s.name, s.text, joined(kinds, ", "),
                       s.penalty == kHard ? "" : ", soft");
  }
  return out;
}

namespace {

/// Whether some labelling of any length satisfies the hard rules: a search over the joint states of all
/// automata and the previous label. Returns true if there are too many states to look at all of them.
bool satisfiable(const Compiled& compiled) {
  constexpr size_t kMostStates = 200000;
  constexpr size_t kMostSteps = size_t{1} << 23;  // of an automaton; well below a second
  size_t steps = 0;
  const size_t K = compiled.constraints().labels();
  const LocalPenalties& local = compiled.local();
  using State = std::vector<uint32_t>;  // automata, then the label before
  std::vector<const CostAutomaton*> automata;
  for (const CostAutomaton& a : compiled.automata()) automata.push_back(&a);
  State start;
  for (const CostAutomaton* a : automata) start.push_back(a->dfa.start);
  start.push_back(static_cast<uint32_t>(K));
  std::set<State> seen{start};
  std::vector<State> open{start};
  while (!open.empty()) {
    const State state = open.back();
    open.pop_back();
    for (size_t y = 0; y < K; ++y) {
      const uint32_t before = state.back();
      steps += automata.size() + 1;
      if ((before == K ? local.start[y] : local.pair[before * K + y]) == kHard) continue;
      State next = state;
      next.back() = static_cast<uint32_t>(y);
      bool possible = true, accepting = local.end[y] != kHard;
      for (size_t a = 0; a < automata.size() && possible; ++a) {
        next[a] = automata[a]->dfa.step(state[a], static_cast<Label>(y));
        possible = next[a] != kNowhere;
        accepting = accepting && possible && automata[a]->dfa.accepting[next[a]] != 0;
      }
      if (!possible) continue;
      if (accepting) return true;
      if (seen.insert(next).second) open.push_back(next);
      if (seen.size() > kMostStates || steps > kMostSteps) return true;
    }
  }
  return false;
}

}  // namespace

Status check_consistent(const Constraints& constraints) {
  if (satisfiable(Compiled(constraints))) return {};
  std::vector<std::string> clash;
  for (const size_t c :
       smallest_clash(constraints, [](const Constraints& some) { return !satisfiable(Compiled(some)); })) {
    const Statement& s = constraints.statements()[c];
    clash.push_back(fmt::format("'{}' (line {})", s.name, s.place.line));
  }
  return fail("{}: no labelling satisfies {} {}", constraints.file(),
              clash.size() == 1 ? "the constraint" : "these constraints together:", joined(clash, ", "));
}

}  // namespace espalier::constrain

#include "espalier/ensemble/automaton/automaton.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include "espalier/base/files/input.h"
#include "espalier/base/text/format.h"
#include "espalier/ensemble/automaton/automaton_text.h"

namespace espalier::ensemble {
namespace {

constexpr int kUnreached = -1;
/// The cost of a value for which no expert with a weight votes: far more than any sum of logarithms of
/// shares.
constexpr double kNoShareCost = 1e6;

/// Marks the states on some path from the start to a final state, given states in topological order.
std::vector<uint8_t> useful_states(const openfst::PlainFst& fst,
                                   const std::vector<std::vector<int>>& out_arcs) {
  const auto n = static_cast<size_t>(fst.states);
  std::vector<uint8_t> reached(n, 0), useful(n, 0);
  std::vector<int> stack{fst.start};
  reached[static_cast<size_t>(fst.start)] = 1;
  std::vector<int> order;
  while (!stack.empty()) {
    const int s = stack.back();
    stack.pop_back();
    order.push_back(s);
    for (const int a : out_arcs[static_cast<size_t>(s)]) {
      const int target = fst.arcs[static_cast<size_t>(a)].target;
      if (reached[static_cast<size_t>(target)]++ == 0) stack.push_back(target);
    }
  }
  // Backwards until nothing changes: the graph is small and acyclic, so depth rounds are enough.
  bool changed = true;
  while (changed) {
    changed = false;
    for (const int s : order) {
      if (useful[static_cast<size_t>(s)]) continue;
      bool leads = std::isfinite(fst.final_cost[static_cast<size_t>(s)]);
      for (const int a : out_arcs[static_cast<size_t>(s)])
        leads |= useful[static_cast<size_t>(fst.arcs[static_cast<size_t>(a)].target)] != 0;
      if (leads) useful[static_cast<size_t>(s)] = changed = 1;
    }
  }
  return useful;
}

/// Labels become experts from 0. With `names_only`, a symbol that names no expert is an error; otherwise its
/// number counts.
Status name_experts(openfst::PlainFst& fst, std::span<const std::string> experts, const std::string& name,
                    bool names_only) {
  for (openfst::PlainArc& arc : fst.arcs) {
    if (arc.label <= 0)
      return fail("{}: a transition of state {} has the label {}: every transition names an expert, from 1",
                  name, arc.source, arc.label);
    const auto label = static_cast<size_t>(arc.label);
    if (label < fst.symbols.size() && !fst.symbols[label].empty()) {
      const auto it = std::find(experts.begin(), experts.end(), fst.symbols[label]);
      if (it != experts.end()) {
        arc.label = static_cast<int>(it - experts.begin()) + 1;
        continue;
      }
      if (names_only)
        return fail("{}: a transition names the expert '{}', which is not among {}", name, fst.symbols[label],
                    joined(experts, ", "));
    }
    if (label > experts.size())
      return fail("{}: a transition of state {} names expert {}, but there are {}", name, arc.source,
                  arc.label, experts.size());
  }
  return {};
}

}  // namespace

Result<ExpertAutomaton> ExpertAutomaton::open(const std::string& path, std::span<const std::string> experts) {
  {
    constexpr size_t kEnough = 100;
    std::ifstream in(path, std::ios::binary);
    std::string beginning(kEnough, '\0');
    in.read(beginning.data(), kEnough);
    beginning.resize(static_cast<size_t>(in.gcount()));
    if (looks_like_fst_text(beginning)) {
      ESPALIER_ASSIGN(const std::string text, read_text_file(path));
      ESPALIER_ASSIGN(openfst::PlainFst fst, parse_fst_text(text, path));
      ESPALIER_TRY(name_experts(fst, experts, path, true));
      fst.symbols.clear();
      return from_plain(std::move(fst), experts, path);
    }
  }
  openfst::PlainFst fst;
  std::string error;
  if (!openfst::read_fst(path, fst, error)) return fail("{}: {}", path, error);
  return from_plain(std::move(fst), experts, path);
}

Result<ExpertAutomaton> ExpertAutomaton::from_plain(openfst::PlainFst fst,
                                                    std::span<const std::string> experts,
                                                    const std::string& name) {
  ESPALIER_TRY(name_experts(fst, experts, name, false));
  for (const openfst::PlainArc& arc : fst.arcs)
    if (!std::isfinite(arc.cost))
      return fail("{}: a transition of state {} has a weight that is not a number", name, arc.source);
  if (openfst::is_cyclic(fst))
    return fail("{}: the automaton has a cycle; path experts need an acyclic one", name);
  return layered(std::move(fst), experts.size(), name);
}

Result<ExpertAutomaton> ExpertAutomaton::layered(openfst::PlainFst fst, size_t experts,
                                                 const std::string& name) {
  const auto n = static_cast<size_t>(fst.states);
  std::vector<std::vector<int>> out_arcs(n);
  for (size_t a = 0; a < fst.arcs.size(); ++a)
    out_arcs[static_cast<size_t>(fst.arcs[a].source)].push_back(static_cast<int>(a));
  const std::vector<uint8_t> useful = useful_states(fst, out_arcs);
  if (!useful[static_cast<size_t>(fst.start)])
    return fail("{}: no path leads from the start to a final state", name);

  // Breadth first: a state's position is its distance from the start, which all paths must agree on.
  std::vector<int> depth(n, kUnreached);
  std::vector<int> order{fst.start};
  depth[static_cast<size_t>(fst.start)] = 0;
  for (size_t i = 0; i < order.size(); ++i)
    for (const int a : out_arcs[static_cast<size_t>(order[i])]) {
      const auto target = static_cast<size_t>(fst.arcs[static_cast<size_t>(a)].target);
      if (!useful[target]) continue;
      const int next = depth[static_cast<size_t>(order[i])] + 1;
      if (depth[target] == kUnreached) {
        depth[target] = next;
        order.push_back(static_cast<int>(target));
      } else if (depth[target] != next) {
        return fail(
            "{}: state {} is reached by paths of {} and of {} transitions; all paths to a state must be "
            "equally long",
            name, target, depth[target], next);
      }
    }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return depth[static_cast<size_t>(a)] < depth[static_cast<size_t>(b)];
  });

  ExpertAutomaton automaton;
  automaton.experts_ = experts;
  int length = kUnreached;
  for (const int s : order) {
    const bool final = std::isfinite(fst.final_cost[static_cast<size_t>(s)]);
    if (!final) continue;
    if (length != kUnreached && length != depth[static_cast<size_t>(s)])
      return fail("{}: there are paths of {} and of {} transitions; all must have one for every position",
                  name, length, depth[static_cast<size_t>(s)]);
    length = depth[static_cast<size_t>(s)];
  }
  if (length == 0) return fail("{}: the automaton has no transitions", name);
  automaton.positions_ = static_cast<size_t>(length);

  std::vector<int> number(n, kUnreached);
  for (size_t i = 0; i < order.size(); ++i) number[static_cast<size_t>(order[i])] = static_cast<int>(i);
  openfst::PlainFst& plain = automaton.plain_;
  plain.states = static_cast<int>(order.size());
  plain.start = 0;
  for (const int s : order) {
    plain.final_cost.push_back(fst.final_cost[static_cast<size_t>(s)]);
    automaton.first_arc_.push_back(static_cast<uint32_t>(automaton.arcs_.size()));
    for (const int a : out_arcs[static_cast<size_t>(s)]) {
      const openfst::PlainArc& arc = fst.arcs[static_cast<size_t>(a)];
      if (!useful[static_cast<size_t>(arc.target)]) continue;
      const int source = number[static_cast<size_t>(s)], target = number[static_cast<size_t>(arc.target)];
      plain.arcs.push_back({source, target, arc.label, arc.cost});
      automaton.arcs_.push_back({static_cast<uint32_t>(source), static_cast<uint32_t>(target),
                                 static_cast<uint32_t>(depth[static_cast<size_t>(s)]),
                                 static_cast<uint32_t>(arc.label - 1), arc.cost});
    }
  }
  automaton.first_arc_.push_back(static_cast<uint32_t>(automaton.arcs_.size()));
  return automaton;
}

ExpertAutomaton ExpertAutomaton::full(size_t positions, size_t experts) {
  openfst::PlainFst fst;
  fst.states = static_cast<int>(positions) + 1;
  fst.final_cost.assign(positions + 1, INFINITY);
  fst.final_cost.back() = 0;
  for (int k = 0; k < static_cast<int>(positions); ++k)
    for (int j = 1; j <= static_cast<int>(experts); ++j) fst.arcs.push_back({k, k + 1, j, 0});
  auto automaton = layered(std::move(fst), experts, "the full automaton");
  return std::move(automaton).value();
}

void ExpertAutomaton::posteriors(std::span<const double> conditional, std::vector<double>& out) const {
  std::vector<double> reach(states(), 0);
  reach[0] = 1;
  out.resize(arcs_.size());
  for (size_t a = 0; a < arcs_.size(); ++a) {  // grouped by source, sources in order of their positions
    out[a] = reach[arcs_[a].source] * conditional[a];
    reach[arcs_[a].target] += out[a];
  }
}

void ExpertAutomaton::draw_path(std::span<const float> conditional, Random& random,
                                std::vector<uint32_t>& path) const {
  path.clear();
  uint32_t state = 0;
  while (first_arc_[state] < first_arc_[state + 1]) {
    uint32_t a = first_arc_[state];
    double rest = random.uniform();
    while (a + 1 < first_arc_[state + 1] && rest >= conditional[a]) rest -= conditional[a++];
    path.push_back(arcs_[a].expert);
    state = arcs_[a].target;
  }
}

AutomatonVote::AutomatonVote(const ExpertAutomaton& automaton)
    : automaton_(automaton), algorithms_(automaton.plain()), cost_(automaton.arcs().size()) {}

Status AutomatonVote::decode(const VoteView& view, const WeightTable& table, VoteForm form,
                             std::vector<Value>& out) {
  if (view.items() > automaton_.positions())
    return fail("a sequence of {} positions, but the automaton's paths have {}", view.items(),
                automaton_.positions());
  std::vector<Share> tally;
  std::vector<double> scratch;
  size_t tallied = view.items();
  double total = 0;  // of the weights of those who speak at the position
  const std::span<const ExpertAutomaton::Arc> arcs = automaton_.arcs();
  for (size_t a = 0; a < arcs.size(); ++a) {
    const size_t k = arcs[a].position;
    cost_[a] = 0;  // padding
    if (k >= view.items()) continue;
    if (k != tallied) {
      const std::span<const double> row = item_row(view, k, table, scratch);
      shares(view.item(k), row, tally);
      total = 0;
      for (size_t j = 0; j < row.size(); ++j) total += view.item(k)[j] == kAbsent ? 0 : row[j];
      tallied = k;
    }
    const Value value = view.item(k)[arcs[a].expert];
    if (form == VoteForm::kSum) {
      cost_[a] = total;
      for (const Share& share : tally)
        if (share.value == value) cost_[a] = total * (1 - share.share);
      continue;
    }
    cost_[a] = kNoShareCost;
    for (const Share& share : tally)
      if (share.value == value && share.share > 0) cost_[a] = -std::log(share.share);
  }
  algorithms_.shortest_path(cost_, path_);
  out.assign(view.items(), kAbsent);
  for (const int a : path_) {
    const ExpertAutomaton::Arc& arc = arcs[static_cast<size_t>(a)];
    if (arc.position < view.items()) out[arc.position] = view.item(arc.position)[arc.expert];
  }
  return {};
}

}  // namespace espalier::ensemble

#include "espalier/constrain/dominated.h"

#include <algorithm>

#include "espalier/chain/kernels.h"

namespace espalier::constrain {

using chain::kMinusInfinity;

void drop_dominated(const Compiled& compiled, std::vector<double>& value) {
  const auto rules = compiled.constraints().rules();
  const size_t K = compiled.constraints().labels(), T = K > 0 ? value.size() / K : 0;
  constexpr size_t kMostOverlaps = 64;
  if (compiled.overlaps().size() > kMostOverlaps) return;
  std::vector<uint64_t> cover(K, 0);  // the overlap rules that a label's words count for
  for (size_t o = 0; o < compiled.overlaps().size(); ++o)
    for (size_t y = 0; y < K; ++y)
      cover[y] |= static_cast<uint64_t>(rules[compiled.overlaps()[o]].first[y] != 0) << o;
  std::vector<uint64_t> covers = cover;
  std::sort(covers.begin(), covers.end());
  covers.erase(std::unique(covers.begin(), covers.end()), covers.end());
  std::vector<uint8_t> free(K, 1);
  for (const CostAutomaton& automaton : compiled.automata()) {
    const Rule& rule = rules[automaton.rule];
    const bool everyone = rule.kind == Rule::Kind::kAssignments;
    const bool harms = rule.kind == Rule::Kind::kImplies || rule.most != kNoLimit || everyone;
    for (size_t y = 0; y < K && harms; ++y)
      if (everyone || rule.first[y] != 0) free[y] = 0;
  }
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<uint8_t> possible(K, 0), wanted(K, 0);
    for (size_t i = 0; i < value.size(); ++i)
      if (value[i] > kMinusInfinity) possible[i % K] = 1;
    for (const CostAutomaton& automaton : compiled.automata()) {
      const Rule& rule = rules[automaton.rule];
      bool owed =
          rule.kind == Rule::Kind::kAssignments || (rule.kind == Rule::Kind::kCount && rule.least > 0);
      const LabelBits& pays = rule.kind == Rule::Kind::kCount ? rule.first : rule.second;
      for (size_t y = 0; y < K && rule.kind == Rule::Kind::kImplies; ++y)
        owed = owed || (rule.first[y] != 0 && possible[y] != 0);
      for (size_t y = 0; y < K && owed; ++y)
        if (rule.kind == Rule::Kind::kAssignments || pays[y] != 0) wanted[y] = 1;
    }
    for (size_t t = 0; t < T; ++t) {
      double* v = value.data() + t * K;
      for (const uint64_t set : covers) {
        size_t best = K;  // the free label that covers just this
        for (size_t y = 0; y < K; ++y)
          if (free[y] != 0 && cover[y] == set && v[y] > (best == K ? kMinusInfinity : v[best])) best = y;
        if (best == K) continue;
        for (size_t y = 0; y < K; ++y) {
          if (v[y] == kMinusInfinity || wanted[y] != 0 || (set & ~cover[y]) != 0) continue;
          if (v[best] < v[y] || (v[best] == v[y] && best >= y)) continue;
          v[y] = kMinusInfinity;
          changed = true;
        }
      }
    }
  }
}

}  // namespace espalier::constrain

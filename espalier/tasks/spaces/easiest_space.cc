#include "espalier/tasks/spaces/easiest_space.h"

#include <algorithm>

namespace espalier::tasks {

using data::kNoLabel;
using data::Label;
using search::Action;

namespace {
/// Kinds of hashed features; part of the hash, so that kinds do not collide.
enum EasiestEntry : uint64_t {
  kEasiestBias,
  kOneBefore,
  kOneAfter,
  kOneEach,
  kPairBefore,
  kPairAfter,
  kEasiestEdge,
  kBothSides
};
uint64_t easiest_entry(EasiestEntry kind) { return hash_combine(0x81 * 0x9E3779B97F4A7C15ull, kind); }
}  // namespace

EasiestSpace::EasiestSpace(const DecisionPlan& plan, const LabelInput& input)
    : plan_(plan), input_(input), reach_(std::max<size_t>(plan.history, input.edges.empty() ? 0 : 1)) {}

template <typename Emit>
void EasiestSpace::visit_grams(const State& s, uint32_t token, const Emit& emit) const {
  const int N = static_cast<int>(plan_.history);
  const auto with = [&](uint64_t hash, int distance) {
    return hash_combine(hash, around(s, token, distance));
  };
  if (N < 1) return;
  emit(with(easiest_entry(kOneBefore), -1), -1, -1);
  emit(with(easiest_entry(kOneAfter), 1), 1, 1);
  emit(with(with(easiest_entry(kOneEach), -1), 1), -1, 1);
  if (N < 2) return;
  uint64_t before = with(with(easiest_entry(kPairBefore), -2), -1);
  uint64_t after = with(with(easiest_entry(kPairAfter), 1), 2);
  emit(before, -2, -1);
  emit(after, 1, 2);
  // Each longer n-gram extends the hash of the shorter one, so all of them together cost as much as the
  // longest.
  uint64_t both = hash_combine(hash_combine(easiest_entry(kBothSides), before), after);
  for (int n = 3; n <= N; ++n) {
    before = with(before, -n);
    after = with(after, n);
    both = with(with(both, -n), n);
    emit(before, -n, -1);
    emit(after, 1, n);
    emit(both, -n, n);
  }
}

EasiestSpace::State EasiestSpace::initial() const {
  auto path = std::make_shared<Path>();
  path->when.assign(input_.length, Path::kNever);
  path->labels.assign(input_.length, kNoLabel);
  return {std::move(path), 0, 0};
}

void EasiestSpace::candidate_actions(const State& s, uint32_t t, std::vector<Action>& out) const {
  if (s.label(t) != kNoLabel) return;
  const Label forced = input_.forced.empty() ? kNoLabel : input_.forced[t];
  if (forced != kNoLabel) {
    out.push_back({t, forced});
    return;
  }
  for (uint32_t l = 0; l < labels(); ++l) out.push_back({t, l});
}

void EasiestSpace::actions(const State& s, std::vector<Action>& out) const {
  for (uint32_t t = 0; t < input_.length; ++t) candidate_actions(s, t, out);
}

void EasiestSpace::fresh_candidates(const State& s, std::vector<uint32_t>& out) const {
  size_t first = 0, last = input_.length;
  if (s.made > 0) {
    const size_t changed = s.path->order[s.made - 1];
    first = changed - std::min(changed, reach_);
    last = std::min(last, changed + reach_ + 1);
  }
  for (size_t t = first; t < last; ++t)
    if (s.label(t) == kNoLabel) out.push_back(static_cast<uint32_t>(t));
}

EasiestSpace::State EasiestSpace::apply(const State& s, Action action) const {
  State next = s;
  if (s.path->order.size() != s.made) {  // another action was applied to this state before
    next.path = std::make_shared<Path>(*s.path);
    for (size_t n = s.made; n < s.path->order.size(); ++n) next.path->when[s.path->order[n]] = Path::kNever;
    next.path->order.resize(s.made);
  }
  Path& path = *next.path;
  path.when[action.candidate] = next.made;
  path.labels[action.candidate] = static_cast<Label>(action.label);
  path.order.push_back(action.candidate);
  ++next.made;
  if (!input_.gold.empty() && is_error(action)) ++next.errors;
  return next;
}

void EasiestSpace::features(const State& s, uint32_t candidate, search::FeatureSink& sink) const {
  sink.block(candidate);
  sink.add(easiest_entry(kEasiestBias));
  visit_grams(s, candidate, [&](uint64_t hash, int, int) { sink.add(hash); });
  if (input_.edges.empty()) return;
  const uint64_t before = hash_combine(easiest_entry(kEasiestEdge), around(s, candidate, -1));
  for (uint32_t i = input_.edge_begin[candidate]; i < input_.edge_begin[candidate + 1]; ++i)
    sink.add(hash_combine(before, input_.edges[i]));
}

std::string EasiestSpace::entry_name(const State& s, uint32_t candidate, size_t i) const {
  const auto name = [&](int distance) {
    const uint32_t l = around(s, candidate, distance);
    return l == kOutside   ? std::string("^")
           : l == kNoLabel ? std::string("?")
                           : plan_.label_name(static_cast<Label>(l));
  };
  if (i == 0) return "bias";
  size_t seen = 0;
  std::string text;
  visit_grams(s, candidate, [&](uint64_t, int first, int last) {
    if (++seen != i) return;
    text = "labels";
    for (int d = first; d <= last; ++d)
      if (d != 0) text += fmt::format(" {:+}:{}", d, name(d));
  });
  if (text.empty()) return fmt::format("edge feature {} after {}", i - seen, name(-1));
  return text;
}

void EasiestSpace::optimal_actions(const State& s, std::vector<Action>& out) const {
  const auto K = static_cast<uint32_t>(labels());
  for (uint32_t t = 0; t < input_.length; ++t) {
    if (s.label(t) != kNoLabel) continue;
    const Label right = input_.gold[t];
    if (right != kNoLabel) {
      out.push_back({t, right});
    } else {
      for (uint32_t l = 0; l < K; ++l) out.push_back({t, l});
    }
  }
}

}  // namespace espalier::tasks

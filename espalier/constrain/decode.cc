#include "espalier/constrain/decode.h"

#include <algorithm>
#include <cmath>

#include "espalier/program/program.h"

namespace espalier::constrain {

using chain::Outcome;
using data::Label;

double score_labels(const Scores& scores, std::span<const Label> labels) {
  double sum = 0;
  for (size_t t = 0; t < labels.size(); ++t) {
    sum += scores.node[t * scores.stride + labels[t]];
    if (t == 0 || (scores.trans == nullptr && scores.edge == nullptr)) continue;
    sum += scores.transitions_into(t)[labels[t - 1] * scores.stride + labels[t]];
  }
  return sum;
}

Method choose_method(const Compiled& compiled, size_t length, bool neighbours_scored) {
  constexpr double kWorthALattice = 1 << 25;
  const double K = static_cast<double>(compiled.constraints().labels());
  const bool chain_like = neighbours_scored || compiled.local().pairs;
  if (compiled.only_local() && chain_like) return Method::kLattice;
  const double states = static_cast<double>(compiled.joint_states());
  if (compiled.regular() && chain_like)
    return static_cast<double>(length) * K * K * states <= kWorthALattice ? Method::kLattice
                                                                          : Method::kInteger;
  return searchable(compiled) ? Method::kAuto : Method::kInteger;  // kAuto: the exact search
}

namespace {

constexpr size_t kSearchStates = size_t{1} << 21;  // of a search, in all

/// Seconds that a beam gets even if the time is up: without an answer, all that was done would be lost.
constexpr double kLastBeam = 0.2;
/// A lattice that takes more than this share of the time is given up for an integer program.
constexpr double kLatticeShare = 0.6;

/// The better of two results; each may be without labels.
Decoded better_of(Decoded one, Decoded other) {
  if (other.labels.empty() || (!one.labels.empty() && one.value() >= other.value())) return one;
  return other;
}

Decoded decode_until(const Compiled& compiled, const Instance& instance, const Scores& scores,
                     const DecodeOptions& options, Deadline deadline) {
  const bool neighbours = scores.trans != nullptr || scores.edge != nullptr;
  const Method method =
      options.method == Method::kAuto ? choose_method(compiled, instance.length, neighbours) : options.method;
  if (method == Method::kInteger) return decode_integer(compiled, instance, scores, deadline);
  if (method == Method::kBeam && searchable(compiled)) {
    return decode_search(compiled, instance, scores, options.beam, kSearchStates,
                         deadline.at_least(kLastBeam));
  }
  if (method == Method::kLattice && compiled.regular()) {
    constexpr size_t kLargestLattice = size_t{1} << 26;
    Decoded found =
        decode_lattice(compiled, instance, scores, kLargestLattice, deadline.share(kLatticeShare));
    if (found.outcome != Outcome::kOutOfBudget) return found;
    return decode_integer(compiled, instance, scores, deadline);
  }
  Decoded found;
  if (searchable(compiled)) {
    found = decode_search(compiled, instance, scores, 0, kSearchStates, deadline.share(kLatticeShare));
    if (found.outcome != Outcome::kOutOfBudget) return found;
  }
  Decoded solved = decode_integer(compiled, instance, scores, deadline);
  return solved.outcome == Outcome::kOutOfBudget ? better_of(std::move(solved), std::move(found)) : solved;
}

}  // namespace

bool counts_clash(const Compiled& compiled, size_t length) {
  const auto T = static_cast<double>(length);
  program::Program counts(program::Sense::kMaximise);
  std::vector<program::Term> all;
  for (size_t y = 0; y < compiled.constraints().labels(); ++y)
    all.push_back({counts.add_variable(0, T, 0), 1});
  counts.add_row(all, T, T);
  for (const Rule& rule : compiled.constraints().rules()) {
    if (rule.kind != Rule::Kind::kCount || !rule.hard()) continue;
    std::vector<program::Term> some;
    for (size_t y = 0; y < all.size(); ++y)
      if (rule.first[y] != 0) some.push_back(all[y]);
    const double most = rule.most == kNoLimit ? program::kInfinite : static_cast<double>(rule.most);
    counts.add_row(some, static_cast<double>(rule.least), most);
  }
  return program::solve(counts, {}).outcome == program::Outcome::kInfeasible;
}

Decoded decode(const Compiled& compiled, const Instance& instance, const Scores& scores,
               const DecodeOptions& options) {
  const Deadline deadline = options.limit();
  Decoded found = decode_until(compiled, instance, scores, options, deadline);
  if (found.outcome != Outcome::kOutOfBudget || !found.labels.empty()) return found;
  if (counts_clash(compiled, instance.length)) {
    found.outcome = Outcome::kInfeasible;
    return found;
  }
  if (options.method == Method::kBeam || !searchable(compiled)) return found;
  constexpr size_t kAnyNumber = ~size_t{0};  // it grows with the length only
  found = decode_search(compiled, instance, scores, std::max<size_t>(options.beam, 1), kAnyNumber,
                        deadline.at_least(kLastBeam));
  if (found.outcome == Outcome::kApproximate) found.outcome = Outcome::kOutOfBudget;
  return found;
}

Decoded least_broken(const Compiled& compiled, const Instance& instance, const Scores& scores,
                     const DecodeOptions& options) {
  // One violation must cost more than any difference of scores.
  double range = 1;
  for (size_t t = 0; t < instance.length; ++t) {
    double low = 0, high = 0;
    for (size_t y = 0; y < scores.labels; ++y) {
      const double x = scores.node[t * scores.stride + y];
      if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
    }
    range += high - low;
    if (t == 0 || (scores.trans == nullptr && scores.edge == nullptr)) continue;
    const float* pairs = scores.transitions_into(t);
    low = high = 0;
    for (size_t i = 0; i < scores.labels; ++i)
      for (size_t j = 0; j < scores.labels; ++j) {
        const double x = pairs[i * scores.stride + j];
        if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
      }
    range += high - low;
  }
  for (const Rule& rule : compiled.constraints().rules())
    if (!rule.hard()) range += rule.penalty * static_cast<double>(instance.length);
  Decoded best = decode(Compiled(compiled.constraints().softened(range)), instance, scores, options);
  best.penalty = 0;  // hard rules are not part of the score
  if (best.outcome == Outcome::kExact) best.outcome = Outcome::kApproximate;
  return best;
}

Compromise compromise(const Compiled& compiled, const Instance& instance, const Scores& scores,
                      const DecodeOptions& options) {
  Compromise out;
  DecodeOptions rest_of_time = options;
  rest_of_time.deadline = options.limit();
  // The labelling matters more than its explanation, so it gets the time first.
  out.best = least_broken(compiled, instance, scores, rest_of_time);
  out.clash = smallest_clash(compiled.constraints(), [&](const Constraints& some) {
    return !rest_of_time.deadline.passed() &&
           decode(Compiled(some), instance, scores, rest_of_time).outcome == Outcome::kInfeasible;
  });
  return out;
}

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

}  // namespace espalier::constrain

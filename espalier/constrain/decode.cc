#include "espalier/constrain/decode.h"

#include <algorithm>
#include <cmath>

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

Decoded decode(const Compiled& compiled, const Instance& instance, const Scores& scores,
               const DecodeOptions& options) {
  const bool neighbours = scores.trans != nullptr || scores.edge != nullptr;
  const Method method =
      options.method == Method::kAuto ? choose_method(compiled, instance.length, neighbours) : options.method;
  if (method == Method::kInteger) return decode_integer(compiled, instance, scores, options.seconds);
  if (method == Method::kBeam && searchable(compiled))
    return decode_search(compiled, instance, scores, options.beam);
  if (method == Method::kLattice && compiled.regular()) {
    Decoded found = decode_lattice(compiled, instance, scores);
    if (found.outcome != Outcome::kOutOfBudget) return found;
    return decode_integer(compiled, instance, scores, options.seconds);
  }
  if (searchable(compiled)) {
    Decoded found = decode_search(compiled, instance, scores, 0);
    if (found.outcome != Outcome::kOutOfBudget) return found;
  }
  return decode_integer(compiled, instance, scores, options.seconds);
}

Compromise compromise(const Compiled& compiled, const Instance& instance, const Scores& scores,
                      const DecodeOptions& options) {
  Compromise out;
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
  out.best = decode(Compiled(compiled.constraints().softened(range)), instance, scores, options);
  out.best.penalty = 0;  // hard rules are not part of the score
  if (out.best.outcome == Outcome::kExact) out.best.outcome = Outcome::kApproximate;

  Constraints rest = compiled.constraints();
  for (size_t c = 0; c < rest.statements().size(); ++c) {
    if (rest.statements()[c].penalty != kHard) continue;
    Constraints fewer = rest.without(c);
    if (decode(Compiled(fewer), instance, scores, options).outcome == Outcome::kInfeasible) {
      rest = std::move(fewer);
    } else {
      out.clash.push_back(c);
    }
  }
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

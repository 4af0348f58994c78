#include "espalier/constrain/effect.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/chain/lattice/lattice_marginals.h"
#include "espalier/chain/lattice/lattice_nbest.h"
#include "espalier/chain/span_marginals.h"
#include "espalier/data/refined_predictor.h"

namespace espalier::constrain {

using chain::Outcome;
using data::ConstraintEffect;
using data::Label;

ConstraintEffect::Outcome effect_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kExact:
      return ConstraintEffect::Outcome::kExact;
    case Outcome::kApproximate:
      return ConstraintEffect::Outcome::kApproximate;
    case Outcome::kInfeasible:
      return ConstraintEffect::Outcome::kInfeasible;
    case Outcome::kOutOfBudget:
      break;
  }
  return ConstraintEffect::Outcome::kOutOfTime;
}

std::vector<Compiled> each_left_out(const Constraints& constraints) {
  std::vector<Compiled> out;
  for (size_t c = 0; c < constraints.statements().size(); ++c) out.emplace_back(constraints.without(c));
  return out;
}

void explain_effect(const Compiled& compiled, const std::vector<Compiled>& without, const Instance& instance,
                    double score, const DecodeUnder& decode_under, data::Prediction& out) {
  const Constraints& constraints = compiled.constraints();
  Constraints none = constraints;
  for (size_t c = 0; c < none.statements().size(); ++c) none = none.without(c);
  const Decoded free = decode_under(Compiled(std::move(none)));
  const std::vector<Label> labels = out.labels();
  ConstraintEffect& effect = *out.constraints;
  effect.price = free.score - score;
  if (free.labels == labels || free.labels.size() != labels.size()) return;
  const double value = score - constraints.penalty(instance, labels);
  const bool satisfied = std::isfinite(value);
  std::vector<Decoded> alternatives;
  for (const Compiled& fewer : without) alternatives.push_back(decode_under(fewer));
  for (size_t t = 0; t < labels.size(); ++t) {
    if (free.labels[t] == labels[t]) continue;
    ConstraintEffect::Change change{t, free.labels[t], {}};
    for (size_t c = 0; c < without.size(); ++c) {
      const Decoded& other = alternatives[c];
      if (other.labels.empty() || other.labels[t] == labels[t]) continue;
      change.reasons.push_back(
          {constraints.statements()[c].name,
           satisfied ? other.value() - value : std::numeric_limits<double>::quiet_NaN()});
    }
    if (change.reasons.empty()) {
      // No single constraint is the reason: those that the unconstrained labelling breaks are so together.
      for (size_t r = 0; r < constraints.rules().size(); ++r) {
        const std::string& name = constraints.name_of(constraints.rules()[r]);
        const bool known = std::any_of(change.reasons.begin(), change.reasons.end(),
                                       [&](const auto& reason) { return reason.constraint == name; });
        if (!known && constraints.violations(r, instance, free.labels) > 0)
          change.reasons.push_back({name, 0});
      }
    }
    effect.changes.push_back(std::move(change));
  }
}

Status predict_from_lattice(ConstrainedLattice& product, double temperature, const data::LabelSet& labels,
                            data::Scheme scheme, const data::PredictOptions& options, data::Prediction& out) {
  if (product.outcome == Outcome::kOutOfBudget)
    return fail(
        "the lattice of all labellings that satisfy the constraints is too large for n-best lists and "
        "probabilities, or for the time limit");
  chain::NBestResult found;
  if (product.outcome == Outcome::kExact)
    found = chain::n_best(product.lattice, std::max<size_t>(options.nbest, 1));
  if (product.outcome != Outcome::kExact || found.outcome == Outcome::kInfeasible)
    return fail("no labelling satisfies all constraints, so there are no probabilities");
  if (found.outcome == Outcome::kOutOfBudget)
    return fail("so many best labellings take too much memory; ask for fewer");
  const float factor = static_cast<float>(1 / temperature);
  for (float& x : product.lattice.state_scores()) x *= factor;
  for (float& x : product.lattice.arc_scores()) x *= factor;
  const chain::SumMarginals sums = chain::sum_marginals(product.lattice);
  const size_t T = product.lattice.positions(), K = labels.size();
  out.best.clear();
  for (const chain::LatticePath& path : found.paths)
    out.best.push_back({chain::path_labels(product.lattice, path.states), path.score,
                        std::exp(path.score * static_cast<double>(factor) - sums.log_z)});
  std::vector<float> marginals(T * K, 0.0f);
  for (size_t t = 0; t < T; ++t) {
    const Range states = product.lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s)
      marginals[t * K + product.lattice.label(s)] += static_cast<float>(sums.state[s]);
  }
  out.confidence.resize(T);
  for (size_t t = 0; t < T; ++t)
    out.confidence[t] =
        std::min(1.0f, data::probability_of(labels, {marginals.data() + t * K, K}, out.labels()[t]));
  if (options.confidence && scheme != data::Scheme::kNone) {
    const chain::SpanRules rules(labels, scheme);
    std::vector<std::string_view> names;
    for (const Label label : out.labels()) names.push_back(labels.name(label));
    for (const data::Span& span : data::spans(names, scheme))
      out.spans.push_back({span.first, span.last, std::string(span.type),
                           chain::span_probability(rules, product.lattice, sums, span)});
  }
  if (options.marginals) out.marginals = std::move(marginals);
  out.constraints.emplace();
  return {};
}

}  // namespace espalier::constrain

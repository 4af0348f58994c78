#include "espalier/constrain/constrained_cascade.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/base/text/format.h"
#include "espalier/chain/lattice/lattice_viterbi.h"

namespace espalier::constrain {

using chain::Outcome;
using data::ConstraintEffect;
using data::Label;

namespace {

constexpr size_t kCascadeArcs = size_t{1} << 26;

/// The best path of a lattice under rules.
Decoded decode_on(const Compiled& rules, const Instance& instance, const chain::Lattice& lattice,
                  Deadline deadline) {
  Decoded out;
  const ConstrainedLattice product =
      constrained_lattice(rules, instance, lattice, kCascadeArcs, /*mapped=*/false, deadline);
  out.outcome = product.outcome;
  if (product.outcome != Outcome::kExact) return out;
  const chain::LatticePath path = chain::viterbi(product.lattice);
  out.outcome = path.outcome;
  if (path.outcome != Outcome::kExact) return out;
  out.labels = chain::path_labels(product.lattice, path.states);
  out.penalty = rules.constraints().penalty(instance, out.labels);
  out.score = path.score + out.penalty;
  return out;
}

/// An upper bound on the score difference of any two paths of a lattice.
double range_of(chain::Lattice lattice) {
  double range = 1;
  for (size_t t = 0; t < lattice.positions(); ++t) {
    double low = 0, high = 0, arc_low = 0, arc_high = 0;
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      low = std::min<double>(low, lattice.state_score(s));
      high = std::max<double>(high, lattice.state_score(s));
      const Range arcs = lattice.arcs_into(s);
      for (size_t a = arcs.first; a < arcs.last; ++a) {
        arc_low = std::min<double>(arc_low, lattice.arc_score(a));
        arc_high = std::max<double>(arc_high, lattice.arc_score(a));
      }
    }
    range += high - low + arc_high - arc_low;
  }
  return range;
}

}  // namespace

ConstrainedCascade::ConstrainedCascade(const cascade::CascadePredictor& model, Constraints constraints,
                                       bool why, bool strict, double seconds)
    : ConstrainedModel(model, std::move(constraints), why,
                       "Viterbi on what the filters and the constraints leave"),
      model_(model),
      why_(why),
      strict_(strict),
      seconds_(seconds) {}

Result<std::unique_ptr<ConstrainedCascade>> ConstrainedCascade::make(const cascade::CascadePredictor& model,
                                                                     Constraints constraints, bool why,
                                                                     bool strict, double seconds) {
  if (!Compiled(constraints).regular())
    return fail("{}: a cascade supports regular constraints only", constraints.file());
  return std::unique_ptr<ConstrainedCascade>(
      new ConstrainedCascade(model, std::move(constraints), why, strict, seconds));
}

/// Leaves the lattice that was used in the scratch, and its intersection with the constraints in `product`,
/// which is empty if no labelling is allowed.
Result<ConstraintEffect> ConstrainedCascade::find_lattice(const data::Sequence& sequence,
                                                          const Instance& instance,
                                                          std::span<const Label> forced, Deadline deadline,
                                                          Scratch& scratch,
                                                          ConstrainedLattice& product) const {
  ConstraintEffect effect;
  model_.look_up(sequence, scratch);
  // First α as trained, then at most 0 (the mean of the max-marginals), at most −0.5, and finally no filter.
  for (const double most : {1.0, 0.0, -0.5, -1.0}) {
    std::vector<double> alphas = model_.alphas();
    for (double& alpha : alphas) alpha = std::min(alpha, most);
    const Status status = model_.search(forced, most > -1 ? &alphas : nullptr, scratch);
    if (!status.ok() && most == 1) return status.error();
    if (!status.ok())
      return fail("line {}: the filters left no labelling that satisfies the constraints, and {}",
                  sequence.line(0), status.error().message);
    product = constrained_lattice(compiled_, instance, cascade::CascadePredictor::trellis_of(scratch).lattice,
                                  kCascadeArcs, /*mapped=*/false, deadline);
    if (product.outcome == Outcome::kOutOfBudget)
      return fail(
          "line {}: the lattice of the labellings that satisfy the constraints is too large for {:g} s; "
          "fewer "
          "constraints or more time (--time-limit) would help",
          sequence.line(0), seconds_);
    if (product.outcome == Outcome::kExact) return effect;
    effect.outcome = ConstraintEffect::Outcome::kApproximate;
  }
  effect.outcome = ConstraintEffect::Outcome::kInfeasible;
  return effect;
}

Status ConstrainedCascade::predict(const data::Sequence& sequence, std::span<const Label> forced,
                                   const data::PredictOptions& options, Scratch& scratch,
                                   data::Prediction& out) const {
  if (options.decoder == data::Decoder::kPosterior)
    return fail("the posterior decoder does not support constraints: it chooses each label by itself");
  out.clear();
  const Instance instance = instance_of_rows(compiled_.constraints(), sequence);
  ConstrainedLattice product;
  const Deadline deadline = Deadline::after(seconds_);
  ESPALIER_ASSIGN(ConstraintEffect effect,
                  find_lattice(sequence, instance, forced, deadline, scratch, product));
  const chain::Lattice& lattice = cascade::CascadePredictor::trellis_of(scratch).lattice;
  double score = 0;
  if (effect.outcome == ConstraintEffect::Outcome::kInfeasible) {
    if (options.nbest > 1 || options.confidence || options.marginals)
      return fail("no labelling satisfies all constraints, so there are no probabilities");
    const Decoded least =
        decode_on(Compiled(compiled_.constraints().softened(range_of(lattice))), instance, lattice, deadline);
    // When time is up, all that are left are named.
    for (const size_t c : smallest_clash(compiled_.constraints(), [&](const Constraints& some) {
           return !deadline.passed() &&
                  decode_on(Compiled(some), instance, lattice, deadline).outcome == Outcome::kInfeasible;
         }))
      effect.clash.push_back(compiled_.constraints().statements()[c].name);
    if (strict_ || least.labels.empty())
      return fail("line {}: no labelling satisfies all constraints{}{}", sequence.line(0),
                  effect.clash.empty() ? "" : "; these clash: ", joined(effect.clash, ", "));
    score = least.score;
    out.best.front() = {least.labels, score, std::numeric_limits<double>::quiet_NaN()};
  } else if (options.nbest > 1 || options.confidence || options.marginals) {
    ESPALIER_TRY(
        predict_from_lattice(product, model_.temperature(), labels(), model_.scheme(), options, out));
    score = out.best.front().score + compiled_.constraints().penalty(instance, out.labels());
  } else {
    const chain::LatticePath path = chain::viterbi(product.lattice);
    ESPALIER_CHECK(path.outcome == Outcome::kExact);
    out.best.front() = {chain::path_labels(product.lattice, path.states), path.score,
                        std::numeric_limits<double>::quiet_NaN()};
    score = path.score + compiled_.constraints().penalty(instance, out.labels());
    out.best.front().score = score;
  }
  out.constraints = std::move(effect);
  if (why_)
    explain_effect(
        compiled_, without_, instance, score,
        [&](const Compiled& rules) {
          return deadline.passed() && !rules.only_local() ? Decoded{}
                                                          : decode_on(rules, instance, lattice, deadline);
        },
        out);
  return {};
}

Result<std::vector<data::Predictor::Explanation>> ConstrainedCascade::explain_forced(
    const data::Sequence& sequence, std::span<const Label> forced, Scratch& scratch) const {
  data::Prediction found;
  ESPALIER_TRY(predict(sequence, forced, {}, scratch, found));
  return model_.explain_path(sequence, found.labels(), scratch);  // in the lattice that predict() left
}

}  // namespace espalier::constrain

#include "espalier/constrain/constrained_predictor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/base/text/format.h"
#include "espalier/constrain/constrained_lattice.h"

namespace espalier::constrain {

using chain::Outcome;
using data::ConstraintEffect;
using data::Label;

namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kMostArcs = size_t{1} << 26;

/// Cells of the label column may be missing if the input has no labels; a missing cell allows everything.
std::string_view cell_or_nothing(const data::Sequence& sequence, size_t row, size_t column) {
  return column < sequence.columns() ? sequence.cell(row, column) : std::string_view();
}

/// What decodes sequences of a hundred tokens by this method.
std::string decoder_name(const Compiled& compiled, Method method, bool transitions) {
  if (method == Method::kAuto) method = choose_method(compiled, 100, transitions);
  if (method == Method::kInteger) return "integer program";
  if (method == Method::kBeam) return "beam search";
  if (method != Method::kLattice) return "exact search";
  return compiled.only_local() ? "Viterbi" : "Viterbi on the lattice and its automata";
}

}  // namespace

Instance instance_of_rows(const Constraints& constraints, const data::Sequence& sequence) {
  return constraints.instance(
      sequence.length(), [&](size_t row, size_t column) { return cell_or_nothing(sequence, row, column); });
}

ConstrainedPredictor::ConstrainedPredictor(const chain::ChainPredictor& model, Constraints constraints,
                                           ConstrainedOptions options, InstanceMaker instance)
    : ConstrainedModel(model, std::move(constraints), options.why, {}),
      model_(model),
      options_(options),
      instance_(std::move(instance)) {
  const size_t K = model.labels().size(), S = linear::padded(K);
  trans_.assign(K * S, 0.0f);
  for (size_t i = 0; i < K; ++i)
    for (size_t j = 0; j < K; ++j)
      trans_[i * S + j] = model.transition(static_cast<Label>(i), static_cast<Label>(j));
  subtract_pair_penalties(compiled_.local(), S, trans_.data());
  decoder_ = decoder_name(compiled_, options_.decode.method, model.transitions());
}

Result<std::vector<data::Predictor::Explanation>> ConstrainedPredictor::explain_forced(
    const data::Sequence& sequence, std::span<const Label> forced, Scratch& scratch) const {
  data::Prediction found;
  ESPALIER_TRY(predict(sequence, forced, {}, scratch, found));
  return model_.explain_labels(sequence, found.labels(), forced, scratch);
}

bool ConstrainedPredictor::fast_path(const data::PredictOptions&) const {
  return compiled_.only_local() && !options_.why &&
         (options_.decode.method == Method::kAuto || options_.decode.method == Method::kLattice);
}

Status ConstrainedPredictor::predict(const data::Sequence& sequence, std::span<const Label> forced,
                                     const data::PredictOptions& options, Scratch& scratch,
                                     data::Prediction& out) const {
  if (options.decoder == data::Decoder::kPosterior)
    return fail("the posterior decoder does not support constraints: it chooses each label by itself");
  chain::SequenceScores& scores = model_.scores(sequence, forced, scratch);
  const bool reads = compiled_.constraints().reads_cells();
  if (fast_path(options)) {
    Scores& view = scores.view;
    std::vector<double> rows;
    if (reads) rows = compiled_.row_penalties(instance_(compiled_.constraints(), sequence));
    subtract_label_penalties(compiled_, rows, view.length, view.stride, scores.node.data());
    if (compiled_.local().pairs) {
      view.trans = trans_.data();
      for (size_t t = 1; t < view.length && view.edge != nullptr; ++t)
        subtract_pair_penalties(compiled_.local(), view.stride,
                                scores.edge.data() + t * view.labels * view.stride);
    }
    if (model_.decode(options, scratch, out).ok()) {
      out.constraints.emplace();
      return {};
    }
    model_.scores(sequence, forced, scratch);  // the unchanged scores: the code below finds out what is wrong
  }
  DecodeOptions how = options_.decode;
  how.deadline = how.limit();  // of everything that is done for this sequence
  const Instance instance = instance_(compiled_.constraints(), sequence);
  // If the model does not score neighbours, decoders can skip pairs.
  if (!model_.transitions() && scores.view.edge == nullptr) scores.view.trans = nullptr;
  out.clear();
  if (options.nbest > 1 || options.confidence || options.marginals)
    return predict_by_lattice(instance, scores.view, options, how, out);
  return settle(sequence, instance, scores.view, decode(compiled_, instance, scores.view, how), how, out);
}

Status ConstrainedPredictor::settle(const data::Sequence& sequence, const Instance& instance,
                                    const Scores& scores, Decoded found, const DecodeOptions& how,
                                    data::Prediction& out) const {
  ConstraintEffect effect;
  effect.outcome = effect_of(found.outcome);
  const size_t line = sequence.length() > 0 ? sequence.line(0) : 0;
  if (options_.strict && found.outcome == Outcome::kOutOfBudget)
    return fail("line {}: the best labelling was not found in time", line);
  if (found.outcome != Outcome::kExact && found.labels.empty() && (instance.length > 0 || options_.strict)) {
    // That none was found in time does not mean that there is none.
    const bool proven = found.outcome == Outcome::kInfeasible;
    Compromise answer;
    if (proven) {
      answer = compromise(compiled_, instance, scores, how);
    } else {
      answer.best = least_broken(compiled_, instance, scores, how);
    }
    effect.outcome = proven ? ConstraintEffect::Outcome::kInfeasible : ConstraintEffect::Outcome::kNoneInTime;
    for (const size_t c : answer.clash) effect.clash.push_back(compiled_.constraints().statements()[c].name);
    if (!proven && answer.best.labels.empty())
      return fail("line {}: no labelling that satisfies the constraints was found in time", line);
    if (options_.strict || answer.best.labels.empty())
      return fail("line {}: no labelling satisfies all constraints{}{}", line,
                  effect.clash.empty() ? "" : "; these clash: ", joined(effect.clash, ", "));
    found = std::move(answer.best);
  }
  out.best.front() = {std::move(found.labels), found.score, kNotKnown};
  out.constraints = std::move(effect);
  if (options_.why) add_reasons(instance, scores, how, out);
  return {};
}

Status ConstrainedPredictor::predict_by_lattice(const Instance& instance, const Scores& scores,
                                                const data::PredictOptions& options, const DecodeOptions& how,
                                                data::Prediction& out) const {
  if (!compiled_.regular()) return fail("probabilities and n-best lists need constraints that are regular");
  PenalisedScores folded;
  folded.assign(compiled_, instance, scores);
  ConstrainedLattice product = constrained_lattice(compiled_, folded.view, kMostArcs, how.deadline);
  ESPALIER_TRY(predict_from_lattice(product, model_.temperature(), labels(), model_.scheme(), options, out));
  if (options_.why) add_reasons(instance, scores, how, out);
  return {};
}

/// When time is up, the reasons that are not known yet are left out.
void ConstrainedPredictor::add_reasons(const Instance& instance, const Scores& scores,
                                       const DecodeOptions& how, data::Prediction& out) const {
  explain_effect(
      compiled_, without_, instance, score_labels(scores, out.labels()),
      [&](const Compiled& rules) {
        return how.deadline.passed() && !rules.only_local() ? Decoded{}
                                                            : decode(rules, instance, scores, how);
      },
      out);
}

}  // namespace espalier::constrain

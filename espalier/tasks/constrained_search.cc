#include "espalier/tasks/constrained_search.h"

#include <algorithm>

#include "espalier/base/text/format.h"
#include "espalier/constrain/effect.h"

namespace espalier::tasks {

using constrain::Compiled;
using constrain::Completion;
using constrain::Constraints;
using constrain::Instance;
using data::Label;

Result<std::vector<constrain::Move>> moves_under(const Constraints& constraints, const DecisionPlan& plan) {
  for (const constrain::Statement& statement : constraints.statements())
    if (statement.penalty != constrain::kHard)
      return fail(
          "{}:{}: '{}' is soft; a search only offers what constraints allow or does not, so it takes hard "
          "ones",
          constraints.file(), statement.place.line, statement.name);
  if (plan.columns() > 1)
    return fail("{}: a search that decides several columns cannot keep to constraints", constraints.file());
  if (plan.order != DecisionOrder::kLeftToRight)
    return fail(
        "{}: a search that decides from right to left cannot keep to constraints, nor one that "
        "decides what is easiest first",
        constraints.file());
  if (!Compiled(constraints).regular())
    return fail("{}: a search keeps to regular constraints only", constraints.file());
  if (plan.unit == DecisionUnit::kChunk) return chunk_moves(plan);
  return constrain::label_moves(plan.labels.size());
}

Result<LegalTraining> legal_training(const Constraints& constraints, std::span<const Instance> instances,
                                     const std::vector<constrain::Move>& moves, const GoldOf& gold) {
  const Compiled compiled(constraints);
  LegalTraining out;
  std::vector<size_t> broken(constraints.statements().size(), 0);
  size_t unrestricted = 0;
  for (size_t s = 0; s < instances.size(); ++s) {
    const std::vector<Label> labels = gold(s);
    const bool known = std::find(labels.begin(), labels.end(), data::kNoLabel) == labels.end();
    const std::vector<size_t> mine =
        known ? constraints.broken_constraints(instances[s], labels) : std::vector<size_t>();
    // Labels that are not all known can be learned from where some completion of them is legal.
    ESPALIER_ASSIGN(Completion legal, Completion::make(compiled, instances[s], moves,
                                                       known ? std::span<const Label>() : labels));
    if (!known && !legal.infeasible()) {
      ESPALIER_ASSIGN(legal, Completion::make(compiled, instances[s], moves));
    }
    const bool restricted = mine.empty() && !legal.infeasible();
    for (const size_t c : mine) ++broken[c];
    unrestricted += !restricted;
    out.legal.push_back(restricted ? std::make_unique<const Completion>(std::move(legal)) : nullptr);
  }
  if (unrestricted == 0) return out;
  std::string names;
  for (size_t c = 0; c < broken.size(); ++c)
    if (broken[c] > 0)
      names +=
          fmt::format("{}{} ({})", names.empty() ? ": " : ", ", constraints.statements()[c].name, broken[c]);
  out.note = fmt::format("{} of {} sequences break hard constraints and were trained on without{}",
                         unrestricted, instances.size(), names);
  return out;
}

ConstrainedSearch::ConstrainedSearch(const SearchPredictor& model, Constraints constraints, bool why,
                                     bool strict, double seconds, std::vector<constrain::Move> moves)
    : ConstrainedModel(model, std::move(constraints), why,
                       "the model's own search, among what can be completed"),
      model_(model),
      why_(why),
      strict_(strict),
      seconds_(seconds),
      moves_(std::move(moves)) {}

Result<std::unique_ptr<ConstrainedSearch>> ConstrainedSearch::make(const SearchPredictor& model,
                                                                   Constraints constraints, bool why,
                                                                   bool strict, double seconds) {
  ESPALIER_ASSIGN(auto moves, moves_under(constraints, model.plan()));
  return std::unique_ptr<ConstrainedSearch>(
      new ConstrainedSearch(model, std::move(constraints), why, strict, seconds, std::move(moves)));
}

Result<Completion> ConstrainedSearch::find_legal(const data::Sequence& sequence, const Instance& instance,
                                                 std::span<const Label> forced, Deadline deadline,
                                                 data::ConstraintEffect& effect) const {
  using Outcome = data::ConstraintEffect::Outcome;
  const Constraints& all = compiled_.constraints();
  const auto complete = [&](const Compiled& some) {
    return Completion::make(some, instance, moves_, forced, deadline);
  };
  Result<Completion> legal = complete(compiled_);
  effect.outcome = Outcome::kApproximate;
  if (legal.ok() && !legal->infeasible()) return legal;

  // Nothing is legal, or there are too many states or too little time to say what is.
  const auto clashes = [&](const Constraints& some) {
    const Compiled compiled(some);
    const Result<Completion> completion = complete(compiled);
    return completion.ok() ? completion->infeasible() : counts_clash(compiled, instance.length);
  };
  const bool proven = legal.ok() || counts_clash(compiled_, instance.length);
  effect.outcome = proven ? Outcome::kInfeasible : Outcome::kNoneInTime;
  if (proven)
    for (const size_t c : smallest_clash(all, clashes)) effect.clash.push_back(all.statements()[c].name);
  const size_t line = sequence.length() > 0 ? sequence.line(0) : 0;
  if (strict_ && !proven) return fail("line {}: {}", line, legal.error().message);
  const auto nothing_is_legal = [&] {
    return fail("line {}: no labelling satisfies all constraints{}{}", line,
                effect.clash.empty() ? "" : "; these clash: ", joined(effect.clash, ", "));
  };
  if (strict_) return nothing_is_legal();

  // One constraint after another, if it leaves something legal that can be found in time.
  constexpr double kLastResort = 0.2;  // seconds for an answer even if the time is up
  deadline = deadline.at_least(kLastResort);
  std::vector<bool> kept(all.statements().size(), false);
  const auto complete_kept = [&] {
    Constraints some = all;
    for (size_t c = 0; c < kept.size(); ++c)
      if (!kept[c]) some = some.without(c);
    return complete(Compiled(some));
  };
  legal = complete_kept();
  for (size_t c = 0; c < kept.size(); ++c) {
    kept[c] = true;
    Result<Completion> with = complete_kept();
    kept[c] = with.ok() && !with->infeasible();
    if (kept[c]) legal = std::move(with);
  }
  if (!legal.ok() || legal->infeasible()) return nothing_is_legal();
  return legal;
}

Result<std::vector<data::Predictor::Explanation>> ConstrainedSearch::explain_forced(
    const data::Sequence& sequence, std::span<const Label> forced, Scratch& scratch) const {
  const Instance instance = constrain::instance_of_rows(compiled_.constraints(), sequence);
  data::ConstraintEffect effect;
  ESPALIER_ASSIGN(const Completion legal,
                  find_legal(sequence, instance, forced, Deadline::after(seconds_), effect));
  return model_.explain_legal(sequence, forced, &legal, moves_, scratch);
}

Status ConstrainedSearch::predict(const data::Sequence& sequence, std::span<const Label> forced,
                                  const data::PredictOptions& options, Scratch& scratch,
                                  data::Prediction& out) const {
  const Instance instance = constrain::instance_of_rows(compiled_.constraints(), sequence);
  data::ConstraintEffect effect;
  const Deadline deadline = Deadline::after(seconds_);
  ESPALIER_ASSIGN(const Completion legal, find_legal(sequence, instance, forced, deadline, effect));
  ESPALIER_TRY(model_.predict_legal(sequence, forced, options, &legal, moves_, scratch, out));
  out.constraints = std::move(effect);
  if (!why_) return {};
  Status status;
  const constrain::DecodeUnder decode_under = [&](const Compiled& rules) {
    constrain::Decoded found;
    found.outcome = chain::Outcome::kInfeasible;
    if (deadline.passed() && !rules.only_local()) return found;  // without this reason
    const auto completion = Completion::make(rules, instance, moves_, forced);
    if (!completion.ok()) {
      status = completion.error();
      return found;
    }
    if (completion->infeasible()) return found;
    data::PredictOptions one = options;
    one.nbest = 1;
    data::Prediction other;
    status = model_.predict_legal(sequence, forced, one, &*completion, moves_, scratch, other);
    if (!status.ok()) return found;
    found.outcome = chain::Outcome::kApproximate;
    found.labels = other.labels();
    found.score = other.best.front().score;
    return found;
  };
  constrain::explain_effect(compiled_, without_, instance, out.best.front().score, decode_under, out);
  return status;
}

}  // namespace espalier::tasks

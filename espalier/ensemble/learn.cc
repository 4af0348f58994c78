#include "espalier/ensemble/learn.h"

#include <algorithm>

#include "espalier/base/text/counted.h"
#include "espalier/data/folds.h"
#include "espalier/eval/losses.h"

namespace espalier::ensemble {
namespace {

/// So many sequences held out are enough to calibrate on, however many there are.
constexpr size_t kMostHeldOut = 20'000;

/// What the method taken does on sequences that it did not learn from.
struct HeldOut {
  ConfidenceMap::Counts tokens;
  std::vector<std::pair<std::vector<double>, bool>> sequences;  ///< shares, all right
  LengthLosses lengths;
  HammingMean ensemble, best;
  size_t edits = 0, best_edits = 0;  ///< if outputs are aligned
};

struct TokenErrors {
  size_t known = 0, wrong = 0;
};

TokenErrors count_errors(const TokenVotes& tokens, const std::vector<data::Label>& labels) {
  TokenErrors errors;
  for (size_t t = 0; t < tokens.length(); ++t) {
    if (tokens.gold[t] == data::kNoLabel) continue;
    ++errors.known;
    errors.wrong += labels[t] != tokens.gold[t];
  }
  return errors;
}

class Learning {
 public:
  Learning(const VoteStore& sample, data::LabelSet labels, const LearnRequest& request,
           const Monitor& monitor)
      : sample_(sample), request_(request), monitor_(monitor), workers_(request.threads) {
    out_.model.labels = std::move(labels);
    out_.model.aligned = request.aligned;
  }
  Result<LearnOutcome> run();

 private:
  Status encode();
  Status choose();
  Status measure_held_out();
  Status held_out_fold(int folds, int fold, HeldOut& held_out);
  void calibrate(const HeldOut& held_out);

  std::unique_ptr<VoteSource> part(int folds, int fold, bool inside) const;

  const VoteStore& sample_;
  const LearnRequest& request_;
  const Monitor& monitor_;
  Workers workers_;
  VoteBatch batch_;  ///< where the store is in memory
  DividedSample divided_;
  Method method_ = Method::kMvote;
  MethodOptions options_;
  LearnOutcome out_;
};

Status Learning::encode() {
  if (sample_.sequences() == 0) return fail("there is no sequence to learn from");
  out_.model.training_tokens = sample_.tokens();
  out_.model.training_sequences = sample_.sequences();
  divided_.sequences = sample_.sequences();
  divided_.part = [this](int folds, int fold, bool inside) { return part(folds, fold, inside); };
  if (!sample_.in_memory()) return {};
  batch_ = VoteBatch(sample_.experts());
  Substructures substructures(request_.substructures, out_.model.labels, request_.scheme);
  VoteStore::Cursor cursor(sample_);
  TokenVotes tokens;
  while (true) {
    ESPALIER_ASSIGN(const bool more, cursor.next(tokens));
    if (!more) return {};
    batch_.add(substructures.encode(tokens));
  }
}

std::unique_ptr<VoteSource> Learning::part(int folds, int fold, bool inside) const {
  if (sample_.in_memory()) return divide(batch_, request_.seed).part(folds, fold, inside);
  auto source =
      std::make_unique<StoreSource>(sample_, request_.substructures, out_.model.labels, request_.scheme);
  source->select(folds, fold, inside, request_.seed);
  return source;
}

Status Learning::choose() {
  options_ = request_.options;
  method_ = request_.methods.front();
  const bool open_beta =
      request_.betas.size() > 1 && std::any_of(request_.methods.begin(), request_.methods.end(), uses_beta);
  if (request_.methods.size() == 1 && !open_beta) {
    if (!request_.betas.empty()) options_.online.wmwp.beta = request_.betas.front();
    return {};
  }
  if (choice_folds(sample_.sequences()) == 0) {
    out_.notes.push_back(fmt::format("{}, too few to choose on: {} with β = {} it is",
                                     counted(sample_.sequences(), "sequence"), method_name(method_),
                                     options_.online.wmwp.beta));
    return {};
  }
  ESPALIER_ASSIGN(out_.candidates,
                  try_candidates(divided_, request_.methods, request_.betas, options_, workers_, monitor_));
  const Candidate& best = best_candidate(out_.candidates);
  out_.notes.push_back(choice_in_words(out_.candidates, best));
  method_ = best.method;
  if (best.beta > 0) options_.online.wmwp.beta = best.beta;
  return {};
}

Status Learning::held_out_fold(int folds, int fold, HeldOut& held_out) {
  const std::unique_ptr<VoteSource> train = part(folds, fold, false);
  const auto hypothesis = learn_hypothesis(*train, method_, options_, monitor_);
  if (!hypothesis.ok()) return hypothesis.error();
  ESPALIER_ASSIGN(const BestExpert best, best_expert(*train));

  data::LabelSet labels = out_.model.labels;
  Substructures substructures(request_.substructures, labels, request_.scheme);
  CombineRule rule;
  rule.table = &hypothesis->table;
  rule.suffix = method_ == Method::kRand ? &hypothesis->suffix : nullptr;
  rule.automaton = options_.automaton;
  rule.legal = request_.legal ? request_.scheme : data::Scheme::kNone;
  rule.form = request_.form;
  rule.seed = request_.seed;
  Combiner combiner(rule, substructures, labels);
  Combined combined;
  std::vector<data::Label> alone;
  VoteStore::Cursor cursor(sample_);
  TokenVotes tokens;
  for (size_t s = 0; held_out.sequences.size() < kMostHeldOut; ++s) {
    ESPALIER_ASSIGN(const bool more, cursor.next(tokens));
    if (!more) break;
    if (data::fold_of(s, folds, request_.seed) != fold) continue;
    ESPALIER_TRY(combiner.combine(tokens, s, combined));
    const TokenErrors errors = count_errors(tokens, combined.labels);
    alone.clear();
    for (size_t t = 0; t < tokens.length(); ++t) alone.push_back(tokens.label(t, best.expert));
    const TokenErrors best_errors = count_errors(tokens, alone);
    held_out.ensemble.add(errors.wrong, errors.known);
    held_out.best.add(best_errors.wrong, best_errors.known);
    if (errors.known == 0) continue;
    held_out.lengths.add(tokens.length(),
                         static_cast<double>(best_errors.wrong) / static_cast<double>(errors.known),
                         static_cast<double>(errors.wrong) / static_cast<double>(errors.known));
    for (size_t t = 0; t < tokens.length(); ++t)
      if (tokens.gold[t] != data::kNoLabel)
        held_out.tokens.add(combined.share[t], combined.labels[t] == tokens.gold[t]);
    bool right = errors.wrong == 0;
    if (request_.aligned) {
      const std::vector<data::Label> said = without_gaps(combined.labels, out_.model.gap());
      right = said == tokens.target;
      held_out.edits += eval::edit_distance(tokens.target, said);
      held_out.best_edits += eval::edit_distance(tokens.target, without_gaps(alone, out_.model.gap()));
    }
    held_out.sequences.emplace_back(combined.share, right);
  }
  return {};
}

void Learning::calibrate(const HeldOut& held_out) {
  EnsembleModel& model = out_.model;
  model.token_confidence = ConfidenceMap::fit(held_out.tokens);
  ConfidenceMap::Counts sequences;
  std::vector<double> confidence;
  for (const auto& [share, right] : held_out.sequences) {
    confidence.clear();
    for (const double s : share) confidence.push_back(model.token_confidence(s));
    sequences.add(sequence_score(confidence), right);
  }
  model.sequence_confidence = ConfidenceMap::fit(sequences);
  model.calibrated = true;
}

Status Learning::measure_held_out() {
  if (!request_.calibrate && !request_.learn_switch) return {};
  const int folds = choice_folds(sample_.sequences());
  if (folds == 0) {
    out_.notes.push_back(fmt::format(
        "{}, too few to hold any out: confidences are the vote's own{}",
        counted(sample_.sequences(), "sequence"),
        request_.learn_switch ? ", and no length is chosen below which the best expert takes over" : ""));
    return {};
  }
  HeldOut held_out;
  const int used = sample_.sequences() >= 20'000 ? 1 : folds;
  for (int fold = 0; fold < used; ++fold) {
    Progress progress;
    progress.phase = "calibrating";
    progress.done = fold;
    progress.total = used;
    monitor_.report(progress);
    if (monitor_.stop_requested()) return fail("interrupted while calibrating");
    ESPALIER_TRY(held_out_fold(folds, fold, held_out));
  }
  out_.held_out_error = held_out.ensemble.mean();
  out_.held_out_best = held_out.best.mean();
  if (const auto measured = static_cast<double>(held_out.sequences.size());
      request_.aligned && measured > 0) {
    out_.held_out_edits = static_cast<double>(held_out.edits) / measured;
    out_.held_out_best_edits = static_cast<double>(held_out.best_edits) / measured;
  }
  if (request_.calibrate) calibrate(held_out);
  if (request_.learn_switch && method_ == Method::kBest) {
    out_.notes.push_back(
        "switching by length has no effect: the method taken is the best expert alone (--method names "
        "another)");
  } else if (request_.learn_switch) {
    const size_t length = out_.model.switch_length = choose_switch(held_out.lengths);
    const size_t left = held_out.lengths.sequences_below(length),
                 all = held_out.lengths.sequences_below(SIZE_MAX);
    out_.notes.push_back(
        length == 0
            ? std::string(
                  "switching by length has no effect: the ensemble is at least as good at every length")
            : fmt::format("sequences of fewer than {} tokens are left to the best expert: {} of {}{}", length,
                          left, all, left == all ? "; it is better at every length" : ""));
  }
  return {};
}

Result<LearnOutcome> Learning::run() {
  ESPALIER_CHECK(!request_.methods.empty());
  ESPALIER_TRY(encode());
  ESPALIER_TRY(choose());
  const std::unique_ptr<VoteSource> all = part(1, 0, true);
  ESPALIER_ASSIGN(Hypothesis hypothesis, learn_hypothesis(*all, method_, options_, monitor_));
  ESPALIER_ASSIGN(const BestExpert best, best_expert(*all));
  EnsembleModel& model = out_.model;
  model.method = method_;
  model.beta = uses_beta(method_) ? options_.online.wmwp.beta : 0;
  model.delta = options_.online.delta;
  model.substructures = request_.substructures;
  model.scheme = request_.scheme;
  model.best_expert = best.expert;
  model.seed = request_.seed;
  model.probabilities = request_.probabilities;
  model.form = request_.form;
  ESPALIER_TRY(measure_held_out());
  model.table = std::move(hypothesis.table);
  if (method_ == Method::kRand) model.suffix = std::move(hypothesis.suffix);
  model.words = std::move(hypothesis.words);
  for (BoostRound& round : hypothesis.boost_rounds) {
    round.path.clear();
    model.boosting.push_back(std::move(round));
  }
  return std::move(out_);
}

}  // namespace

Result<LearnOutcome> learn_ensemble(const VoteStore& sample, data::LabelSet labels,
                                    const LearnRequest& request, const Monitor& monitor) {
  return Learning(sample, std::move(labels), request, monitor).run();
}

}  // namespace espalier::ensemble

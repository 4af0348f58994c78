#include "espalier/ensemble/learn.h"

#include <algorithm>

#include "espalier/data/folds.h"

namespace espalier::ensemble {
namespace {

/// What the method taken does on sequences that it did not learn from.
struct HeldOut {
  ConfidenceMap::Counts tokens;
  std::vector<std::pair<std::vector<double>, bool>> sequences;  ///< shares, all right
  LengthLosses lengths;
  HammingMean ensemble, best;
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
  Learning(const std::vector<TokenVotes>& sample, data::LabelSet labels, const LearnRequest& request,
           const Monitor& monitor)
      : sample_(sample), request_(request), monitor_(monitor), workers_(request.threads) {
    out_.model.labels = std::move(labels);
  }
  Result<LearnOutcome> run();

 private:
  Status encode();
  Status choose();
  Status measure_held_out();
  Status held_out_fold(int folds, int fold, HeldOut& held_out);
  void calibrate(const HeldOut& held_out);

  const std::vector<TokenVotes>& sample_;
  const LearnRequest& request_;
  const Monitor& monitor_;
  Workers workers_;
  VoteBatch batch_;
  Method method_ = Method::kMvote;
  MethodOptions options_;
  LearnOutcome out_;
};

Status Learning::encode() {
  if (sample_.empty()) return fail("there is no sequence to learn from");
  batch_ = VoteBatch(sample_.front().experts);
  Substructures substructures(request_.substructures, out_.model.labels, request_.scheme);
  for (const TokenVotes& tokens : sample_) {
    batch_.add(substructures.encode(tokens));
    out_.model.training_tokens += tokens.length();
  }
  out_.model.training_sequences = sample_.size();
  return {};
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
  if (choice_folds(batch_.sequences()) == 0) {
    out_.notes.push_back(fmt::format("{} sequences are too few to choose on: {} with β = {} it is",
                                     batch_.sequences(), method_name(method_), options_.online.wmwp.beta));
    return {};
  }
  ESPALIER_ASSIGN(out_.candidates, try_candidates(batch_, request_.methods, request_.betas, options_,
                                                  request_.seed, workers_, monitor_));
  const Candidate& best = best_candidate(out_.candidates);
  method_ = best.method;
  if (best.beta > 0) options_.online.wmwp.beta = best.beta;
  return {};
}

Status Learning::held_out_fold(int folds, int fold, HeldOut& held_out) {
  std::vector<uint32_t> inside, outside;
  for (uint32_t s = 0; s < sample_.size(); ++s)
    (data::fold_of(s, folds, request_.seed) == fold ? inside : outside).push_back(s);
  BatchSource train(batch_, outside);
  const auto hypothesis = learn_hypothesis(train, method_, options_, monitor_);
  if (!hypothesis.ok()) return hypothesis.error();
  ESPALIER_ASSIGN(const BestExpert best, best_expert(train));

  data::LabelSet labels = out_.model.labels;
  Substructures substructures(request_.substructures, labels, request_.scheme);
  CombineRule rule;
  rule.table = &hypothesis->table;
  rule.suffix = method_ == Method::kRand ? &hypothesis->suffix : nullptr;
  rule.automaton = options_.automaton;
  rule.legal = request_.legal ? request_.scheme : data::Scheme::kNone;
  rule.seed = request_.seed;
  Combiner combiner(rule, substructures, labels);
  Combined combined;
  std::vector<data::Label> alone;
  for (const uint32_t s : inside) {
    const TokenVotes& tokens = sample_[s];
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
    held_out.sequences.emplace_back(combined.share, errors.wrong == 0);
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
  const int folds = choice_folds(sample_.size());
  if (folds == 0) {
    out_.notes.push_back(fmt::format(
        "{} sequences are too few to hold any out: confidences are the vote's own", sample_.size()));
    return {};
  }
  HeldOut held_out;
  const int used = sample_.size() >= 20'000 ? 1 : folds;
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
  if (request_.calibrate) calibrate(held_out);
  if (request_.learn_switch) {
    out_.model.switch_length = choose_switch(held_out.lengths);
    out_.notes.push_back(out_.model.switch_length == 0
                             ? std::string("the ensemble is better at every length: no switch")
                             : fmt::format("sequences of fewer than {} tokens are left to the best expert",
                                           out_.model.switch_length));
  }
  return {};
}

Result<LearnOutcome> Learning::run() {
  ESPALIER_CHECK(!request_.methods.empty());
  ESPALIER_TRY(encode());
  ESPALIER_TRY(choose());
  BatchSource all(batch_);
  ESPALIER_ASSIGN(Hypothesis hypothesis, learn_hypothesis(all, method_, options_, monitor_));
  ESPALIER_ASSIGN(const BestExpert best, best_expert(all));
  EnsembleModel& model = out_.model;
  model.method = method_;
  model.beta = uses_beta(method_) ? options_.online.wmwp.beta : 0;
  model.delta = options_.online.delta;
  model.substructures = request_.substructures;
  model.scheme = request_.scheme;
  model.best_expert = best.expert;
  model.seed = request_.seed;
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

Result<LearnOutcome> learn_ensemble(const std::vector<TokenVotes>& sample, data::LabelSet labels,
                                    const LearnRequest& request, const Monitor& monitor) {
  return Learning(sample, std::move(labels), request, monitor).run();
}

}  // namespace espalier::ensemble

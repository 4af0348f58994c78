#include "espalier/ensemble/methods/choose.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "espalier/base/text/counted.h"
#include "espalier/data/folds.h"
#include "espalier/eval/significance.h"

namespace espalier::ensemble {
namespace {

constexpr int kMostFolds = 5;
/// From so many sequences on, one fold held out says enough.
constexpr size_t kSingleFoldFrom = 20'000;
/// Sequences of a fold whose losses are kept for comparing candidates.
constexpr size_t kMostCompared = 20'000;

struct Outcome {
  double loss = 0;
  std::string failure;
  std::vector<float> sequence_losses;
};

Outcome try_one(const DividedSample& sample, const Candidate& candidate, int folds, int fold,
                MethodOptions options, const Monitor& stop) {
  const std::unique_ptr<VoteSource> train = sample.part(folds, fold, false),
                                    test = sample.part(folds, fold, true);
  if (candidate.beta > 0) options.online.wmwp.beta = candidate.beta;
  const auto hypothesis = learn_hypothesis(*train, candidate.method, options, stop);
  if (!hypothesis.ok()) return {0, hypothesis.error().message, {}};
  if (candidate.method == Method::kRand) {
    const auto loss = expected_random_loss(*test, hypothesis->table);
    return loss.ok() ? Outcome{*loss, {}, {}} : Outcome{0, loss.error().message, {}};
  }
  Outcome outcome;
  HammingMean mean;
  const Status status = for_each_sequence(*test, [&](const VoteView& view) {
    const ItemErrors errors = vote_errors(view, hypothesis->table);
    mean.add(errors.wrong, errors.known);
    if (errors.known > 0 && outcome.sequence_losses.size() < kMostCompared)
      outcome.sequence_losses.push_back(static_cast<float>(errors.wrong) / static_cast<float>(errors.known));
  });
  outcome.loss = mean.mean();
  if (!status.ok()) outcome.failure = status.error().message;
  return outcome;
}

/// Whether the second is better than the first by sure_by() standard errors of the difference, sequence by
/// sequence; by folds where those are not kept.
bool surely_better(const Candidate& first, const Candidate& second) {
  std::vector<double> gains;
  size_t sequences = 0;
  const auto compare = [&gains](const auto& a, const auto& b) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      gains.push_back(static_cast<double>(a[i]) - static_cast<double>(b[i]));
  };
  if (!first.sequence_losses.empty() && first.sequence_losses.size() == second.sequence_losses.size()) {
    compare(first.sequence_losses, second.sequence_losses);
    sequences = gains.size();
  } else {
    compare(first.fold_losses, second.fold_losses);
  }
  const eval::MeanAndDeviation gain = eval::mean_and_deviation(gains);
  return gain.mean > sure_by(sequences) * gain.deviation /
                         std::sqrt(static_cast<double>(std::max<size_t>(1, gains.size())));
}

const Candidate* candidate_of(std::span<const Candidate> candidates, Method method) {
  for (const Candidate& candidate : candidates)
    if (candidate.method == method && candidate.failure.empty()) return &candidate;
  return nullptr;
}

}  // namespace

double sure_by(size_t sequences) {
  constexpr double kFew = 1.8, kSequences = 100, kBolder = 0.45;
  return kFew * std::pow(kSequences / std::max(kSequences, static_cast<double>(sequences)), kBolder);
}

int choice_folds(size_t sequences) {
  return sequences < 4 ? 0 : static_cast<int>(std::min<size_t>(kMostFolds, sequences / 2));
}

DividedSample divide(const VoteBatch& batch, uint64_t seed) {
  return {batch.sequences(), [&batch, seed](int folds, int fold, bool inside) -> std::unique_ptr<VoteSource> {
            std::vector<uint32_t> chosen;
            for (uint32_t s = 0; s < batch.sequences(); ++s)
              if ((data::fold_of(s, folds, seed) == fold) == inside) chosen.push_back(s);
            return std::make_unique<BatchSource>(batch, std::move(chosen));
          }};
}

Result<std::vector<Candidate>> try_candidates(const DividedSample& sample, std::span<const Method> methods,
                                              std::span<const double> betas, const MethodOptions& options,
                                              const Workers& workers, const Monitor& monitor) {
  const int folds = choice_folds(sample.sequences);
  if (folds == 0)
    return fail("{}, too few to choose on; give the method and --beta",
                counted(sample.sequences, "sequence"));
  std::vector<Candidate> candidates;
  for (const Method method : methods) {
    if (!uses_beta(method) || betas.empty()) {
      candidates.push_back({method, uses_beta(method) ? options.online.wmwp.beta : 0, 0, 0, {}, {}});
      continue;
    }
    for (const double beta : betas) candidates.push_back({method, beta, 0, 0, {}, {}});
  }
  const auto used = static_cast<size_t>(sample.sequences >= kSingleFoldFrom ? 1 : folds);
  std::vector<Outcome> outcomes(candidates.size() * used);
  std::atomic<size_t> done{0};
  Monitor stop;
  stop.stop = monitor.stop;
  workers.for_each(outcomes.size(), [&](size_t piece) {
    if (monitor.stop_requested()) return;
    outcomes[piece] =
        try_one(sample, candidates[piece / used], folds, static_cast<int>(piece % used), options, stop);
    Progress progress;
    progress.phase = "choosing";
    progress.done = static_cast<double>(++done);
    progress.total = static_cast<double>(outcomes.size());
    monitor.report(progress);
  });
  if (monitor.stop_requested()) return fail("interrupted while choosing");
  bool any = false;
  for (size_t c = 0; c < candidates.size(); ++c) {
    std::vector<double> losses;
    for (size_t f = 0; f < used; ++f) {
      const Outcome& outcome = outcomes[c * used + f];
      if (!outcome.failure.empty()) candidates[c].failure = outcome.failure;
      losses.push_back(outcome.loss);
      candidates[c].sequence_losses.insert(candidates[c].sequence_losses.end(),
                                           outcome.sequence_losses.begin(), outcome.sequence_losses.end());
    }
    const eval::MeanAndDeviation mean = eval::mean_and_deviation(losses);
    candidates[c].loss = mean.mean;
    candidates[c].deviation = mean.deviation;
    candidates[c].fold_losses = std::move(losses);
    any |= candidates[c].failure.empty();
  }
  if (!any) return fail("no method could learn from these predictions: {}", candidates.front().failure);
  return candidates;
}

const Candidate& best_candidate(std::span<const Candidate> candidates) {
  const Candidate* const expert = candidate_of(candidates, Method::kBest);
  const Candidate* const majority = candidate_of(candidates, Method::kMajority);
  const Candidate* const plain = majority != nullptr ? majority : expert;
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (!candidate.failure.empty() || &candidate == plain) continue;
    if (plain != nullptr && !surely_better(*plain, candidate)) continue;
    if (best == nullptr || candidate.loss < best->loss) best = &candidate;
  }
  if (best == nullptr) best = plain;
  ESPALIER_CHECK(best != nullptr);
  if (best == plain || expert == nullptr || expert == plain) return *best;
  return surely_better(*plain, *expert) && !surely_better(*expert, *best) ? *expert : *best;
}

std::string choice_in_words(std::span<const Candidate> candidates, const Candidate& chosen) {
  const auto name = [](const Candidate& candidate) {
    return candidate.beta > 0 ? fmt::format("{} with β = {:g}", method_name(candidate.method), candidate.beta)
                              : std::string(method_name(candidate.method));
  };
  const Candidate* lowest = &chosen;
  std::string others;
  for (const Method method : {Method::kMajority, Method::kBest})
    if (const Candidate* const other = candidate_of(candidates, method); other != nullptr && other != &chosen)
      others += fmt::format(", {} {:.2f} %", method_name(method), 100 * other->loss);
  for (const Candidate& candidate : candidates)
    if (candidate.failure.empty() && candidate.loss < lowest->loss) lowest = &candidate;
  const std::string why = lowest == &chosen
                              ? std::string("the lowest of all")
                              : fmt::format("{} has {:.2f} %, which is no better by more than noise",
                                            name(*lowest), 100 * lowest->loss);
  return fmt::format("chosen by cross-validation: {}, {:.2f} % wrong{}; {}", name(chosen), 100 * chosen.loss,
                     others, why);
}

void LengthLosses::add(size_t length, double expert_loss, double ensemble_loss) {
  if (length >= by_length.size()) by_length.resize(length + 1);
  ++by_length[length].sequences;
  by_length[length].expert += expert_loss;
  by_length[length].ensemble += ensemble_loss;
}

size_t LengthLosses::sequences_below(size_t length) const {
  size_t sequences = 0;
  for (size_t l = 0; l < std::min(length, by_length.size()); ++l) sequences += by_length[l].sequences;
  return sequences;
}

size_t choose_switch(const LengthLosses& losses) {
  double total = 0;
  for (const LengthLosses::Entry& entry : losses.by_length) total += entry.ensemble;
  double least = total;
  size_t best = 0;
  for (size_t length = 0; length < losses.by_length.size(); ++length) {
    total += losses.by_length[length].expert - losses.by_length[length].ensemble;
    if (total < least - 1e-12) {
      least = total;
      best = length + 1;
    }
  }
  return best;
}

}  // namespace espalier::ensemble

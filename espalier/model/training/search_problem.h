// Training on one search problem, whatever its kind: rounds, scores on the development set, the best policy,
// the model file. A part of search_training.cc. Tested in train_search_test.cc.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "espalier/chain/learners/adagrad.h"
#include "espalier/model/training/best_round.h"
#include "espalier/model/training/search_training.h"
#include "espalier/tasks/search_model.h"

namespace espalier::model {

/// The score of the labels predicted for the development set, sequence by sequence, in percent.
using DevMeasure = std::function<double(const std::vector<std::vector<data::Label>>& predicted)>;

/// What decides, and how it was learned, in words.
std::string classifier_text(const tasks::SearchOptions& options);

/// The share of labels that change when the policy's weights are stored in 16 bits: of training sequences
/// spread evenly over the data. Kernel machines are not rounded: 1.
template <typename Problem>
double changed_by_rounding(const Problem& problem, const tasks::DecisionPlan& plan,
                           const search::Mixture& policy, const tasks::DecodeOptions& decode,
                           const Workers& workers) {
  constexpr size_t kMost = 400;
  search::Mixture rounded;
  double so_far = 0;
  for (size_t i = 0; i < policy.size(); ++i) {
    const auto* weights = dynamic_cast<const search::RowWeights*>(&policy.classifier(i));
    if (weights == nullptr) return 1;
    so_far += policy.share(i);
    rounded.interpolate(std::make_shared<search::RowWeights>(weights->rounded(workers)),
                        i == 0 ? 1.0 : policy.share(i) / so_far);
  }
  const size_t n = std::min(kMost, problem.size());
  size_t labels = 0, changed = 0;
  for (size_t i = 0; i < n; ++i) {
    const size_t s = i * problem.size() / n;
    const auto space = problem.space(s);
    policy.begin(problem.blocks(s));
    rounded.begin(problem.blocks(s));
    const auto exact = tasks::decode_labels(space, plan, problem.tokens(s), policy, decode);
    const auto approximate = tasks::decode_labels(space, plan, problem.tokens(s), rounded, decode);
    if (!exact.ok() || !approximate.ok()) return 1;
    for (size_t l = 0; l < exact->best[0].labels.size(); ++l) {
      ++labels;
      if (exact->best[0].labels[l] != approximate->best[0].labels[l]) ++changed;
    }
  }
  return static_cast<double>(changed) / static_cast<double>(std::max<size_t>(1, labels));
}

/// Labels of every sequence of a problem. `seeds` has one seed per sequence where decisions are drawn, and is
/// empty otherwise. A search that ends without a labelling is an error that names the sequence by `name_of`.
template <typename Problem>
Result<std::vector<std::vector<data::Label>>> decode_all(const Problem& problem,
                                                         const tasks::DecisionPlan& plan,
                                                         const search::Mixture& policy,
                                                         tasks::DecodeOptions decode,
                                                         std::span<const uint64_t> seeds,
                                                         const std::function<std::string(size_t)>& name_of) {
  std::vector<std::vector<data::Label>> out;
  for (size_t s = 0; s < problem.size(); ++s) {
    policy.begin(problem.blocks(s));
    if (!seeds.empty()) decode.seed = seeds[s];
    auto found = tasks::decode_labels(problem.space(s), plan, problem.tokens(s), policy, decode);
    if (!found.ok()) return fail("{}: {}", name_of(s), found.error().message);
    out.push_back(std::move(found->best[0].labels));
  }
  return out;
}

/// Adds the names of an old model to those of the features that the new data have.
void add_names(const tasks::HistoryNames& old, tasks::HistoryNames& names);

/// What is the same for all kinds of search. References outlive it.
struct SearchRun {
  TrainingJob& job;
  const SearchLearnerOptions& asked;
  const SearchMethod& method;
  const tasks::DecisionPlan& plan;
  DevMeasure measure;
  const linear::EncodedTraining& encoded;
  size_t labels;  ///< that a weight row has
  const tasks::ChunkFeatureOptions* chunks;
  std::optional<tasks::SearchPredictor::Further> old = {};  ///< the model that is trained further

  /// `dev` may be null. `rows` are the weights that features get.
  template <typename Problem>
  Status run(const Problem& problem, const Problem* dev, linear::StateRows rows);

 private:
  tasks::DecodeOptions decoding() const;
  std::vector<uint64_t> dev_seeds(const tasks::DecodeOptions& decode) const;
  std::string dev_name(size_t sequence) const;
  template <typename Problem>
  Status save(const Problem& problem, const search::Mixture& policy, const tasks::DecodeOptions& decode,
              const linear::StateRows& layout) const;
};

template <typename Problem>
Status SearchRun::run(const Problem& problem, const Problem* dev, linear::StateRows rows) {
  const auto layout = std::make_shared<const linear::StateRows>(std::move(rows));
  const tasks::DecodeOptions decode = decoding();
  const std::vector<uint64_t> seeds =
      dev != nullptr && decode.stochastic ? dev_seeds(decode) : std::vector<uint64_t>();
  Status trouble;  // what a line search cannot return
  const auto score = [&](const search::Mixture& policy) -> Result<double> {
    ESPALIER_TRY(trouble);
    ESPALIER_ASSIGN(const auto predicted,
                    decode_all(*dev, plan, policy, decode, seeds, [&](size_t s) { return dev_name(s); }));
    return measure(predicted);
  };
  BestRound<search::Mixture> best(job, method.options.passes, score);
  tasks::SearchContext context{{job.monitor, best.callback()}, layout, labels, encoded.state.size()};
  if (old) {
    const bool adaptive = method.options.learner == tasks::SearchLearner::kSearn &&
                          method.options.classifier != tasks::BaseClassifier::kPerceptron;
    context.old = {std::make_shared<const search::RowWeights>(
                       layout, labels, adaptive, std::make_shared<const search::OldRows>(old->rows)),
                   job.old_counts(),
                   chain::share_of_new(job.learned_tokens(), static_cast<double>(job.report.tokens))};
  }
  context.note = [&](std::string text) { job.report.notes.push_back(std::move(text)); };
  if (dev != nullptr)
    context.dev_score = [&](const search::Mixture& policy) {
      const Result<double> measured = score(policy);
      if (measured.ok()) return *measured;
      trouble = measured.error();
      return 0.0;
    };
  auto trained = job.ended(tasks::train_search(problem, method.options, context, dev));
  ESPALIER_TRY(trouble);
  ESPALIER_ASSIGN(search::Mixture last, std::move(trained));
  const search::Mixture policy = best.best_or(std::move(last));
  return save(problem, policy, decode, *layout);
}

template <typename Problem>
Status SearchRun::save(const Problem& problem, const search::Mixture& policy,
                       const tasks::DecodeOptions& decode, const linear::StateRows& layout) const {
  const int bits = weight_bits(asked.weight_bits, job.report.interrupted, [&] {
    return changed_by_rounding(problem, plan, policy, decode, job.workers);
  });
  SectionWriter out;
  tasks::SearchModelSource source{plan, chunks, policy, encoded.state, decode, bits};
  source.classifier = classifier_text(method.options);
  std::vector<double> shares;
  for (size_t i = 0; i < policy.size(); ++i) shares.push_back(policy.share(i));
  if (const auto* shown =
          dynamic_cast<const search::RowWeights*>(&policy.classifier(tasks::largest_share(shares)));
      shown != nullptr && asked.names && !job.report.interrupted)
    source.history =
        tasks::name_history(problem, tasks::heaviest_hashed(*shown, tasks::kMostHistoryNames), policy);
  if (old && asked.names) add_names(old->history, source.history);
  ESPALIER_TRY(tasks::save_search_model(source, out));
  ESPALIER_TRY(job.save(out));
  job.report.features = encoded.state.size();
  if (const auto* weights = dynamic_cast<const search::RowWeights*>(&policy.classifier(0)))
    job.report.weights = layout.weights() + weights->hashed().size() * labels;
  return {};
}

}  // namespace espalier::model

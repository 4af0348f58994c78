// The shortest way from search spaces to a trained policy: put one space per training instance in a SpaceList
// and call train_searn() or train_by_search(). For tests, benchmarks and research; the library's own tasks
// train through tasks/search_training.h, which adds development data, folds, constraints and model files.
// Only hashed features are supported, no blocks. Templates only; tested in search_oracle_test.cc and
// task_checks_test.cc.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "espalier/search/laso.h"
#include "espalier/search/passes.h"
#include "espalier/search/policy/online_classifier.h"
#include "espalier/search/searn.h"

namespace espalier::search {

/// A training set in memory, whose spaces have no blocks.
template <TrainingSpace S>
struct SpaceList {
  using Space = S;
  std::vector<S> list;
  size_t size() const { return list.size(); }
  S space(size_t i) const { return list[i]; }
  StaticBlocks blocks(size_t) const { return {}; }
};

/// Weights that are all 0, for spaces without blocks.
inline RowWeights plain_weights(size_t labels, bool adaptive = false) {
  return RowWeights(no_static_rows(labels), labels, adaptive);
}

/// Trains SEARN with the cost-sensitive classifier of online_classifier.h. Errors say how the task's
/// functions break their contract.
template <TrainingSpace S>
Result<Mixture> train_searn(const SpaceList<S>& instances, size_t labels, const SearnOptions& options = {},
                            const DirectOptions& direct = {}, const Monitor& monitor = {}) {
  const auto layout = no_static_rows(labels);
  const LearnClassifier<S> learn = [&](const Examples<S>& examples, int,
                                       int without) -> Result<std::shared_ptr<Scorer>> {
    const auto from = [&](const Examples<S>& some) {
      return std::make_shared<RowWeights>(learn_direct(instances, some, layout, labels, direct, monitor));
    };
    return std::shared_ptr<Scorer>(without < 0 ? from(examples)
                                               : from(without_fold(examples, without, options.folds)));
  };
  return searn(instances, options, learn, {}, monitor);
}

/// Trains with a learner that updates while it searches and returns the averaged weights. `learn(space,
/// weights, scratch)` is one of the learners of laso.h. Errors say how the task's functions break their
/// contract.
template <TrainingSpace S, typename Learn>
Result<RowWeights> train_by_search(const SpaceList<S>& instances, size_t labels, int passes, uint64_t seed,
                                   const Learn& learn, const Monitor& monitor = {}) {
  RowWeights weights = plain_weights(labels);
  ESPALIER_TRY(
      learn_in_passes(instances, weights, passes, seed, monitor, learn, [](int, size_t) { return true; }));
  return weights.averaged();
}

}  // namespace espalier::search

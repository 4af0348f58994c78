// The shortest way from a space of one's own to a trained policy.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "espalier/search/laso.h"
#include "espalier/search/passes.h"
#include "espalier/search/policy/direct.h"
#include "espalier/search/searn.h"

namespace espalier::search {

/// Instances whose features are all hashed, in a list.
template <TrainingSpace S>
struct SpaceList {
  using Space = S;
  std::vector<S> list;
  size_t size() const { return list.size(); }
  S space(size_t i) const { return list[i]; }
  StaticBlocks blocks(size_t) const { return {}; }
};

/// Weights for spaces without blocks, all 0.
inline RowWeights plain_weights(size_t labels, bool adaptive = false) {
  return RowWeights(no_static_rows(labels), labels, adaptive);
}

/// SEARN with a direct cost-sensitive classifier. Errors say what the task's functions did wrong.
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

/// Passes of a learner that updates while it searches, averaged: `learn(space, weights, scratch)` is one of
/// laso.h's. Errors say what the task's functions did wrong.
template <TrainingSpace S, typename Learn>
Result<RowWeights> train_by_search(const SpaceList<S>& instances, size_t labels, int passes, uint64_t seed,
                                   const Learn& learn, const Monitor& monitor = {}) {
  RowWeights weights = plain_weights(labels);
  ESPALIER_TRY(
      learn_in_passes(instances, weights, passes, seed, monitor, learn, [](int, size_t) { return true; }));
  return weights.averaged();
}

}  // namespace espalier::search

// The shortest way from a space of one's own to a trained policy.
#pragma once

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "espalier/linear/liblinear_classifier.h"
#include "espalier/search/direct.h"
#include "espalier/search/laso.h"
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
  return RowWeights(std::make_shared<const linear::StateRows>(linear::full_rows(0, labels)), labels,
                    adaptive);
}

/// SEARN with a direct cost-sensitive classifier.
template <TrainingSpace S>
Result<Mixture> train_searn(const SpaceList<S>& instances, size_t labels, const SearnOptions& options = {},
                            const DirectOptions& direct = {}, const Monitor& monitor = {}) {
  const auto layout = plain_weights(labels).layout();
  const LearnClassifier<S> learn = [&](const Examples<S>& examples, int,
                                       int without) -> Result<std::shared_ptr<Scorer>> {
    Examples<S> part = examples;
    if (without >= 0)
      std::erase_if(part.list, [&](const auto& e) { return fold_of(e.instance, options.folds) == without; });
    return std::shared_ptr<Scorer>(
        std::make_shared<RowWeights>(learn_direct(instances, part, layout, labels, direct, monitor)));
  };
  return searn(instances, options, learn, {}, monitor);
}

/// Passes of a learner that updates while it searches, in random order, averaged:
/// `learn(space, weights, scratch)` is one of laso.h's.
template <TrainingSpace S, typename Learn>
RowWeights train_by_search(const SpaceList<S>& instances, size_t labels, int passes, uint64_t seed,
                           const Learn& learn) {
  RowWeights weights = plain_weights(labels);
  SearchScratch<S, float> scratch;
  std::vector<uint32_t> order(instances.size());
  for (int pass = 1; pass <= passes; ++pass) {
    std::iota(order.begin(), order.end(), 0);
    Random(seed).split(static_cast<uint64_t>(pass)).shuffle(std::span<uint32_t>(order));
    for (const uint32_t i : order) {
      learn(instances.list[i], weights, scratch);
      weights.tick();
    }
  }
  return weights.averaged();
}

}  // namespace espalier::search

// learn_direct(): a cost-sensitive classifier trained online, on the scores of all actions of a state in one
// loss ("direct") or by reduction to binary problems. A pass costs one scoring of each example plus one step
// for each example that has a gradient. For liblinear and libsvm, which need all examples at once, see
// batch_classifier.h and pair_classifier.h.
#pragma once

#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/chain/learners/adagrad.h"
#include "espalier/search/examples.h"
#include "espalier/search/policy/row_weights.h"

namespace espalier::search {

/// The loss of an example with scores s and costs c; a* is the highest-scoring of the oracle's actions.
enum class DirectLoss {
  kPerceptron,  ///< c(â) [s(â) − s(a*)]₊ with â the highest-scoring action that costs something; plain steps
  kHinge,     ///< max_a (s(a) + c(a)) − s(a*), with the cost as margin; AdaGrad
  kLogistic,  ///< max c · −log softmax(s)(a*); AdaGrad
  /// log Σ_a exp(s(a) + c(a)) − s(a*), with the cost as margin (softmax-margin, Gimpel and Smith 2010);
  /// AdaGrad
  kSoftmaxMargin,
  /// ½ Σ_a (s(a) + c(a) − m)², with m the mean of s + c: scores are costs with the opposite sign, up to a
  /// constant of the state; AdaGrad
  kLeastSquares,
};

/// How the cost-sensitive problem is reduced to binary ones. The weights have the same form in every case, so
/// scores can be compared along a beam. batch_classifier.h trains a separate machine for each binary problem.
enum class Reduction {
  kDirect,    ///< no reduction: all actions in one loss
  kOneVsAll,  ///< Is this action one of the best? One binary example per action, weighted by the cost of a
              ///< mistake
  kAllPairs,  ///< Which of two actions is better? Feature differences, weighted as in weighted all-pairs
};

struct DirectOptions {
  DirectLoss loss = DirectLoss::kPerceptron;
  Reduction reduction = Reduction::kDirect;
  int passes = 5;
  double rate = 0.1;  ///< learning rate of AdaGrad
  double l2 = 0;      ///< penalty l2·|w|², added to the sum of the losses of all examples; AdaGrad
  bool average = true;
  uint64_t seed = 1;
};

/// Weights of weighted all-pairs (Beygelzimer et al. 2005): with costs sorted, v₁ = 0 and v_r = v_{r−1} +
/// (c_r − c_{r−1})/(r − 1); the pair (i, j) has the weight |v_i − v_j|. Returns v in the order of the costs
/// given.
std::vector<double> all_pairs_values(std::span<const float> costs);

/// Adds the derivative of the loss with respect to the score of each action to `gradient`; adds nothing if
/// there is nothing to learn. Returns the loss. `target` is a*.
double direct_gradient(DirectLoss loss, Reduction reduction, std::span<const float> scores,
                       std::span<const float> costs, size_t target, std::span<float> gradient);

/// A model that is trained further.
struct OldModel {
  std::shared_ptr<const RowWeights> weights;  ///< null: training starts from zero
  double old_counts = 1;                      ///< as chain::old_counts
  float share_of_new = 1;                     ///< as chain::share_of_new
};

/// Learns from all examples, instance by instance in random order. If the monitor requests a stop, returns
/// the weights after the current instance. An old model is trained further by steps that fit it: AdaGrad gets
/// the squares that its training would have left, and plain steps are averaged with it
/// (chain::share_of_new).
template <Problem P>
RowWeights learn_direct(const P& problem, const Examples<typename P::Space>& examples,
                        std::shared_ptr<const linear::StateRows> layout, size_t labels,
                        const DirectOptions& options, const Monitor& monitor, const OldModel& old = {}) {
  using Space = typename P::Space;
  const bool adaptive = options.loss != DirectLoss::kPerceptron;
  const float least = adaptive ? kLeastGradient : 0.0f;
  RowWeights weights = old.weights ? *old.weights : RowWeights(std::move(layout), labels, adaptive);
  if (old.weights && !adaptive) weights.average_with_old(old.share_of_new);
  // The range of each instance's examples.
  std::vector<std::pair<size_t, size_t>> stretches;
  for (size_t i = 0; i < examples.list.size();) {
    size_t end = i;
    while (end < examples.list.size() && examples.list[end].instance == examples.list[i].instance) ++end;
    stretches.emplace_back(i, end);
    i = end;
  }
  std::vector<uint32_t> order(stretches.size());
  std::vector<Action> actions, optimal;
  std::vector<float> scores, gradient, row(weights.stride());
  FeatureSink sink;
  // AdaGrad: a few times per pass, weights shrink and are added to the average. The first fifth of the passes
  // is left out of the average.
  constexpr size_t kSteps = 8;
  constexpr double kAverageFrom = 0.2;
  const int average_from = old.weights ? 1 : static_cast<int>(options.passes * kAverageFrom) + 1;
  // Pass 0 makes steps of length 0, which collect the squares of the gradients at the old model.
  for (int pass = old.weights && adaptive ? 0 : 1; pass <= options.passes; ++pass) {
    const float rate = pass == 0 ? 0.0f : static_cast<float>(options.rate);
    std::iota(order.begin(), order.end(), 0);
    Random(options.seed).split(static_cast<uint64_t>(pass)).shuffle(std::span<uint32_t>(order));
    PassProgress progress(order.size());
    for (size_t done = 0; done < order.size(); ++done) {
      const uint32_t s = order[done];
      if (pass > 0) progress.report(monitor, pass, options.passes);
      if (monitor.stop_requested()) return options.average ? weights.averaged() : weights;
      const auto [first, last] = stretches[s];
      const uint32_t instance = examples.list[first].instance;
      const Space space = problem.space(instance);
      weights.begin(problem.blocks(instance));
      for (size_t i = first; i < last; ++i) {
        const auto& example = examples.list[i];
        example_actions(space, example.state, actions);
        score_actions(space, weights, example.state, std::span<const Action>(actions), scores);
        const std::span<const float> costs{examples.costs.data() + example.first_cost, actions.size()};
        // a*: the highest-scoring of the oracle's actions, so that the learner may choose freely among them.
        optimal.clear();
        if constexpr (!HasSeparateCandidates<Space>) space.optimal_actions(example.state, optimal);
        gradient.assign(actions.size(), 0.0f);
        for (size_t from = 0; from < actions.size();) {
          size_t to = actions.size();
          if constexpr (HasSeparateCandidates<Space>)
            for (to = from; to < actions.size() && actions[to].candidate == actions[from].candidate;) ++to;
          size_t target = to;
          for (size_t a = from; a < to; ++a) {
            if (costs[a] > 0) continue;
            const bool imitated = HasSeparateCandidates<Space> ||
                                  std::find(optimal.begin(), optimal.end(), actions[a]) != optimal.end();
            if (imitated && (target == to || scores[a] > scores[target])) target = a;
          }
          if (target == to)  // cost estimates may disagree with the oracle
            target = static_cast<size_t>(std::min_element(costs.begin() + static_cast<ptrdiff_t>(from),
                                                          costs.begin() + static_cast<ptrdiff_t>(to)) -
                                         costs.begin());
          direct_gradient(options.loss, options.reduction,
                          std::span<const float>(scores).subspan(from, to - from),
                          costs.subspan(from, to - from), target - from,
                          std::span<float>(gradient).subspan(from, to - from));
          from = to;
        }
        bool moved = false;
        for (size_t a = 0; a < actions.size();) {
          const uint32_t candidate = actions[a].candidate;
          const size_t from = a;
          bool any = false;
          for (; a < actions.size() && actions[a].candidate == candidate; ++a)
            any = any | (std::abs(gradient[a]) > least);
          if (!any) continue;
          std::fill(row.begin(), row.end(), 0.0f);
          for (size_t g = from; g < a; ++g)
            if (std::abs(gradient[g]) > least) row[actions[g].label] = gradient[g];
          sink.clear();
          space.features(example.state, candidate, sink);
          weights.gather(sink, row);
          moved = true;
        }
        if (moved && adaptive) weights.descend(rate);
        if (moved && !adaptive) weights.subtract();
        if (!adaptive) weights.tick();
      }
      const size_t steps = (done + 1) * kSteps / order.size() - done * kSteps / order.size();
      if (adaptive && pass > 0 && steps > 0) {
        if (options.l2 > 0)
          weights.shrink(rate, static_cast<float>(steps) / static_cast<float>(kSteps),
                         static_cast<float>(options.l2));
        if (options.average && pass >= average_from) weights.snapshot();
      }
    }
    if (pass == 0) weights.estimate_squares(static_cast<float>(old.old_counts));
  }
  return options.average ? std::move(weights).averaged() : std::move(weights);
}

}  // namespace espalier::search

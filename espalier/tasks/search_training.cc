#include "espalier/tasks/search_training.h"

#include <numeric>

#include "espalier/search/batch_classifier.h"

namespace espalier::tasks {

namespace {

using search::Examples;
using search::Mixture;
using search::RowWeights;
using search::Scorer;

Mixture alone(std::shared_ptr<Scorer> classifier) {
  Mixture mixture;
  mixture.interpolate(std::move(classifier), 1);
  return mixture;
}

template <search::Problem P>
Result<std::shared_ptr<Scorer>> learn_classifier(const P& problem, const SearchOptions& options,
                                                 const SearchContext& context,
                                                 const Examples<typename P::Space>& examples, int iteration,
                                                 int without) {
  const int folds = std::max(1, options.searn.folds);
  const auto keep = [&](uint32_t instance) {
    return without < 0 || search::fold_of(instance, folds) != without;
  };
  const uint64_t seed = options.seed + 1000 * static_cast<uint64_t>(iteration);
  if (options.classifier == BaseClassifier::kLiblinear ||
      options.classifier == BaseClassifier::kQuadraticSvm) {
    if constexpr (std::is_same_v<P, ChunkProblem>) {
      return fail("classifier: liblinear and libsvm label one candidate a state; chunks have one a length");
    } else {
      const auto exported = search::export_examples(problem, examples, context.static_features, seed, keep);
      if (options.classifier == BaseClassifier::kQuadraticSvm)
        return search::learn_kernel(exported, context.labels, options.libsvm);
      ESPALIER_ASSIGN(RowWeights weights, search::learn_liblinear(exported, context.layout, context.labels,
                                                                  options.liblinear, context.monitor));
      return std::shared_ptr<Scorer>(std::make_shared<RowWeights>(std::move(weights)));
    }
  }
  search::DirectOptions direct = options.direct;
  direct.seed = seed;
  direct.average = options.average;
  direct.loss = options.classifier == BaseClassifier::kPerceptron ? search::DirectLoss::kPerceptron
                : options.classifier == BaseClassifier::kLogistic ? search::DirectLoss::kLogistic
                                                                  : search::DirectLoss::kHinge;
  Examples<typename P::Space> part;
  if (without >= 0) {
    part = examples;
    std::erase_if(part.list, [&](const auto& e) { return !keep(e.instance); });
  }
  return std::shared_ptr<Scorer>(std::make_shared<RowWeights>(search::learn_direct(
      problem, without >= 0 ? part : examples, context.layout, context.labels, direct, context.monitor)));
}

template <search::Problem P>
Result<Mixture> train_searn(const P& problem, const SearchOptions& options, const SearchContext& context) {
  search::SearnHooks hooks;
  hooks.dev_score = context.dev_score;
  hooks.round_ended = [&](const search::SearnRound& round) {
    return !context.round_ended ||
           context.round_ended(round.number, options.searn.iterations, round.oracle_share, round.policy);
  };
  search::SearnOptions searn = options.searn;
  searn.seed = options.seed;
  return search::searn(problem, searn,
                       search::LearnClassifier<typename P::Space>(
                           [&](const Examples<typename P::Space>& examples, int iteration, int without) {
                             return learn_classifier(problem, options, context, examples, iteration, without);
                           }),
                       hooks, context.monitor);
}

/// Passes over the instances in random order, one search with updates each.
template <search::Problem P>
Result<Mixture> train_on_line(const P& problem, const SearchOptions& options, const SearchContext& context) {
  using Space = typename P::Space;
  RowWeights weights(context.layout, context.labels);
  search::SearchScratch<Space, float> scratch;
  std::vector<uint32_t> order(problem.size());
  const auto result = [&] {
    return alone(std::make_shared<RowWeights>(options.average ? weights.averaged() : weights));
  };
  for (int pass = 1; pass <= options.passes; ++pass) {
    std::iota(order.begin(), order.end(), 0);
    Random(options.seed).split(static_cast<uint64_t>(pass)).shuffle(std::span<uint32_t>(order));
    size_t updates = 0;
    for (const uint32_t i : order) {
      if (context.monitor.stop_requested()) break;
      const Space space = problem.space(i);
      weights.begin(problem.blocks(i));
      switch (options.learner) {
        case SearchLearner::kLasoBr:
          updates += search::learn_breadth_first(space, weights, options.laso, scratch);
          break;
        case SearchLearner::kLasoBst:
          updates +=
              search::learn_best_first(space, weights, search::BestFirstRule::kXuFern, options.laso, scratch);
          break;
        case SearchLearner::kLaso:
          updates += search::learn_best_first(space, weights, search::BestFirstRule::kDaumeMarcu,
                                              options.laso, scratch);
          break;
        default:
          updates += search::learn_incrementally(space, weights, options.incremental, options.laso, scratch);
      }
      weights.tick();
    }
    const double objective =
        static_cast<double>(updates) / static_cast<double>(std::max<size_t>(1, order.size()));
    if (context.round_ended && !context.round_ended(pass, options.passes, objective, result())) break;
    if (updates == 0 || context.monitor.stop_requested()) break;
  }
  return result();
}

template <search::Problem P>
Result<Mixture> train_any(const P& problem, const SearchOptions& options, const SearchContext& context) {
  if (options.learner == SearchLearner::kSearn) return train_searn(problem, options, context);
  return train_on_line(problem, options, context);
}

template <typename Space>
Result<search::Found<Space>> decode(const Space& space, const Mixture& policy, const DecodeOptions& options,
                                    size_t longest) {
  const auto by = [&](const auto& scorer) {
    return options.stochastic   ? search::decode_stochastically(space, policy, Random(options.seed))
           : options.best_first ? search::decode_best_first(space, scorer, options.beam, 200 * (longest + 1))
           : options.beam > 1   ? search::decode_breadth_first(space, scorer, options.beam)
                                : search::decode_greedily(space, scorer);
  };
  // One greedy decision is the same either way.
  const bool normalise = options.normalise && (options.beam > 1 || options.best_first);
  auto found = normalise ? by(search::Normalised{policy}) : by(policy);
  if (found.ended == search::Ended::kOutOfSteps)
    return fail("best-first search found no end within its horizon");
  if (!found.reached_goal()) return fail("the search ended in a dead end");
  return found;
}

}  // namespace

Result<Mixture> train_search(const LabelProblem& problem, const SearchOptions& options,
                             const SearchContext& context) {
  return train_any(problem, options, context);
}
Result<Mixture> train_search(const ChunkProblem& problem, const SearchOptions& options,
                             const SearchContext& context) {
  return train_any(problem, options, context);
}

Result<std::vector<data::Label>> decode_labels(const LabelSpace& space, const SequenceShape& shape,
                                               size_t length, const Mixture& policy,
                                               const DecodeOptions& options) {
  ESPALIER_ASSIGN(const auto found, decode(space, policy, options, length * shape.columns()));
  std::vector<data::Label> labels(length * shape.columns());
  for (size_t i = 0; i < labels.size(); ++i)
    labels[shape.order == DecisionOrder::kRightToLeft ? labels.size() - 1 - i : i] =
        static_cast<data::Label>(found.actions[i].label);
  return labels;
}

Result<std::vector<data::Label>> decode_labels(const ChunkSpace& space, const SequenceShape& shape,
                                               size_t length, const Mixture& policy,
                                               const DecodeOptions& options) {
  ESPALIER_ASSIGN(const auto found, decode(space, policy, options, length));
  std::vector<Chunk> chunks;
  uint32_t at = 0;
  for (const search::Action& action : found.actions) {
    chunks.push_back({at, action.candidate + 1, action.label});
    at += chunks.back().length;
  }
  return labels_of(shape, chunks, length);
}

}  // namespace espalier::tasks

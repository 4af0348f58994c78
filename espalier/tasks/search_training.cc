#include "espalier/tasks/search_training.h"

#include <algorithm>
#include <numeric>

#include "espalier/search/passes.h"
#include "espalier/search/policy/batch_classifier.h"
#include "espalier/search/policy/pair_classifier.h"
#include "espalier/search/search_oracle.h"

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

/// A monitor for a part of the work, [from, from + length) of `total` rounds, that counts its own steps from
/// 0.
Monitor within(const Monitor& whole, double from, double length, int total) {
  Monitor part = whole;
  if (whole.on_progress)
    part.on_progress = [&whole, from, length, total](const Progress& progress) {
      Progress out = progress;
      out.done = from + (progress.total > 0 ? length * progress.done / progress.total : 0);
      out.total = total;
      out.round = static_cast<int>(from) + 1;
      whole.report(out);
    };
  return part;
}

search::DirectLoss direct_loss(BaseClassifier classifier) {
  return classifier == BaseClassifier::kPerceptron      ? search::DirectLoss::kPerceptron
         : classifier == BaseClassifier::kLogistic      ? search::DirectLoss::kLogistic
         : classifier == BaseClassifier::kSoftmaxMargin ? search::DirectLoss::kSoftmaxMargin
                                                        : search::DirectLoss::kHinge;
}

template <search::Problem P>
Result<std::shared_ptr<Scorer>> learn_classifier(const P& problem, const SearchOptions& options,
                                                 const SearchContext& context,
                                                 const Examples<typename P::Space>& examples, int iteration,
                                                 int iterations, int without) {
  const int folds = std::max(1, options.searn.folds);
  const auto keep = [&](uint32_t instance) {
    return without < 0 || search::fold_of(instance, folds) != without;
  };
  const uint64_t seed = options.seed + 1000 * static_cast<uint64_t>(iteration);
  // Classifiers of folds come after the one that counts, and are not counted.
  Monitor silent = context.monitor;
  silent.on_progress = nullptr;
  const auto monitor = [&](int part, int parts) {
    return without >= 0 ? silent
                        : within(context.monitor, iteration - 1 + static_cast<double>(part) / parts,
                                 1.0 / parts, iterations);
  };
  const auto as_scorer = [](RowWeights weights) {
    return std::shared_ptr<Scorer>(std::make_shared<RowWeights>(std::move(weights)));
  };
  const search::CostingOptions costing{options.costing_samples, seed};
  const bool linear = options.classifier == BaseClassifier::kLiblinear;
  if constexpr (P::kBatchClassifiers) {
    if (linear && options.reduction == search::Reduction::kAllPairs) {
      search::PairOptions pairs;
      pairs.liblinear = options.liblinear;
      pairs.costing = costing;
      ESPALIER_ASSIGN(RowWeights weights, search::learn_pairs(problem, examples, context.layout,
                                                              context.labels, pairs, keep, monitor));
      return as_scorer(std::move(weights));
    }
    if (linear || options.classifier == BaseClassifier::kQuadraticSvm) {
      const search::ExportedExamples exported =
          search::export_examples(problem, examples, context.static_features, keep);
      if (!linear)
        return search::learn_kernel(exported, context.labels, options.reduction, options.libsvm, costing,
                                    monitor(0, 1));
      ESPALIER_ASSIGN(RowWeights weights,
                      search::learn_liblinear(exported, context.layout, context.labels, options.reduction,
                                              options.liblinear, costing, monitor));
      return as_scorer(std::move(weights));
    }
  }
  search::DirectOptions direct = options.direct;
  direct.seed = seed;
  direct.average = options.average;
  direct.loss = direct_loss(options.classifier);
  direct.reduction = options.reduction;
  const auto from = [&](const Examples<typename P::Space>& some) {
    return std::make_shared<RowWeights>(search::learn_direct(problem, some, context.layout, context.labels,
                                                             direct, monitor(0, 1), context.old));
  };
  return std::shared_ptr<Scorer>(without < 0 ? from(examples)
                                             : from(search::without_fold(examples, without, folds)));
}

/// How much of the initial policy π was left at the end, and why it ended there.
std::string about_interpolation(const search::SearnOptions& options, const search::SearnPlan& plan, int made,
                                double oracle_share) {
  const double chance = static_cast<double>(plan.longest) * oracle_share;
  if (options.interpolation == search::Interpolation::kAnalytic)
    return fmt::format(
        "beta is 1/T³ = {:.3g} for paths of T = {} actions; of its 2T³ ln T = {} iterations {} "
        "were made",
        plan.beta, plan.longest, plan.expected, made);
  std::string text = fmt::format(
      "after {} iterations with {} the initial policy is asked with a chance of at most {:.3g} on "
      "a path of {} actions",
      made,
      options.interpolation == search::Interpolation::kConstant ? fmt::format("beta={}", plan.beta)
                                                                : std::string("a line search for beta"),
      std::min(1.0, chance), plan.longest);
  if (chance >= options.dependence)
    text += options.until_independent
                ? fmt::format("; {} iterations is the limit", plan.at_most)
                : fmt::format(", which iterations=auto brings below {}", options.dependence);
  return text;
}

template <search::Problem P>
Result<Mixture> train_searn(const P& problem, const SearchOptions& options, const SearchContext& context) {
  search::SearnHooks hooks;
  hooks.dev_score = context.dev_score;
  if (context.old.weights) hooks.start = std::make_shared<RowWeights>(*context.old.weights);
  search::SearnPlan plan;
  hooks.planned = [&](const search::SearnPlan& made) { plan = made; };
  // Of a search for β nobody knows beforehand how long it takes.
  const auto iterations = [&](int so_far) { return std::max(plan.expected, so_far); };
  int made = 0;
  double oracle_share = 1;
  hooks.round_ended = [&](const search::SearnRound& round) {
    std::optional<double> share;  // of π: of interest where there are smaller steps than to be rid of it
    if (round.beta < 1) share = round.oracle_share;
    made = round.number;
    oracle_share = round.oracle_share;
    if (!context.round_ended) return true;
    return context
        .round_ended({{round.number, share, nullptr, iterations(round.number), "share of the gold policy"},
                      [&] { return round.policy; }})
        .go_on;
  };
  search::SearnOptions searn = options.searn;
  searn.seed = options.seed;
  const search::LearnClassifier<typename P::Space> learn = [&](const Examples<typename P::Space>& examples,
                                                               int iteration, int without) {
    return learn_classifier(search::without_search_oracle(problem), options, context, examples, iteration,
                            iterations(iteration), without);
  };
  ESPALIER_ASSIGN(Mixture policy, search::searn(problem, searn, learn, hooks, context.monitor));
  if (context.note && plan.longest > 0) context.note(about_interpolation(searn, plan, made, oracle_share));
  return policy;
}

template <search::Problem P>
Result<Mixture> train_on_line(const P& problem, const SearchOptions& options, const SearchContext& context) {
  using Space = typename P::Space;
  RowWeights weights =
      context.old.weights ? *context.old.weights : RowWeights(context.layout, context.labels);
  if (context.old.weights)
    weights.count_as(chain::kOldModelCounts * static_cast<uint64_t>(options.passes) * problem.size());
  const auto result = [&] {
    return alone(std::make_shared<RowWeights>(options.average ? weights.averaged() : weights));
  };
  const auto learn = [&](const Space& space, RowWeights& w, search::SearchScratch<Space, float>& scratch) {
    return search::learn_while_searching(space, w, options.learner, options.laso, options.incremental,
                                         scratch);
  };
  int made = 0;
  const auto pass_ended = [&](int pass, size_t updates) {
    made = pass;
    const double each =
        static_cast<double>(updates) / static_cast<double>(std::max<size_t>(1, problem.size()));
    return !context.round_ended ||
           context.round_ended({{pass, each, nullptr, 0, "updates per sequence"}, result}).go_on;
  };
  ESPALIER_TRY(search::learn_in_passes(problem, weights, options.passes, options.seed, context.monitor, learn,
                                       pass_ended));
  // A pass without updates is the last, as further ones would change nothing. They still count towards an
  // average in which an old model counts by the number of passes planned.
  if (context.old.weights && !context.monitor.stop_requested())
    for (size_t i = static_cast<size_t>(made) * problem.size();
         i < static_cast<size_t>(options.passes) * problem.size(); ++i)
      weights.tick();
  return result();
}

/// The goals of a search that is over, best first; ties go to the one found first.
template <typename Space>
std::vector<uint32_t> best_goals(const search::SearchScratch<Space, float>& scratch, size_t most) {
  std::vector<uint32_t> goals = scratch.goals;
  std::stable_sort(goals.begin(), goals.end(),
                   [&](uint32_t a, uint32_t b) { return scratch.nodes[a].score > scratch.nodes[b].score; });
  goals.resize(std::min(most, goals.size()));
  return goals;
}

/// Expansions of best-first search, for each decision of the longest path.
constexpr size_t kHorizon = 200;

template <typename Space, typename By>
Result<Decoded> decode_by(const Space& space, const By& scorer, const Mixture& policy,
                          const DecodeOptions& options, size_t longest) {
  Decoded out;
  const auto add = [&](std::vector<search::Action> actions, double score) {
    out.best.push_back({std::move(actions), {}, score});
  };
  // One state a level is not greedy where levels are skipped: chunks of all lengths compete at their ends. So
  // it was when weights were learned for a beam; classifiers of single decisions go from state to state.
  const bool by_level = options.beam > 1 || (search::HasLevel<Space> && !options.normalise);
  bool breadth_first = by_level && !options.best_first && !options.stochastic;
  if (options.stochastic) {
    auto found = search::decode_stochastically(space, policy, Random(options.seed));
    if (found.reached_goal()) add(std::move(found.actions), found.score);
  } else if (options.best_first) {
    auto found = search::decode_best_first(space, scorer, options.beam, kHorizon * (longest + 1));
    if (found.reached_goal()) add(std::move(found.actions), found.score);
    if (found.ended == search::Ended::kOutOfSteps) {
      out.ended = data::SearchEnd::kOutOfSteps;
      breadth_first = true;
    }
  } else if (!breadth_first) {
    auto found = search::decode_by_vote(space, policy, longest);
    if (found.reached_goal()) add(std::move(found.actions), found.score);
  }
  if (breadth_first) {
    search::SearchScratch<Space, float> scratch;
    const auto [node, ended] =
        search::search_breadth_first(space, scorer, options.beam, scratch, search::NoObserver());
    for (const uint32_t goal : best_goals<Space>(scratch, options.nbest))
      add(search::path_to(scratch.nodes, goal), scratch.nodes[goal].score);
    if (ended == search::Ended::kExact && !options.best_first) out.ended = data::SearchEnd::kExact;
  }
  if (out.best.empty()) return fail("the search ended in a dead end");
  return out;
}

template <typename Space>
Result<Decoded> decode(const Space& space, const Mixture& policy, const DecodeOptions& options,
                       size_t longest) {
  // One greedy decision is the same either way.
  const bool normalise = options.normalise && (options.beam > 1 || options.best_first);
  if (normalise) return decode_by(space, search::Normalised{policy}, policy, options, longest);
  return decode_by(space, policy, policy, options, longest);
}

}  // namespace

uint64_t one_seed(uint64_t seed, const data::HashedFeatures& features) {
  for (const uint64_t hash : features.state) seed = hash_combine(seed, hash);
  return hash_combine(seed, features.state.size());
}

template <search::Problem P>
Result<Mixture> train_search(const P& problem, const SearchOptions& options, const SearchContext& context) {
  if (options.learner == SearchLearner::kSearn)
    ESPALIER_TRY(check_reduction(options.classifier, options.reduction, P::kKind));
  if (options.learner == SearchLearner::kSearn && options.oracle_beam > 0) {
    if constexpr (search::LossSpace<typename P::Space>) {
      return train_searn(search::SearchOracleProblem<P>{problem, options.oracle_beam}, options, context);
    } else {
      return fail(
          "oracle=search: with direction=easiest-first every order of the right labels is as good as "
          "another, "
          "which a beam would fill with; take oracle=analytic");
    }
  }
  if (options.learner == SearchLearner::kSearn) return train_searn(problem, options, context);
  return train_on_line(problem, options, context);
}

template Result<Mixture> train_search(const LabelProblem&, const SearchOptions&, const SearchContext&);
template Result<Mixture> train_search(const JointProblem&, const SearchOptions&, const SearchContext&);
template Result<Mixture> train_search(const EasiestProblem&, const SearchOptions&, const SearchContext&);
template Result<Mixture> train_search(const ChunkProblem&, const SearchOptions&, const SearchContext&);
template Result<Mixture> train_search(const SummaryProblem&, const SearchOptions&, const SearchContext&);

Result<Decoded> decode_labels(const LabelSpace& space, const DecisionPlan& plan, size_t length,
                              const Mixture& policy, const DecodeOptions& options) {
  ESPALIER_ASSIGN(Decoded decoded, decode(space, policy, options, length));
  for (Decoded::Way& way : decoded.best) {
    way.labels.resize(length);
    for (size_t i = 0; i < length; ++i)
      way.labels[plan.order == DecisionOrder::kRightToLeft ? length - 1 - i : i] =
          static_cast<data::Label>(way.actions[i].label);
  }
  return decoded;
}

Result<Decoded> decode_labels(const JointSpace& space, const DecisionPlan& plan, size_t length,
                              const Mixture& policy, const DecodeOptions& options) {
  const size_t C = plan.columns();
  ESPALIER_ASSIGN(Decoded decoded, decode(space, policy, options, length * C));
  for (Decoded::Way& way : decoded.best) {
    way.labels.resize(length * C);
    JointSpace::State state = space.initial();
    for (const search::Action& action : way.actions) {
      way.labels[space.token(state) * C + space.column(state)] = static_cast<data::Label>(action.label);
      ++state.made;
    }
  }
  return decoded;
}

Result<Decoded> decode_labels(const EasiestSpace& space, const DecisionPlan&, size_t length,
                              const Mixture& policy, const DecodeOptions& options) {
  if (options.beam > 1 || options.best_first)
    return fail(
        "direction=easiest-first is searched greedily: paths of a beam would be the same labels in other "
        "orders");
  ESPALIER_ASSIGN(Decoded decoded, decode(space, policy, options, length));
  for (Decoded::Way& way : decoded.best) {
    way.labels.resize(length);
    for (const search::Action& action : way.actions)
      way.labels[action.candidate] = static_cast<data::Label>(action.label);
  }
  return decoded;
}

Result<Decoded> decode_labels(const ChunkSpace& space, const DecisionPlan& plan, size_t length,
                              const Mixture& policy, const DecodeOptions& options) {
  ESPALIER_ASSIGN(Decoded decoded, decode(space, policy, options, length));
  for (Decoded::Way& way : decoded.best) {
    std::vector<Chunk> chunks;
    uint32_t at = 0;
    for (const search::Action& action : way.actions) {
      chunks.push_back({at, action.candidate + 1, action.label});
      at += chunks.back().length;
    }
    way.labels = labels_of(plan, chunks, length);
  }
  return decoded;
}

Result<Decoded> decode_pieces(const SummarySpace& space, size_t longest, const Mixture& policy,
                              const DecodeOptions& options) {
  return decode(space, policy, options, longest);
}

}  // namespace espalier::tasks

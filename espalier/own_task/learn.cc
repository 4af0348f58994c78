// Learning a policy for a search task. Tests are in task_test.cc.
#include <algorithm>
#include <optional>

#include "espalier/base/training_round.h"
#include "espalier/own_task/policy.h"
#include "espalier/own_task/settings.h"
#include "espalier/own_task/space.h"
#include "espalier/search/passes.h"

namespace espalier {

namespace {

using search::Mixture;
using search::RowWeights;

using TaskContext = RoundContext<Mixture>;

Mixture mixture_of(RowWeights weights) {
  Mixture mixture;
  mixture.interpolate(std::make_shared<RowWeights>(std::move(weights)), 1);
  return mixture;
}

template <bool kLevels>
Result<Mixture> learn_by_searn(const own_task::TaskProblem<kLevels>& problem,
                               const own_task::TaskLearner& learner, const TaskContext& context) {
  using Space = typename own_task::TaskProblem<kLevels>::Space;
  const auto layout = search::no_static_rows(problem.rules.labels);
  const uint64_t seed = learner.searn.seed;
  search::SearnPlan plan;
  search::SearnHooks hooks;
  hooks.planned = [&](const search::SearnPlan& made) { plan = made; };
  hooks.round_ended = [&](const search::SearnRound& round) {
    std::optional<double> share;  // of the oracle, where it is still asked
    if (round.beta < 1) share = round.oracle_share;
    return context
        .round_ended({{round.number, share, nullptr, std::max(plan.expected, round.number)},
                      [&] { return round.policy; }})
        .go_on;
  };
  const search::LearnClassifier<Space> learn = [&](const search::Examples<Space>& examples, int iteration,
                                                   int without) -> Result<std::shared_ptr<search::Scorer>> {
    Monitor part = context.monitor;
    part.on_progress = nullptr;
    if (without < 0)
      part.on_progress = [&](const Progress& progress) {
        Progress out = progress;
        out.done = iteration - 1 + progress.fraction();
        out.total = std::max(plan.expected, iteration);
        out.round = iteration;
        context.monitor.report(out);
      };
    search::DirectOptions direct = learner.direct;
    direct.seed = seed + 1000 * static_cast<uint64_t>(iteration);
    const auto from = [&](const search::Examples<Space>& some) {
      return std::make_shared<RowWeights>(
          search::learn_direct(problem, some, layout, problem.rules.labels, direct, part));
    };
    return std::shared_ptr<search::Scorer>(
        without < 0 ? from(examples) : from(search::without_fold(examples, without, learner.searn.folds)));
  };
  return search::searn(problem, learner.searn, learn, hooks, context.monitor);
}

template <bool kLevels>
Result<Mixture> learn_while_searching(const own_task::TaskProblem<kLevels>& problem,
                                      const own_task::TaskLearner& learner, const TaskContext& context) {
  using Space = typename own_task::TaskProblem<kLevels>::Space;
  RowWeights weights(search::no_static_rows(problem.rules.labels), problem.rules.labels);
  const auto result = [&] { return mixture_of(learner.average ? weights.averaged() : weights); };
  const auto learn = [&](const Space& space, RowWeights& w, search::SearchScratch<Space, float>& scratch) {
    return search::learn_while_searching(space, w, learner.kind, learner.laso, learner.update, scratch);
  };
  const auto pass_ended = [&](int pass, size_t updates) {
    const double each = static_cast<double>(updates) / static_cast<double>(problem.size());
    return context.round_ended({{pass, each, nullptr, learner.passes}, result}).go_on;
  };
  ESPALIER_TRY(search::learn_in_passes(problem, weights, learner.passes, learner.searn.seed, context.monitor,
                                       learn, pass_ended));
  return result();
}

/// Follows the oracle through every example, so that what is wrong with a task is found before anything is
/// learned, and whichever learner it is. Costs as much as the oracle's part of one round. Throws TaskFault.
template <bool kLevels>
void follow_oracle(const own_task::TaskProblem<kLevels>& problem, const Monitor& monitor) {
  std::vector<search::Action> optimal;
  for (size_t i = 0; i < problem.size() && !monitor.stop_requested(); ++i) {
    const auto space = problem.space(i);
    auto state = space.initial();
    while (!space.is_goal(state)) {
      optimal.clear();
      space.optimal_actions(state, optimal);
      state = space.apply(state, optimal[0]);
    }
    space.loss(state);
  }
}

template <bool kLevels>
Result<Mixture> learn_task(const own_task::TaskProblem<kLevels>& problem,
                           const own_task::TaskLearner& learner, const TaskContext& context) {
  follow_oracle(problem, context.monitor);
  auto learned = learner.kind == search::SearchLearner::kSearn
                     ? learn_by_searn(problem, learner, context)
                     : learn_while_searching(problem, learner, context);
  constexpr std::string_view kInstance = "instance ";  // as the search module calls them
  if (!learned.ok() && learned.error().message.starts_with(kInstance))
    return fail("example {}", learned.error().message.substr(kInstance.size()));
  return learned;
}

/// What all examples must have in common.
Result<TaskOffers> common_offers(const SearchTasks& examples) {
  if (examples.empty()) return fail("there are no examples to learn from");
  const TaskOffers first = examples[0].offers();
  const size_t labels = examples[0].labels();
  if (labels == 0 || labels > own_task::kMostTaskLabels)
    return fail("labels() returned {}; expected 1 to {}", labels, own_task::kMostTaskLabels);
  for (size_t i = 1; i < examples.size(); ++i) {
    const TaskOffers other = examples[i].offers();
    if (examples[i].labels() != labels)
      return fail("example {}: labels() gave {}, for example 1 it gave {}", i + 1, examples[i].labels(),
                  labels);
    if (other.loss != first.loss || other.optimal_actions != first.optimal_actions ||
        other.best_loss != first.best_loss || other.loss_so_far != first.loss_so_far ||
        other.level != first.level)
      return fail("example {}: the task has other functions than that of example 1 (see offers())", i + 1);
  }
  if (!first.loss) return fail("learning needs loss(), what a complete output costs");
  if (!first.optimal_actions && !first.best_loss && !first.loss_so_far)
    return fail(
        "learning needs to know which actions are right: give optimal_actions(), or best_loss(), or "
        "loss_so_far() "
        "(how bad an unfinished state looks, by which a beam search finds the best completion; where loss() "
        "can be "
        "asked of unfinished states, it serves as that)");
  return first;
}

own_task::TaskOracle oracle_of(const TaskOffers& offers) {
  if (offers.optimal_actions)
    return offers.best_loss ? own_task::TaskOracle::kOwn : own_task::TaskOracle::kOptimalActions;
  return offers.best_loss ? own_task::TaskOracle::kBestLoss : own_task::TaskOracle::kSearch;
}

std::string oracle_in_words(const own_task::TaskRules& rules) {
  switch (rules.oracle) {
    case own_task::TaskOracle::kOwn:
      return "optimal_actions and best_loss";
    case own_task::TaskOracle::kOptimalActions:
      return "optimal_actions";
    case own_task::TaskOracle::kBestLoss:
      return "best_loss";
    default:
      return fmt::format("a search with a beam of {}", rules.oracle_beam);
  }
}

/// Follows the rounds of a learner: scores the dev examples, keeps the best round, decides when to end.
class TaskRounds {
 public:
  TaskRounds(const own_task::TaskLearner& learner, const LearnOptions& options, PolicyInfo info)
      : learner_(learner),
        options_(options),
        info_(std::move(info)),
        usage_{learner.beam, learner.best_first, learner.kind == search::SearchLearner::kSearn} {
    monitor_.stop = &halted_;
    monitor_.on_progress = [this](const Progress& progress) { report(progress); };
  }
  TaskRounds(const TaskRounds&) = delete;
  TaskRounds& operator=(const TaskRounds&) = delete;

  const Monitor& monitor() const { return monitor_; }
  void poll() {
    if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) halted_ = true;
  }
  Verdict ended(const TrainingRound<Mixture>& round) {
    info_.rounds = round.number;
    std::optional<double> objective = round.objective;
    bool go_on = true;
    if (!options_.dev.empty()) {
      Mixture policy = round.model();
      const Result<double> loss = dev_loss(policy);
      if (!loss.ok()) {
        status_ = loss.error();
        return {.go_on = false, .best = false};
      }
      objective = *loss;
      if (!best_ || *loss < info_.dev_loss) {
        best_ = std::move(policy);
        info_.dev_loss = *loss;
        info_.best_round = round.number;
      }
      go_on = round.number - info_.best_round < learner_.patience;
    } else {
      info_.best_round = round.number;
    }
    Progress progress = pass_progress(round.number, round.most, 1);
    progress.objective = objective;
    progress.round_ended = true;
    report(progress);
    return {.go_on = go_on && !halted_, .best = info_.best_round == round.number};
  }
  Result<Policy> finish(const Mixture& last) {
    ESPALIER_TRY(status_);
    info_.interrupted = halted_;
    return PolicyBuilder::from_weights(best_ ? *best_ : last, info_, usage_);
  }

 private:
  void report(const Progress& progress) {
    poll();
    if (options_.on_progress && !options_.on_progress(progress)) halted_ = true;
  }
  Result<double> dev_loss(const Mixture& policy) const {
    ESPALIER_ASSIGN(const Policy now, PolicyBuilder::from_weights(policy, info_, usage_));
    const auto loss = now.mean_loss(options_.dev, {.most_actions = options_.most_actions}, options_.threads);
    if (!loss.ok()) return fail("dev {}", loss.error().message);
    return loss;
  }

  const own_task::TaskLearner& learner_;
  const LearnOptions& options_;
  PolicyInfo info_;
  PolicyBuilder::Usage usage_;
  std::atomic<bool> halted_ = false;
  Monitor monitor_;
  std::optional<Mixture> best_;
  Status status_;
};

}  // namespace

Result<Policy> learn_to_search(const SearchTasks& examples, const Learner& learner,
                               const LearnOptions& options) {
  if (options.threads < 0) return fail("{} threads", options.threads);
  if (options.most_actions == 0) return fail("most_actions is 0: it must be at least 1");
  ESPALIER_ASSIGN(const TaskOffers offers, common_offers(examples));
  own_task::TaskRules rules;
  rules.labels = examples[0].labels();
  rules.most_actions = options.most_actions;
  rules.oracle = oracle_of(offers);
  const bool searches = rules.oracle == own_task::TaskOracle::kSearch;
  ESPALIER_ASSIGN(own_task::TaskLearner how,
                  own_task::parse_task_learner(learner, {searches, !options.dev.empty()}));
  rules.oracle_beam = how.oracle_beam;
  how.searn.seed = options.seed;
  how.laso.horizon = options.most_actions;

  PolicyInfo info;
  info.learner = how.name;
  info.settings = how.settings;
  info.oracle = oracle_in_words(rules);
  info.seed = options.seed;
  info.examples = examples.size();
  info.labels = rules.labels;
  TaskRounds rounds(how, options, std::move(info));
  const TaskContext context{rounds.monitor(),
                            [&](const TrainingRound<Mixture>& round) { return rounds.ended(round); }};
  const std::function<void()> poll = [&] { rounds.poll(); };
  own_task::TaskScratch scratch;
  const auto learned = [&]() -> Result<Mixture> {
    try {
      if (offers.level)
        return learn_task(own_task::TaskProblem<true>{examples, rules, scratch, poll}, how, context);
      return learn_task(own_task::TaskProblem<false>{examples, rules, scratch, poll}, how, context);
    } catch (const own_task::TaskFault& fault) {
      return fail("{}", fault.what());
    }
  }();
  ESPALIER_TRY(learned);
  return rounds.finish(*learned);
}

}  // namespace espalier

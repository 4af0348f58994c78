// Policy::decode and Policy::mean_loss. Tested in task_test.cc.
#include <algorithm>
#include <atomic>
#include <numeric>

#include "espalier/base/parallel.h"
#include "espalier/own_task/policy.h"

namespace espalier {

namespace {

template <bool kLevels>
using DecodeSpace = own_task::TaskSearch<kLevels>;

std::vector<Action> public_actions(const std::vector<search::Action>& actions) {
  std::vector<Action> out;
  out.reserve(actions.size());
  for (const search::Action& a : actions) out.push_back({a.candidate, a.label});
  return out;
}

/// The options, with defaults filled in from the policy.
struct TaskSearchPlan {
  size_t beam;
  bool best_first;
  size_t nbest;
  size_t horizon;
};

template <bool kLevels, typename By>
Result<SearchResult> search_task(const DecodeSpace<kLevels>& space, const By& scorer,
                                 const search::Mixture& policy, bool greedy, const TaskSearchPlan& plan) {
  using Space = DecodeSpace<kLevels>;
  SearchResult out;
  bool breadth_first = !greedy && !plan.best_first;
  search::Ended ended = search::Ended::kDeadEnd;
  const auto take = [&](search::Found<Space> found) {
    ended = found.ended;
    if (found.reached_goal())
      out.paths.push_back({public_actions(found.actions), found.score, std::move(found.state.value)});
  };
  if (plan.best_first) {
    take(search::decode_best_first(space, scorer, plan.beam, plan.horizon));
    if (ended == search::Ended::kOutOfSteps) {
      out.end = SearchEnd::kOutOfSteps;
      breadth_first = true;
    }
  } else if (greedy) {
    take(search::decode_by_vote(space, policy));
  }
  if (breadth_first) {
    search::SearchScratch<Space, float> scratch;
    const auto [best, how] =
        search::search_breadth_first(space, scorer, plan.beam, scratch, search::NoObserver());
    std::vector<uint32_t> goals = scratch.goals;
    std::stable_sort(goals.begin(), goals.end(),
                     [&](uint32_t a, uint32_t b) { return scratch.nodes[a].score > scratch.nodes[b].score; });
    goals.resize(std::min(plan.nbest, goals.size()));
    for (const uint32_t goal : goals)
      out.paths.push_back({public_actions(search::path_to(scratch.nodes, goal)), scratch.nodes[goal].score,
                           scratch.nodes[goal].state.value});
    if (how == search::Ended::kExact && !plan.best_first) out.end = SearchEnd::kExact;
  }
  if (out.paths.empty())
    return fail(
        "no path reached a goal: actions() returned no action in any state that was kept, and is_goal() says "
        "that none "
        "is a goal");
  return out;
}

template <bool kLevels>
Result<SearchResult> search_task(const Policy::State& state, const DecodeSpace<kLevels>& space,
                                 const search::Mixture& policy, const TaskSearchPlan& plan) {
  policy.begin({});
  // One state per level is not greedy where levels are skipped. So it was when weights were learned for a
  // beam; classifiers of single decisions go from state to state.
  const bool greedy = plan.beam == 1 && !plan.best_first && (!kLevels || state.normalise);
  if (state.normalise && !greedy)
    return search_task<kLevels>(space, search::Normalised{policy}, policy, greedy, plan);
  return search_task<kLevels>(space, policy, policy, greedy, plan);
}

}  // namespace

Result<own_task::TaskRules> own_task::rules_for_decoding(const Policy::State& state, const SearchTask& task,
                                                         size_t most_actions) {
  if (most_actions == 0) return fail("most_actions is 0: it must be at least 1");
  if (task.labels() != state.info.labels)
    return fail("the task's labels() says {}, the policy was learned for {}", task.labels(),
                state.info.labels);
  TaskRules rules;
  rules.labels = state.info.labels;
  rules.most_actions = most_actions;
  return rules;
}

Result<SearchResult> own_task::decode_task(const Policy::State& state, const SearchTask& task,
                                           const SearchOptions& options, size_t number) {
  ESPALIER_ASSIGN(const TaskRules rules, rules_for_decoding(state, task, options.most_actions));
  const TaskSearchPlan plan{options.beam > 0 ? options.beam : state.beam,
                            options.method == SearchMethod::kLearned
                                ? state.best_first
                                : options.method == SearchMethod::kBestFirst,
                            options.nbest, options.most_actions};
  if (plan.nbest == 0) return fail("nbest is 0: it must be at least 1");
  if (plan.nbest > 1 && (plan.best_first || plan.nbest > plan.beam))
    return fail(
        "a search has as many paths as its breadth-first beam is wide: nbest {} needs a breadth-first search "
        "with a beam of at least {}",
        plan.nbest, plan.nbest);
  const PolicyLease lease(state);
  try {
    auto found = task.offers().level
                     ? search_task<true>(state, DecodeSpace<true>(task, rules, number, lease.scratch()),
                                         lease.policy(), plan)
                     : search_task<false>(state, DecodeSpace<false>(task, rules, number, lease.scratch()),
                                          lease.policy(), plan);
    if (!found.ok() && number > 0) return fail("example {}: {}", number, found.error().message);
    return found;
  } catch (const TaskFault& fault) {
    return fail("{}", fault.what());
  }
}

Result<SearchResult> Policy::decode(const SearchTask& task, const SearchOptions& options) const {
  return own_task::decode_task(*state_, task, options, 0);
}

Result<double> Policy::mean_loss(const SearchTasks& tasks, const SearchOptions& options, int threads) const {
  if (tasks.empty()) return fail("there are no examples");
  if (threads < 0) return fail("{} threads", threads);
  std::vector<double> losses(tasks.size());
  std::vector<Status> wrong(tasks.size());
  // One example per piece, so that long ones do not delay the others.
  Workers(threads).for_each(tasks.size(), [&](size_t i) {
    if (!tasks[i].offers().loss) {
      wrong[i] = fail("example {}: loss() is not implemented", i + 1);
      return;
    }
    const Result<SearchResult> found = own_task::decode_task(*state_, tasks[i], options, i + 1);
    if (!found.ok()) {
      wrong[i] = found.error();
      return;
    }
    losses[i] = tasks[i].loss(found->goal());
    if (!(losses[i] >= 0 && std::isfinite(losses[i])))
      wrong[i] = fail("example {}: loss() gave {}; a loss is a finite number, 0 or more", i + 1, losses[i]);
  });
  for (const Status& status : wrong) ESPALIER_TRY(status);
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(tasks.size());
}

}  // namespace espalier

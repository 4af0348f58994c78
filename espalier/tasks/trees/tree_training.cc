#include "espalier/tasks/trees/tree_training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "espalier/base/random.h"
#include "espalier/search/examples.h"
#include "espalier/search/task_checks.h"
#include "espalier/tasks/trees/tree_weights.h"

namespace espalier::tasks {
namespace {

using search::Action;
/// So many sentences are enough to fit a few numbers.
constexpr size_t kMostExamples = 1000;
using TreeSearch = search::SearchScratch<ParseSpace, float>;

/// The best of some actions; ties go to the first.
Action best_by(std::span<const float> row, const std::vector<Action>& actions) {
  Action best = actions.front();
  for (const Action& a : actions)
    if (row[a.label] > row[best.label]) best = a;
  return best;
}

/// One walk through a sentence. Where the best action is not optimal, the weights move towards the best
/// optimal one. `own` follows the decisions made, otherwise the optimal ones.
Result<size_t> follow_and_correct(const ParseSpace& space, TreeWeights& weights, bool own,
                                  search::ActionLists& lists) {
  size_t updates = 0;
  ParseSpace::State state = space.initial();
  while (!space.is_goal(state)) {
    ESPALIER_TRY(search::ask_oracle(space, state, lists));
    const std::span<const float> row = weights.row(space, state, 0);
    const Action chosen = best_by(row, lists.actions), wanted = best_by(row, lists.optimal);
    if (std::find(lists.optimal.begin(), lists.optimal.end(), chosen) == lists.optimal.end()) {
      weights.add(space, state, wanted, 1);
      weights.add(space, state, chosen, -1);
      ++updates;
    }
    weights.tick();
    state = space.apply(state, own ? chosen : wanted);
  }
  return updates;
}

Result<size_t> learn_sentence(const ParseSpace& space, TreeWeights& weights,
                              const TreeTrainingOptions& options, int pass, TreeSearch& scratch,
                              search::ActionLists& lists) {
  switch (options.learner) {
    case SearchLearner::kSearn:
      return follow_and_correct(space, weights, pass > 1, lists);
    case SearchLearner::kLasoBr:
      return search::learn_breadth_first(space, weights, options.laso, scratch);
    case SearchLearner::kLasoBst:
      return search::learn_best_first(space, weights, search::BestFirstRule::kXuFern, options.laso, scratch);
    case SearchLearner::kLaso:
      return search::learn_best_first(space, weights, search::BestFirstRule::kDaumeMarcu, options.laso,
                                      scratch);
    case SearchLearner::kIncremental:
      break;
  }
  return search::learn_incrementally(space, weights, options.incremental, options.laso, scratch);
}

}  // namespace

Result<TreeTables> train_trees(const TreeSystem& system, const std::vector<TreeExample>& examples,
                               const TreeTrainingOptions& options, const RoundContext<TreeTables>& context) {
  TreeWeights weights(system.all_relations);
  TreeScratch scratch;
  TreeSearch search_scratch;
  search::ActionLists lists;
  const auto result = [&] { return TreeTables::pack(weights.averaged(options.average)); };
  std::vector<uint32_t> order(examples.size());
  for (int pass = 1; pass <= options.passes; ++pass) {
    std::iota(order.begin(), order.end(), 0);
    Random(options.seed).split(static_cast<uint64_t>(pass)).shuffle(std::span<uint32_t>(order));
    size_t updates = 0;
    search::PassProgress steps(order.size());
    for (const uint32_t i : order) {
      if (context.monitor.stop_requested()) break;
      steps.report(context.monitor, pass, options.passes);
      const ParseSpace space(system, examples[i].sentence, scratch, &examples[i].gold);
      ESPALIER_ASSIGN(const size_t made,
                      learn_sentence(space, weights, options, pass, search_scratch, lists));
      updates += made;
      if (options.learner != SearchLearner::kSearn) weights.tick();
    }
    const double each = static_cast<double>(updates) / static_cast<double>(std::max<size_t>(1, order.size()));
    if (context.round_ended &&
        !context.round_ended({{pass, each, nullptr, 0, "updates per sentence"}, result}).go_on)
      break;
    if (updates == 0 || context.monitor.stop_requested()) break;
  }
  return result();
}

float fit_sharpness(const TreeSystem& system, const TreeTables& tables,
                    const std::vector<TreeExample>& examples) {
  constexpr size_t kSteps = 33;
  constexpr double kLeast = 0.004, kFactor = 1.2;
  std::array<double, kSteps> likelihood{};
  TreeScratch scratch;
  TreeMemory memory;
  std::vector<Action> actions, optimal;
  const size_t n = std::min(kMostExamples, examples.size());
  for (size_t i = 0; i < n; ++i) {
    const TreeExample& example = examples[i * examples.size() / n];
    const ParseSpace space(system, example.sentence, scratch, &example.gold);
    TreeScorer scorer(tables, system, memory);
    for (ParseSpace::State state = space.initial(); !space.is_goal(state);) {
      actions.clear();
      optimal.clear();
      space.actions(state, actions);
      space.optimal_actions(state, optimal);
      const std::span<const float> row = scorer.row(space, state, 0);
      const Action best = best_by(row, actions);
      double sharpness = kLeast;
      for (size_t k = 0; k < kSteps && optimal.size() < actions.size(); ++k, sharpness *= kFactor) {
        const auto mass = [&](const std::vector<Action>& some) {
          double sum = 0;
          for (const Action& a : some)
            sum += std::exp(sharpness * (double{row[a.label]} - double{row[best.label]}));
          return sum;
        };
        // The smallest number keeps one hopeless mistake from deciding everything.
        likelihood[k] += std::log(mass(optimal) / mass(actions) + 1e-12);
      }
      state = space.apply(state, best);
    }
  }
  const auto best = std::max_element(likelihood.begin(), likelihood.end()) - likelihood.begin();
  return static_cast<float>(kLeast * std::pow(kFactor, static_cast<double>(best)));
}

eval::MonotoneMap fit_arc_calibration(const TreeSystem& system, const TreeTables& tables, TreeDecoding how,
                                      const std::vector<TreeExample>& examples) {
  constexpr size_t kLeast = 100, kGroups = 30;
  ESPALIER_CHECK(how.beam > 1 && how.sharpness > 0);
  how.nbest = how.beam;
  TreeBuffers buffers;
  std::vector<std::pair<float, bool>> observed;
  const size_t n = std::min(kMostExamples, examples.size());
  for (size_t i = 0; i < n; ++i) {
    const TreeExample& example = examples[i * examples.size() / n];
    buffers.sentence = example.sentence;
    parse_sentence(system, tables, how, buffers);
    const std::vector<float> confidence = arc_confidence(buffers);
    const ParsedTree& best = buffers.best[0];
    for (size_t w = 0; w < confidence.size(); ++w) {
      const uint32_t head = best.heads[w] == 0 ? kNoWord : best.heads[w] - 1;
      const data::Label gold = example.gold.relations[w];
      observed.emplace_back(
          confidence[w], head == example.gold.heads[w] && (best.relations[w] == gold || !system.labelled()));
    }
  }
  const size_t least = std::max(kLeast, observed.size() / kGroups);
  return eval::MonotoneMap::fit(std::move(observed), least);
}

}  // namespace espalier::tasks

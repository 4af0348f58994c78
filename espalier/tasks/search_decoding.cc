#include "espalier/tasks/search_decoding.h"

#include <algorithm>

#include "espalier/search/decode.h"

namespace espalier::tasks {

namespace {

using search::Mixture;

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

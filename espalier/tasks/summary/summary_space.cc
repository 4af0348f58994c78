#include "espalier/tasks/summary/summary_space.h"

#include <algorithm>

namespace espalier::tasks {

using search::Action;

const SummaryContext& SummarySpace::load(const State& state) const {
  at_->context.load(at_->input, at_->cluster, state.chosen, state.key);
  return at_->context;
}

void SummarySpace::find_goal(State& state) const { state.goal = load(state).available.empty(); }

SummarySpace::State SummarySpace::initial() const {
  State state;
  find_goal(state);
  return state;
}

void SummarySpace::actions(const State& state, std::vector<Action>& out) const {
  for (const uint32_t piece : load(state).available) out.push_back({piece, 0});
}

void SummarySpace::advance(State& state, Action action) const {
  state.chosen.push_back(action.candidate);
  state.words += at_->input.pieces[action.candidate].size();
  state.key += piece_key(action.candidate);
  find_goal(state);
}

void SummarySpace::features(const State& state, uint32_t candidate, search::FeatureSink& sink) const {
  at_->features.add(load(state), candidate, sink);
}

double SummarySpace::loss(const State& goal) const {
  PieceSet set = at_->oracle->empty_set();
  for (const uint32_t piece : goal.chosen) set.add({{piece}});
  return at_->oracle->loss(set.worth());
}

void SummarySpace::optimal_actions(const State& state, std::vector<Action>& out) const {
  const SummaryOracle::Answer& answer = at_->oracle->answer(state.chosen, state.key);
  const size_t before = out.size();
  for (const SummaryOracle::Regret& regret : answer.regrets)
    if (std::binary_search(answer.wanted.begin(), answer.wanted.end(), regret.piece))
      out.push_back({regret.piece, 0});
  if (out.size() > before) {
    // Any order leads to the same summary. The one to imitate is drawn by the state, so that the states on
    // the way are not always the beginning of a text.
    const auto first = out.begin() + static_cast<ptrdiff_t>(before);
    std::rotate(first, first + static_cast<ptrdiff_t>(state.key % static_cast<uint64_t>(out.end() - first)),
                out.end());
    return;
  }
  if (answer.regrets.empty()) return;
  // Nothing more is to be gained: what does least harm.
  const float least =
      std::min_element(answer.regrets.begin(), answer.regrets.end(), [](const auto& a, const auto& b) {
        return a.cost < b.cost;
      })->cost;
  for (const SummaryOracle::Regret& regret : answer.regrets)
    if (regret.cost == least) out.push_back({regret.piece, 0});
}

double SummarySpace::best_loss(const State& state) const {
  return at_->oracle->answer(state.chosen, state.key).best_loss;
}

double SummarySpace::best_loss_after(const State& state, Action action) const {
  const SummaryOracle::Answer& answer = at_->oracle->answer(state.chosen, state.key);
  const auto found =
      std::lower_bound(answer.regrets.begin(), answer.regrets.end(), action.candidate,
                       [](const SummaryOracle::Regret& r, uint32_t piece) { return r.piece < piece; });
  ESPALIER_CHECK(found != answer.regrets.end() && found->piece == action.candidate);
  return answer.best_loss + static_cast<double>(found->cost);
}

}  // namespace espalier::tasks

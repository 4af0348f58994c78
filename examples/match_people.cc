// A task of one's own: matching people to jobs, written as a search and learned by three learners.
#include <cstdio>
#include <numeric>

#include "espalier/search/simple.h"

namespace search = espalier::search;
using search::Action;

/// Each person in turn gets one of the jobs that are left: the choices change from state to state.
struct Matching {
  struct State {
    uint32_t person = 0, taken = 0, errors = 0;  // taken: one bit a job
  };
  std::vector<std::vector<uint32_t>> suits;  // suits[person][job]: how the two go together, 0 to 9
  std::vector<uint32_t> truth;               // the job of each person

  State initial() const { return {}; }
  bool is_goal(const State& s) const { return s.person == truth.size(); }
  void actions(const State& s, std::vector<Action>& out) const {
    for (uint32_t job = 0; job < truth.size(); ++job)
      if ((s.taken >> job & 1) == 0) out.push_back({job, 0});
  }
  State apply(const State& s, Action a) const {
    return {s.person + 1, s.taken | 1u << a.candidate, s.errors + (a.candidate != truth[s.person])};
  }
  size_t labels() const { return 1; }
  void features(const State& s, uint32_t job, search::FeatureSink& sink) const {
    sink.add(suits[s.person][job]);
    for (uint32_t p = s.person + 1; p < truth.size(); ++p) sink.add(100 + suits[p][job]);  // who else might
  }
  double loss(const State& s) const { return s.errors; }
  double best_loss(const State& s) const {  // whose job is gone cannot get it any more
    double loss = s.errors;
    for (uint32_t p = s.person; p < truth.size(); ++p) loss += s.taken >> truth[p] & 1;
    return loss;
  }
  void optimal_actions(const State& s, std::vector<Action>& out) const {
    std::vector<Action> all;
    actions(s, all);
    for (const Action& a : all)
      if (best_loss(apply(s, a)) == best_loss(s)) out.push_back(a);
  }
};

search::SpaceList<Matching> draw(uint64_t seed) {  // the true job suits better than most
  espalier::Random random(seed);
  search::SpaceList<Matching> all{
      std::vector<Matching>(300, {{6, std::vector<uint32_t>(6)}, std::vector<uint32_t>(6)})};
  for (Matching& m : all.list) {
    std::iota(m.truth.begin(), m.truth.end(), 0);
    random.shuffle(std::span<uint32_t>(m.truth));
    for (uint32_t p = 0; p < 6; ++p)
      for (uint32_t j = 0; j < 6; ++j)
        m.suits[p][j] = static_cast<uint32_t>(m.truth[p] == j ? 6 + random.below(4) : random.below(7));
  }
  return all;
}

int main() {
  const auto train = draw(1), test = draw(2);
  const auto report = [&](const char* learner, auto policy) {
    double right = 0;
    for (const Matching& m : test.list) right += 6 - m.loss(search::decode_breadth_first(m, policy, 5).state);
    std::printf("%-12s %.1f %% of people in the right job\n", learner, right / 18);
  };
  // SEARN's classifier knows single decisions: for a beam, its scores become log-probabilities.
  const search::Mixture searn = search::train_searn(train, 1).value();
  report("searn", search::Normalised{searn});
  const auto breadth_first = [](const Matching& m, auto& w, auto& scratch) {
    return search::learn_breadth_first(m, w, {5}, scratch);
  };
  report("laso-br", search::train_by_search(train, 1, 10, 1, breadth_first).value());
  const auto incremental = [](const Matching& m, auto& w, auto& scratch) {
    return search::learn_incrementally(m, w, search::IncrementalUpdate::kMaxViolation, {5}, scratch);
  };
  report("incremental", search::train_by_search(train, 1, 10, 1, incremental).value());
}

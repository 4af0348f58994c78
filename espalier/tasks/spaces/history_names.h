// Readable names for the history features of a search, whose hashes do not reveal them: heaviest_hashed()
// chooses the features, name_history() finds their names by following paths through the training data. Costs
// about two passes of greedy decoding. Tested in espalier/model/training/train_search_test.cc.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "espalier/search/policy/policy.h"
#include "espalier/search/policy/row_weights.h"
#include "espalier/tasks/spaces/sequence_problem.h"

namespace espalier::tasks {

/// Hashed features and their names, in the same order.
struct HistoryNames {
  std::vector<uint64_t> hashes;
  std::string names;  ///< one per line
};

/// The hashes of the features with the largest weights, at most `most`, strongest first.
std::vector<uint64_t> heaviest_hashed(const search::RowWeights& weights, size_t most);

/// The largest number of names a model keeps: more than any listing shows, and less than a megabyte.
inline constexpr size_t kMostHistoryNames = 20000;

/// Looks for the wanted features in states of the training sequences, along the paths of the oracle and of
/// the policy, and asks the space for their names. Some may not be found, since weights were also learned in
/// states of earlier policies.
template <search::Problem P>
HistoryNames name_history(const P& problem, const std::vector<uint64_t>& wanted,
                          const search::Mixture& policy) {
  using Space = typename P::Space;
  std::unordered_map<uint64_t, std::string> found;
  for (const uint64_t hash : wanted) found.emplace(hash, std::string());
  size_t left = found.size();
  std::vector<search::Action> actions;
  std::vector<float> scores;
  search::FeatureSink sink;
  for (size_t i = 0; i < problem.size() && left > 0; ++i) {
    const Space space = problem.space(i);
    policy.begin(problem.blocks(i));
    for (const bool by_oracle : {true, false}) {
      typename Space::State state = space.initial();
      while (!space.is_goal(state) && left > 0) {
        actions.clear();
        space.actions(state, actions);
        if (actions.empty()) break;
        for (size_t a = 0; a < actions.size(); ++a) {
          const uint32_t candidate = actions[a].candidate;
          if (a > 0 && candidate == actions[a - 1].candidate) continue;
          sink.clear();
          space.features(state, candidate, sink);
          for (size_t e = 0; e < sink.entries().size(); ++e) {
            const auto it = found.find(sink.entries()[e].hash);
            if (it == found.end() || !it->second.empty()) continue;
            if constexpr (requires { space.entry_name(state, candidate, e); }) {
              it->second = space.entry_name(state, candidate, e);
            } else {
              it->second = space.entry_name(state, e);
            }
            --left;
          }
        }
        search::Action next = actions[0];
        if (by_oracle) {
          actions.clear();
          space.optimal_actions(state, actions);
          if (!actions.empty()) next = actions[0];
        } else {
          policy.score_actions(space, state, actions, scores);
          next = actions[search::best_action(space, state, std::span<const search::Action>(actions), scores)];
        }
        state = space.apply(state, next);
      }
    }
  }
  HistoryNames out;
  for (const uint64_t hash : wanted) {
    const std::string& name = found[hash];
    if (name.empty() || name.find('\n') != std::string::npos) continue;
    out.hashes.push_back(hash);
    out.names += name + "\n";
  }
  return out;
}

}  // namespace espalier::tasks

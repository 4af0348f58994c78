// Public: policies for search tasks (espalier/public/search_task.h): learning, decoding, saving, explaining.
//
//   es::Policy policy = es::learn_to_search(train).value();
//   es::SearchResult best = policy.decode(task, {.beam = 5}).value();
//
// A policy is immutable and may be used from any number of threads. Decoding costs the features of every
// action of every state that is kept: O(T·b·A) for paths of T actions, a beam of b and A actions per state.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "espalier/public/learners.h"
#include "espalier/public/outcome.h"
#include "espalier/public/progress.h"
#include "espalier/public/result.h"
#include "espalier/public/search_task.h"

#pragma GCC visibility push(default)
namespace espalier {

/// Paths longer than this count as paths without end, unless options say otherwise.
inline constexpr size_t kMostActions = 100'000;

enum class SearchMethod {
  kLearned,    ///< as the policy was learned
  kBeam,       ///< breadth-first; a beam of 1 is greedy
  kBestFirst,  ///< the best state found so far goes on, whatever its level
};

struct SearchOptions {
  size_t beam = 0;  ///< states kept; 0: as the policy was learned
  SearchMethod method = SearchMethod::kLearned;
  size_t nbest = 1;  ///< paths wanted; needs breadth-first search and a beam at least as wide
  /// The longest path that is believed to end; best-first: also the most states that are expanded.
  size_t most_actions = kMostActions;
};

struct SearchPath {
  std::vector<Action> actions;
  double score = 0;
  TaskState goal;
};
struct SearchResult {
  std::vector<SearchPath> paths;  ///< at least one, best first
  SearchEnd end = SearchEnd::kApproximate;
  const std::vector<Action>& actions() const { return paths.front().actions; }
  double score() const { return paths.front().score; }
  const TaskState& goal() const { return paths.front().goal; }
};

/// Why a decision was taken, compared with the second best action of its state.
struct Decision {
  struct Reason {
    std::string feature;  ///< its name; "#5" where the task gave a number
    double chosen = 0;    ///< what it adds to the score of the action chosen
    double runner_up = 0;
  };
  size_t step = 0;  ///< from 0
  Action action, runner_up;
  bool alone = false;                       ///< there was no other action
  std::string action_name, runner_up_name;  ///< as action_name() tells them
  double score = 0, runner_up_score = 0;
  std::vector<Reason> reasons;  ///< by |chosen - runner_up|, largest first
};

/// What a policy knows about itself.
struct PolicyInfo {
  std::string learner;
  Settings settings;   ///< all that apply, defaults included
  std::string oracle;  ///< where the right actions came from: optimal_actions, best_loss or a search
  uint64_t seed = 1;
  size_t examples = 0, labels = 1, features = 0, weights = 0, classifiers = 1;
  int rounds = 0, best_round = 0;  ///< passes or iterations made; the one that was kept
  double dev_loss = -1;            ///< mean loss on the dev examples; below 0: there were none
  bool interrupted = false;        ///< by the caller, before learning had finished
};

/// A learned policy: immutable, cheap to copy, safe to use from any number of threads.
class Policy {
 public:
  static Result<Policy> open(const std::string& path);
  static Result<Policy> from_bytes(const std::vector<std::byte>& bytes, std::string name = "policy");
  /// The file appears whole or not at all.
  Status save(const std::string& path) const;
  /// What save() writes.
  std::vector<std::byte> bytes() const;

  /// An error where no path came to a goal, or where the task breaks its contract.
  Result<SearchResult> decode(const SearchTask& task, const SearchOptions& options = {}) const;
  template <PlainTask T>
  Result<SearchResult> decode(const T& task, const SearchOptions& options = {}) const {
    return decode(TaskView<T>(task), options);
  }
  /// The mean loss of what is decoded; 0 threads: every core.
  Result<double> mean_loss(const SearchTasks& tasks, const SearchOptions& options = {},
                           int threads = 1) const;
  /// Why decode() goes its way: `top` reasons for every decision.
  Result<std::vector<Decision>> explain(const SearchTask& task, const SearchOptions& options = {},
                                        size_t top = 5) const;
  template <PlainTask T>
  Result<std::vector<Decision>> explain(const T& task, const SearchOptions& options = {},
                                        size_t top = 5) const {
    return explain(TaskView<T>(task), options, top);
  }
  const PolicyInfo& info() const;

  struct State;

 private:
  friend struct PolicyBuilder;
  explicit Policy(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

struct LearnOptions {
  SearchTasks dev;  ///< learning stops when the mean loss on these no longer falls; the best round is kept
  uint64_t seed = 1;
  /// Threads that decode the dev examples; learning itself takes one. 0: every core. Above 1, functions of
  /// different dev examples are called at the same time. The policy is the same.
  int threads = 1;
  size_t most_actions = kMostActions;  ///< the longest path that is believed to end
  /// False ends learning early, with a usable policy. `objective` is the mean loss on the dev examples, or
  /// without them the learner's own measure.
  std::function<bool(const Progress&)> on_progress = {};
  const std::atomic<bool>* stop = nullptr;  ///< true ends learning early, with a usable policy
};

/// Learns a policy from examples. Learners: searn (also where the name is empty), laso-br, laso-bst, laso and
/// incremental; docs/tasks.md lists their settings. The same seed gives the same bytes.
Result<Policy> learn_to_search(const SearchTasks& examples, const Learner& learner = {},
                               const LearnOptions& options = {});

}  // namespace espalier
#pragma GCC visibility pop

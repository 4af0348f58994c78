// Public: Policy, what is learned for a search task (espalier/public/search_task.h): learn, decode, save,
// explain.
//
//   es::Policy policy = es::learn_to_search(train).value();
//   es::SearchResult best = policy.decode(task, {.beam = 5}).value();
//
// A policy is immutable and safe to use from any number of threads. Decoding computes the features of every
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

/// By default, a longer path is reported as one that does not end.
inline constexpr size_t kMostActions = 100'000;

/// How decode() searches.
enum class SearchMethod {
  kLearned,    ///< the method that the policy was learned with
  kBeam,       ///< breadth-first; a beam of 1 is greedy
  kBestFirst,  ///< always expands the state with the highest score, whatever its level
};

struct SearchOptions {
  size_t beam = 0;  ///< states kept per level; 0: as in learning
  SearchMethod method = SearchMethod::kLearned;
  size_t nbest = 1;  ///< paths to return; above 1 needs breadth-first search and a beam at least as wide
  /// A longer path is an error; best-first search also expands at most this many states.
  size_t most_actions = kMostActions;
};

/// A complete output.
struct SearchPath {
  std::vector<Action> actions;
  double score = 0;  ///< sum over the actions
  TaskState goal;    ///< the state after the last action
};
/// The paths that decode() found. actions(), score() and goal() are those of the best.
struct SearchResult {
  std::vector<SearchPath> paths;  ///< at least one, best first
  SearchEnd end = SearchEnd::kApproximate;
  const std::vector<Action>& actions() const { return paths.front().actions; }
  double score() const { return paths.front().score; }
  const TaskState& goal() const { return paths.front().goal; }
};

/// Why an action was chosen rather than the second best of its state, the runner-up.
struct Decision {
  struct Reason {
    std::string feature;   ///< its name, or a number such as "#5"
    double chosen = 0;     ///< what it adds to the score of the chosen action
    double runner_up = 0;  ///< what it adds to the score of the runner-up
  };
  size_t step = 0;  ///< from 0
  Action action, runner_up;
  bool alone = false;                       ///< there was no other action
  std::string action_name, runner_up_name;  ///< from SearchTask::action_name()
  double score = 0, runner_up_score = 0;
  std::vector<Reason> reasons;  ///< by |chosen - runner_up|, largest first
};

/// What a policy stores about itself and how it was learned.
struct PolicyInfo {
  std::string learner;
  Settings settings;   ///< all that apply, including defaults
  std::string oracle;  ///< where the optimal actions came from: optimal_actions, best_loss or a search
  uint64_t seed = 1;
  size_t examples = 0, labels = 1, features = 0, weights = 0, classifiers = 1;
  int rounds = 0, best_round = 0;  ///< passes or iterations done; the one that was kept
  double dev_loss = -1;            ///< mean loss on the development examples; -1: there were none
  bool interrupted = false;        ///< on_progress or stop ended learning early
};

/// A learned policy: immutable, cheap to copy, safe to use from any number of threads.
class Policy {
 public:
  static Result<Policy> open(const std::string& path);
  /// The same from memory; error messages call the policy `name`.
  static Result<Policy> from_bytes(const std::vector<std::byte>& bytes, std::string name = "policy");
  /// Writes a file. If it fails, an existing file is left unchanged.
  Status save(const std::string& path) const;
  /// The bytes that save() writes.
  std::vector<std::byte> bytes() const;

  /// Finds the output of one example. An error if no path reaches a goal, or if the task breaks its contract.
  Result<SearchResult> decode(const SearchTask& task, const SearchOptions& options = {}) const;
  template <PlainTask T>
  Result<SearchResult> decode(const T& task, const SearchOptions& options = {}) const {
    return decode(TaskView<T>(task), options);
  }
  /// The mean loss of the decoded outputs. The tasks must implement loss(). 0 threads: all cores.
  Result<double> mean_loss(const SearchTasks& tasks, const SearchOptions& options = {},
                           int threads = 1) const;
  /// Why decode() chooses each action of the best path, with at most `top` reasons per action.
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

/// How learn_to_search works, apart from the learner's settings.
struct LearnOptions {
  SearchTasks dev;  ///< development examples: learning stops when the mean loss on them no longer falls, and
                    ///< the best round is kept
  uint64_t seed = 1;
  /// Threads that decode the development examples; 0: all cores. Learning itself uses one. With more than
  /// one, functions of different development examples are called at the same time. The result does not depend
  /// on it.
  int threads = 1;
  size_t most_actions = kMostActions;  ///< a longer path is an error
  /// Return false to end learning early with a usable policy. `objective` is the mean loss on the development
  /// examples, or without them what the learner minimises.
  std::function<bool(const Progress&)> on_progress = {};
  const std::atomic<bool>* stop = nullptr;  ///< set to true to end learning early with a usable policy
};

/// Learns a policy from examples. Learners: searn (the default), laso-br, laso-bst, laso and incremental;
/// docs/tasks.md lists their settings. The same seed gives the same bytes.
Result<Policy> learn_to_search(const SearchTasks& examples, const Learner& learner = {},
                               const LearnOptions& options = {});

}  // namespace espalier
#pragma GCC visibility pop

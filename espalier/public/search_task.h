// Public: SearchTask, the description of how the output of one example is built action by action.
//
// There are three ways to write one: a plain type with the functions of SearchTask over its own State type
// (the shortest, see PlainTask), a class derived from SearchTask, or a TaskFunctions struct of std::function
// (for bindings to other languages). Then call learn_to_search (espalier/public/policy.h). Each call costs
// one virtual call; states that are trivially copyable and at most 40 bytes long need no allocation.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "espalier/public/result.h"

#pragma GCC visibility push(default)
namespace espalier {

/// What can be done in a state: give a label to a candidate. Tagging has one candidate (the next token) and
/// as many labels as there are tags. If the choices change from state to state (which job, which word), each
/// choice is a candidate and there is one label, 0.
struct Action {
  uint32_t candidate = 0;
  uint32_t label = 0;
  auto operator<=>(const Action&) const = default;
};

namespace detail {
uint64_t hash_name(std::string_view name);
[[noreturn]] void throw_wrong_state(const std::type_info* held, const std::type_info& wanted);
/// A bijection, so that different numbers never collide, which spreads them over all 64 bits for hash tables.
inline uint64_t mix_number(uint64_t n) {
  n += 0x9E3779B97F4A7C15ull;
  n = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9ull;
  n = (n ^ (n >> 27)) * 0x94D049BB133111EBull;
  return n ^ (n >> 31);
}
}  // namespace detail

/// Receives the features of a candidate: names or numbers, each with a value. They are stored as 64-bit
/// hashes; a number costs less than a name. Values must be finite; values near 1 work best.
class FeatureSink {
 public:
  void add(std::string_view name, double value = 1) {
    push(detail::hash_name(name), value);
    if (names_ != nullptr) names_->emplace_back(name);
  }
  void add(const char* name, double value = 1) { add(std::string_view(name), value); }
  void add(std::unsigned_integral auto number, double value = 1) { add_number(number, value); }
  void add(std::signed_integral auto number, double value = 1) {
    add_number(static_cast<uint64_t>(static_cast<int64_t>(number)), value);
  }

  struct Entry {
    uint64_t hash;
    double value;
  };
  const std::vector<Entry>& entries() const { return entries_; }
  void clear() { entries_.clear(); }
  /// Also appends the text of every feature added from now on to `names`, for explanations. Null: stop.
  void keep_names(std::vector<std::string>* names) { names_ = names; }

 private:
  void push(uint64_t hash, double value) { entries_.push_back({hash, value}); }
  void add_number(uint64_t number, double value) {
    push(detail::mix_number(number), value);
    if (names_ != nullptr) names_->push_back("#" + std::to_string(number));
  }
  std::vector<Entry> entries_;
  std::vector<std::string>* names_ = nullptr;
};

/// Holds a state of any type. Trivially copyable values of at most 40 bytes are stored inside; any other is
/// allocated once and shared by copies, which is safe because states never change.
class TaskState {
 public:
  TaskState() = default;
  template <typename T>
  requires(!std::same_as<std::remove_cvref_t<T>, TaskState>) explicit TaskState(T&& value) {
    using Held = std::remove_cvref_t<T>;
    type_ = &typeid(Held);
    if constexpr (kInside<Held>) {
      new (static_cast<void*>(inside_)) Held(std::forward<T>(value));
    } else {
      shared_ = std::make_shared<const Held>(std::forward<T>(value));
    }
  }
  bool empty() const { return type_ == nullptr; }
  /// The state. Throws ContractViolation if it is of another type.
  template <typename T>
  const T& as() const {
    if (type_ != &typeid(T) && (type_ == nullptr || *type_ != typeid(T))) [[unlikely]]
      detail::throw_wrong_state(type_, typeid(T));
    if constexpr (kInside<T>) {
      return *std::launder(reinterpret_cast<const T*>(inside_));
    } else {
      return *static_cast<const T*>(shared_.get());
    }
  }

 private:
  static constexpr size_t kRoom = 40;
  template <typename T>
  static constexpr bool kInside = std::is_trivially_copyable_v<T> && sizeof(T) <= kRoom &&
                                  alignof(T) <= alignof(void*);

  const std::type_info* type_ = nullptr;
  std::shared_ptr<const void> shared_;
  alignas(void*) std::byte inside_[kRoom] = {};
};

/// Which of the optional functions a task implements.
struct TaskOffers {
  bool loss = false;
  bool optimal_actions = false;
  bool best_loss = false;
  bool loss_so_far = false;
  bool level = false;
  bool describe = false;
};

/// The search for the output of one example. All functions are const and must return the same result each
/// time. If several threads decode the same task object, its functions must be safe to call at the same time.
///
/// Exceptions thrown by these functions pass through learn_to_search and decode unchanged. A broken contract
/// (no optimal action, a loss or a feature value that is not finite, a path that does not end) is an error
/// that names the example, the step and the function.
class SearchTask {
 public:
  virtual ~SearchTask() = default;

  // ---- The search ----------------------------------------------------------------------------------------
  /// How many labels there are, numbered from 0; the same for all examples.
  virtual size_t labels() const { return 1; }
  /// The state before the first action.
  virtual TaskState initial() const = 0;
  /// Whether the state is a complete output.
  virtual bool is_goal(const TaskState& state) const = 0;
  /// Appends the legal actions of a state that is not a goal; those of the same candidate must be adjacent.
  /// If scores are equal, the first action wins. No action: a dead end, which decoders abandon for another
  /// path.
  virtual void actions(const TaskState& state, std::vector<Action>& out) const = 0;
  /// The state after an action. Every path must end.
  virtual TaskState apply(const TaskState& state, Action action) const = 0;
  /// The features of a candidate; each has one learned weight per label. The score of an action is Σ value ·
  /// weight, that of a path is the sum over its actions.
  virtual void features(const TaskState& state, uint32_t candidate, FeatureSink& out) const = 0;

  // ---- For learning: loss, and one of optimal_actions, best_loss and loss_so_far
  // ---------------------------
  /// Which of the functions below are implemented.
  virtual TaskOffers offers() const { return {}; }
  /// The cost of a complete output: 0 or more, 0 for the correct one.
  virtual double loss(const TaskState&) const { return 0; }
  /// Appends the actions that lead to a completion with the lowest loss, at least one; learners imitate the
  /// first.
  virtual void optimal_actions(const TaskState&, std::vector<Action>&) const {}
  /// The lowest loss of any completion of a state.
  virtual double best_loss(const TaskState&) const { return 0; }
  /// An estimate of how bad an unfinished state is; lower is better. If neither of the two functions above is
  /// implemented, a beam search guided by this looks for the best completion: slow, and approximate.
  virtual double loss_so_far(const TaskState&) const { return 0; }

  // ---- Optional ------------------------------------------------------------------------------------------
  /// The level of a state in a beam search: only states of the same level compete. Every action must increase
  /// it. If not implemented, the level is the number of actions.
  virtual size_t level(const TaskState&) const { return 0; }
  /// A state or an action in words, for error messages and explanations.
  virtual std::string describe(const TaskState&) const { return {}; }
  virtual std::string action_name(const TaskState& state, Action action) const;
};

/// A task made of functions with the meanings of SearchTask. Only the first five are required; loss is needed
/// for learning.
struct TaskFunctions {
  size_t labels = 1;
  std::function<TaskState()> initial;
  std::function<bool(const TaskState&)> is_goal;
  std::function<void(const TaskState&, std::vector<Action>&)> actions;
  std::function<TaskState(const TaskState&, Action)> apply;
  std::function<void(const TaskState&, uint32_t candidate, FeatureSink&)> features;
  std::function<double(const TaskState&)> loss;
  std::function<void(const TaskState&, std::vector<Action>&)> optimal_actions;
  std::function<double(const TaskState&)> best_loss, loss_so_far;
  std::function<size_t(const TaskState&)> level;
  std::function<std::string(const TaskState&)> describe;
  std::function<std::string(const TaskState&, Action)> action_name;
};
/// An error if one of the first five functions is missing.
Result<std::shared_ptr<const SearchTask>> make_task(TaskFunctions functions);

/// A plain type with a nested type State and the functions of SearchTask over it. Optional functions count as
/// implemented if they exist.
template <typename T>
concept PlainTask = !std::derived_from<T, SearchTask> &&
                    requires(const T& task, const typename T::State& state, Action action,
                             std::vector<Action>& actions, uint32_t candidate, FeatureSink& sink) {
  { task.initial() } -> std::convertible_to<typename T::State>;
  { task.is_goal(state) } -> std::convertible_to<bool>;
  task.actions(state, actions);
  { task.apply(state, action) } -> std::convertible_to<typename T::State>;
  task.features(state, candidate, sink);
};

/// Presents a plain task, which must outlive it, as a SearchTask.
template <PlainTask T>
class TaskView final : public SearchTask {
 public:
  using State = typename T::State;
  explicit TaskView(const T& task) : task_(task) {}
  size_t labels() const override {
    if constexpr (requires { task_.labels(); }) {
      return task_.labels();
    } else {
      return 1;
    }
  }
  TaskState initial() const override { return TaskState(State(task_.initial())); }
  bool is_goal(const TaskState& s) const override { return task_.is_goal(s.as<State>()); }
  void actions(const TaskState& s, std::vector<Action>& out) const override {
    task_.actions(s.as<State>(), out);
  }
  TaskState apply(const TaskState& s, Action a) const override {
    return TaskState(State(task_.apply(s.as<State>(), a)));
  }
  void features(const TaskState& s, uint32_t candidate, FeatureSink& out) const override {
    task_.features(s.as<State>(), candidate, out);
  }
  TaskOffers offers() const override { return {kLoss, kOptimal, kBestLoss, kLossSoFar, kLevel, kDescribe}; }
  double loss(const TaskState& s) const override {
    if constexpr (kLoss) return static_cast<double>(task_.loss(s.as<State>()));
    return SearchTask::loss(s);
  }
  void optimal_actions(const TaskState& s, std::vector<Action>& out) const override {
    if constexpr (kOptimal) task_.optimal_actions(s.as<State>(), out);
  }
  double best_loss(const TaskState& s) const override {
    if constexpr (kBestLoss) return static_cast<double>(task_.best_loss(s.as<State>()));
    return SearchTask::best_loss(s);
  }
  double loss_so_far(const TaskState& s) const override {
    if constexpr (kLossSoFar) return static_cast<double>(task_.loss_so_far(s.as<State>()));
    return SearchTask::loss_so_far(s);
  }
  size_t level(const TaskState& s) const override {
    if constexpr (kLevel) return task_.level(s.as<State>());
    return SearchTask::level(s);
  }
  std::string describe(const TaskState& s) const override {
    if constexpr (kDescribe) return task_.describe(s.as<State>());
    return SearchTask::describe(s);
  }
  std::string action_name(const TaskState& s, Action a) const override {
    if constexpr (requires { task_.action_name(s.as<State>(), a); })
      return task_.action_name(s.as<State>(), a);
    return SearchTask::action_name(s, a);
  }

 private:
  static constexpr bool kLoss = requires(const T& t, const State& s) { t.loss(s); };
  static constexpr bool kOptimal = requires(const T& t, const State& s, std::vector<Action>& out) {
    t.optimal_actions(s, out);
  };
  static constexpr bool kBestLoss = requires(const T& t, const State& s) { t.best_loss(s); };
  static constexpr bool kLossSoFar = requires(const T& t, const State& s) { t.loss_so_far(s); };
  static constexpr bool kLevel = requires(const T& t, const State& s) { t.level(s); };
  static constexpr bool kDescribe = requires(const T& t, const State& s) { t.describe(s); };
  const T& task_;
};

/// A list of examples, one task each. Made from a vector of plain tasks, of tasks derived from SearchTask, or
/// of pointers to these. It takes over the elements of a temporary vector and shares ownership of shared
/// pointers; the elements of any other vector are only referred to and must outlive the list.
class SearchTasks {
 public:
  SearchTasks() = default;
  SearchTasks(std::vector<std::shared_ptr<const SearchTask>> tasks)  // NOLINT(google-explicit-constructor)
      : tasks_(std::move(tasks)) {}
  template <PlainTask T>
  SearchTasks(const std::vector<T>& tasks) {  // NOLINT(google-explicit-constructor)
    for (const T& task : tasks) tasks_.push_back(std::make_shared<const TaskView<T>>(task));
  }
  template <std::derived_from<SearchTask> T>
  SearchTasks(const std::vector<T>& tasks) {  // NOLINT(google-explicit-constructor)
    for (const T& task : tasks) refer(&task);
  }
  template <PlainTask T>
  SearchTasks(std::vector<T>&& tasks) {  // NOLINT(google-explicit-constructor)
    struct Kept {
      explicit Kept(T given) : task(std::move(given)), view(task) {}
      T task;
      TaskView<T> view;
    };
    for (T& task : tasks) {
      const auto kept = std::make_shared<const Kept>(std::move(task));
      tasks_.emplace_back(kept, &kept->view);
    }
  }
  template <std::derived_from<SearchTask> T>
  SearchTasks(std::vector<T>&& tasks) {  // NOLINT(google-explicit-constructor)
    for (T& task : tasks) tasks_.push_back(std::make_shared<const T>(std::move(task)));
  }
  template <typename Pointer>
  requires std::convertible_to<decltype(&*std::declval<const Pointer&>()), const SearchTask*> SearchTasks(
      const std::vector<Pointer>& tasks) {  // NOLINT(google-explicit-constructor)
    for (const Pointer& task : tasks) {
      if constexpr (std::convertible_to<const Pointer&, std::shared_ptr<const SearchTask>>) {
        tasks_.push_back(task);
      } else {
        refer(&*task);
      }
    }
  }
  size_t size() const { return tasks_.size(); }
  bool empty() const { return tasks_.empty(); }
  const SearchTask& operator[](size_t i) const { return *tasks_[i]; }

 private:
  void refer(const SearchTask* task) {
    tasks_.push_back(std::shared_ptr<const SearchTask>(std::shared_ptr<const void>(), task));
  }
  std::vector<std::shared_ptr<const SearchTask>> tasks_;
};

}  // namespace espalier
#pragma GCC visibility pop

// Public: a search task, the description of how one example's output is built up action by action.
//
// Write a plain type with the functions of SearchTask over a State of its own (the shortest way; see
// PlainTask), or derive from SearchTask (for other languages), or fill in a TaskFunctions. Then call
// learn_to_search (espalier/public/policy.h). A state costs no allocation if it is small and plain; a call
// goes through one virtual function.
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

/// What can be done in a state: a candidate, and the label it gets. Labelling has one candidate (the next
/// token) and as many labels as there are tags; where the choices change from state to state (which job,
/// which word), each is a candidate of its own and there is one label, 0.
struct Action {
  uint32_t candidate = 0;
  uint32_t label = 0;
  auto operator<=>(const Action&) const = default;
};

namespace detail {
uint64_t hash_name(std::string_view name);
[[noreturn]] void throw_wrong_state(const std::type_info* held, const std::type_info& wanted);
/// One to one, so that numbers never meet; tables want every bit to matter.
inline uint64_t mix_number(uint64_t n) {
  n += 0x9E3779B97F4A7C15ull;
  n = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9ull;
  n = (n ^ (n >> 27)) * 0x94D049BB133111EBull;
  return n ^ (n >> 31);
}
}  // namespace detail

/// Receives the features of a candidate: names or numbers, each with a value. Names and numbers are kept as
/// 64-bit hashes; a number costs less than a name. Values must be finite; about 1 is best.
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
  /// From now on the text of every feature is kept here, too: for explanations.
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

/// A state of any type. Small plain values (trivially copyable, at most 40 bytes) are held inside; anything
/// else is allocated once and shared by copies, which is safe because states never change.
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
  /// Throws ContractViolation where the state is of another type.
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

/// Which of the optional functions a task has.
struct TaskOffers {
  bool loss = false;
  bool optimal_actions = false;
  bool best_loss = false;
  bool loss_so_far = false;
  bool level = false;
  bool describe = false;
};

/// The search for one example's output. All functions are const and must give the same answer each time;
/// policies decode from any thread, each with a task of its own or with one that many threads may read.
///
/// What functions throw reaches the caller of learn_to_search or decode unchanged. What they get wrong (no
/// action where there must be one, a loss or a feature that is not a number, a path without end) is an error
/// that names the example, the step and the function.
class SearchTask {
 public:
  virtual ~SearchTask() = default;

  // ---- The search ----------------------------------------------------------------------------------------
  /// Labels that actions may have, counted from 0; the same for all examples.
  virtual size_t labels() const { return 1; }
  virtual TaskState initial() const = 0;
  /// Whether the state is a complete output.
  virtual bool is_goal(const TaskState& state) const = 0;
  /// Appends the legal actions of a state that is no goal, those of one candidate next to each other. Ties go
  /// to the first. No action: a dead end, which decoders leave for another path.
  virtual void actions(const TaskState& state, std::vector<Action>& out) const = 0;
  /// The state after an action. Every path must end.
  virtual TaskState apply(const TaskState& state, Action action) const = 0;
  /// The features of a candidate; each gets a weight per label. An action's score is Σ value · weight, a
  /// path's score the sum over its actions.
  virtual void features(const TaskState& state, uint32_t candidate, FeatureSink& out) const = 0;

  // ---- For learning: loss, and one of optimal_actions, best_loss and loss_so_far
  // ------------------------------
  virtual TaskOffers offers() const { return {}; }
  /// What a complete output costs: 0 or more.
  virtual double loss(const TaskState&) const { return 0; }
  /// Appends the actions that begin a best completion, at least one; the first is imitated.
  virtual void optimal_actions(const TaskState&, std::vector<Action>&) const {}
  /// The loss of the best completion of a state.
  virtual double best_loss(const TaskState&) const { return 0; }
  /// How bad an unfinished state looks, lower is better. Where neither of the two above is given, a beam
  /// search led by this finds the best completion: slow, and only as good as the beam is wide.
  virtual double loss_so_far(const TaskState&) const { return 0; }

  // ---- May be given --------------------------------------------------------------------------------------
  /// Where a state stands in a beam search: only states of one level compete. Grows with every action.
  /// Without it the level is the number of actions.
  virtual size_t level(const TaskState&) const { return 0; }
  /// A state or an action in words, for errors and explanations.
  virtual std::string describe(const TaskState&) const { return {}; }
  virtual std::string action_name(const TaskState& state, Action action) const;
};

/// A task made of functions. Those for learning and those that may be given can be left empty.
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
/// An error where one of the first five functions is missing.
Result<std::shared_ptr<const SearchTask>> make_task(TaskFunctions functions);

/// A plain type with the functions of SearchTask over its own State. The optional ones are found by name.
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

/// A plain task seen as a SearchTask; refers to it.
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

/// Examples, one task each: made from a vector of plain tasks, of tasks derived from SearchTask, or of
/// pointers to these. A temporary vector is kept, and so are shared pointers; of any other vector the
/// elements are referred to, and must outlive this.
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

// The public functions of espalier/public/search_task.h that are not templates. Tested in task_test.cc and
// contract_test.cc.
#include "espalier/task.h"

#include <fmt/format.h>

#include "espalier/base/hash.h"
#include "espalier/base/result.h"

namespace espalier {

uint64_t detail::hash_name(std::string_view name) { return hash_bytes(name, 0x7461736b); }

void detail::throw_wrong_state(const std::type_info* held, const std::type_info& wanted) {
  throw ContractViolation(fmt::format("contract broken: a task's state was asked for as {}, but it is {}",
                                      wanted.name(),
                                      held == nullptr ? "empty" : fmt::format("of type {}", held->name())));
}

std::string SearchTask::action_name(const TaskState&, Action action) const {
  return fmt::format("candidate {}, label {}", action.candidate, action.label);
}

namespace {

class FunctionTask final : public SearchTask {
 public:
  explicit FunctionTask(TaskFunctions functions) : f_(std::move(functions)) {}
  size_t labels() const override { return f_.labels; }
  TaskState initial() const override { return f_.initial(); }
  bool is_goal(const TaskState& s) const override { return f_.is_goal(s); }
  void actions(const TaskState& s, std::vector<Action>& out) const override { f_.actions(s, out); }
  TaskState apply(const TaskState& s, Action a) const override { return f_.apply(s, a); }
  void features(const TaskState& s, uint32_t candidate, FeatureSink& out) const override {
    f_.features(s, candidate, out);
  }
  TaskOffers offers() const override {
    return {f_.loss != nullptr,        f_.optimal_actions != nullptr, f_.best_loss != nullptr,
            f_.loss_so_far != nullptr, f_.level != nullptr,           f_.describe != nullptr};
  }
  double loss(const TaskState& s) const override { return f_.loss(s); }
  void optimal_actions(const TaskState& s, std::vector<Action>& out) const override {
    f_.optimal_actions(s, out);
  }
  double best_loss(const TaskState& s) const override { return f_.best_loss(s); }
  double loss_so_far(const TaskState& s) const override { return f_.loss_so_far(s); }
  size_t level(const TaskState& s) const override { return f_.level(s); }
  std::string describe(const TaskState& s) const override { return f_.describe(s); }
  std::string action_name(const TaskState& s, Action a) const override {
    return f_.action_name ? f_.action_name(s, a) : SearchTask::action_name(s, a);
  }

 private:
  TaskFunctions f_;
};

}  // namespace

Result<std::shared_ptr<const SearchTask>> make_task(TaskFunctions functions) {
  const char* const missing = !functions.initial    ? "initial"
                              : !functions.is_goal  ? "is_goal"
                              : !functions.actions  ? "actions"
                              : !functions.apply    ? "apply"
                              : !functions.features ? "features"
                                                    : nullptr;
  if (missing != nullptr)
    return fail("a task needs the functions initial, is_goal, actions, apply and features: {} is missing",
                missing);
  return std::shared_ptr<const SearchTask>(std::make_shared<const FunctionTask>(std::move(functions)));
}

}  // namespace espalier

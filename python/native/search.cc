// Search tasks written in Python: a Python object behind espalier's SearchTask.
//
// Every function takes the interpreter lock, calls the method of the same name and checks what comes back; a
// mistake is a Python exception that names the method, the state and what came back. The state is any Python
// object. Tested in python/tests/test_search.py.
#include <espalier/task.h>

#include <cmath>

#include "python/native/bindings.h"
#include "python/native/watch.h"

namespace espalier::python {
namespace {

/// A Python object that may be copied and released without the interpreter lock being held.
class Held {
 public:
  explicit Held(py::object object)
      : object_(new py::object(std::move(object)), [](py::object* held) {
          const LockHeld lock;
          delete held;
        }) {}
  const py::object& get() const { return *object_; }

 private:
  std::shared_ptr<py::object> object_;
};

class PythonTask final : public SearchTask {
 public:
  PythonTask(py::object task, size_t labels) : task_(std::move(task)), labels_(labels) {
    offers_.loss = has("loss");
    offers_.optimal_actions = has("optimal_actions");
    offers_.best_loss = has("best_loss");
    offers_.loss_so_far = has("loss_so_far");
    offers_.level = has("level");
    offers_.describe = true;
  }

  size_t labels() const override { return labels_; }
  TaskState initial() const override {
    const LockHeld lock;
    return TaskState(Held(task_.get().attr("initial")()));
  }
  bool is_goal(const TaskState& state) const override {
    const LockHeld lock;
    const py::object answer = call("is_goal", state);
    if (answer.is_none() || py::isinstance<py::str>(answer)) wrong("is_goal", state, answer, "True or False");
    const int truth = PyObject_IsTrue(answer.ptr());
    if (truth < 0) throw py::error_already_set();
    return truth == 1;
  }
  void actions(const TaskState& state, std::vector<Action>& out) const override {
    const LockHeld lock;
    add_actions("actions", state, out);
  }
  TaskState apply(const TaskState& state, Action action) const override {
    const LockHeld lock;
    return TaskState(Held(task_.get().attr("apply")(object_of(state), to_python(action))));
  }
  void features(const TaskState& state, uint32_t candidate, FeatureSink& out) const override {
    const LockHeld lock;
    const py::object found = task_.get().attr("features")(object_of(state), candidate);
    if (py::isinstance<py::dict>(found)) {
      for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(found))
        out.add(name_of(key, state), number("features", state, value));
      return;
    }
    if (!py::isinstance<py::iterable>(found) || py::isinstance<py::str>(found))
      wrong("features", state, found, "a dict of numbers, or a list of str");
    for (const py::handle name : found) out.add(name_of(name, state));
  }
  TaskOffers offers() const override { return offers_; }
  double loss(const TaskState& state) const override { return number_from("loss", state); }
  double best_loss(const TaskState& state) const override { return number_from("best_loss", state); }
  double loss_so_far(const TaskState& state) const override { return number_from("loss_so_far", state); }
  void optimal_actions(const TaskState& state, std::vector<Action>& out) const override {
    const LockHeld lock;
    add_actions("optimal_actions", state, out);
  }
  size_t level(const TaskState& state) const override {
    const LockHeld lock;
    const py::object answer = call("level", state);
    if (!py::isinstance<py::int_>(answer) || py::cast<long long>(answer) < 0)
      wrong("level", state, answer, "an int of at least 0");
    return py::cast<size_t>(answer);
  }
  std::string describe(const TaskState& state) const override {
    const LockHeld lock;
    return describe_held(state);
  }
  std::string action_name(const TaskState& state, Action action) const override {
    const LockHeld lock;
    if (py::hasattr(task_.get(), "action_name"))
      return py::cast<std::string>(
          py::str(task_.get().attr("action_name")(object_of(state), to_python(action))));
    return SearchTask::action_name(state, action);
  }

  static const py::object& object_of(const TaskState& state) { return state.as<Held>().get(); }

  /// A pair if there are several labels, otherwise the candidate's number.
  py::object to_python(Action action) const {
    if (labels_ == 1) return py::int_(action.candidate);
    return py::make_tuple(action.candidate, action.label);
  }

 private:
  bool has(const char* name) const { return py::hasattr(task_.get(), name); }

  std::string describe_held(const TaskState& state) const {
    const py::object& object = object_of(state);
    std::string text = py::cast<std::string>(has("describe") ? py::str(task_.get().attr("describe")(object))
                                                             : py::repr(object));
    if (text.size() > 200) text = text.substr(0, 200) + "...";
    return text;
  }

  [[noreturn]] void wrong(const char* method, const TaskState& state, py::handle found,
                          const std::string& wanted) const {
    throw py::type_error(std::string(method) + "() in state " + describe_held(state) + " returned " +
                         py::cast<std::string>(py::repr(found)) + "; expected " + wanted);
  }

  py::object call(const char* method, const TaskState& state) const {
    return task_.get().attr(method)(object_of(state));
  }

  std::string name_of(py::handle name, const TaskState& state) const {
    if (!py::isinstance<py::str>(name)) wrong("features", state, name, "names of features as str");
    return py::cast<std::string>(name);
  }

  double number(const char* method, const TaskState& state, py::handle value) const {
    const double found = PyFloat_AsDouble(value.ptr());
    if (found == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      wrong(method, state, value, "a number");
    }
    if (!std::isfinite(found)) wrong(method, state, value, "a finite number");
    return found;
  }

  double number_from(const char* method, const TaskState& state) const {
    const LockHeld lock;
    return number(method, state, call(method, state));
  }

  uint32_t index(const char* method, const TaskState& state, py::handle value, py::handle whole) const {
    const long long found = PyLong_Check(value.ptr()) ? PyLong_AsLongLong(value.ptr()) : -1;
    if (PyErr_Occurred() != nullptr) PyErr_Clear();
    if (found < 0 || found > 0xFFFFFFFFll)
      wrong(method, state, whole, labels_ == 1 ? "ints of at least 0" : "pairs (candidate, label) of ints");
    return static_cast<uint32_t>(found);
  }

  void add_actions(const char* method, const TaskState& state, std::vector<Action>& out) const {
    const py::object found = call(method, state);
    if (!py::isinstance<py::iterable>(found)) wrong(method, state, found, "a list of actions");
    for (const py::handle item : found) {
      if (labels_ == 1) {
        out.push_back({index(method, state, item, found), 0});
        continue;
      }
      if (!py::isinstance<py::tuple>(item) || py::len(item) != 2)
        wrong(method, state, found, "pairs (candidate, label) of ints");
      const auto pair = py::reinterpret_borrow<py::tuple>(item);
      const Action action{index(method, state, pair[0], found), index(method, state, pair[1], found)};
      if (action.label >= labels_) wrong(method, state, found, "labels below " + std::to_string(labels_));
      out.push_back(action);
    }
  }

  Held task_;
  size_t labels_;
  TaskOffers offers_;
};

SearchTasks tasks_of(const py::list& tasks, size_t labels) {
  std::vector<std::shared_ptr<const SearchTask>> out;
  for (const py::handle task : tasks)
    out.push_back(std::make_shared<const PythonTask>(py::reinterpret_borrow<py::object>(task), labels));
  return SearchTasks(std::move(out));
}

SearchOptions search_options(size_t beam, const std::string& method, size_t nbest, size_t most_actions) {
  SearchOptions out;
  out.beam = beam;
  out.nbest = nbest;
  out.most_actions = most_actions;
  if (method == "beam") {
    out.method = SearchMethod::kBeam;
  } else if (method == "best-first") {
    out.method = SearchMethod::kBestFirst;
  } else if (method != "learned") {
    throw py::value_error("method '" + method + "': expected learned, beam or best-first");
  }
  return out;
}

py::tuple learn(const py::list& examples, size_t labels, const std::string& learner, const Settings& settings,
                const py::list& dev, uint64_t seed, size_t most_actions, const py::object& on_progress) {
  const SearchTasks tasks = tasks_of(examples, labels);
  LearnOptions options;
  options.dev = tasks_of(dev, labels);
  options.seed = seed;
  options.most_actions = most_actions;
  auto watched = watch(on_progress, [&](const Report& progress, const std::atomic<bool>* stop) {
    options.on_progress = progress;
    options.stop = stop;
    return learn_to_search(tasks, Learner(learner, settings), options).value();
  });
  const bool keyboard = watched.keyboard();
  return py::make_tuple(watched.take_even_after_keyboard(), keyboard);
}

py::tuple decode(const Policy& policy, const py::object& task, size_t labels, size_t beam,
                 const std::string& method, size_t nbest, size_t most_actions) {
  const PythonTask wrapped(task, labels);
  const SearchResult result =
      policy.decode(wrapped, search_options(beam, method, nbest, most_actions)).value();
  py::list paths;
  for (const SearchPath& path : result.paths) {
    py::list actions;
    for (const Action action : path.actions) actions.append(wrapped.to_python(action));
    paths.append(py::make_tuple(actions, path.score, PythonTask::object_of(path.goal)));
  }
  const char* const end = result.end == SearchEnd::kExact         ? "exact"
                          : result.end == SearchEnd::kApproximate ? "approximate"
                                                                  : "out of steps";
  return py::make_tuple(paths, end);
}

py::list explain_search(const Policy& policy, const py::object& task, size_t labels, size_t beam,
                        size_t top) {
  const PythonTask wrapped(task, labels);
  py::list out;
  SearchOptions options;
  options.beam = beam;
  for (const Decision& d : policy.explain(wrapped, options, top).value()) {
    py::list reasons;
    for (const auto& r : d.reasons) reasons.append(py::make_tuple(r.feature, r.chosen, r.runner_up));
    out.append(py::make_tuple(d.step, wrapped.to_python(d.action), wrapped.to_python(d.runner_up), d.alone,
                              d.action_name, d.runner_up_name, d.score, d.runner_up_score, reasons));
  }
  return out;
}

}  // namespace

void bind_search(py::module_& m) {
  py::class_<Policy>(m, "Policy")
      .def_static(
          "open", [](const std::string& path) { return Policy::open(path).value(); }, py::arg("path"))
      .def_static(
          "from_bytes", [](const py::bytes& bytes) { return Policy::from_bytes(from_bytes(bytes)).value(); },
          py::arg("data"))
      .def(
          "save", [](const Policy& policy, const std::string& path) { policy.save(path).value(); },
          py::arg("path"))
      .def("to_bytes", [](const Policy& policy) { return to_bytes(policy.bytes()); })
      .def("decode", &decode, py::arg("task"), py::arg("labels"), py::arg("beam"), py::arg("method"),
           py::arg("nbest"), py::arg("most_actions"))
      .def("explain", &explain_search, py::arg("task"), py::arg("labels"), py::arg("beam"), py::arg("top"))
      .def(
          "mean_loss",
          [](const Policy& policy, const py::list& tasks, size_t labels, size_t beam) {
            SearchOptions options;
            options.beam = beam;
            return policy.mean_loss(tasks_of(tasks, labels), options).value();
          },
          py::arg("tasks"), py::arg("labels"), py::arg("beam"))
      .def("info", [](const Policy& policy) {
        const PolicyInfo& i = policy.info();
        return py::dict("learner"_a = i.learner, "settings"_a = py::dict(py::cast(i.settings)),
                        "oracle"_a = i.oracle, "examples"_a = i.examples, "labels"_a = i.labels,
                        "features"_a = i.features, "rounds"_a = i.rounds, "best_round"_a = i.best_round,
                        "dev_loss"_a = i.dev_loss, "interrupted"_a = i.interrupted);
      });
  m.def("learn_to_search", &learn, py::arg("examples"), py::arg("labels"), py::arg("learner"),
        py::arg("settings"), py::arg("dev"), py::arg("seed"), py::arg("most_actions"),
        py::arg("on_progress"));
}

}  // namespace espalier::python

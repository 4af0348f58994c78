// The extension module espalier._native.
#include "python/native/bindings.h"

namespace espalier::python {
namespace {

py::list learner_table() {
  py::list out;
  for (const LearnerInfo& learner : learners()) {
    py::list parameters;
    for (const ParameterInfo& p : learner.parameters)
      parameters.append(py::make_tuple(p.name, p.fallback, p.meaning, p.range, p.basic));
    out.append(py::make_tuple(learner.name, learner.summary, learner.tasks, parameters));
  }
  return out;
}

py::list task_table() {
  py::list out;
  for (const TaskInfo& task : all_tasks()) out.append(py::make_tuple(task.name, task.summary, task.learners));
  return out;
}

/// True if it is one of the library's own, which is now Python's.
bool set_own_error(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const espalier::Failure& failure) {
    PyErr_SetString(py::module_::import("espalier._native").attr("Error").ptr(), failure.what());
  } catch (const espalier::ContractViolation& broken) {
    PyErr_SetString(PyExc_RuntimeError, broken.what());
  } catch (...) {
    return false;
  }
  return true;
}

}  // namespace

void set_error(const std::exception_ptr& thrown) {
  if (set_own_error(thrown)) return;
  try {
    std::rethrow_exception(thrown);
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::length_error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

py::bytes to_bytes(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::byte> from_bytes(const py::bytes& bytes) {
  const std::string_view view(bytes);
  const auto* const begin = reinterpret_cast<const std::byte*>(view.data());
  return {begin, begin + view.size()};
}

}  // namespace espalier::python

PYBIND11_MODULE(_native, m) {
  namespace py = pybind11;
  using namespace espalier::python;
  m.doc() = "The compiled part of espalier. Private: use the package espalier.";
  const py::exception<espalier::Failure> error(m, "Error", PyExc_ValueError);
  py::setattr(error, "__module__", py::str("espalier"));
  py::setattr(error, "__doc__",
              py::str("Bad input, a damaged model, an option out of range; the message says which.\n\n"
                      ">>> es.Tagger.from_bytes(b\"nothing\")\n"
                      "Traceback (most recent call last):\n"
                      "...\n"
                      "espalier.Error: model: not an Espalier file: it does not start with \"ESPALIER\"\n"));
  py::register_exception_translator([](std::exception_ptr thrown) {
    if (thrown && !set_own_error(thrown)) std::rethrow_exception(thrown);
  });
  py::enum_<Form>(m, "Form")
      .value("AUTO", Form::kAuto)
      .value("ROWS", Form::kRows)
      .value("WORDS", Form::kWords)
      .value("ATTRIBUTES", Form::kAttributes);
  m.def("expand", &expand, py::arg("items"));
  m.def("version", &espalier::version);
  m.def("learners", &learner_table);
  m.def("tasks", &task_table);
  bind_corpus(m);
  bind_tagger(m);
  bind_training(m);
  bind_evaluation(m);
  bind_ensemble(m);
  bind_decoder(m);
  bind_search(m);
  bind_pipeline(m);
  bind_labeller(m);
}

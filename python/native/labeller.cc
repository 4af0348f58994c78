// Tagger.tag without a frame of Python where it is called with tokens alone, as it mostly is.
//
// Such a frame takes longer than to read a sentence. And it touches a dozen objects that all threads have in
// common (the function, its code, its defaults, None), whose counts of references go from one core to the
// other at each call. So a Tagger is a Labeller, which knows the model natively, and its method `tag` is a
// Shortcut: one argument is labelled at once, everything else goes to the method that is written in Python,
// which is also where documentation and signature come from (__wrapped__). Tested in
// python/tests/test_tagger.py.
#include <Python.h>
// After it.
#include <structmember.h>

#include "python/native/bindings.h"

namespace espalier::python {
namespace {

struct LabellerObject {
  PyObject ob_base;
  Labeller* made;  ///< stays what it is, since threads use it without a reference of their own
};

PyTypeObject* labeller_type();

/// Null if it is none, or not prepared.
const Labeller* labeller_of(PyObject* object) {
  if (!PyObject_TypeCheck(object, labeller_type())) return nullptr;
  return reinterpret_cast<LabellerObject*>(object)->made;
}

PyObject* prepare(PyObject* self, PyObject* given) {
  auto* const to = reinterpret_cast<LabellerObject*>(self);
  try {
    const auto [model, form] = py::cast<std::pair<py::object, Form>>(py::handle(given));
    if (to->made != nullptr) throw py::type_error("it has a model already");
    const auto* const native = py::cast<const Model*>(model);
    if (native == nullptr) throw py::type_error("None is no model");
    to->made = new Labeller{model, native, form};
  } catch (...) {
    set_error(std::current_exception());
    return nullptr;
  }
  return py::none().release().ptr();
}

PyObject* label(PyObject* self, PyObject* items) {
  if (const Labeller* const labeller = labeller_of(self)) return label_one(*labeller, items);
  PyErr_SetString(PyExc_TypeError, "it has no model");
  return nullptr;
}

void destroy_labeller(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  delete reinterpret_cast<LabellerObject*>(self)->made;
  type->tp_free(self);
  Py_DECREF(type);
}

PyTypeObject* labeller_type() {
  static PyMethodDef methods[] = {
      {"_prepare", &prepare, METH_VARARGS,
       "_prepare(self: espalier._native.Labeller, model: espalier._native.Model, form: "
       "espalier._native.Form) -> None\n\nGives it the model, once."},
      {"_label", &label, METH_O,
       "_label(self: espalier._native.Labeller, items: object) -> list\n\nThe labels of one sequence."},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&PyType_GenericNew)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(&destroy_labeller)},
                                {Py_tp_methods, methods},
                                {0, nullptr}};
  static PyType_Spec spec = {"espalier._native.Labeller", sizeof(LabellerObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  static auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (type == nullptr) throw py::error_already_set();
  return type;
}

struct Shortcut {
  PyObject ob_base;
  vectorcallfunc call;
  PyObject* full;  ///< the method of Python
  PyObject* dict;  ///< its name, its documentation
};

PyObject* call_shortcut(PyObject* self, PyObject* const* given, size_t count, PyObject* names) {
  if (names == nullptr && PyVectorcall_NARGS(count) == 2) {
    if (const Labeller* const labeller = labeller_of(given[0])) return label_one(*labeller, given[1]);
  }
  return PyObject_Vectorcall(reinterpret_cast<Shortcut*>(self)->full, given, count, names);
}

PyObject* bound(PyObject* self, PyObject* to, PyObject* /*type*/) {
  if (to == nullptr) return py::reinterpret_borrow<py::object>(self).release().ptr();
  return PyMethod_New(self, to);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<Shortcut*>(self)->full);
  Py_VISIT(reinterpret_cast<Shortcut*>(self)->dict);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<Shortcut*>(self)->full);
  Py_CLEAR(reinterpret_cast<Shortcut*>(self)->dict);
  return 0;
}

void destroy(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyTypeObject* shortcut_type() {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(Shortcut, call), READONLY, nullptr},
      {"__dictoffset__", T_PYSSIZET, offsetof(Shortcut, dict), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef computed[] = {
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(&bound)},
                                {Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(&clear)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(&destroy)},
                                {Py_tp_members, members},
                                {Py_tp_getset, computed},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "espalier._native.Shortcut", sizeof(Shortcut), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
      slots};
  static auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type;
}

py::object make_shortcut(const py::object& full) {
  PyTypeObject* const type = shortcut_type();
  if (type == nullptr) throw py::error_already_set();
  auto* const made = PyObject_GC_New(Shortcut, type);
  if (made == nullptr) throw py::error_already_set();
  made->call = &call_shortcut;
  made->full = py::object(full).release().ptr();
  made->dict = nullptr;
  PyObject_GC_Track(made);
  auto out = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(made));
  py::module_::import("functools").attr("update_wrapper")(out, full);
  return out;
}

}  // namespace

void bind_labeller(py::module_& m) {
  m.attr("Labeller") = py::handle(reinterpret_cast<PyObject*>(labeller_type()));
  m.def("shortcut", &make_shortcut, py::arg("full"));
}

}  // namespace espalier::python

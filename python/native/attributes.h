// The text of Python objects, and the attributes that python-crfsuite would make of a token. All of it needs
// the interpreter lock. Tested in python/tests/test_forms.py.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "python/native/captured.h"

namespace espalier::python {

namespace py = pybind11;

inline bool rare_text_of(PyObject* object, std::string_view& out) {
  if (PyUnicode_Check(object)) {
    Py_ssize_t size = 0;
    const char* const data = PyUnicode_AsUTF8AndSize(object, &size);
    if (data == nullptr) throw py::error_already_set();
    out = {data, static_cast<size_t>(size)};
    return true;
  }
  if (PyBytes_Check(object)) {
    out = {PyBytes_AS_STRING(object), static_cast<size_t>(PyBytes_GET_SIZE(object))};
    return true;
  }
  return false;
}

/// The UTF-8 of a str or the bytes of a bytes object; false if it is neither. Throws if it cannot be encoded.
inline bool text_of(PyObject* object, std::string_view& out) {
  if (!PyUnicode_CheckExact(object) || !PyUnicode_IS_COMPACT_ASCII(object)) return rare_text_of(object, out);
  const auto* const text = reinterpret_cast<const char*>(reinterpret_cast<PyASCIIObject*>(object) + 1);
  out = {text, static_cast<size_t>(PyUnicode_GET_LENGTH(object))};
  return true;
}

/// A str has its text 48 bytes behind its beginning, mostly in the next cache line.
inline void prefetch(const PyObject* object) {
  __builtin_prefetch(object);
  __builtin_prefetch(reinterpret_cast<const char*>(object) + sizeof(PyASCIIObject));
}

inline std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

/// The number that an attribute's value is.
inline double number_of(PyObject* value, std::string_view key) {
  if (PyFloat_CheckExact(value)) return PyFloat_AS_DOUBLE(value);
  const double number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred() != nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
    PyErr_Clear();
    throw py::type_error("the value of attribute '" + std::string(key) +
                         "' must be str, bytes, a number, dict, list or set, not " + type_name(value));
  }
  return number;
}

/// Adds the attributes of one token, as python-crfsuite names them.
class AttributeReader {
 public:
  explicit AttributeReader(Captured& to) : to_(to) {}

  void read(PyObject* item) {
    if (PyDict_Check(item)) {
      read_dict(item);
    } else {
      read_names(item);
    }
  }

 private:
  static constexpr int kDeepest = 200;

  void read_dict(PyObject* dict) {
    struct Entry {
      PyObject *key, *value;
      Py_ssize_t next;
    };
    constexpr size_t kMost = 32;
    Entry entries[kMost];
    py::object held;  // the dictionary, once Python code has run that may have removed it
    const Py_ssize_t size = PyDict_GET_SIZE(dict);
    Py_ssize_t at = 0;
    for (size_t most = kMost;;) {
      // Values are strewn over memory: ask for some of them before the first is needed.
      size_t count = 0;
      for (Entry* e = entries; count < most && PyDict_Next(dict, &at, &e->key, &e->value); ++e, ++count) {
        prefetch(e->value);
        e->next = at;
      }
      if (count == 0) return;
      most = std::min(kMost, 2 * most);
      for (size_t i = 0; i < count; ++i) {
        if (read_entry(entries[i].key, entries[i].value)) continue;
        // What is asked for its number may change everything, so this and the rest are looked up again.
        held = py::reinterpret_borrow<py::object>(dict);
        read_other(text_of_name(entries[i].key), entries[i].value);
        if (PyDict_GET_SIZE(dict) != size) throw py::value_error("a dictionary changed while it was read");
        at = entries[i].next;
        most = 1;
        break;
      }
    }
  }

  static std::string_view text_of_name(PyObject* key) {
    std::string_view name;
    if (!text_of(key, name))
      throw py::type_error("the name of an attribute must be str, not " + type_name(key));
    return name;
  }

  /// False if the value contains others or must be asked for its number. Runs no Python code.
  bool read_entry(PyObject* key, PyObject* value) {
    const std::string_view name = text_of_name(key);
    std::string_view text;
    if (value == Py_True || value == Py_False) {
      to_.add_attribute(prefix_, name, value == Py_True ? 1.0 : 0.0);
    } else if (text_of(value, text)) {
      to_.add_attribute(prefix_, name, text);
    } else if (PyFloat_Check(value)) {
      to_.add_attribute(prefix_, name, PyFloat_AS_DOUBLE(value));
    } else if (PyLong_CheckExact(value)) {
      to_.add_attribute(prefix_, name, number_of(value, name));
    } else {
      return false;
    }
    return true;
  }

  /// A value of the other kind.
  void read_other(std::string_view name, PyObject* value) {
    // What is asked for a number may remove both from the dictionary.
    const auto held = py::reinterpret_borrow<py::object>(value);
    const size_t before = prefix_.size();
    prefix_.append(name);
    if (PyDict_Check(value) || PyList_Check(value) || PyAnySet_Check(value)) {
      prefix_.push_back(':');
      if (++depth_ > kDeepest) throw py::value_error("attributes are nested too deeply");
      read(value);
      --depth_;
    } else {
      to_.add_attribute(prefix_, number_of(value, prefix_));
    }
    prefix_.resize(before);
  }

  void read_names(PyObject* items) {
    const py::object iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(items));
    if (!iterator) {
      PyErr_Clear();
      throw py::type_error("a token must be a dict or a list of str, not " + type_name(items));
    }
    while (const py::object item = py::reinterpret_steal<py::object>(PyIter_Next(iterator.ptr()))) {
      std::string_view text;
      if (!text_of(item.ptr(), text))
        throw py::type_error(
            "the name of an attribute must be str, not " + type_name(item.ptr()) +
            (PyNumber_Check(item.ptr()) != 0 ? "; rows of numbers must be a 2-d array" : ""));
      to_.add_attribute(prefix_, text, 1.0);
    }
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  }

  Captured& to_;
  std::string prefix_;  ///< the names of the dictionaries and lists around what is read, each with a colon
  int depth_ = 0;
};

}  // namespace espalier::python

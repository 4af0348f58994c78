#include "python/native/convert.h"

#include <pybind11/numpy.h>

#include <string_view>

namespace espalier::python {
namespace {

bool rare_text_of(PyObject* object, std::string_view& out) {
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
void prefetch(const PyObject* object) {
  __builtin_prefetch(object);
  __builtin_prefetch(reinterpret_cast<const char*>(object) + sizeof(PyASCIIObject));
}

std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

/// The number that an attribute's value is.
double number_of(PyObject* value, std::string_view key) {
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
        throw py::type_error("the name of an attribute must be str, not " + type_name(item.ptr()));
      to_.add_attribute(prefix_, text, 1.0);
    }
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  }

  Captured& to_;
  std::string prefix_;  ///< the names of the dictionaries and lists around what is read, each with a colon
  int depth_ = 0;
};

void read_cells(PyObject* row, Captured& to) {
  const py::object cells =
      py::reinterpret_steal<py::object>(PySequence_Fast(row, "a row must be a sequence of str"));
  if (!cells) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
    PyErr_Clear();
    throw py::type_error("a token must be a str or a row of them, not " + type_name(row));
  }
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(cells.ptr());
  if (count == 0) throw py::value_error("the row has no cells");
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const cell = PySequence_Fast_GET_ITEM(cells.ptr(), i);
    std::string_view text;
    if (!text_of(cell, text))
      throw py::type_error("cell " + std::to_string(i + 1) + " must be str, not " + type_name(cell));
    to.add_cell(text);
  }
}

/// A matrix of numbers: one row per token, one real-valued attribute per column. Zeros are left out.
void read_matrix(const py::array& matrix, const std::vector<std::string>& given, Captured& to,
                 const std::function<void()>& after_token) {
  const auto values = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(matrix);
  if (!values) throw py::error_already_set();
  const auto rows = values.unchecked<2>();
  std::vector<std::string> names = given;
  if (names.empty())
    for (py::ssize_t c = 0; c < rows.shape(1); ++c) names.push_back(std::to_string(c));
  if (names.size() != static_cast<size_t>(rows.shape(1)))
    throw py::value_error("a matrix of " + std::to_string(rows.shape(1)) + " columns, but " +
                          std::to_string(names.size()) + " names");
  for (py::ssize_t r = 0; r < rows.shape(0); ++r) {
    to.begin_token();
    for (py::ssize_t c = 0; c < rows.shape(1); ++c)
      if (rows(r, c) != 0) to.add_attribute(names[static_cast<size_t>(c)], rows(r, c));
    after_token();
  }
}

void read_token(PyObject* token, Form form, AttributeReader& attributes, Captured& to) {
  std::string_view word;
  if (form != Form::kAttributes && text_of(token, word)) {
    to.add_cell(word);
  } else if (form == Form::kRows || (form == Form::kAuto && PyTuple_Check(token))) {
    if (PyDict_Check(token))
      throw py::type_error("the model or corpus has rows of cells, and this token is a dict");
    read_cells(token, to);
  } else {
    attributes.read(token);
  }
}

/// Calls use(token) for each. Those of lists and tuples are asked for before they are needed, and their
/// counts of references left alone: two threads that read the same words would take the cache lines from each
/// other.
template <typename Use>
void each_token(py::handle items, const Use& use) {
  if (PyList_CheckExact(items.ptr()) || PyTuple_CheckExact(items.ptr())) {
    constexpr Py_ssize_t kAhead = 8;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i) {
      if (i + kAhead < PySequence_Fast_GET_SIZE(items.ptr()))
        prefetch(PySequence_Fast_GET_ITEM(items.ptr(), i + kAhead));
      PyObject* const item = PySequence_Fast_GET_ITEM(items.ptr(), i);
      // To read others may run Python code, which may remove them from the list.
      const bool plain = PyUnicode_CheckExact(item) || PyDict_CheckExact(item);
      const auto held = plain ? py::object() : py::reinterpret_borrow<py::object>(item);
      use(item);
    }
    return;
  }
  const py::object iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(items.ptr()));
  if (!iterator) {
    PyErr_Clear();
    throw py::type_error("a sequence must be a list of tokens, not " + type_name(items.ptr()));
  }
  while (const py::object item = py::reinterpret_steal<py::object>(PyIter_Next(iterator.ptr())))
    use(item.ptr());
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
}

/// Adds the number of the sequence or token to the message of our own Type- and ValueErrors.
template <typename Body>
void named(const char* what, size_t number, const Body& body) {
  try {
    body();
  } catch (const py::type_error& error) {
    throw py::type_error(std::string(what) + " " + std::to_string(number) + ": " + error.what());
  } catch (const py::value_error& error) {
    throw py::value_error(std::string(what) + " " + std::to_string(number) + ": " + error.what());
  }
}

bool is_number_matrix(py::handle items) {
  if (!py::isinstance<py::array>(items)) return false;
  const auto array = py::reinterpret_borrow<py::array>(items);
  const char kind = array.dtype().kind();
  return array.ndim() == 2 && (kind == 'f' || kind == 'i' || kind == 'u' || kind == 'b');
}

}  // namespace

void read_labelled(py::handle items, py::handle labels, Form form, const std::vector<std::string>& names,
                   Captured& to) {
  to.clear();
  py::object label_items;
  if (!labels.is_none()) {
    label_items =
        py::reinterpret_steal<py::object>(PySequence_Fast(labels.ptr(), "labels must be a sequence of str"));
    if (!label_items) throw py::error_already_set();
    if (PyUnicode_Check(labels.ptr())) throw py::type_error("labels must be a sequence of str, not one str");
  }
  size_t token = 0;
  const auto add_label = [&] {
    ++token;
    if (!label_items) return;
    if (token > static_cast<size_t>(PySequence_Fast_GET_SIZE(label_items.ptr()))) return;
    PyObject* const label = PySequence_Fast_GET_ITEM(label_items.ptr(), static_cast<Py_ssize_t>(token) - 1);
    std::string_view text = "_";
    if (label != Py_None && !text_of(label, text))
      throw py::type_error("label " + std::to_string(token) + " must be str, not " + type_name(label));
    to.set_label(text);
  };
  if (is_number_matrix(items)) {
    read_matrix(py::reinterpret_borrow<py::array>(items), names, to, add_label);
  } else if (PyUnicode_Check(items.ptr()) && form != Form::kAttributes) {
    throw py::type_error("a sequence must be a list of tokens, not one str; split the text into words first");
  } else if (PyDict_Check(items.ptr()) && form != Form::kAttributes) {
    throw py::type_error("a sequence must be a list of tokens, not one dict");
  } else {
    AttributeReader attributes(to);
    each_token(items, [&](PyObject* item) {
      to.begin_token();
      named("token", token + 1, [&] { read_token(item, form, attributes, to); });
      add_label();
    });
  }
  if (label_items && static_cast<size_t>(PySequence_Fast_GET_SIZE(label_items.ptr())) != token)
    throw py::value_error(std::to_string(token) + " tokens and " +
                          std::to_string(PySequence_Fast_GET_SIZE(label_items.ptr())) + " labels");
}

void build(const Captured& captured, SequenceBuilder& builder) {
  builder.clear();
  captured.build(builder);
  if (const Status status = builder.status(); !status.ok()) throw py::value_error(status.error().message);
}

void build(const Captured& captured, size_t number, SequenceBuilder& builder) {
  named("sequence", number, [&] { build(captured, builder); });
}

void read_numbered(size_t number, py::handle items, py::handle labels, Form form, Captured& to) {
  named("sequence", number, [&] { read_labelled(items, labels, form, {}, to); });
}

void read_sequence(py::handle items, Form form, const std::vector<std::string>& names, Captured& to) {
  read_labelled(items, py::none(), form, names, to);
}

py::list expand(py::handle items) {
  py::list out;
  Captured captured;
  for (const py::handle item : py::reinterpret_borrow<py::object>(items)) {
    captured.clear();
    AttributeReader(captured).read(item.ptr());
    py::dict token;
    captured.each_attribute(
        [&](std::string_view name, double value) { token[py::str(name.data(), name.size())] = value; });
    out.append(token);
  }
  return out;
}

BatchReader::BatchReader(py::handle sequences, py::handle labels, Form form,
                         const std::vector<std::string>& names)
    : form_(form), names_(names) {
  if (PyUnicode_Check(sequences.ptr())) throw py::type_error("expected a list of sequences, not one str");
  items_ = py::reinterpret_steal<py::object>(PyObject_GetIter(sequences.ptr()));
  if (!items_) {
    PyErr_Clear();
    throw py::type_error("expected a list of sequences, not " + type_name(sequences.ptr()));
  }
  if (labels.is_none()) return;
  answers_ = py::reinterpret_steal<py::object>(PyObject_GetIter(labels.ptr()));
  if (!answers_) throw py::error_already_set();
}

bool BatchReader::next(Captured& to) {
  const auto next_of = [](const py::object& iterator) {
    auto item = py::reinterpret_steal<py::object>(PyIter_Next(iterator.ptr()));
    if (!item && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return item;
  };
  const py::object item = next_of(items_);
  py::object answer = py::none();
  if (answers_) answer = next_of(answers_);
  if (!item) {
    if (answers_ && answer)
      throw py::value_error("there are more lists of labels than sequences (" + std::to_string(number_) +
                            ")");
    return false;
  }
  ++number_;
  if (!answer)
    throw py::value_error("there are fewer lists of labels (" + std::to_string(number_ - 1) +
                          ") than sequences");
  named("sequence", number_, [&] { read_labelled(item, answer, form_, names_, to); });
  if (number_ % 1024 == 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
  return true;
}

std::vector<bool> read_batch(py::handle sequences, py::handle labels, Form form,
                             const std::vector<std::string>& names, Corpus& corpus) {
  std::vector<bool> out;
  BatchReader reader(sequences, labels, form, names);
  Captured captured;
  SequenceBuilder builder;
  while (reader.next(captured)) {
    out.push_back(captured.empty());
    if (captured.empty()) continue;
    build(captured, out.size(), builder);
    corpus.try_add(builder).value();
  }
  return out;
}

}  // namespace espalier::python

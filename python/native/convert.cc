#include "python/native/convert.h"

#include <pybind11/numpy.h>

#include <functional>
#include <string_view>

#include "python/native/attributes.h"

namespace espalier::python {
namespace {

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

/// A matrix of numbers: one row per token, one real-valued attribute per column, named by its number. Zeros
/// are left out.
void read_matrix(const py::array& matrix, Captured& to, const std::function<void()>& after_token) {
  const auto values = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(matrix);
  if (!values) throw py::error_already_set();
  const auto rows = values.unchecked<2>();
  if (rows.shape(0) > 0 && rows.shape(1) == 0) throw py::value_error("the matrix has no columns");
  to.set_matrix_columns(static_cast<size_t>(rows.shape(1)));
  std::vector<std::string> names;
  for (py::ssize_t c = 0; c < rows.shape(1); ++c) names.push_back(std::to_string(c));
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
  } else if (form == Form::kWords && PyList_Check(token) && PyList_GET_SIZE(token) > 1) {
    throw py::type_error("the tokens of this model are words, and this one is a list of " +
                         std::to_string(PyList_GET_SIZE(token)) + "; tag_batch takes several sequences");
  } else if (form == Form::kRows || form == Form::kWords || (form == Form::kAuto && PyTuple_Check(token))) {
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

std::string counted(size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// Adds the place to what Python says about text without UTF-8 and numbers that are too large. Other errors
/// are those of the user's code.
void add_place(const std::string& place, py::error_already_set& error) {
  const py::object value = error.value();
  if (error.matches(PyExc_UnicodeEncodeError)) {
    value.attr("reason") = place + ": " + py::cast<std::string>(value.attr("reason"));
  } else if (error.matches(PyExc_OverflowError)) {
    value.attr("args") = py::make_tuple(place + ": " + py::cast<std::string>(py::str(value)));
  }
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
  } catch (py::error_already_set& error) {
    add_place(std::string(what) + " " + std::to_string(number), error);
    throw;
  }
}

/// The UTF-8 of a str that is not ASCII is made here, not by Python, which would keep it with the str.
bool read_word(PyObject* word, Captured& to) {
  const auto count = static_cast<size_t>(PyUnicode_GET_LENGTH(word));
  const void* const codes = PyUnicode_DATA(word);
  switch (PyUnicode_KIND(word)) {
    case PyUnicode_1BYTE_KIND:
      return to.add_word(static_cast<const Py_UCS1*>(codes), count);
    case PyUnicode_2BYTE_KIND:
      return to.add_word(static_cast<const Py_UCS2*>(codes), count);
    default:
      return to.add_word(static_cast<const Py_UCS4*>(codes), count);
  }
}

/// Reads a list of words, the commonest sequence of all, in the shortest way; false if it is not one, or if a
/// word has no UTF-8.
bool read_words(PyObject* items, Captured& to) {
  if (!PyList_CheckExact(items)) return false;
  to.clear();
  constexpr Py_ssize_t kAhead = 8;
  const Py_ssize_t count = PyList_GET_SIZE(items);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (i + kAhead < count) prefetch(PyList_GET_ITEM(items, i + kAhead));
    PyObject* const item = PyList_GET_ITEM(items, i);
    if (!PyUnicode_CheckExact(item)) return false;
    if (PyUnicode_IS_COMPACT_ASCII(item)) {
      std::string_view word;
      text_of(item, word);
      to.add_word(word);
    } else if (!PyUnicode_IS_COMPACT(item) || !read_word(item, to)) {
      return false;
    }
  }
  return true;
}

/// A data frame of pandas, which would be walked as the names of its columns.
bool is_frame(PyObject* items) { return type_name(items) == "DataFrame"; }
constexpr const char* kNoFrame =
    "a data frame is no list of tokens; make a Corpus of it (Corpus.from_frame), or rows: "
    "list(frame.itertuples(index=False, name=None))";

bool is_number_matrix(py::handle items) {
  if (!py::isinstance<py::array>(items)) return false;
  const auto array = py::reinterpret_borrow<py::array>(items);
  const char kind = array.dtype().kind();
  return array.ndim() == 2 && (kind == 'f' || kind == 'i' || kind == 'u' || kind == 'b');
}

}  // namespace

void read_labelled(py::handle items, py::handle labels, Form form, Captured& to) {
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
    read_matrix(py::reinterpret_borrow<py::array>(items), to, add_label);
  } else if (PyUnicode_Check(items.ptr()) && form != Form::kAttributes) {
    throw py::type_error("a sequence must be a list of tokens, not one str; split the text into words first");
  } else if (PyDict_Check(items.ptr()) && form != Form::kAttributes) {
    throw py::type_error("a sequence must be a list of tokens, not one dict");
  } else if (PyAnySet_Check(items.ptr()) && form != Form::kAttributes) {
    throw py::type_error("a sequence must be a list of tokens; a set has no order");
  } else if (is_frame(items.ptr())) {
    throw py::type_error(kNoFrame);
  } else {
    AttributeReader attributes(to);
    each_token(items, [&](PyObject* item) {
      to.begin_token();
      named("token", token + 1, [&] { read_token(item, form, attributes, to); });
      add_label();
    });
  }
  if (label_items && static_cast<size_t>(PySequence_Fast_GET_SIZE(label_items.ptr())) != token)
    throw py::value_error(counted(token, "token") + " and " +
                          counted(static_cast<size_t>(PySequence_Fast_GET_SIZE(label_items.ptr())), "label"));
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
  named("sequence", number, [&] { read_labelled(items, labels, form, to); });
}

void read_sequence(py::handle items, Form form, Captured& to) {
  if (form != Form::kAttributes && read_words(items.ptr(), to)) return;
  read_labelled(items, py::none(), form, to);
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

BatchReader::BatchReader(py::handle sequences, py::handle labels, Form form) : form_(form) {
  if (PyUnicode_Check(sequences.ptr())) throw py::type_error("expected a list of sequences, not one str");
  if (is_frame(sequences.ptr())) throw py::type_error(kNoFrame);
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
  named("sequence", number_, [&] {
    if (answer.is_none()) {
      read_sequence(item, form_, to);
    } else {
      read_labelled(item, answer, form_, to);
    }
  });
  if (number_ % 1024 == 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
  return true;
}

std::vector<bool> read_batch(py::handle sequences, py::handle labels, Form form, Corpus& corpus) {
  std::vector<bool> out;
  BatchReader reader(sequences, labels, form);
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

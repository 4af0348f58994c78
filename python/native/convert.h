// From Python objects to sequences: words, rows of cells, CRFsuite-style attributes, matrices of numbers.
//
// read_sequence copies the text of one Python sequence while the interpreter lock is held; build makes a
// sequence of the copy, with or without the lock. read_batch does both for a corpus. Dictionaries are walked
// with the C interface, since reading them is most of the time of tagging. Errors are Python exceptions that
// name the sequence and the token. Tested in python/tests/test_forms.py.
#pragma once

#include <espalier/espalier.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>
#include <vector>

#include "python/native/captured.h"
#include "python/native/interpreter_lock.h"

namespace espalier::python {

namespace py = pybind11;
using namespace py::literals;

/// What the items of a sequence are.
enum class Form {
  kAuto,        ///< str: a word; tuple: a row of cells; anything else: attributes
  kRows,        ///< str: a word; any other sequence of str: a row of cells
  kWords,       ///< the same where a row is one word: a list of several is no token but a sequence
  kAttributes,  ///< what python-crfsuite makes of any object
};

/// Reads the tokens of `items`, in place of what `to` holds.
void read_sequence(py::handle items, Form form, Captured& to);
/// The same with labels: one per token, None if unknown. `labels` may be None: no token has a label.
void read_labelled(py::handle items, py::handle labels, Form form, Captured& to);
/// The same; errors begin with "sequence" and this number.
void read_numbered(size_t number, py::handle items, py::handle labels, Form form, Captured& to);

/// Makes a sequence of what was read, in place of what the builder holds. Needs no lock. Throws
/// py::value_error, whose message begins with "sequence" and its number if there is one.
void build(const Captured& captured, SequenceBuilder& builder);
void build(const Captured& captured, size_t number, SequenceBuilder& builder);

/// The attributes that each item stands for, as dictionaries from name to number.
py::list expand(py::handle items);

/// Walks through many sequences, and as many lists of labels if these are not None.
class BatchReader {
 public:
  BatchReader(py::handle sequences, py::handle labels, Form form);
  /// Reads the next sequence, in place of what `to` holds; false at the end. Errors begin with its number.
  bool next(Captured& to);

 private:
  py::object items_, answers_;
  Form form_;
  size_t number_ = 0;
};

/// Adds sequences to a corpus, without those that have no tokens; returns for each whether it has none.
/// `labels`: one list per sequence, or None. After an error some may have been added.
std::vector<bool> read_batch(py::handle sequences, py::handle labels, Form form, Corpus& corpus);

}  // namespace espalier::python

// From Python objects to sequences: words, rows of cells, CRFsuite-style attributes, matrices of numbers.
//
// read_sequence fills a builder from one Python sequence, read_batch a corpus from many. Works on the objects
// themselves: no intermediate copies, and dictionaries are walked with the C interface, since their
// conversion is most of the time of tagging. The interpreter lock must be held. Errors are Python exceptions
// that name the sequence and the token. Tested in python/tests/test_forms.py.
#pragma once

#include <espalier/espalier.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::python {

namespace py = pybind11;
using namespace py::literals;

/// What the items of a sequence are.
enum class Form {
  kAuto,        ///< str: a word; tuple: a row of cells; anything else: attributes
  kRows,        ///< str: a word; any other sequence of str: a row of cells
  kAttributes,  ///< what python-crfsuite makes of any object
};

/// Adds the tokens of `items`; `names` are those of the columns of a matrix, or none.
void read_sequence(py::handle items, Form form, const std::vector<std::string>& names,
                   SequenceBuilder& builder);
/// The same with labels: one per token, None if unknown. `labels` may be None: no token has a label.
void read_labelled(py::handle items, py::handle labels, Form form, const std::vector<std::string>& names,
                   SequenceBuilder& builder);

/// The same; errors begin with "sequence" and this number.
void read_numbered(size_t number, py::handle items, py::handle labels, Form form, SequenceBuilder& builder);

/// The attributes that each item stands for, as dictionaries from name to number.
py::list expand(py::handle items);

/// Walks through many sequences, and as many lists of labels if these are not None.
class BatchReader {
 public:
  /// `names` must outlive it.
  BatchReader(py::handle sequences, py::handle labels, Form form, const std::vector<std::string>& names);
  /// Reads the next sequence into the builder, in place of what it holds; false at the end. Errors begin with
  /// its number.
  bool next(SequenceBuilder& builder);

 private:
  py::object items_, answers_;
  Form form_;
  const std::vector<std::string>& names_;
  size_t number_ = 0;
};

/// Adds sequences to a corpus, without those that have no tokens; returns for each whether it has none.
/// `labels`: one list per sequence, or None. After an error some may have been added.
std::vector<bool> read_batch(py::handle sequences, py::handle labels, Form form,
                             const std::vector<std::string>& names, Corpus& corpus);

}  // namespace espalier::python

// The parts of the extension module, and what they share. The module is private: espalier's Python files give
// it the shape that users see, so functions here take flat arguments and return plain values.
#pragma once

#include <espalier/espalier.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/native/convert.h"

namespace espalier::python {

void bind_corpus(py::module_& m);
void bind_tagger(py::module_& m);
void bind_training(py::module_& m);
void bind_evaluation(py::module_& m);
void bind_ensemble(py::module_& m);
void bind_decoder(py::module_& m);
void bind_search(py::module_& m);
void bind_pipeline(py::module_& m);
void bind_labeller(py::module_& m);

/// A model with its labels as Python strings, made once.
class Model {
 public:
  explicit Model(Tagger opened) : tagger(std::move(opened)) {
    for (const std::string& label : tagger.labels()) labels.append(py::str(label));
  }
  Tagger tagger;
  py::list labels;

  /// The labels as the calling thread hands them out: strings of its own, equal to those of other threads
  /// (but for every eighth thread). Else each hand-out would take the counts of references from another core.
  PyObject* const* own_labels() const {
    static std::atomic<size_t> threads{0};
    thread_local const size_t mine = threads.fetch_add(1, std::memory_order_relaxed) % kCopies;
    py::list& own = copies[mine];
    if (own.empty())
      for (const std::string& label : tagger.labels()) own.append(py::str(label));
    return PySequence_Fast_ITEMS(own.ptr());
  }

  /// How long it takes to label so many tokens.
  std::chrono::microseconds expected(size_t tokens) const {
    const float time = static_cast<float>(tokens) * timing->load(std::memory_order_relaxed);
    return std::chrono::microseconds(static_cast<int64_t>(std::min(time, 1e6F)));
  }
  void took(size_t tokens, std::chrono::steady_clock::duration time) const {
    const float here = std::chrono::duration<float, std::micro>(time).count() /
                       static_cast<float>(std::max<size_t>(tokens, 1));
    const float before = timing->load(std::memory_order_relaxed);
    // A small difference is left alone: what one thread writes here, the others have to fetch again.
    if (std::abs(here - before) * 4 > before)
      timing->store(before + (here - before) / 16, std::memory_order_relaxed);
  }

 private:
  static constexpr size_t kCopies = 8;
  mutable py::list copies[kCopies];

  /// Microseconds per token, over the last calls. Any thread may change it; which of two wins does not
  /// matter.
  std::unique_ptr<std::atomic<float>> timing = std::make_unique<std::atomic<float>>(1.0F);
};

/// Adds what labels sequences to the class.
void bind_labelling(py::class_<Model>& to);
/// What labels one sequence after the other: a model and the form of its tokens.
struct Labeller {
  py::object owner;  ///< of the model
  const Model* model;
  Form form;
};
/// The labels of one sequence as a list; null, and Python's error is set, if that fails. Called without
/// pybind11 in between, which takes longer for it than to read a sentence.
PyObject* label_one(const Labeller& labeller, PyObject* items);

/// Makes the exception that was thrown Python's, as it is when a bound function throws it.
void set_error(const std::exception_ptr& thrown);

/// Corpus, or files to read.
using Input = Data;
/// A Corpus object, or (paths, reading options as a dict) for files.
Data data_of(py::handle given);
ReadOptions reading_of(const py::dict& options);
/// Options of tagging and decoding from a dictionary with the names of their fields; unknown names are
/// errors.
TagOptions tag_options(const py::dict& options);
DecodeOptions decode_options(const py::dict& options);
py::dict to_dict(const Tagged& tagged, size_t labels);

py::bytes to_bytes(const std::vector<std::byte>& bytes);
std::vector<std::byte> from_bytes(const py::bytes& bytes);

}  // namespace espalier::python

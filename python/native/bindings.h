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

/// A model with its labels as Python strings, made once.
struct Model {
  explicit Model(Tagger opened) : tagger(std::move(opened)) {
    for (const std::string& label : tagger.labels()) labels.append(py::str(label));
  }
  Tagger tagger;
  py::list labels;

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
  /// Microseconds per token, over the last calls. Any thread may change it; which of two wins does not
  /// matter.
  std::unique_ptr<std::atomic<float>> timing = std::make_unique<std::atomic<float>>(1.0F);
};

/// Adds what labels sequences to the class.
void bind_labelling(py::class_<Model>& to);

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

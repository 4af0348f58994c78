// Labels and nothing else, which is what most calls ask for: of one sequence, and of many.
#include <cxxabi.h>

#include <chrono>

#include "python/native/bindings.h"
#include "python/native/turns.h"

namespace espalier::python {
namespace {

/// The names of labels with these numbers.
py::list names_of(const Model& model, const uint16_t* numbers, size_t count) {
  py::list out(count);
  for (size_t i = 0; i < count; ++i) {
    PyObject* const label = PyList_GET_ITEM(model.labels.ptr(), numbers[i]);
    Py_INCREF(label);
    PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), label);
  }
  return out;
}

py::list labels_of_one(const Model& model, py::handle items, Form form) {
  // Memory is kept from call to call. Moved out, because what is read may be a generator that labels, too.
  thread_local Captured kept;
  Captured captured = std::move(kept);
  Unlocked::mark();
  read_sequence(items, form, captured);
  if (captured.empty()) return py::list();
  const std::vector<uint16_t> labels = [&] {
    thread_local SequenceBuilder builder;
    const Unlocked unlocked(model.expected(captured.size()));
    const auto began = std::chrono::steady_clock::now();
    build(captured, builder);
    auto found = model.tagger.label(builder).value();
    model.took(captured.size(), std::chrono::steady_clock::now() - began);
    return found;
  }();
  kept = std::move(captured);
  return names_of(model, labels.data(), labels.size());
}

/// Labels of many sequences on this thread. While a block of them is labelled, another thread may read its
/// own. A block is as much as takes a third of a millisecond: long compared with the time that it takes to
/// wake a thread, short compared with that of a batch, at whose beginning the other thread waits for a block.
py::list label_blocks(const Model& model, BatchReader& reader, const DecodeOptions& decode) {
  constexpr size_t kMost = 256;   // sequences
  constexpr size_t kFewest = 32;  // tokens
  constexpr std::chrono::microseconds kWork{333};
  std::vector<Captured> captured;
  std::vector<std::vector<uint16_t>> labels;
  SequenceBuilder builder;
  py::list out;
  size_t most_tokens = 8 * kFewest, done = 0;
  Unlocked::mark();
  for (bool more = true; more;) {
    size_t filled = 0, tokens = 0;
    while (more && filled < kMost && tokens < most_tokens) {
      if (filled == captured.size()) captured.emplace_back();
      more = reader.next(captured[filled]);
      if (more) tokens += captured[filled++].size();
    }
    labels.resize(std::max(filled, labels.size()));
    {
      const Unlocked unlocked(kWork);
      const auto began = std::chrono::steady_clock::now();
      for (size_t i = 0; i < filled; ++i) {
        labels[i].clear();
        if (captured[i].empty()) continue;
        build(captured[i], done + i + 1, builder);
        auto found = model.tagger.label(builder, decode);
        if (!found.ok())
          throw Failure("sequence " + std::to_string(done + i + 1) + ": " + found.error().message);
        labels[i] = std::move(found).value();
      }
      const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
      // At most twice as many as before: the time of one block may be wrong.
      const double fitting = static_cast<double>(tokens) * kWork.count() / std::max(took.count(), 1.0);
      most_tokens = std::clamp(static_cast<size_t>(fitting), kFewest, 2 * most_tokens);
    }
    for (size_t i = 0; i < filled; ++i) out.append(names_of(model, labels[i].data(), labels[i].size()));
    done += filled;
  }
  return out;
}

/// Labels of many sequences, on several threads.
py::list label_batch(const Model& model, py::handle sequences, Form form, const py::dict& options) {
  const TagOptions tag = tag_options(options);
  if (tag.threads == 1) {
    BatchReader reader(sequences, py::none(), form);
    return label_blocks(model, reader, tag.decode);
  }
  Corpus corpus;
  const std::vector<bool> empty = read_batch(sequences, py::none(), form, corpus);
  LabelNumbers numbers;
  if (!corpus.empty()) {
    const LockReleased released;
    numbers = model.tagger.label_batch(corpus, tag).value();
  }
  py::list out(empty.size());
  size_t sequence = 0, token = 0;
  for (size_t i = 0; i < empty.size(); ++i) {
    const size_t end = empty[i] ? token : numbers.ends[sequence++];
    out[i] = names_of(model, numbers.labels.data() + token, end - token);
    token = end;
  }
  return out;
}

/// What labels one sequence after the other: a model and the form of its tokens.
struct Labeller {
  py::object owner;  ///< of the model
  const Model* model;
  Form form;
};

/// Called without pybind11 in between, which takes longer for it than to read a sentence.
PyObject* label_one(PyObject* capsule, PyObject* items) {
  const auto& labeller = *static_cast<const Labeller*>(PyCapsule_GetPointer(capsule, nullptr));
  try {
    return labels_of_one(*labeller.model, items, labeller.form).release().ptr();
  } catch (const abi::__forced_unwind&) {  // a daemon thread, at the end of the program
    throw;
  } catch (...) {
    set_error(std::current_exception());
    return nullptr;
  }
}

py::object make_labeller(const py::object& owner, Form form) {
  static PyMethodDef method = {"label", &label_one, METH_O, "The labels of one sequence."};
  const py::capsule capsule(new Labeller{owner, py::cast<const Model*>(owner), form},
                            [](void* made) { delete static_cast<Labeller*>(made); });
  return py::reinterpret_steal<py::object>(PyCFunction_New(&method, capsule.ptr()));
}

}  // namespace

void bind_labelling(py::class_<Model>& to) {
  to.def("labeller", &make_labeller, py::arg("form"))
      .def("label_batch", &label_batch, py::arg("sequences"), py::arg("form"), py::arg("options"));
}

}  // namespace espalier::python

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
  PyObject* const* const labels = model.own_labels();
  for (size_t i = 0; i < count;) {
    PyObject* const label = labels[numbers[i]];
    const size_t begin = i;
    do PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), label);
    while (++i < count && numbers[i] == numbers[begin]);
    Py_SET_REFCNT(label, Py_REFCNT(label) + static_cast<Py_ssize_t>(i - begin));
  }
  return out;
}

/// What each thread keeps from call to call.
struct Kept {
  Captured captured;
  SequenceBuilder builder;
  unsigned calls = 0;
};

py::list labels_of_one(const Model& model, py::handle items, Form form) {
  constexpr unsigned kTimed = 8;  // to look at the clock takes as long as to read a word or two
  thread_local Kept kept;
  Kept& mine = kept;
  // Moved out, because what is read may be a generator that labels, too.
  Captured captured = std::move(mine.captured);
  Unlocked::mark();
  read_sequence(items, form, captured);
  if (captured.empty()) return py::list();
  const std::vector<uint16_t> labels = [&] {
    const Unlocked unlocked(model.expected(captured.size()));
    const bool timed = mine.calls++ % kTimed == 0;
    std::chrono::steady_clock::time_point began;
    if (timed) began = std::chrono::steady_clock::now();
    build(captured, mine.builder);
    auto found = model.tagger.label(mine.builder).value();
    if (timed) model.took(captured.size(), std::chrono::steady_clock::now() - began);
    return found;
  }();
  mine.captured = std::move(captured);
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

}  // namespace

PyObject* label_one(const Labeller& labeller, PyObject* items) {
  try {
    return labels_of_one(*labeller.model, items, labeller.form).release().ptr();
  } catch (const abi::__forced_unwind&) {  // a daemon thread, at the end of the program
    throw;
  } catch (...) {
    set_error(std::current_exception());
    return nullptr;
  }
}

void bind_labelling(py::class_<Model>& to) {
  to.def("label_batch", &label_batch, py::arg("sequences"), py::arg("form"), py::arg("options"));
}

}  // namespace espalier::python

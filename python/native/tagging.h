// What a model and a pipeline of models have in common for Python: tagging a sequence, raw text and files,
// and reasons. bind_tagging adds these methods to a class; `Engine` is a Tagger or a Pipeline. Tested in
// python/tests/test_tagger.py and test_pipeline.py.
#pragma once

#include <string>
#include <vector>

#include "python/native/bindings.h"
#include "python/native/watch.h"

namespace espalier::python {

/// A pipeline and the number of labels of its last model.
struct Stages {
  explicit Stages(Pipeline made) : pipeline(std::move(made)), labels(pipeline.last().labels().size()) {}
  Pipeline pipeline;
  size_t labels;
};

inline const Tagger& engine_of(const Model& model) { return model.tagger; }
inline const Pipeline& engine_of(const Stages& stages) { return stages.pipeline; }
inline size_t labels_of(const Model& model) { return model.labels.size(); }
inline size_t labels_of(const Stages& stages) { return stages.labels; }

/// "words" or "blanks".
TextSplit split_of(const std::string& name);
/// Per token its text and where it begins and ends.
py::list to_list(const TextSentence& sentence);
py::list to_list(const std::vector<Explanation>& found);
/// How a file is read and written, from a dictionary with the names of the fields of StreamOptions; unknown
/// names are errors. `keep_going` is not among them.
StreamOptions stream_options(const py::dict& given);
py::dict to_dict(const StreamReport& report, const std::vector<std::string>& errors);

/// Reads one sequence and tags it without the interpreter lock.
template <typename Holder>
py::dict tag_one(const Holder& holder, py::handle items, Form form, const py::dict& options) {
  const TagOptions tag = tag_options(options);
  Captured captured;
  read_sequence(items, form, captured);
  const Tagged tagged = [&] {
    const LockReleased released;
    SequenceBuilder builder;
    build(captured, builder);
    return engine_of(holder).tag(builder, tag).value();
  }();
  return to_dict(tagged, labels_of(holder));
}

template <typename Holder>
py::list explain_one(const Holder& holder, py::handle items, Form form, const py::dict& options) {
  Captured captured;
  read_sequence(items, form, captured);
  const TagOptions how = tag_options(options);
  const auto found = [&] {
    const LockReleased released;
    SequenceBuilder builder;
    build(captured, builder);
    return engine_of(holder).explain(builder, how.decode, how.forced).value();
  }();
  return to_list(found);
}

template <typename Holder>
py::list tag_text(const Holder& holder, const std::string& text, const std::string& split,
                  const py::dict& options) {
  const TagOptions tag = tag_options(options);
  const TextSplit how = split_of(split);
  const std::vector<TaggedSentence> found = [&] {
    const LockReleased released;
    return engine_of(holder).tag_text(text, how, tag).value();
  }();
  py::list out;
  for (const TaggedSentence& sentence : found)
    out.append(py::make_tuple(to_list(sentence.text), to_dict(sentence.tagged, labels_of(holder))));
  return out;
}

template <typename Holder>
py::dict tag_files(const Holder& holder, const std::vector<std::string>& inputs, const std::string& output,
                   const py::dict& stream, bool keep_going, const py::dict& options,
                   const py::object& on_progress) {
  StreamOptions how = stream_options(stream);
  how.tag = tag_options(options);
  std::vector<std::string> errors;
  if (keep_going)
    how.on_bad_sequence = [&](const espalier::Error& error) { errors.push_back(error.message); };
  std::vector<Source> sources;
  for (const std::string& input : inputs) sources.push_back(Source::file(input));
  check_options(engine_of(holder), how).value();
  const StreamReport report =
      watch(on_progress, [&](const Report& progress, const std::atomic<bool>* stop) {
        how.on_progress = progress;
        how.stop = stop;
        return tag_stream(engine_of(holder), sources, Sink::file(output), how).value();
      }).take();
  return to_dict(report, errors);
}

template <typename Holder>
void bind_tagging(py::class_<Holder>& to) {
  to.def("tag", &tag_one<Holder>, py::arg("items"), py::arg("form"), py::arg("options"))
      .def("explain", &explain_one<Holder>, py::arg("items"), py::arg("form"), py::arg("options"))
      .def("tag_text", &tag_text<Holder>, py::arg("text"), py::arg("split"), py::arg("options"))
      .def("tag_files", &tag_files<Holder>, py::arg("inputs"), py::arg("output"), py::arg("stream"),
           py::arg("keep_going"), py::arg("options"), py::arg("on_progress"));
}

}  // namespace espalier::python

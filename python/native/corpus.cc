// Corpora and constraints for Python.
#include <numeric>

#include "python/native/bindings.h"
#include "python/native/option_fields.h"

namespace espalier::python {
namespace {

/// Python's view of one sequence: (tokens, labels or None, weight).
py::tuple sequence_tuple(const Corpus& corpus, size_t index) {
  const Sequence sequence = corpus[index];
  py::list tokens;
  if (!sequence.rows.empty() && sequence.rows.front().size() == 1) {
    for (const auto& row : sequence.rows) tokens.append(py::str(row.front()));
  } else if (!sequence.rows.empty()) {
    for (const auto& row : sequence.rows) tokens.append(py::tuple(py::cast(row)));
  } else {
    for (const auto& attributes : sequence.attributes) {
      py::dict token;
      for (const Attribute& a : attributes) token[py::str(a.name)] = a.value;
      tokens.append(token);
    }
  }
  py::object labels = py::none();
  if (!sequence.labels.empty()) labels = py::cast(sequence.labels);
  return py::make_tuple(tokens, labels, sequence.weight);
}

}  // namespace

ReadOptions reading_of(const py::dict& given) {
  using O = ReadOptions;
  static constexpr OptionField<O> kFields[] = {
      {"format", set_to<&O::format>},
      {"label_column",
       [](O& out, py::handle value) { out.label_column = py::cast<std::string>(py::str(value)); }},
      {"folds", set_to<&O::folds>},
      {"encoding", set_to<&O::encoding>},
      {"separator", set_to<&O::separator>},
      {"comment", set_to<&O::comment>},
      {"labels_required", set_to<&O::labels_required>}};
  O out;
  set_fields(given, kFields, "reading option", out);
  return out;
}

Data data_of(py::handle given) {
  if (py::isinstance<Corpus>(given)) return py::cast<Corpus>(given);
  const auto files = py::cast<std::pair<std::vector<std::string>, py::dict>>(given);
  return Files{files.first, reading_of(files.second)};
}

void bind_corpus(py::module_& m) {
  py::class_<Corpus>(m, "Corpus")
      .def(py::init(
               [](std::vector<std::string> columns) { return Corpus(CorpusOptions{std::move(columns)}); }),
           py::arg("columns"))
      .def_static(
          "read",
          [](const std::vector<std::string>& paths, const py::dict& reading) {
            const ReadOptions options = reading_of(reading);
            const LockReleased released;
            return Corpus::read(paths, options).value();
          },
          py::arg("paths"), py::arg("reading"))
      .def_static(
          "parse",
          [](const std::string& text, const py::dict& reading, const std::string& name) {
            const ReadOptions options = reading_of(reading);
            const LockReleased released;
            return Corpus::parse(text, options, name).value();
          },
          py::arg("text"), py::arg("reading"), py::arg("name"))
      .def(
          "add",
          [](Corpus& corpus, py::handle items, py::handle labels, double weight, Form form) {
            Captured captured;
            read_labelled(items, labels, form, captured);
            SequenceBuilder builder;
            build(captured, builder);
            builder.set_weight(weight);
            corpus.try_add(builder).value();
          },
          py::arg("items"), py::arg("labels"), py::arg("weight"), py::arg("form"))
      .def(
          "extend",
          [](Corpus& corpus, py::handle sequences, py::handle labels, Form form) {
            const size_t before = corpus.size();
            try {
              read_batch(sequences, labels, form, corpus);
            } catch (...) {
              std::vector<size_t> numbers(before);
              std::iota(numbers.begin(), numbers.end(), size_t{0});
              corpus = corpus.subset(numbers);
              throw;
            }
          },
          py::arg("sequences"), py::arg("labels"), py::arg("form"))
      .def("sequence", &sequence_tuple, py::arg("index"))
      .def("subset", &Corpus::subset, py::arg("numbers"))
      .def("tokens", &Corpus::tokens)
      .def("__len__", &Corpus::size)
      .def("copy", [](const Corpus& corpus) { return Corpus(corpus); });

  py::class_<Constraints>(m, "Constraints")
      .def_static(
          "read", [](const std::string& path) { return Constraints::read(path).value(); }, py::arg("path"))
      .def_static(
          "parse",
          [](const std::string& text, const std::map<std::string, std::string>& lists,
             const std::string& name) { return Constraints::parse(text, lists, name).value(); },
          py::arg("text"), py::arg("lists"), py::arg("name"));
}

}  // namespace espalier::python

// Ensembles for Python.
#include "python/native/bindings.h"
#include "python/native/option_fields.h"
#include "python/native/watch.h"

namespace espalier::python {
namespace {

/// Labels of one expert as Python gives them: None where it has no answer, for a token or a whole sequence.
using GivenLabels = std::optional<std::vector<std::optional<std::string>>>;

Labels labels_of(const GivenLabels& given) {
  Labels out;
  if (!given) return out;
  for (const auto& label : *given) out.push_back(label.value_or("_"));
  return out;
}

/// A model, a path, or (name, labels per sequence, probabilities per sequence or none).
Expert expert_of(py::handle given) {
  if (py::isinstance<Model>(given)) return {py::cast<const Model&>(given).tagger};
  if (py::isinstance<py::str>(given)) return Expert::file(py::cast<std::string>(given));
  const auto parts = py::cast<py::tuple>(given);
  Answers answers;
  answers.name = py::cast<std::string>(parts[0]);
  for (const GivenLabels& labels : py::cast<std::vector<GivenLabels>>(parts[1]))
    answers.labels.push_back(labels_of(labels));
  answers.probabilities = py::cast<std::vector<std::vector<double>>>(parts[2]);
  return {std::move(answers)};
}

std::vector<Expert> experts_of(const py::list& given) {
  std::vector<Expert> out;
  for (const py::handle expert : given) out.push_back(expert_of(expert));
  return out;
}

EnsembleOptions ensemble_options(const py::dict& given) {
  using O = EnsembleOptions;
  static constexpr OptionField<O> kFields[] = {
      {"method", set_to<&O::method>},       {"substructures", set_to<&O::substructures>},
      {"beta", set_to<&O::beta>},           {"rounds", set_to<&O::rounds>},
      {"calibrate", set_to<&O::calibrate>}, {"any_sequence", set_to<&O::any_sequence>},
      {"missing", set_to<&O::missing>},     {"probabilities", set_to<&O::probabilities>},
      {"seed", set_to<&O::seed>},           {"threads", set_to<&O::threads>}};
  O out;
  set_fields(given, kFields, "option of an ensemble", out);
  return out;
}

py::tuple to_tuple(const Combined& c) {
  return py::make_tuple(
      c.labels, py::array_t<double>(static_cast<py::ssize_t>(c.confidence.size()), c.confidence.data()),
      c.sequence_confidence);
}

py::tuple combine(const Ensemble& ensemble, const std::vector<GivenLabels>& answers,
                  const std::vector<std::vector<double>>& probabilities, size_t number) {
  std::vector<Labels> labels;
  for (const GivenLabels& answer : answers) labels.push_back(labels_of(answer));
  return to_tuple(ensemble.combine(labels, probabilities, number).value());
}

py::dict quality(const EnsembleReport::Quality& q) {
  return py::dict("accuracy"_a = q.accuracy, "sequence_accuracy"_a = q.sequence_accuracy, "f1"_a = q.f1,
                  "error"_a = q.error);
}

py::dict report(const Ensemble& ensemble, const py::object& gold, const py::list& experts,
                const std::string& missing) {
  EnsembleReportOptions options;
  options.missing = missing;
  const Data data = data_of(gold);
  const std::vector<Expert> all = experts_of(experts);
  const EnsembleReport r = watch(py::none(), [&](const Report&, const std::atomic<bool>* stop) {
                             options.stop = stop;
                             return ensemble.report(data, all, options).value();
                           }).take();
  py::list rows;
  for (const auto& e : r.experts) rows.append(py::make_tuple(e.name, quality(e.quality), e.weight, e.worth));
  return py::dict("sequences"_a = r.sequences, "tokens"_a = r.tokens, "ensemble"_a = quality(r.ensemble),
                  "majority"_a = quality(r.majority), "calibration_error"_a = r.calibration_error,
                  "best_expert"_a = r.best_expert, "difference"_a = r.difference, "p_value"_a = r.p_value,
                  "experts"_a = rows);
}

}  // namespace

void bind_ensemble(py::module_& m) {
  py::class_<Ensemble>(m, "Ensemble")
      .def_static(
          "learn",
          [](const py::object& gold, const py::list& experts, const py::dict& given,
             const py::object& on_progress) {
            EnsembleOptions options = ensemble_options(given);
            const Data data = data_of(gold);
            const std::vector<Expert> all = experts_of(experts);
            return watch(on_progress,
                         [&](const Report& progress, const std::atomic<bool>* stop) {
                           options.on_progress = progress;
                           options.stop = stop;
                           return Ensemble::learn(data, all, options).value();
                         })
                .take();
          },
          py::arg("gold"), py::arg("experts"), py::arg("options"), py::arg("on_progress"))
      .def_static(
          "open", [](const std::string& path) { return Ensemble::open(path).value(); }, py::arg("path"))
      .def_static(
          "from_bytes",
          [](const py::bytes& bytes) { return Ensemble::from_bytes(from_bytes(bytes)).value(); },
          py::arg("data"))
      .def(
          "save", [](const Ensemble& e, const std::string& path) { e.save(path).value(); }, py::arg("path"))
      .def("to_bytes", [](const Ensemble& e) { return to_bytes(e.bytes()); })
      .def("combine", &combine, py::arg("answers"), py::arg("probabilities"), py::arg("number"))
      .def("report", &report, py::arg("gold"), py::arg("experts"), py::arg("missing"))
      .def("experts", [](const Ensemble& e) { return e.info().experts; })
      .def("method", [](const Ensemble& e) { return e.info().method; })
      .def("labels", [](const Ensemble& e) { return e.info().labels; })
      .def("summary", [](const Ensemble& e) { return e.info().summary; })
      .def("notes", [](const Ensemble& e) { return e.notes(); });
  m.def("ensemble_methods", [] {
    py::list out;
    for (const MethodInfo& method : ensemble_methods())
      out.append(py::make_tuple(method.name, method.summary));
    return out;
  });
}

}  // namespace espalier::python

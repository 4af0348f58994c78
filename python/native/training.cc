// Training and cross-validation for Python.
#include <tuple>

#include "python/native/bindings.h"
#include "python/native/option_fields.h"
#include "python/native/scores.h"
#include "python/native/watch.h"

namespace espalier::python {
namespace {

/// Texts with their names, from a list of (name, text).
std::vector<NamedText> texts_of(py::handle given) {
  std::vector<NamedText> out;
  for (auto& [name, text] : py::cast<std::vector<std::pair<std::string, std::string>>>(given))
    out.push_back({std::move(name), std::move(text)});
  return out;
}

TrainOptions train_options(const std::string& learner, const Settings& settings, const py::dict& given) {
  using O = TrainOptions;
  static constexpr OptionField<O> kFields[] = {
      {"task", set_to<&O::task>},
      {"dev", [](O& out, py::handle value) { out.dev = data_of(value); }},
      {"constraints", [](O& out, py::handle value) { out.constraints = py::cast<Constraints>(value); }},
      {"allow_contradictions", set_to<&O::allow_contradictions>},
      {"start_from", [](O& out, py::handle value) { out.start_from = py::cast<const Model&>(value).tagger; }},
      {"template",
       [](O& out, py::handle value) {
         std::tie(out.template_name, out.feature_template.emplace()) =
             py::cast<std::pair<std::string, std::string>>(value);
       }},
      {"lexicons", [](O& out, py::handle value) { out.lexicons = texts_of(value); }},
      {"word_classes", [](O& out, py::handle value) { out.word_classes = texts_of(value); }},
      {"parsers", set_to<&O::parsers>},
      {"feature_columns", set_to<&O::feature_columns>},
      {"seed", set_to<&O::seed>},
      {"threads", set_to<&O::threads>},
      {"memory", set_to<&O::memory>},
      {"save_to", set_to<&O::save_to>},
      {"checkpoint_every", set_to<&O::checkpoint_every>},
      {"resume", set_to<&O::resume>}};
  O out;
  out.learner = Learner(learner, settings);
  set_fields(given, kFields, "training option", out);
  return out;
}

/// A generator over (sequences, labels), two lists of the same length that the caller keeps; nothing if this
/// is a corpus or files. Sequences are converted when they are asked for, by a thread without the interpreter
/// lock.
std::optional<Generator> generator_of(const py::object& data) {
  if (!py::isinstance<py::tuple>(data)) return std::nullopt;
  const auto pair = py::reinterpret_borrow<py::tuple>(data);
  if (pair.size() != 2 || !py::isinstance<py::list>(pair[0]) || !py::isinstance<py::list>(pair[1]))
    return std::nullopt;
  PyObject* const sequences = PyTuple_GET_ITEM(pair.ptr(), 0);
  PyObject* const labels = PyTuple_GET_ITEM(pair.ptr(), 1);
  Generator out;
  out.name = "corpus";
  out.sequence = [sequences, labels, captured = std::make_shared<Captured>()](
                     size_t number, SequenceBuilder& builder) -> Result<bool> {
    const LockHeld lock;
    const auto index = static_cast<Py_ssize_t>(number);
    if (index >= PyList_GET_SIZE(sequences) || index >= PyList_GET_SIZE(labels)) return false;
    const auto items = py::reinterpret_borrow<py::object>(PyList_GET_ITEM(sequences, index));
    const auto answer = py::reinterpret_borrow<py::object>(PyList_GET_ITEM(labels, index));
    read_numbered(number + 1, items, answer, Form::kAuto, *captured);
    build(*captured, number + 1, builder);
    return true;
  };
  return out;
}

/// (model, report as a dict, whether Ctrl-C ended it).
py::tuple train_model(const py::object& data, const std::string& learner, const Settings& settings,
                      const py::dict& given, const py::object& on_progress) {
  TrainOptions options = train_options(learner, settings, given);
  const std::optional<Generator> generator = generator_of(data);
  std::optional<Data> input;
  if (!generator) input = data_of(data);
  auto watched = watch(on_progress, [&](const Report& progress, const std::atomic<bool>* stop) {
    options.on_progress = progress;
    options.stop = stop;
    return (generator ? train_with_report(*generator, options) : train_with_report(*input, options)).value();
  });
  const bool keyboard = watched.keyboard();
  Training run = watched.take_even_after_keyboard();
  py::list log;
  for (const Training::Pass& pass : run.log)
    log.append(py::make_tuple(pass.number, pass.objective, pass.dev_score, pass.seconds));
  py::dict report;
  report["log"] = log;
  report["seconds"] = run.seconds;
  report["reading_seconds"] = run.reading_seconds;
  report["sequences"] = run.sequences;
  report["tokens"] = run.tokens;
  report["features"] = run.features;
  report["weights"] = run.weights;
  report["labels"] = run.labels;
  report["model_bytes"] = run.model_bytes;
  report["best_pass"] = run.best_pass;
  report["stopped_early"] = run.stopped_early;
  report["interrupted"] = run.interrupted;
  report["notes"] = run.notes;
  report["details"] = run.details;
  return py::make_tuple(Model(std::move(run.tagger)), report, keyboard);
}

py::dict cross_validation(const py::object& data, const std::string& learner, const Settings& settings,
                          const py::dict& given, int folds, const py::object& on_progress) {
  TrainOptions options = train_options(learner, settings, given);
  const Data input = data_of(data);
  const CrossValidation cv = watch(on_progress, [&](const Report& progress, const std::atomic<bool>* stop) {
                               options.stop = stop;
                               const auto on_fold = [&](const CrossValidation::Fold& fold) {
                                 if (stop->load()) return false;
                                 if (!progress) return true;
                                 Progress done;
                                 done.phase = "folds";
                                 done.done = static_cast<double>(fold.number);
                                 done.total = static_cast<double>(fold.total);
                                 done.round = static_cast<int>(fold.number);
                                 done.round_ended = true;
                                 return progress(done);
                               };
                               return cross_validate(input, options, folds, on_fold).value();
                             }).take();
  py::list all;
  for (const CrossValidation::Fold& fold : cv.folds)
    all.append(py::make_tuple(fold.fold, fold.train_seconds, to_dict(fold.scores)));
  py::dict out;
  out["folds"] = all;
  out["pooled"] = to_dict(cv.pooled);
  out["own_folds"] = cv.own_folds;
  return out;
}

}  // namespace

void bind_training(py::module_& m) {
  m.def("train", &train_model, py::arg("data"), py::arg("learner"), py::arg("settings"), py::arg("options"),
        py::arg("on_progress"));
  m.def("cross_validate", &cross_validation, py::arg("data"), py::arg("learner"), py::arg("settings"),
        py::arg("options"), py::arg("folds"), py::arg("on_progress"));
  m.def(
      "check_settings",
      [](const std::string& learner, const Settings& settings, const std::string& task) {
        TrainOptions options;
        options.learner = Learner(learner, settings);
        options.task = task;
        check_options(Corpus(), options).value();
      },
      py::arg("learner"), py::arg("settings"), py::arg("task"));
}

}  // namespace espalier::python

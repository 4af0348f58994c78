// Scores for Python.
#include "python/native/bindings.h"
#include "python/native/scores.h"
#include "python/native/watch.h"

namespace espalier::python {

py::dict to_dict(const Scores& s) {
  py::list by_label, confusions;
  for (const LabelScores& l : s.by_label)
    by_label.append(py::make_tuple(l.label, l.gold, l.predicted, l.right, l.precision, l.recall, l.f1));
  for (const Confusion& c : s.confusions) confusions.append(py::make_tuple(c.gold, c.predicted, c.count));
  return py::dict("sequences"_a = s.sequences, "tokens"_a = s.tokens, "accuracy"_a = s.accuracy,
                  "sequence_accuracy"_a = s.sequence_accuracy, "precision"_a = s.precision,
                  "recall"_a = s.recall, "f1"_a = s.f1, "by_label"_a = by_label, "confusions"_a = confusions,
                  "legal_percent"_a = s.legal_percent, "report"_a = s.report(), "json"_a = s.json());
}

void bind_evaluation(py::module_& m) {
  m.def(
      "evaluate",
      [](const Model& model, const py::object& data, const py::dict& decode, bool calibration,
         const std::optional<Constraints>& check, int threads, const py::object& on_progress) {
        EvaluateOptions options;
        options.decode = decode_options(decode);
        options.calibration = calibration;
        options.check_rules = check;
        options.threads = threads;
        const Data input = data_of(data);
        return to_dict(watch(on_progress, [&](const Report& progress, const std::atomic<bool>* stop) {
                         options.on_progress = progress;
                         options.stop = stop;
                         return evaluate(model.tagger, input, options).value();
                       }).take());
      },
      py::arg("model"), py::arg("data"), py::arg("decode"), py::arg("calibration"), py::arg("check"),
      py::arg("threads"), py::arg("on_progress"));
  m.def(
      "evaluate_labels",
      [](const std::vector<std::vector<std::string>>& gold,
         const std::vector<std::vector<std::string>>& predicted) {
        return to_dict(evaluate_labels(gold, predicted).value());
      },
      py::arg("gold"), py::arg("predicted"));
}

}  // namespace espalier::python

// Raw text, pipelines of models, and classes of words for Python.
#include "python/native/option_fields.h"
#include "python/native/tagging.h"

namespace espalier::python {

TextSplit split_of(const std::string& name) {
  if (name == "words") return TextSplit::words;
  if (name == "blanks") return TextSplit::blanks;
  throw py::value_error("split is 'words' or 'blanks', not '" + name + "'");
}

py::list to_list(const TextSentence& sentence) {
  py::list out;
  for (const TextToken& token : sentence.tokens)
    out.append(py::make_tuple(token.text, token.begin, token.end));
  return out;
}

py::list to_list(const std::vector<Explanation>& found) {
  py::list out;
  for (const Explanation& e : found) {
    py::list reasons;
    for (const Reason& r : e.reasons) reasons.append(py::make_tuple(r.feature, r.weight, r.runner_up_weight));
    out.append(py::make_tuple(e.token, e.label, e.runner_up, e.margin, reasons, e.column, e.decision,
                              e.runner_up_decision));
  }
  return out;
}

StreamOptions stream_options(const py::dict& given) {
  using O = StreamOptions;
  static constexpr OptionField<O> kFields[] = {
      {"input_format", set_to<&O::input_format>},
      {"output_format", set_to<&O::output_format>},
      {"encoding", set_to<&O::encoding>},
      {"separator", set_to<&O::separator>},
      {"comment", set_to<&O::comment>},
      {"text", [](O& out, py::handle value) { out.text = split_of(py::cast<std::string>(value)); }},
      {"forced_column", [](O& out, py::handle value) { out.forced_column = py::cast<int>(value); }}};
  O out;
  set_fields(given, kFields, "option", out);
  return out;
}

py::dict to_dict(const StreamReport& report, const std::vector<std::string>& errors) {
  return py::dict("sequences"_a = report.sequences, "tokens"_a = report.tokens, "seconds"_a = report.seconds,
                  "interrupted"_a = report.interrupted, "errors"_a = errors,
                  "outcomes"_a = py::dict(
                      "exact"_a = report.rules.exact, "approximate"_a = report.rules.approximate,
                      "infeasible"_a = report.rules.infeasible, "out of time"_a = report.rules.out_of_time,
                      "none in time"_a = report.rules.none_in_time));
}

void bind_pipeline(py::module_& m) {
  py::class_<Stages> stages(m, "Pipeline");
  stages.def(py::init([](const std::vector<std::pair<std::string, const Model*>>& given) {
               std::vector<PipelineStage> made;
               for (const auto& [name, model] : given) made.push_back({name, model->tagger});
               return Stages(Pipeline::make(std::move(made)).value());
             }),
             py::arg("stages"));
  bind_tagging(stages);
  m.def(
      "split_text",
      [](const std::string& text, const std::string& split) {
        py::list out;
        for (const TextSentence& sentence : split_text(text, split_of(split)).value())
          out.append(to_list(sentence));
        return out;
      },
      py::arg("text"), py::arg("split"));
  m.def(
      "make_word_classes",
      [](const std::vector<std::string>& files, size_t classes, uint32_t least_count, int rounds, int threads,
         const py::object& on_progress) {
        WordClassOptions options;
        options.classes = classes;
        options.least_count = least_count;
        options.rounds = rounds;
        options.threads = threads;
        return watch(on_progress,
                     [&](const Report& progress, const std::atomic<bool>* stop) {
                       options.on_progress = progress;
                       options.stop = stop;
                       return make_word_classes(files, options).value().text;
                     })
            .take();
      },
      py::arg("files"), py::arg("classes"), py::arg("least_count"), py::arg("rounds"), py::arg("threads"),
      py::arg("on_progress"));
}

}  // namespace espalier::python

// Models and predictions for Python.
#include <optional>

#include "python/native/option_fields.h"
#include "python/native/tagging.h"

namespace espalier::python {
namespace {

const char* outcome_name(Outcome outcome) {
  static constexpr const char* kNames[] = {"exact", "approximate", "infeasible", "out of time",
                                           "none in time"};
  return kNames[static_cast<size_t>(outcome)];
}

py::list tag_batch(const Model& model, py::handle sequences, Form form, const py::dict& options) {
  const TagOptions tag = tag_options(options);
  Corpus corpus;
  const std::vector<bool> empty = read_batch(sequences, py::none(), form, corpus);
  std::vector<Tagged> tagged;
  if (!corpus.empty()) {
    const LockReleased released;
    tagged = model.tagger.tag_batch(corpus, tag).value();
  }
  py::list out;
  size_t sequence = 0;
  for (size_t i = 0; i < empty.size(); ++i) {
    if (empty[i]) {
      out.append(py::none());
    } else {
      out.append(to_dict(tagged[sequence++], model.labels.size()));
    }
  }
  return out;
}

py::dict info(const Model& model) {
  const ModelInfo& i = model.tagger.info();
  return py::dict("task"_a = i.task, "learner"_a = i.learner,
                  "parameters"_a = py::dict(py::cast(i.parameters)), "seed"_a = i.seed,
                  "training_sequences"_a = i.training_sequences, "training_tokens"_a = i.training_tokens,
                  "format"_a = i.format, "label_column"_a = i.label_column,
                  "feature_template"_a = i.feature_template, "columns"_a = i.columns,
                  "feature_columns"_a = i.feature_columns, "labels"_a = i.labels,
                  "has_probabilities"_a = i.has_probabilities, "constrained"_a = i.constrained);
}

py::dict inspect(const Model& model, size_t top, const std::string& label) {
  const Inspection i = [&] {
    const LockReleased released;
    return model.tagger.inspect({.top = top, .label = label}).value();
  }();
  py::list strongest, transitions;
  for (const auto& f : i.strongest) strongest.append(py::make_tuple(f.feature, f.label, f.weight, f.column));
  for (const auto& t : i.transitions) transitions.append(py::make_tuple(t.from, t.to, t.weight));
  return py::dict("features"_a = i.features, "weights"_a = i.weights, "weight_bits"_a = i.weight_bits,
                  "names"_a = i.names, "strongest"_a = strongest, "transitions"_a = transitions,
                  "about_weights"_a = i.about_weights, "no_transitions"_a = i.no_transitions,
                  "no_features"_a = i.no_features, "details"_a = i.details);
}

void set_constraints(DecodeOptions& out, py::handle value) {
  if (!value.is_none()) out.constraints = py::cast<Constraints>(value);
}

constexpr OptionField<DecodeOptions> kDecodeFields[] = {
    {"constraints", set_constraints},
    {"unconstrained", set_to<&DecodeOptions::unconstrained>},
    {"strict", set_to<&DecodeOptions::strict>},
    {"why", set_to<&DecodeOptions::why>},
    {"time_limit", set_to<&DecodeOptions::time_limit>},
    {"decoder", set_to<&DecodeOptions::decoder>},
    {"beam", set_to<&DecodeOptions::beam>}};

void set_forced(TagOptions& out, py::handle value) {
  for (const auto& label : py::cast<std::vector<std::optional<std::string>>>(value))
    out.forced.push_back(label.value_or("_"));
}

constexpr OptionField<TagOptions> kTagFields[] = {{"confidence", set_to<&TagOptions::confidence>},
                                                  {"marginals", set_to<&TagOptions::marginals>},
                                                  {"nbest", set_to<&TagOptions::nbest>},
                                                  {"forced", set_forced},
                                                  {"threads", set_to<&TagOptions::threads>}};

}  // namespace

DecodeOptions decode_options(const py::dict& options) {
  DecodeOptions out;
  set_fields(options, kDecodeFields, "option", out);
  return out;
}

TagOptions tag_options(const py::dict& options) {
  TagOptions out;
  set_each(options, "option", [&](const std::string& name, py::handle value) {
    return set_field(kTagFields, name, value, out) || set_field(kDecodeFields, name, value, out.decode);
  });
  return out;
}

py::dict to_dict(const Tagged& tagged, size_t labels) {
  py::dict out;
  py::array_t<double> probabilities(static_cast<py::ssize_t>(tagged.size()));
  auto to = probabilities.mutable_unchecked<1>();
  py::list names, others, heads;
  for (size_t t = 0; t < tagged.size(); ++t) {
    names.append(py::str(tagged[t].label));
    to(static_cast<py::ssize_t>(t)) = tagged[t].probability;
    if (!tagged[t].other_labels.empty()) others.append(py::cast(tagged[t].other_labels));
    if (tagged[t].head) heads.append(*tagged[t].head);
  }
  py::list spans, alternatives, changes;
  for (const Span& s : tagged.spans()) spans.append(py::make_tuple(s.type, s.first, s.last, s.probability));
  for (const Labelling& l : tagged.alternatives())
    alternatives.append(py::make_tuple(l.labels, l.score, l.probability));
  for (const Change& c : tagged.changes()) changes.append(py::make_tuple(c.token, c.before, c.rules));
  out["labels"] = names;
  out["probabilities"] = probabilities;
  out["spans"] = spans;
  out["alternatives"] = alternatives;
  out["marginals"] = py::none();
  if (!tagged.marginals().empty() && labels > 0) {
    const auto rows = static_cast<py::ssize_t>(tagged.marginals().size() / labels);
    out["marginals"] =
        py::array_t<float>({rows, static_cast<py::ssize_t>(labels)}, tagged.marginals().data());
  }
  out["outcome"] = outcome_name(tagged.outcome());
  out["clash"] = tagged.clash();
  out["changes"] = changes;
  out["price_of_rules"] = tagged.price_of_rules();
  out["score"] = tagged.score();
  out["probability"] = tagged.probability();
  out["other_labels"] = others;
  out["heads"] = heads;
  return out;
}

void bind_tagger(py::module_& m) {
  py::class_<Model> bound(m, "Model");
  bind_tagging(bound);
  bind_labelling(bound);
  bound
      .def_static(
          "open",
          [](const std::string& path) {
            Tagger tagger = [&] {
              const LockReleased released;
              return Tagger::open(path).value();
            }();
            return Model(std::move(tagger));
          },
          py::arg("path"))
      .def_static(
          "from_bytes",
          [](const py::bytes& bytes, const std::string& name) {
            return Model(Tagger::from_bytes(from_bytes(bytes), name).value());
          },
          py::arg("data"), py::arg("name"))
      .def_static(
          "import_file",
          [](const std::string& path) {
            Tagger tagger = [&] {
              const LockReleased released;
              return import_model(path).value().tagger;
            }();
            return Model(std::move(tagger));
          },
          py::arg("path"))
      .def_static(
          "import_bytes",
          [](const py::bytes& bytes, const std::string& name) {
            return Model(import_model(std::string_view(bytes), name).value().tagger);
          },
          py::arg("data"), py::arg("name"))
      .def(
          "save", [](const Model& model, const std::string& path) { model.tagger.save(path).value(); },
          py::arg("path"))
      .def("to_bytes", [](const Model& model) { return to_bytes(model.tagger.bytes()); })
      .def("without_names", [](const Model& model) { return Model(model.tagger.without_names().value()); })
      .def_readonly("labels", &Model::labels)
      .def("info", &info)
      .def("inspect", &inspect, py::arg("top"), py::arg("label"))
      .def("tag_batch", &tag_batch, py::arg("sequences"), py::arg("form"), py::arg("options"));
}

}  // namespace espalier::python

// espalier inspect: what is in a model?
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/options.h"
#include "apps/tag_format.h"
#include "apps/terminal.h"
#include "espalier/base/atomic_file.h"
#include "espalier/model/model.h"

namespace espalier::apps {
namespace {

constexpr const char* kInspectHelp =
    R"(Show what is in a model: labels, features, strongest weights, transitions, size

Positive weights speak for a label, negative ones against it.)";

constexpr const char* kInspectExamples = R"(Examples:
  espalier inspect chunks.model
  espalier inspect chunks.model --label B-NP --top 50
  espalier inspect chunks.model --strip small.model
The last writes the model without the names of its features: smaller, with the same predictions, but nothing that
inspect and explain could name.)";

// Feature names come from data and may be long.
constexpr size_t kWidestName = 60;

struct InspectFlags {
  std::string model;
  std::string label;
  std::string strip;
  size_t top = 10;
  OutputFlags output;
};

struct Contents {
  data::Predictor::Size size;
  std::vector<data::Predictor::WeightedFeature> features;
  std::vector<data::Predictor::WeightedTransition> transitions;  ///< strongest first
  std::string no_features;                                       ///< why there are none
  nlohmann::ordered_json details;                                ///< what only this kind of model has
};

bool stronger(double a, double b) { return std::abs(a) > std::abs(b); }

Result<Contents> look_into(const model::Model& model, const InspectFlags& flags) {
  Contents contents;
  const data::Predictor& predictor = model.predictor();
  const std::optional<data::Label> only = model.labels().find(flags.label);
  const bool joint = predictor.label_columns() > 1;
  contents.size = predictor.size();
  contents.details = nlohmann::ordered_json::parse(predictor.details());
  // A label of several columns is one in any of them.
  constexpr size_t kAll = std::numeric_limits<size_t>::max();
  if (auto found = joint && !flags.label.empty() ? predictor.strongest(kAll, std::nullopt)
                                                 : predictor.strongest(flags.top, only);
      found.ok()) {
    contents.features = std::move(found).value();
    if (joint && !flags.label.empty()) {
      std::erase_if(contents.features, [&](const auto& f) {
        return predictor.labels_of_column(f.column).name(f.label) != flags.label;
      });
      contents.features.resize(std::min(flags.top, contents.features.size()));
    }
  } else {
    contents.no_features = found.error().message;
  }
  for (const auto& transition : predictor.weighted_transitions())
    if (!only || transition.from == *only || transition.to == *only)
      contents.transitions.push_back(transition);
  std::stable_sort(contents.transitions.begin(), contents.transitions.end(),
                   [](const auto& a, const auto& b) { return stronger(a.weight, b.weight); });
  return contents;
}

/// Columns side by side, each as wide as its widest cell; the first, a number, to the right.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  std::string out;
  for (const auto& row : rows) {
    out += " ";
    for (size_t c = 0; c < row.size(); ++c) {
      const bool last = c + 1 == row.size();
      out += " " + (c == 0 ? pad_left(row[c], widths[c]) : last ? row[c] : pad_right(row[c], widths[c]));
    }
    out += "\n";
  }
  return out;
}

std::string to_text(const model::Model& model, const Contents& contents, const InspectFlags& flags) {
  const model::About& about = model.about();
  std::string out;
  const auto to = std::back_inserter(out);
  const auto line = [&](std::string_view name, const std::string& value) {
    fmt::format_to(to, "{:<12} {}\n", name, value);
  };
  std::error_code code;
  const auto file_bytes = static_cast<double>(std::filesystem::file_size(flags.model, code));
  line("model", fmt::format("{}, {}", flags.model, bytes_text(code ? 0 : file_bytes)));
  line("task", fmt::format("{}, learned by {}", about.task, about.learner));
  line("trained on", fmt::format("{} sequences, {} tokens, seed {}", count_text(about.training_sequences),
                                 count_text(about.training_tokens), about.seed));
  std::string reading = fmt::format("{}", data::format_name(about.reading.format));
  if (about.reading.columns > 0)
    reading += fmt::format(", {} columns, label included", about.reading.columns);
  if (!about.reading.label_column.empty()) reading += ", label in column " + about.reading.label_column;
  line("data", reading);
  line("features", fmt::format("{}, with {} weights of {} bits", count_text(contents.size.features),
                               count_text(contents.size.weights), contents.size.weight_bits));
  line("template", about.features.template_text.empty()
                       ? about.features.attributes ? "attributes of the data" : "default"
                       : about.features.template_name);
  std::string parameters;
  for (const auto& [name, value] : about.parameters)
    parameters += fmt::format("{}{}={}", parameters.empty() ? "" : " ", name, value);
  line("parameters", parameters);
  if (contents.details.contains("classifier")) {
    std::string decides = contents.details["classifier"].get<std::string>();
    if (const auto& shares = contents.details["shares"]; shares.size() > 1) {
      decides += fmt::format("; {} of them, with shares", shares.size());
      for (const auto& share : shares) decides += fmt::format(" {:.3f}", share.get<double>());
    }
    line("classifier", decides);
  }
  for (size_t c = 0; c < model.predictor().label_columns(); ++c) {
    const auto& names = model.predictor().labels_of_column(c).names();
    line("labels", fmt::format("{}: {}", names.size(), fmt::join(names, " ")));
  }

  const std::string about_weights = model.predictor().about_weights();
  out += "\nstrongest features" +
         (about_weights.empty() || contents.features.empty() ? "\n" : ", " + about_weights + "\n");
  if (contents.features.empty())
    out += fmt::format("  none: {}\n",
                       contents.no_features.empty() ? "all weights are 0" : contents.no_features);
  std::vector<std::vector<std::string>> rows;
  for (const auto& feature : contents.features)
    rows.push_back({fmt::format("{:+.4f}", feature.weight),
                    model.predictor().labels_of_column(feature.column).name(feature.label),
                    cut(feature.feature, kWidestName)});
  out += table(rows);

  out += "\nstrongest transitions\n";
  if (contents.transitions.empty()) out += "  none: " + model.predictor().no_transitions() + "\n";
  rows.clear();
  for (size_t i = 0; i < std::min(flags.top, contents.transitions.size()); ++i) {
    const auto& transition = contents.transitions[i];
    rows.push_back({fmt::format("{:+.4f}", transition.weight), model.labels().name(transition.from), "->",
                    model.labels().name(transition.to)});
  }
  return out + table(rows);
}

nlohmann::ordered_json to_json(const model::Model& model, const Contents& contents,
                               const InspectFlags& flags) {
  using Json = nlohmann::ordered_json;
  const model::About& about = model.about();
  Json parameters = Json::object();
  for (const auto& [name, value] : about.parameters) parameters[name] = value;
  Json features = Json::array();
  for (const auto& f : contents.features) {
    features.push_back({{"feature", f.feature},
                        {"label", model.predictor().labels_of_column(f.column).name(f.label)},
                        {"weight", f.weight}});
    if (model.predictor().label_columns() > 1)
      features.back()["column"] = label_column_number(about, f.column);
  }
  Json transitions = Json::array();
  for (const auto& t : contents.transitions)
    transitions.push_back(
        {{"from", model.labels().name(t.from)}, {"to", model.labels().name(t.to)}, {"weight", t.weight}});
  std::error_code code;
  const auto file_bytes = std::filesystem::file_size(flags.model, code);
  return {{"model", flags.model},
          {"model_bytes", code ? 0 : file_bytes},
          {"task", about.task},
          {"learner", about.learner},
          {"seed", about.seed},
          {"parameters", std::move(parameters)},
          {"training_sequences", about.training_sequences},
          {"training_tokens", about.training_tokens},
          {"format", data::format_name(about.reading.format)},
          {"columns", about.reading.columns},
          {"label_column", about.reading.label_column},
          {"template", about.features.template_text},
          {"features", contents.size.features},
          {"weights", contents.size.weights},
          {"weight_bits", contents.size.weight_bits},
          {"names", contents.size.names},
          {"labels", model.labels().names()},
          {"strongest", std::move(features)},
          {"about_weights", model.predictor().about_weights()},
          {"transitions", std::move(transitions)},
          {"details", contents.details}};
}

Outcome run(const InspectFlags& flags) {
  ESPALIER_ASSIGN(const model::Model model, model::Model::open(flags.model));
  bool known = flags.label.empty();
  for (size_t c = 0; c < model.predictor().label_columns(); ++c)
    known = known || model.predictor().labels_of_column(c).find(flags.label);
  if (!known) return fail("{}: the model has no label '{}'", flags.model, flags.label);
  if (!flags.strip.empty()) {
    ESPALIER_TRY(model::strip_names(flags.model, flags.strip));
    if (!flags.output.quiet) say(fmt::format("espalier: model without names written to {}", flags.strip));
    if (!flags.output.json) return {};
  }
  ESPALIER_ASSIGN(const Contents contents, look_into(model, flags));
  ESPALIER_TRY(flags.output.json ? print_json(to_json(model, contents, flags))
                                 : print(to_text(model, contents, flags)));
  return {};
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  CLI::App& verb = *app.add_subcommand("inspect", kInspectHelp);
  const auto flags = std::make_shared<InspectFlags>();
  verb.add_option("MODEL", flags->model, "the model file")->type_name("")->required();
  verb.add_option("--label", flags->label, "only what speaks about this label")->type_name("LABEL");
  verb.add_option("--top", flags->top, "how many features and transitions are shown [10]")->type_name("N");
  verb.add_option("--strip", flags->strip, "write the model without names to this file instead")
      ->type_name("OUT");
  flags->output.add_to(verb);
  verb.footer(kInspectExamples);
  verb.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps

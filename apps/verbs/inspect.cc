// espalier inspect: what is in a model. Tested in verbs_test.sh and search_test.sh.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kInspectHelp =
    R"(Show what is in a model: labels, features, strongest weights, transitions, size

Positive weights speak for a label, negative ones against it.)";

constexpr const char* kInspectExamples = R"(Examples:
  espalier inspect chunks.model
  espalier inspect chunks.model --label B-NP --top 50
  espalier inspect chunks.model --strip small.model
The last writes the model without feature names: smaller, with the same predictions, but inspect cannot name its
features.)";

// Feature names come from data and may be long.
constexpr size_t kWidestName = 60;

struct InspectFlags {
  std::string model;
  std::string label;
  std::string strip;
  size_t top = 10;
  OutputFlags output;
};

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

size_t file_bytes(const std::string& path) {
  std::error_code code;
  const auto bytes = std::filesystem::file_size(path, code);
  return code ? 0 : bytes;
}

std::string template_text(const ModelInfo& info) {
  if (!info.feature_template.empty()) return info.template_name;
  return info.columns == 0 ? "attributes of the data" : "default";
}

std::string to_text(const ModelInfo& info, const Inspection& contents, const InspectFlags& flags) {
  std::string out;
  const auto line = [&](std::string_view name, const std::string& value) {
    append_format(out, "{:<12} {}\n", name, value);
  };
  line("model", fmt::format("{}, {}", flags.model, bytes_text(static_cast<double>(file_bytes(flags.model)))));
  line("task", fmt::format("{}, learned by {}{}", info.task, info.learner,
                           info.constrained ? " under constraints" : ""));
  line("trained on", fmt::format("{}, {}, seed {}", counted(info.training_sequences, "sequence"),
                                 counted(info.training_tokens, "token"), info.seed));
  std::string reading = info.format;
  if (info.columns > 0) reading += fmt::format(", {}, label included", counted(info.columns, "column"));
  if (!info.label_column.empty()) reading += ", label in column " + info.label_column;
  line("data", reading);
  line("features", fmt::format("{}, with {} of {} bits", count_text(contents.features),
                               counted(contents.weights, "weight"), contents.weight_bits));
  line("template", template_text(info));
  std::string parameters;
  for (const auto& [name, value] : info.parameters)
    parameters += fmt::format("{}{}={}", parameters.empty() ? "" : " ", name, value);
  line("parameters", parameters);
  const auto details = parse_json(contents.details);
  if (details.contains("classifier")) {
    std::string decides = details["classifier"].get<std::string>();
    if (const auto& shares = details["shares"]; shares.size() > 1) {
      decides += fmt::format("; {} of them, with shares", shares.size());
      for (const auto& share : shares) decides += fmt::format(" {:.3f}", share.get<double>());
    }
    line("classifier", decides);
  }
  for (const std::vector<std::string>& names : info.labels)
    line("labels", fmt::format("{}: {}", names.size(), joined(names, " ")));

  const bool described = !contents.about_weights.empty() && !contents.strongest.empty();
  out += "\nstrongest features" + (described ? ", " + contents.about_weights + "\n" : "\n");
  if (contents.strongest.empty())
    out += fmt::format("  none: {}\n", !contents.no_features.empty() ? contents.no_features
                                       : flags.top == 0              ? "--top 0 asks for none"
                                                                     : "all weights are 0");
  std::vector<std::vector<std::string>> rows;
  for (const auto& f : contents.strongest)
    rows.push_back({fmt::format("{:+.4f}", f.weight), f.label, cut(f.feature, kWidestName)});
  out += table(rows);

  out += "\nstrongest transitions\n";
  if (contents.transitions.empty())
    out += fmt::format("  none: {}\n",
                       contents.no_transitions.empty() ? "--top 0 asks for none" : contents.no_transitions);
  rows.clear();
  for (const auto& t : contents.transitions)
    rows.push_back({fmt::format("{:+.4f}", t.weight), t.from, "->", t.to});
  return out + table(rows);
}

Json to_json(const ModelInfo& info, const Inspection& contents, const InspectFlags& flags) {
  Json parameters = Json::object();
  for (const auto& [name, value] : info.parameters) parameters[name] = value;
  Json features = Json::array();
  for (const auto& f : contents.strongest) {
    features.push_back({{"feature", f.feature}, {"label", f.label}, {"weight", f.weight}});
    if (info.labels.size() > 1) features.back()["column"] = info.label_columns[f.column];
  }
  Json transitions = Json::array();
  for (const auto& t : contents.transitions)
    transitions.push_back({{"from", t.from}, {"to", t.to}, {"weight", t.weight}});
  return {{"model", flags.model},
          {"model_bytes", file_bytes(flags.model)},
          {"task", info.task},
          {"learner", info.learner},
          {"seed", info.seed},
          {"parameters", std::move(parameters)},
          {"training_sequences", info.training_sequences},
          {"training_tokens", info.training_tokens},
          {"format", info.format},
          {"columns", info.columns},
          {"label_column", info.label_column},
          {"template", info.feature_template},
          {"constrained", info.constrained},
          {"features", contents.features},
          {"weights", contents.weights},
          {"weight_bits", contents.weight_bits},
          {"names", contents.names},
          {"labels", info.labels.back()},
          {"strongest", std::move(features)},
          {"about_weights", contents.about_weights},
          {"transitions", std::move(transitions)},
          {"details", parse_json(contents.details)}};
}

Outcome run(const InspectFlags& flags) {
  ESPALIER_ASSIGN(const Tagger tagger, Tagger::open(flags.model));
  ESPALIER_ASSIGN(const Inspection contents, tagger.inspect({flags.top, flags.label}));
  if (!flags.strip.empty()) {
    ESPALIER_ASSIGN(const Tagger stripped, tagger.without_names());
    ESPALIER_TRY(stripped.save(flags.strip));
    if (!flags.output.quiet) say(fmt::format("espalier: model without names written to {}", flags.strip));
    if (!flags.output.json) return {};
  }
  ESPALIER_TRY(flags.output.json ? print_json(to_json(tagger.info(), contents, flags))
                                 : print(to_text(tagger.info(), contents, flags)));
  return {};
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<InspectFlags>(app, action, "inspect", kInspectHelp, run);
  verb.add_option("MODEL", flags.model, "the model file")->type_name("")->required();
  verb.add_option("--label", flags.label, "list only weights of this label")->type_name("LABEL");
  add_number_option(verb, "--top", flags.top, "features and transitions shown [10]", 0, 1000000);
  verb.add_option("--strip", flags.strip, "write the model without names to this file instead")
      ->type_name("OUT");
  flags.output.add_to(verb);
  verb.footer(kInspectExamples);
}

}  // namespace espalier::apps

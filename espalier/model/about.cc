#include "espalier/model/about.h"

#include <nlohmann/json.hpp>

namespace espalier::model {

using nlohmann::json;

std::string about_to_json(const About& about) {
  json parameters = json::object();
  for (const auto& [name, value] : about.parameters) parameters[name] = value;
  const json object = {
      {"task", about.task},
      {"learner", about.learner},
      {"parameters", parameters},
      {"seed", about.seed},
      {"outputs", about.outputs},
      {"training", {{"sequences", about.training_sequences}, {"tokens", about.training_tokens}}},
      {"reading",
       {{"format", data::format_name(about.reading.format)},
        {"label_column", about.reading.label_column},
        {"columns", about.reading.columns},
        {"least_columns", about.reading.least_columns},
        {"encoding", about.reading.encoding}}},
      {"features",
       {{"template", about.features.template_text},
        {"template_name", about.features.template_name},
        {"columns", about.features.feature_columns},
        {"degree", about.features.degree},
        {"attributes", about.features.attributes}}},
  };
  return object.dump(1, ' ', false, json::error_handler_t::replace);
}

Result<About> about_from_json(std::string_view text, const std::string& name) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return fail("{}: section 'about' is not a JSON object", name);
  About about;
  try {
    about.task = object.at("task").get<std::string>();
    about.learner = object.at("learner").get<std::string>();
    about.seed = object.at("seed").get<uint64_t>();
    for (const auto& [key, value] : object.at("parameters").items())
      about.parameters.emplace_back(key, value.get<std::string>());
    about.training_sequences = object.at("training").at("sequences").get<size_t>();
    about.training_tokens = object.at("training").at("tokens").get<size_t>();
    about.outputs = object.value("outputs", size_t{0});
    const json& reading = object.at("reading");
    ESPALIER_ASSIGN(about.reading.format, data::parse_format(reading.at("format").get<std::string>()));
    about.reading.label_column = reading.at("label_column").get<std::string>();
    about.reading.columns = reading.at("columns").get<size_t>();
    about.reading.least_columns = reading.at("least_columns").get<size_t>();
    about.reading.encoding = reading.at("encoding").get<std::string>();
    const json& features = object.at("features");
    about.features.template_text = features.at("template").get<std::string>();
    about.features.template_name = features.at("template_name").get<std::string>();
    about.features.feature_columns = features.at("columns").get<std::vector<size_t>>();
    about.features.degree = features.at("degree").get<int>();
    about.features.attributes = features.at("attributes").get<bool>();
  } catch (const json::exception& problem) {
    return fail("{}: section 'about': {}", name, problem.what());
  }
  // A file made by hand could ask for cells that rows do not have.
  for (const size_t column : about.features.feature_columns)
    if (column >= about.reading.columns)
      return fail("{}: section 'about' names feature column {} of {}", name, column + 1,
                  about.reading.columns);
  if (about.features.attributes != (about.reading.columns == 0))
    return fail("{}: section 'about' does not say where features come from", name);
  if (about.reading.least_columns > 0)
    for (const size_t column : about.features.feature_columns)
      if (column >= about.reading.least_columns)
        return fail("{}: section 'about' allows rows without feature column {}", name, column + 1);
  return about;
}

}  // namespace espalier::model

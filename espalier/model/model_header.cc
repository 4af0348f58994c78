#include "espalier/model/model_header.h"

#include <nlohmann/json.hpp>

#include "espalier/base/text/json_as.h"

namespace espalier::model {

std::string header_to_json(const ModelHeader& header) {
  Json parameters = Json::object();
  for (const auto& [name, value] : header.parameters) parameters[name] = value;
  Json object = {
      {"task", header.task},
      {"learner", header.learner},
      {"parameters", parameters},
      {"seed", header.seed},
      {"outputs", header.outputs},
      {"training", {{"sequences", header.training_sequences}, {"tokens", header.training_tokens}}},
      {"reading",
       {{"format", data::format_name(header.reading.format)},
        {"label_column", header.reading.label_column},
        {"columns", header.reading.columns},
        {"least_columns", header.reading.least_columns},
        {"encoding", header.reading.encoding}}},
      {"features",
       {{"template", header.features.template_text},
        {"template_name", header.features.template_name},
        {"columns", header.features.feature_columns},
        {"degree", header.features.degree},
        {"attributes", header.features.attributes}}},
  };
  // Models of data without these are the same, byte for byte, as before they existed.
  if (!header.reading.separator.empty()) object["reading"]["separator"] = header.reading.separator;
  if (header.matrix_columns > 0) object["reading"]["matrix_columns"] = header.matrix_columns;
  if (header.reading.more_columns) object["reading"]["more_columns"] = true;
  if (!header.reading.score_labels.empty()) object["reading"]["score_labels"] = header.reading.score_labels;
  for (const data::WordList& list : header.features.lists)
    object["features"]["lists"].push_back({{"kind", list.kind == data::WordList::Kind::kLexicon   ? "lexicon"
                                                    : list.kind == data::WordList::Kind::kClasses ? "classes"
                                                                                                  : "labels"},
                                           {"name", list.name},
                                           {"text", list.text}});
  if (header.features.bytes) object["features"]["bytes"] = true;
  if (!header.imported_from.empty()) object["imported_from"] = header.imported_from;
  if (!header.reading.comment.empty()) object["reading"]["comment"] = header.reading.comment;
  return json_text(object, 1);
}

Result<ModelHeader> header_from_json(std::string_view text, const std::string& name) {
  const Json object = try_parse_json(text);
  if (!object.is_object()) return fail("{}: section 'about' is not a JSON object", name);
  ModelHeader header;
  try {
    header.task = object.at("task").get<std::string>();
    header.learner = object.at("learner").get<std::string>();
    header.seed = json_as<uint64_t>(object.at("seed"));
    for (const auto& [key, value] : object.at("parameters").items())
      header.parameters.emplace_back(key, value.get<std::string>());
    header.training_sequences = json_as<size_t>(object.at("training").at("sequences"));
    header.training_tokens = json_as<size_t>(object.at("training").at("tokens"));
    header.outputs = json_member_or(object, "outputs", size_t{0});
    const Json& reading = object.at("reading");
    ESPALIER_ASSIGN(header.reading.format, data::parse_format(reading.at("format").get<std::string>()));
    header.reading.label_column = reading.at("label_column").get<std::string>();
    header.reading.columns = json_as<size_t>(reading.at("columns"));
    header.reading.least_columns = json_as<size_t>(reading.at("least_columns"));
    header.reading.encoding = reading.at("encoding").get<std::string>();
    ESPALIER_ASSIGN(header.reading.separator, data::parse_separator(reading.value("separator", "")));
    header.reading.comment = reading.value("comment", "");
    header.matrix_columns = json_member_or(reading, "matrix_columns", size_t{0});
    header.reading.more_columns = reading.value("more_columns", false);
    header.reading.score_labels = reading.value("score_labels", std::vector<std::string>());
    header.imported_from = object.value("imported_from", "");
    const Json& features = object.at("features");
    header.features.template_text = features.at("template").get<std::string>();
    header.features.template_name = features.at("template_name").get<std::string>();
    header.features.feature_columns = json_as<std::vector<size_t>>(features.at("columns"));
    header.features.degree = json_as<int>(features.at("degree"));
    header.features.attributes = features.at("attributes").get<bool>();
    header.features.bytes = features.value("bytes", false);
    for (const Json& list : features.value("lists", Json::array())) {
      const std::string kind = list.at("kind").get<std::string>();
      if (kind != "lexicon" && kind != "classes" && kind != "labels")
        return fail("{}: section 'about': no list '{}'", name, kind);
      header.features.lists.push_back({kind == "lexicon"   ? data::WordList::Kind::kLexicon
                                       : kind == "classes" ? data::WordList::Kind::kClasses
                                                           : data::WordList::Kind::kLabels,
                                       list.at("name").get<std::string>(),
                                       list.at("text").get<std::string>()});
    }
  } catch (const Json::exception& problem) {
    return fail("{}: section 'about': {}", name, json_problem(problem));
  }
  // A damaged or hand-made file could name cells that rows do not have.
  for (const size_t column : header.features.feature_columns)
    if (column >= header.reading.columns)
      return fail("{}: section 'about' names feature column {} of {}", name, column + 1,
                  header.reading.columns);
  if (header.features.attributes != (header.reading.columns == 0))
    return fail("{}: section 'about' does not say where features come from", name);
  if (header.reading.least_columns > 0)
    for (const size_t column : header.features.feature_columns)
      if (column >= header.reading.least_columns)
        return fail("{}: section 'about' allows rows without feature column {}", name, column + 1);
  return header;
}

}  // namespace espalier::model

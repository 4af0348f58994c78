#include "espalier/model/constraint_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "espalier/base/files/input.h"
#include "espalier/base/text/json.h"
#include "espalier/constrain/compile.h"
#include "espalier/model/task_data.h"

namespace espalier::model {

Result<ConstraintFile> ConstraintFile::read(const std::string& path) {
  ConstraintFile out;
  out.name = path;
  ESPALIER_ASSIGN(out.text, read_text_file(path));
  ESPALIER_ASSIGN(const auto statements, constrain::parse_constraints(out.text, path));
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const constrain::Statement& statement : statements) {
    if (statement.file.empty() || out.files.contains(statement.file)) continue;
    auto text = read_text_file((folder / statement.file).string());
    if (!text.ok())
      return fail("{}:{}:{}: {}", path, statement.argument.line, statement.argument.column,
                  text.error().message);
    out.files.emplace(statement.file, std::move(text).value());
  }
  return out;
}

std::string ConstraintFile::to_json() const {
  const Json object = {{"name", name}, {"text", text}, {"files", files}};
  return json_text(object);
}

Result<ConstraintFile> ConstraintFile::from_json(std::string_view text, const std::string& model) {
  const Json object = try_parse_json(text);
  ConstraintFile out;
  try {
    out.name = object.at("name").get<std::string>();
    out.text = object.at("text").get<std::string>();
    for (const auto& [file, contents] : object.at("files").items())
      out.files.emplace(file, contents.get<std::string>());
  } catch (const Json::exception& problem) {
    return fail("{}: section '{}': {}", model, kConstraintSection, json_problem(problem));
  }
  return out;
}

Result<constrain::Constraints> ConstraintFile::resolve(const ModelHeader& about,
                                                       const data::LabelSet& labels) const {
  const data::LabelSet plain = labels.plain();
  const constrain::ConstraintScope shape = shape_of_task(about, plain);
  const constrain::FileLoader load = [this](const std::string& file) -> Result<std::string> {
    const auto found = files.find(file);
    if (found == files.end()) return fail("{}: not stored with the constraints", file);
    return found->second;
  };
  ESPALIER_ASSIGN(constrain::Constraints constraints,
                  constrain::Constraints::resolve(text, name, shape, plain, load));
  ESPALIER_TRY(constrain::check_consistent(constraints));
  if (labels.refined()) return constraints.refined(labels);
  return constraints;
}

}  // namespace espalier::model

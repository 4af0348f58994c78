// A file of constraints together with the files it names: what the command reads and what a model remembers.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "espalier/base/result.h"
#include "espalier/constrain/rules.h"
#include "espalier/model/about.h"

namespace espalier::model {

/// The section of a model that holds the constraints it was trained with.
inline constexpr std::string_view kConstraintSection = "constraints";

struct ConstraintFile {
  std::string name;  ///< for errors
  std::string text;
  std::map<std::string, std::string, std::less<>>
      files;  ///< lexicons and lists, by the name the text gives them

  /// Reads the file and those it names, which lie where it lies. Syntax is checked.
  static Result<ConstraintFile> read(const std::string& path);
  std::string to_json() const;
  static Result<ConstraintFile> from_json(std::string_view json, const std::string& model);

  /// Resolved for sequences of the model's task with these labels. Contradictions are errors, too.
  Result<constrain::Constraints> resolve(const About& about, const data::LabelSet& labels) const;
};

}  // namespace espalier::model

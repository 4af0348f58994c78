// A file of constraints together with the lists that it names: what the user gives and what a model stores.
//
// read() reads and parses it, to_json and from_json store it in a model, resolve() binds it to a model's
// labels. Tested in apps/tests/constraints_test.sh and espalier/api/tagger_test.cc.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "espalier/base/result.h"
#include "espalier/constrain/rules.h"
#include "espalier/model/model_header.h"

namespace espalier::model {

/// The section of a model that holds the constraints it was trained with.
inline constexpr std::string_view kConstraintSection = "constraints";

struct ConstraintFile {
  std::string name;  ///< for errors
  std::string text;
  std::map<std::string, std::string, std::less<>>
      files;  ///< contents of lexicons and lists, by their name in the text

  /// Reads the file and those it names, which are in the same folder. Checks the syntax.
  static Result<ConstraintFile> read(const std::string& path);
  std::string to_json() const;
  static Result<ConstraintFile> from_json(std::string_view json, const std::string& model);

  /// Resolved for sequences of the model's task with these labels. Unknown labels and contradictions are
  /// errors.
  Result<constrain::Constraints> resolve(const ModelHeader& about, const data::LabelSet& labels) const;
};

}  // namespace espalier::model

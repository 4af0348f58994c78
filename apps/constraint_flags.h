// Options of verbs that decode: under constraints or by search, and what became of constraints.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "espalier/base/result.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/model/model.h"

namespace CLI {
class App;
}

namespace espalier::apps {

struct ConstraintFlags {
  std::string file;  ///< empty: those the model was trained with; "none": none at all
  std::string decoder = "auto";
  std::optional<size_t> beam;
  double seconds = 10;
  bool why = false;
  bool strict = false;
  bool verbose = false;

  void add_to(CLI::App& verb, bool with_why);
  /// What contradicts itself before any file is opened.
  Status check() const;
  bool posterior() const { return decoder == "posterior"; }
  /// What is said about the decoder of a search, checked against the kind of model.
  Result<data::SearchChoice> search(const model::Model& model) const;
  /// The constraints asked for: those of the file, or those the model remembers; nothing where there are
  /// none. `file` "none" still gives what the model remembers, for those who only want to check.
  Result<std::optional<constrain::Constraints>> constraints_of(const model::Model& model) const;
  /// The model under the constraints asked for, or nothing where there are none. Refers to the model.
  Result<std::unique_ptr<data::Predictor>> apply(const model::Model& model) const;
};

/// How the sequences of a run ended.
struct ConstraintTally {
  size_t constrained = 0, approximate = 0, infeasible = 0, out_of_time = 0;
  std::string example;  ///< of a clash

  void add(const data::Prediction& prediction);
  void merge(const ConstraintTally& other);
  /// Says on standard error what was not exact.
  void warn() const;
  nlohmann::ordered_json to_json() const;
};

}  // namespace espalier::apps

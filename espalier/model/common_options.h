// The parameters that learners share: cut-offs, feature names, bits of a weight, patience, label weights.
// A learner's options derive from CommonOptions, and its table takes those of them that it uses. Tested in
// learner_test.cc and train_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "espalier/model/defaults.h"
#include "espalier/model/parameters.h"

namespace espalier::model {

struct CommonOptions {
  std::optional<InnerScheme> scheme;  ///< of chains and cascades
  uint32_t cutoff = 1;
  int degree = 1;
  std::optional<uint32_t> full_rows;
  bool names = true;
  WeightBits weight_bits = WeightBits::kAuto;
  int patience = 5;
  /// The cost of errors on a gold label, by the label's name, which must occur in the data.
  std::vector<std::pair<std::string, float>> label_weights;
};

/// "LABEL:WEIGHT,LABEL:WEIGHT,…"; the label ends at the last colon.
Result<std::vector<std::pair<std::string, float>>> parse_label_weights(std::string_view text);
std::string label_weights_text(const std::vector<std::pair<std::string, float>>& weights);

/// Parameters of every learner: how features are made and stored, and when training stops.
void add_common_parameters(ParameterTable<CommonOptions> table);
/// scheme, of learners that can have finer labels inside than those of the data.
void add_scheme(ParameterTable<CommonOptions> table);
/// full-rows, of learners whose features need not have a weight for every label.
void add_full_rows(ParameterTable<CommonOptions> table);
/// label-weights, of learners that can make some errors cost more than others.
void add_label_weights(ParameterTable<CommonOptions> table);

}  // namespace espalier::model

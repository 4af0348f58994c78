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
template <typename O>
void add_common_parameters(ParameterTable<O>& table) {
  table.whole("cutoff", &O::cutoff, {1, 1e9}, "drop features seen fewer times than this");
  table.whole("degree", &O::degree, {1, 2},
              "2 adds every pair of a token's features (for pixels and the like)", kAdvanced);
  table.flag("names", &O::names, "keep feature names in the model, for inspect and explain");
  table.choice(
      "weight-bits", &O::weight_bits,
      {{"auto", WeightBits::kAuto}, {"16", WeightBits::k16}, {"32", WeightBits::k32}},
      "bits a weight takes in the model; auto takes 16 where the labels stay the same on the training data");
  table.whole("patience", &O::patience, {1, 1e9},
              "with --dev: stop after this many rounds without a better score");
  table.only_where(
      {"patience"}, [](const O&, const Situation& situation) { return situation.dev; },
      "training with a development set (--dev)");
}

/// scheme, of learners that can have finer labels inside than those of the data.
template <typename O>
void add_scheme(ParameterTable<O>& table) {
  table.choice(
      "scheme", &O::scheme, {{"data", InnerScheme::kData}, {"iobes", InnerScheme::kIobes}},
      "labels of segments inside the model: as in the data, or told apart by first, inner, last and only "
      "token; answers are in the scheme of the data",
      kAdvanced);
}

/// full-rows, of learners whose features need not have a weight for every label.
template <typename O>
void add_full_rows(ParameterTable<O>& table) {
  table.whole(
      "full-rows", &O::full_rows, {0, 1e9},
      "features seen at least this often get a weight for every label, others for the labels seen with "
      "them; 0: none, 1: all; auto: 5, or none with more than 64 labels",
      kAdvanced);
}

/// label-weights, of learners that can make some errors cost more than others.
template <typename O>
void add_label_weights(ParameterTable<O>& table) {
  table.add(
      "label-weights", "text", "what errors on a gold label cost, as LABEL:WEIGHT,LABEL:WEIGHT,…",
      Audience::kBasic,
      [](O& options, std::string_view text) -> Status {
        ESPALIER_ASSIGN(options.label_weights, parse_label_weights(text));
        return {};
      },
      [](const O& options) { return label_weights_text(options.label_weights); });
}

}  // namespace espalier::model

// An ensemble and its file: everything that applying it needs except the experts themselves.
//
// Made by learn_ensemble or learn_from_experts, stored by save or to_bytes, read by open or from_bytes, used
// by Applier (apply.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/base/result.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/label_set.h"
#include "espalier/ensemble/automaton/automaton.h"
#include "espalier/ensemble/experts/multiple_alignment.h"
#include "espalier/ensemble/methods/choose.h"
#include "espalier/ensemble/methods/methods.h"
#include "espalier/ensemble/votes/combine.h"
#include "espalier/ensemble/votes/confidence.h"
#include "espalier/ensemble/votes/substructures.h"

namespace espalier::ensemble {

/// Immutable once made; threads may share it, each with its own Applier (or Combiner).
struct EnsembleModel {
  std::vector<std::string> experts;  ///< their names when it was learned
  Method method = Method::kMvote;
  double beta = 0, delta = 0.05;
  SubstructureOptions substructures;
  data::Scheme scheme = data::Scheme::kNone;  ///< found in the gold labels
  data::LabelSet labels;
  bool aligned = false;        ///< outputs of unequal length are aligned; kGapText is one of the labels
  bool probabilities = false;  ///< votes are weighed by experts' probabilities
  VoteForm form = VoteForm::kProduct;
  WeightTable table;
  DistributionSuffix suffix;
  std::optional<ExpertAutomaton> automaton;
  size_t switch_length = 0;  ///< shorter sequences are given to the best expert; 0: none
  size_t best_expert = 0;
  ConfidenceMap token_confidence = ConfidenceMap::identity();
  ConfidenceMap sequence_confidence = ConfidenceMap::identity();
  bool calibrated = false;
  uint64_t seed = 1;
  size_t training_sequences = 0, training_tokens = 0;
  std::string words;                 ///< how learning went
  std::vector<BoostRound> boosting;  ///< errors and steps of espboost's rounds, without their paths

  /// The label of gaps if outputs are aligned, otherwise data::kNoLabel.
  data::Label gap() const {
    return aligned ? labels.find(kGapText).value_or(data::kNoLabel) : data::kNoLabel;
  }

  /// How it labels. The tables of the rule are this object's and `short_table`, made by single_expert_table.
  CombineRule rule(bool legal, const WeightTable& short_table) const;

  /// Writes a file. If it fails, an existing file is left unchanged.
  Status save(const std::string& path) const;
  /// The bytes that save() writes.
  std::vector<std::byte> to_bytes() const;
  static Result<EnsembleModel> open(const std::string& path);
  /// Error messages call the bytes `name`.
  static Result<EnsembleModel> from_bytes(const std::vector<std::byte>& bytes, std::string name);
  static Result<EnsembleModel> from_file(const SectionFile& file);
};

}  // namespace espalier::ensemble

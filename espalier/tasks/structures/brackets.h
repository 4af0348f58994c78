// Base phrases found by two classifiers, one for where a phrase begins and one for where it ends, combined so
// that phrases do not overlap (Punyakanok and Roth 2001). train_brackets() trains them; bracket_model.h
// stores and applies them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "espalier/base/training_round.h"
#include "espalier/constrain/cscl.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/sequence.h"
#include "espalier/linear/encoding/dataset.h"

namespace espalier::tasks {

/// The phrases of one type in a labelled sequence (any span scheme); of every type if `type` is empty.
std::vector<constrain::Phrase> phrases_of(const data::Sequence& sequence, std::string_view type);
std::vector<constrain::Phrase> phrases_of(std::span<const std::string_view> labels, data::Scheme scheme,
                                          std::string_view type);

/// One weight per feature for each classifier.
struct BracketWeights {
  std::vector<float> open, close;

  /// The activations of every word of a sequence.
  void score(const linear::Dataset& data, size_t sequence, std::vector<float>& opens,
             std::vector<float>& closes) const;
};

enum class BracketRegime {
  kLocal,   ///< each classifier by itself: corrected when its own sign is wrong
  kGlobal,  ///< through inference: both are corrected when the phrases found begin or end wrongly
};

struct BracketOptions {
  BracketRegime regime = BracketRegime::kLocal;
  int passes = 12;
  uint64_t seed = 1;
  size_t longest = 40;  ///< words of a phrase
  /// Called after each pass; may be null. The objective is the number of wrong edges.
  RoundEnded<BracketWeights> round_ended = nullptr;
};

/// The averaged perceptron over sequences in random order. `gold` has the phrases of each sequence.
/// Deterministic.
BracketWeights train_brackets(const linear::Dataset& data, size_t features,
                              std::span<const std::vector<constrain::Phrase>> gold,
                              const BracketOptions& options, const Monitor& monitor);

/// Counts of phrases; a phrase is right if both ends are.
struct PhraseScores {
  size_t gold = 0, found = 0, right = 0;

  void add(std::span<const constrain::Phrase> wanted, std::span<const constrain::Phrase> given);
  double f1() const;  ///< in percent
};

}  // namespace espalier::tasks

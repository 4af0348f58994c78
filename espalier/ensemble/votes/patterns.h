// A sample reduced to which experts agree, which is all that boosting and selection need. Tested in
// espalier/ensemble/methods/espboost_test.cc and espalier/ensemble/methods/selection_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

/// Experts that a pattern can tell apart.
inline constexpr size_t kMostPatternExperts = 250;
inline constexpr uint8_t kSilentCode = 255;

/// Items that are alike, with their weight. Weights of a sample sum to 1: each sequence counts alike, and so
/// does each item within it (D_1 of Algorithm 1).
struct Pattern {
  uint32_t slot = 0;
  std::string codes;  ///< one byte per expert
  uint8_t gold = 0;   ///< ESPBoost: unused; selection: the group that is right, or kSilentCode
  double weight = 0;
  size_t items = 0;
};

enum class PatternKind {
  kCorrectness,  ///< per slot; codes: 1 right, 0 wrong, kSilentCode silent
  kAgreement,    ///< over all slots; codes: group of experts that say the same, numbered as they appear
};

/// Reads the stream once. Memory grows with the number of distinct patterns, at most the number of items. In
/// the order in which patterns first appear, so that what follows does not depend on hashing.
Result<std::vector<Pattern>> collect_patterns(VoteSource& source, PatternKind kind);

}  // namespace espalier::ensemble

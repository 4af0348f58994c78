// Decoding of scores that come from elsewhere, a neural network for example: emissions and transitions in,
// the best labellings out, with probabilities, n-best lists and rules as for a trained model.
//
//   es::Decoder decoder({"O", "B-PER", "I-PER"}, {.constraints = rules});
//   es::Tagged best = decoder.decode(emissions, length).value();
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "espalier/public/tagger.h"

#pragma GCC visibility push(default)
namespace espalier {

struct DecoderOptions {
  std::optional<Constraints> constraints = {};
  /// What a label adds after another: labels × labels, [from · labels + to]; empty: neighbours do not
  /// interact.
  std::vector<float> transitions = {};
};

/// Immutable, cheap to copy, safe from any thread. What is wrong with labels or options is told by decode().
class Decoder {
 public:
  explicit Decoder(std::vector<std::string> labels, DecoderOptions options = {});
  /// `emissions`: length × labels, row by row; minus infinity where a label is impossible. O(length ·
  /// labels²).
  Result<Tagged> decode(std::span<const float> emissions, size_t length,
                        const TagOptions& options = {}) const;
  const std::vector<std::string>& labels() const { return labels_; }

 private:
  std::vector<std::string> labels_;
  std::optional<Constraints> constraints_;
  std::optional<Tagger> tagger_;  ///< a chain whose features are the emissions
  Status status_;
};

}  // namespace espalier
#pragma GCC visibility pop

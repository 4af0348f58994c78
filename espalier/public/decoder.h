// Decoding of scores computed by another program, for example a neural network: emissions and transitions in,
// the best labellings out, with probabilities, n-best lists and constraints as for a trained model.
//
//   es::Decoder decoder({"O", "B-PER", "I-PER"}, {.constraints = rules});
//   es::Tagged best = decoder.decode(emissions, length).value();
//
// Decoding takes O(length · labels²). Nothing is learned.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/public/tagger.h"

#pragma GCC visibility push(default)
namespace espalier {

struct DecoderOptions {
  std::optional<Constraints> constraints = {};  ///< used by decode() unless its options have others
  /// The score of each pair of neighbouring labels: labels × labels numbers, that of (from, to) at index
  /// from · labels + to. Empty: neighbouring labels do not interact.
  std::vector<float> transitions = {};
};

/// Immutable, cheap to copy, safe to use from any number of threads. Errors in labels or options are returned
/// by decode().
class Decoder {
 public:
  explicit Decoder(std::vector<std::string> labels, DecoderOptions options = {});
  /// `emissions`: the score of each label at each token, length × labels numbers, row by row. Minus infinity
  /// makes a label impossible; plus infinity and NaN are errors.
  Result<Tagged> decode(std::span<const float> emissions, size_t length,
                        const TagOptions& options = {}) const;
  const std::vector<std::string>& labels() const { return labels_; }
  /// The same as a model that reads files of scores, for tag_stream and everything else that takes a Tagger.
  /// It has no constraints of its own.
  Result<Tagger> tagger() const;

 private:
  std::vector<std::string> labels_;
  std::optional<Constraints> constraints_;
  std::optional<Tagger> tagger_;  ///< a chain model whose features are the emissions
  Status status_;
};

/// The labels that a file of scores names: in its first line, or in the array "labels" of a .npz file. None
/// for a .npy file, which names none.
Result<std::vector<std::string>> labels_of_scores(const std::string& path);

/// The contents of a file of scores: what Decoder::decode takes.
struct Emissions {
  std::vector<std::string> labels;
  std::vector<std::vector<float>> sequences;  ///< each tokens × labels numbers, row by row
};
/// Reads scores in memory: the text form, or the bytes of a .npy or .npz file. `labels` are those of a .npy
/// file; the others name their own. Error messages call the data `name`. A .npz file that unpacks to more
/// than `most_bytes` is an error.
Result<Emissions> parse_emissions(std::string_view bytes, std::vector<std::string> labels = {},
                                  std::string name = "scores", size_t most_bytes = size_t{1} << 32);

}  // namespace espalier
#pragma GCC visibility pop

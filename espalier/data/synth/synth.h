// Synthetic corpora of any size, for tests and for measuring how time and memory grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

/// Which corpus to make. Fields that the kind does not use are ignored.
struct SynthOptions {
  std::string name = "tagging";  ///< one of synth_kinds()
  uint64_t seed = 1;
  size_t sequences = 1000;

  // "labels"
  size_t labels = 50;  ///< how many, up to 5000
  size_t length = 20;  ///< mean number of tokens of a sequence
  double noise = 0.1;  ///< share of words that say nothing about the label, from 0 to 1

  // "copies"
  std::string source;         ///< file to be multiplied
  ReadOptions source_format;  ///< columns or CoNLL-U
  size_t copies = 2;          ///< the first is the source itself
};

struct SynthKind {
  std::string_view name;
  std::string_view description;
};
/// For help texts and error messages.
std::span<const SynthKind> synth_kinds();

/// Passes the corpus to `sink` piece by piece: rows of tab-separated cells, a blank line after each sequence
/// (copies keep the format of their source). A sequence depends only on the kind, the seed and its number, so
/// a longer corpus begins with the shorter one. The language behind it does not depend on the seed: two seeds
/// give a training and a test set of the same language. An error from the sink is returned; a request to stop
/// takes effect after a whole sequence.
Status synthesize(const SynthOptions& options, const std::function<Status(std::string_view text)>& sink,
                  const Monitor& monitor = {});

}  // namespace espalier::data

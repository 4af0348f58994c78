#include "apps/memory_estimate.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "espalier/base/hash.h"
#include "espalier/model/defaults.h"
#include "espalier/model/train.h"

namespace espalier::apps {
namespace {

constexpr uint64_t kSampleTokens = 100'000;

// What training holds, in bytes. A feature: hash, count, number, place of its first occurrence, a half-full
// table of 32-bit entries, row start and name, and hash and name once more in the model that is about to be
// written. A weight: itself, the sum of its squared gradients, the sum of its values (double), its label; the
// average and what goes to the model. An occurrence: the feature's number, in an array that grows by doubling
// and, once, in its final order. A token: label and row starts. Text is held for one block of tokens, in
// buffers that are half full. On two chunking and entity corpora, a treebank and handwriting the estimate
// came within 7 percent of what was then measured.
constexpr double kFeatureBytes = 8 + 4 + 4 + 8 + 8 + 4 + 24 + 40;
constexpr double kWeightBytes = 4 + 4 + 8 + 2 + 4 + 4;
constexpr double kOccurrenceBytes = 8 + 4;
constexpr double kTokenBytes = 2 + 16;
constexpr double kProgramBytes = 25e6;
constexpr double kBlockTokens = 1 << 15;
constexpr double kAttributeBytes = 12;
constexpr double kBufferSlack = 2;

/// y ∝ n^β through (half, y_half) and (whole, y_whole), at n.
double extend(double half, double y_half, double whole, double y_whole, double n) {
  if (n <= whole || y_half <= 0 || half <= 0 || whole <= half) return y_whole;
  const double beta = std::clamp(std::log(y_whole / y_half) / std::log(whole / half), 0.0, 1.0);
  return y_whole * std::pow(n / whole, beta);
}

/// What has been seen up to some token.
struct Growth {
  double tokens = 0;
  double features = 0;
  double pairs = 0;
};

class Sample {
 public:
  void add(const data::Sequence& sequence, const data::HashedFeatures& features) {
    for (size_t row = 0; row < sequence.length(); ++row) {
      held_bytes += static_cast<double>(sequence.attribute_count(row)) * kAttributeBytes;
      const uint64_t label = sequence.has_labels() ? hash_bytes(sequence.label(row)) : 0;
      for (uint32_t i = features.state_begin[row]; i < features.state_begin[row + 1]; ++i) {
        ++counts_[features.state[i]];
        pairs_.insert(hash_combine(features.state[i], label));
      }
    }
    tokens += sequence.length();
    held_bytes += static_cast<double>(sequence.text_bytes());
    occurrences += features.state.size() + features.edge.size();
    valued = valued || !features.state_values.empty();
  }

  Growth growth() const {
    return {static_cast<double>(tokens), static_cast<double>(counts_.size()),
            static_cast<double>(pairs_.size())};
  }
  double frequent_features() const {
    return static_cast<double>(std::count_if(counts_.begin(), counts_.end(), [](const auto& entry) {
      return entry.second >= model::kFullRowsFrom;
    }));
  }

  uint64_t tokens = 0;
  uint64_t occurrences = 0;
  double held_bytes = 0;  ///< of the sequences as they were read
  bool valued = false;

 private:
  std::unordered_map<uint64_t, uint32_t> counts_;
  std::unordered_set<uint64_t> pairs_;
};

}  // namespace

Result<MemoryEstimate> estimate_memory(const std::vector<std::string>& files,
                                       const data::ReadOptions& reading,
                                       const data::FeatureExtractor& extractor, uint64_t tokens,
                                       size_t labels) {
  Sample sample;
  Growth half;
  const uint64_t wanted = std::min(tokens, kSampleTokens);
  data::FeatureExtractor::Scratch scratch;
  data::HashedFeatures features;
  data::Sequence sequence;
  for (const std::string& file : files) {
    ESPALIER_ASSIGN(const auto reader, data::open_reader(file, reading));
    while (sample.tokens < wanted) {
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      extractor.extract(sequence, scratch, features);
      sample.add(sequence, features);
      if (half.tokens == 0 && sample.tokens >= wanted / 2) half = sample.growth();
    }
  }
  const Growth whole = sample.growth();
  if (whole.tokens == 0) return fail("{}: no tokens", files.front());
  const auto n = static_cast<double>(tokens);
  MemoryEstimate estimate;
  estimate.sampled = n > whole.tokens;
  estimate.features = extend(half.tokens, half.features, whole.tokens, whole.features, n);
  estimate.pairs = extend(half.tokens, half.pairs, whole.tokens, whole.pairs, n);
  estimate.features_a_token = static_cast<double>(sample.occurrences) / whole.tokens;

  double weights = estimate.pairs;
  if (labels <= model::kFullRowLabels)
    weights +=
        sample.frequent_features() * (estimate.features / whole.features) * static_cast<double>(labels);
  const double occurrence_bytes = kOccurrenceBytes + (sample.valued ? sizeof(float) : 0);
  const double block_bytes = sample.held_bytes / whole.tokens * std::min(n, kBlockTokens) * kBufferSlack;
  estimate.bytes = kProgramBytes + block_bytes + estimate.features * kFeatureBytes + weights * kWeightBytes +
                   estimate.features_a_token * n * occurrence_bytes + n * kTokenBytes;
  return estimate;
}

}  // namespace espalier::apps

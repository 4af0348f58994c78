// What `auto` stands for where the data decide: passes, weight rows, bits of a weight, the L2 penalty. Each
// rule that several learners share is written here and nowhere else; what other settings or the task decide
// is in the learner's own file (learners/NAME.cc), and linear/encoding/hold_out.h says which sequences are
// held out.
//
// The functions take the user's setting (empty: auto) and the statistics of the data that decide. Tested in
// train_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace espalier::model {

/// passes=auto of log losses (crf, memm, local, a cascade's last level): about two million tokens are seen,
/// in 6 to 40 passes. Small data gets more passes because what counts is how many steps the weights make.
/// A trained model that is trained further (`further`) gets 3: with more of them it fits the new data at the
/// expense of what is to come, and of the old. Chosen on held-out training data.
int log_loss_passes(std::optional<int> asked, size_t tokens, bool further = false);
/// passes=auto of perceptrons: about five million tokens, in 12 to 100 passes.
int perceptron_passes(std::optional<int> asked, size_t tokens);

/// full-rows=auto: features seen this often get a weight for every label, as long as there are no more labels
/// than this (a full row of 472 tags would take two kilobytes).
inline constexpr uint32_t kFullRowsFrom = 5;
inline constexpr size_t kFullRowLabels = 64;
uint32_t full_rows_from(std::optional<uint32_t> asked, size_t labels);

/// l2=auto: 1, or 0.3 with dropout, which penalises too.
double l2_penalty(std::optional<double> asked, double dropout);

/// The labels of segments inside a model.
enum class InnerScheme {
  kData,   ///< those of the data
  kIobes,  ///< with the place of a token in its segment (data::segment_places)
};
/// scheme=auto: iobes for learners that refine segments (cascades) where most tokens are in segments,
/// otherwise that of the data. `outside` is the share of tokens in no segment. Chosen on held-out training
/// data (docs/learners.md has the figures): n-grams of labels gain from places in segments, chains of pairs
/// do not, and names are too rare for it.
inline constexpr double kMostOutside = 0.5;
InnerScheme inner_scheme(std::optional<InnerScheme> asked, bool refines_segments, double outside);

/// order=auto of cascades. Few different words are written by hand in the data there is (format letters), so
/// long n-grams of letters are worth it. Chosen on folds of the training data.
inline constexpr size_t kUsualOrder = 3, kUsualLetterOrder = 5;

/// How many bits a weight takes in a model file.
enum class WeightBits { kAuto, k16, k32 };
/// weight-bits=auto takes 16 bits where fewer than this share of the training labels changes.
inline constexpr double kRoundingTolerance = 1e-4;
/// `share_changed` measures that share; it is called only where the answer depends on it. An interrupted run
/// does not wait for it.
template <typename ShareChanged>
int weight_bits(WeightBits asked, bool interrupted, ShareChanged&& share_changed) {
  if (asked != WeightBits::kAuto) return asked == WeightBits::k16 ? 16 : 32;
  return !interrupted && share_changed() < kRoundingTolerance ? 16 : 32;
}

}  // namespace espalier::model

// Trains linear classifiers of single tokens with liblinear: one per label against the rest, or Crammer and
// Singer's multi-class SVM. Call train_liblinear.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/rows.h"
#include "espalier/linear/token_rows.h"

namespace espalier::linear {

enum class LiblinearSolver {
  kSquaredHingeDual,  ///< L2-regularised L2-loss SVM, each label against the rest, in the dual
  kHingeDual,         ///< the same with the L1 loss
  kLogistic,          ///< L2-regularised logistic regressions, each label against the rest
  kCrammerSinger,     ///< one multi-class SVM over all labels
};

struct LiblinearOptions {
  LiblinearSolver solver = LiblinearSolver::kSquaredHingeDual;
  double C = 1;        ///< weight of the loss against ½|w|²
  double epsilon = 0;  ///< tolerance of the solver; 0 takes liblinear's own default for it
  double bias = 1;     ///< value of a feature that every token has; 0: none (the data has one already)
  uint64_t seed = 1;
};

/// score(x, k) = bias[k] + Σ_{f ∈ x} value · weight(f, k), weights laid out by the rows given to training. A
/// label that no token has gets bias −1, so that it is never chosen; without a bias feature, its weights are
/// learned from negative examples only.
struct LinearClassifier {
  AlignedVector<float> weights;
  std::vector<float> bias;  ///< per label
};

/// A layout in which every feature has a weight for every label.
StateRows full_rows(size_t features, size_t labels);

/// Index of the weight (feature, label) in a layout; nothing if the layout has no such weight.
std::optional<uint32_t> weight_at(const StateRows& rows, size_t feature, size_t label);

/// Trains on the labelled tokens of `data`. With a layout that leaves out pairs of feature and label, each
/// label's classifier is trained on the features it has weights for, so that the result is the optimum within
/// the layout. Crammer and Singer's machine trains all labels at once and needs full rows. The number of
/// labels is rows.width.
///
/// Memory: 16 bytes per feature of each token, twice that if rows are not full. Runs on one thread under a
/// lock that all users of liblinear and libsvm share, seeded, so the result depends on the arguments alone.
/// Fails if the options or the data are invalid, or if the monitor stops it: classifiers for only some of the
/// labels would be useless. Precondition: features in the data are below rows.rows().
Result<LinearClassifier> train_liblinear(const Dataset& data, const StateRows& rows,
                                         const LiblinearOptions& options, const Monitor& monitor = {});

/// The same for tokens already collected; each has a label below rows.width.
Result<LinearClassifier> train_liblinear(const TokenRows& tokens, const StateRows& rows,
                                         const LiblinearOptions& options, const Monitor& monitor = {});

/// The same with a separate problem for every label: wanted[t · labels + k] is the target of label k's
/// classifier for token t, 1 or −1; 0: not an example. The gold labels of `tokens` are ignored. Crammer and
/// Singer's machine is not supported.
Result<LinearClassifier> train_liblinear(const TokenRows& tokens, std::span<const int8_t> wanted,
                                         const StateRows& rows, const LiblinearOptions& options,
                                         const Monitor& monitor = {});

/// One classifier without a bias: weights of `features` features such that the score is above 0 for examples
/// with gold label 1, below 0 for those with 0.
Result<std::vector<float>> train_liblinear_binary(const TokenRows& examples, size_t features,
                                                  const LiblinearOptions& options);

}  // namespace espalier::linear

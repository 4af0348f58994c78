// Linear classifiers of single tokens, trained by liblinear.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/linear/dataset.h"
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
/// label that no token has gets bias −1: every token is on the far side of its margin. Without a bias feature
/// its weights are learned so that it is, as far as may be.
struct LinearClassifier {
  AlignedVector<float> weights;
  std::vector<float> bias;  ///< per label
};

/// A layout in which every feature has a weight for every label.
StateRows full_rows(size_t features, size_t labels);

/// Place of the weight (feature, label) in a layout; nothing where the layout leaves it out.
std::optional<uint32_t> weight_at(const StateRows& rows, size_t feature, size_t label);

/// Trains on the labelled tokens of `data`. With a layout that leaves out pairs of feature and label, each
/// label's classifier is trained on the features it has weights for, so that what is returned is the optimum
/// within the layout; Crammer and Singer's machine, which is trained as a whole, needs full rows. Labels are
/// rows.width.
///
/// Memory: 16 bytes for each feature of each token, twice where rows are not full. Runs on one thread under a
/// lock that all users of liblinear and libsvm share, seeded, so the result depends on the arguments alone.
/// Fails where the options or the data are not fit, or where the monitor stops it: a part of the labels'
/// classifiers is of no use. Precondition: features in the data are below rows.rows().
Result<LinearClassifier> train_liblinear(const Dataset& data, const StateRows& rows,
                                         const LiblinearOptions& options, const Monitor& monitor = {});

/// The same on tokens that are at hand already; all have a label below rows.width.
Result<LinearClassifier> train_liblinear(const TokenRows& tokens, const StateRows& rows,
                                         const LiblinearOptions& options, const Monitor& monitor = {});

/// The same with a problem of its own for every label: wanted[t · labels + k] is what the machine of label k
/// is to say of token t, 1 or −1; 0: it is none of its examples. The gold labels of `tokens` are not looked
/// at. Not for Crammer and Singer's machine.
Result<LinearClassifier> train_liblinear(const TokenRows& tokens, std::span<const int8_t> wanted,
                                         const StateRows& rows, const LiblinearOptions& options,
                                         const Monitor& monitor = {});

/// One machine without a bias: the weights of `features` features, for a score above 0 where an example's
/// gold label is 1 and below where it is 0.
Result<std::vector<float>> train_liblinear_binary(const TokenRows& examples, size_t features,
                                                  const LiblinearOptions& options);

}  // namespace espalier::linear

// Trains classifiers of single tokens with a quadratic kernel with libsvm: one machine per pair of labels.
// Call train_libsvm. Time grows faster than the square of the number of tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/linear/classifiers/kernel_model.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/token_rows.h"

struct svm_parameter;

namespace espalier::linear {

struct LibsvmOptions {
  /// The purely quadratic kernel on rows of length 1 is the best by cross-validation on one fold of
  /// handwritten letters: adding a linear part loses up to three points, unscaled rows half a point. C from 5
  /// to 30 makes no significant difference.
  QuadraticKernel kernel = {};
  double C = 10;
  double epsilon = 0.01;  ///< tolerance of the solver
  double cache_megabytes = 200;
  /// More tokens than this are refused: training time grows faster than their square.
  size_t max_tokens = 60000;
  uint64_t seed = 1;
};

/// What libsvm itself is told.
svm_parameter libsvm_parameter(const LibsvmOptions& options);

/// One support vector machine per pair of labels (libsvm's C-SVC), trained on the labelled tokens of `data`.
/// Compared with one machine per label, pairs train several times faster and were a point better on
/// handwritten letters. Runs on one thread under the lock that all users of liblinear and libsvm share; the
/// result depends on the arguments alone. Fails if options or data are invalid or there are more than
/// max_tokens tokens.
Result<KernelModel> train_libsvm(const Dataset& data, size_t labels, const LibsvmOptions& options);

/// The training problem of one machine: the tokens of each of its two labels (or of one label and
/// KernelParts::kRest).
struct KernelProblem {
  uint32_t winner = 0, loser = 0;
  std::vector<uint32_t> for_winner, for_loser;  ///< tokens, by number
};

/// Trains one machine per problem. Labels that are the winner of no problem count as never seen; a problem
/// with examples of one side only becomes a constant machine. Several machines for the same labels vote
/// together. Fails if the monitor stops it. Precondition: all problems are between two labels, or all are of
/// one against the rest.
Result<KernelModel> train_libsvm(TokenRows tokens, std::span<const KernelProblem> problems, size_t labels,
                                 const LibsvmOptions& options, const Monitor& monitor = {});

}  // namespace espalier::linear

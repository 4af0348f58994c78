// Classifiers of single tokens with a quadratic kernel, trained by libsvm.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/linear/dataset.h"
#include "espalier/linear/kernel_model.h"
#include "espalier/linear/token_rows.h"

namespace espalier::linear {

struct LibsvmOptions {
  /// The purely quadratic kernel on rows of length 1 is the best by cross-validation on one fold of
  /// handwritten letters: a linear part costs up to three points, rows as they are half a point. C from 5 to
  /// 30 is the same within chance.
  QuadraticKernel kernel = {};
  double C = 10;
  double epsilon = 0.01;  ///< tolerance of the solver
  double cache_megabytes = 200;
  /// Training takes time that grows faster than the square of the tokens; with more than this it is refused.
  size_t max_tokens = 60000;
  uint64_t seed = 1;
};

/// A support vector machine for every pair of labels (libsvm's C-SVC), on the labelled tokens of `data`.
/// Against one machine a label with decision values, pairs train several times faster and were a point better
/// on letters. Runs on one thread under the lock that all users of liblinear and libsvm share; the result
/// depends on the arguments alone. Fails where options or data are not fit or the tokens are more than
/// max_tokens.
Result<KernelModel> train_libsvm(const Dataset& data, size_t labels, const LibsvmOptions& options);

/// The problem of one machine: which of two labels (or one and KernelParts::kRest) each token speaks for.
struct KernelProblem {
  uint32_t winner = 0, loser = 0;
  std::vector<uint32_t> for_winner, for_loser;  ///< tokens, by number
};

/// A machine for each problem. Labels that win nothing count as never seen; what speaks for one side alone
/// becomes a machine that always says so. Machines for the same labels, from several samples, vote together.
/// Fails where the monitor stops it: a part of the machines is of no use. Precondition: all problems are
/// between two labels, or all are of one against the rest.
Result<KernelModel> train_libsvm(TokenRows tokens, std::span<const KernelProblem> problems, size_t labels,
                                 const LibsvmOptions& options, const Monitor& monitor = {});

}  // namespace espalier::linear

// A trained classifier with a quadratic kernel, independent of the library that trained it. Call
// KernelModel::make or load, then scores().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/files/section_file.h"
#include "espalier/base/result.h"
#include "espalier/data/label_set.h"

namespace espalier::linear {

/// k(u, v) = (gamma · u·v + coef0)², with u and v scaled to length 1 first where `normalise` is set.
struct QuadraticKernel {
  double gamma = 1;
  double coef0 = 0;
  bool normalise = true;
};

/// Support vectors and the two-label machines over them:
///   d_m(x) = Σ_{terms of m} coefficient · k(vector, x) − rho_m;  above 0 it votes for `winner`, otherwise
///   for `loser`.
/// Or all machines are of one label against the rest, and d_m(x) is the winner's score, where it has several
/// their mean. This is what is stored; KernelModel checks it and prepares it for fast scoring.
struct KernelParts {
  QuadraticKernel kernel;
  std::vector<uint8_t> seen;  ///< per label: whether it was seen in training
  Ragged<uint32_t> vectors;   ///< features of each support vector, ascending
  std::vector<float> values;  ///< parallel to vectors.values; already scaled
  struct Machine {
    uint32_t winner, loser;  ///< loser: kRest where it is any other label
    double rho;
  };
  static constexpr uint32_t kRest = 0xFFFFFFFF;
  std::vector<Machine> machines;
  Ragged<uint32_t> terms;           ///< support vectors of each machine
  std::vector<float> coefficients;  ///< parallel to terms.values
};

/// Scores every label of a token by the machines' votes. Immutable; safe for any number of threads, each with
/// its own scratch.
///
/// Cost per token: one multiplication for each pair of a token's feature and a support vector that has it,
/// then one per term. Memory: twice the support vectors plus the terms.
class KernelModel {
 public:
  struct Scratch {
    std::vector<std::pair<uint32_t, float>> token;
    std::vector<float> kernel;
    std::vector<double> margin;
  };

  /// Checks that the parts fit together: sizes, numbers within bounds and finite, features ascending.
  static Result<KernelModel> make(KernelParts parts);
  /// Section names begin with the prefix, so that a file can hold several.
  void save(SectionWriter& out, const std::string& prefix = "kernel.") const;
  /// Errors name the file and what was found.
  static Result<KernelModel> load(const SectionFile& file, const std::string& prefix = "kernel.");

  /// Below any decision value.
  static constexpr float kNever = -1e6f;
  bool against_the_rest() const {
    return !parts_.machines.empty() && parts_.machines[0].loser == KernelParts::kRest;
  }

  size_t labels() const { return parts_.seen.size(); }
  size_t support_vectors() const { return parts_.vectors.size(); }
  const KernelParts& parts() const { return parts_; }

  /// out[k] = number of votes for label k + (1 + mean of tanh of its margins)/2: ordered by votes, ties by
  /// margins; −1 for labels not seen in training. With machines against the rest: the label's decision value,
  /// kNever for labels not seen in training. `values` may be null (all 1). Features may be in any order and
  /// repeated (values are added); those in no support vector count only for the length of the token.
  /// Precondition: out has labels() entries.
  void scores(std::span<const uint32_t> features, const float* values, Scratch& scratch,
              std::span<float> out) const;

 private:
  explicit KernelModel(KernelParts parts);

  KernelParts parts_;
  std::vector<uint32_t> features_;  ///< those in some support vector, ascending
  std::vector<uint64_t> list_begin_;
  std::vector<uint32_t> list_vector_;  ///< per feature: the support vectors that have it …
  std::vector<float> list_value_;      ///< … and its value there
  std::vector<uint32_t> machines_of_;  ///< per label: number of machines it takes part in
};

}  // namespace espalier::linear

#include "espalier/linear/classifiers/libsvm_classifier.h"

#include <libsvm/svm.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>

#include "espalier/linear/token_rows.h"

namespace espalier::linear {
namespace {

void print_nothing(const char*) {}

struct ModelDeleter {
  void operator()(svm_model* m) const { svm_free_and_destroy_model(&m); }
};
using ModelPointer = std::unique_ptr<svm_model, ModelDeleter>;

void scale_to_length_one(TokenRows& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    float* const values = tokens.values.data() + tokens.features.begin[i];
    const size_t n = tokens.features[i].size();
    double length = 0;
    for (size_t j = 0; j < n; ++j) length += double{values[j]} * values[j];
    if (length == 0) continue;
    for (size_t j = 0; j < n; ++j) values[j] = static_cast<float>(values[j] / std::sqrt(length));
  }
}

/// Rows in libsvm's layout: features from 1, each row ended by −1.
struct Instances {
  std::vector<svm_node> nodes;
  std::vector<svm_node*> rows;

  explicit Instances(const TokenRows& tokens) {
    nodes.reserve(tokens.values.size() + tokens.size());  // no growth below: rows point into it
    for (size_t i = 0; i < tokens.size(); ++i) {
      const size_t start = nodes.size();
      const auto list = tokens.features[i];
      for (size_t j = 0; j < list.size(); ++j)
        nodes.push_back({static_cast<int>(list[j]) + 1, double{tokens.values_of(i)[j]}});
      nodes.push_back({-1, 0});
      rows.push_back(nodes.data() + start);
    }
  }
};

/// Trains the machine of one problem. Examples of the winner come first, so that a positive decision is for
/// it.
Result<ModelPointer> run(const Instances& instances, const KernelProblem& problem,
                         const LibsvmOptions& options) {
  std::vector<svm_node*> x;
  std::vector<double> y;
  for (const uint32_t token : problem.for_winner) x.push_back(instances.rows[token]);
  y.resize(x.size(), 1.0);
  for (const uint32_t token : problem.for_loser) x.push_back(instances.rows[token]);
  y.resize(x.size(), -1.0);
  svm_problem examples{};
  examples.l = static_cast<int>(y.size());
  examples.y = y.data();
  examples.x = x.data();
  const svm_parameter parameter = libsvm_parameter(options);
  const std::lock_guard lock(packaged_classifier_mutex());
  svm_set_print_string_function(print_nothing);
  std::srand(static_cast<unsigned>(options.seed));
  if (const char* const wrong = svm_check_parameter(&examples, &parameter); wrong != nullptr)
    return fail("libsvm refuses its parameters: {}", wrong);
  return ModelPointer(svm_train(&examples, &parameter));
}

/// Adds machines to the parts; support vectors are shared between them.
class MachineList {
 public:
  MachineList(const TokenRows& tokens, KernelParts& parts)
      : tokens_(tokens), parts_(parts), vector_of_(tokens.size(), kNone) {}

  void add(const KernelProblem& problem, const svm_model& trained) {
    const size_t first = problem.for_winner.size();
    for (int v = 0; v < trained.l; ++v) {
      const size_t row = static_cast<size_t>(trained.sv_indices[v]) - 1;
      const uint32_t token = row < first ? problem.for_winner[row] : problem.for_loser[row - first];
      parts_.terms.push(vector_of(token));
      parts_.coefficients.push_back(static_cast<float>(trained.sv_coef[0][v]));
    }
    parts_.terms.close();
    parts_.machines.push_back({problem.winner, problem.loser, trained.rho[0]});
  }
  /// A machine that always decides for the same side.
  void add(const KernelProblem& problem, bool for_winner) {
    parts_.terms.close();
    parts_.machines.push_back({problem.winner, problem.loser, for_winner ? -1.0 : 1.0});
  }

 private:
  uint32_t vector_of(uint32_t token) {
    if (vector_of_[token] == kNone) {
      vector_of_[token] = static_cast<uint32_t>(parts_.vectors.size());
      const auto features = tokens_.features[token];
      parts_.vectors.append(features);
      parts_.values.insert(parts_.values.end(), tokens_.values_of(token),
                           tokens_.values_of(token) + features.size());
    }
    return vector_of_[token];
  }

  static constexpr uint32_t kNone = 0xFFFFFFFF;
  const TokenRows& tokens_;
  KernelParts& parts_;
  std::vector<uint32_t> vector_of_;
};

Result<KernelModel> train_problems(TokenRows tokens, std::span<const KernelProblem> problems,
                                   std::vector<uint8_t> seen, const LibsvmOptions& options,
                                   const Monitor& monitor) {
  if (!(options.kernel.gamma > 0)) return fail("gamma is {}, wanted a number above 0", options.kernel.gamma);
  if (!(options.kernel.coef0 >= 0)) return fail("coef0 is {}, wanted a number from 0", options.kernel.coef0);
  if (!(options.C > 0)) return fail("C is {}, wanted a number above 0", options.C);
  if (tokens.size() > options.max_tokens)
    return fail(
        "{} labelled tokens: training a kernel machine on more than {} would take too long; max_tokens "
        "raises "
        "the limit",
        tokens.size(), options.max_tokens);
  constexpr size_t kLimit = std::numeric_limits<int>::max() - 1;
  if (tokens.size() > kLimit) return fail("libsvm takes at most {} tokens", kLimit);
  for (const uint32_t f : tokens.features.values) ESPALIER_CHECK(f < kLimit);
  if (options.kernel.normalise) scale_to_length_one(tokens);
  KernelParts parts;
  parts.kernel = options.kernel;
  parts.seen = std::move(seen);
  const Instances instances(tokens);
  MachineList machines(tokens, parts);
  double done = 0;
  for (const KernelProblem& problem : problems) {
    if (monitor.stop_requested()) return fail("training was stopped before every machine was trained");
    monitor.report({.phase = "training",
                    .done = done++,
                    .total = static_cast<double>(problems.size()),
                    .round = {},
                    .objective = {},
                    .dev_score = {}});
    const bool idle = problem.for_winner.empty() && problem.for_loser.empty();
    if (idle || !parts.seen[problem.winner]) continue;
    if (problem.loser != KernelParts::kRest && !parts.seen[problem.loser]) continue;
    if (problem.for_winner.empty() || problem.for_loser.empty()) {
      machines.add(problem, !problem.for_winner.empty());
      continue;
    }
    ESPALIER_ASSIGN(const ModelPointer trained, run(instances, problem, options));
    machines.add(problem, *trained);
  }
  return KernelModel::make(std::move(parts));
}

}  // namespace

svm_parameter libsvm_parameter(const LibsvmOptions& options) {
  svm_parameter parameter{};
  parameter.svm_type = C_SVC;
  parameter.kernel_type = POLY;
  parameter.degree = 2;
  parameter.gamma = options.kernel.gamma;
  parameter.coef0 = options.kernel.coef0;
  parameter.C = options.C;
  parameter.eps = options.epsilon;
  parameter.cache_size = options.cache_megabytes;
  parameter.shrinking = 1;
  return parameter;
}

Result<KernelModel> train_libsvm(TokenRows tokens, std::span<const KernelProblem> problems, size_t labels,
                                 const LibsvmOptions& options, const Monitor& monitor) {
  std::vector<uint8_t> seen(labels, 0);
  for (const KernelProblem& problem : problems) {
    if (!problem.for_winner.empty()) seen[problem.winner] = 1;
    if (!problem.for_loser.empty() && problem.loser != KernelParts::kRest) seen[problem.loser] = 1;
  }
  return train_problems(std::move(tokens), problems, std::move(seen), options, monitor);
}

Result<KernelModel> train_libsvm(const Dataset& data, size_t labels, const LibsvmOptions& options) {
  ESPALIER_ASSIGN(TokenRows tokens, collect_labelled_tokens(data, labels));
  std::vector<data::Label> order;  // of first appearance, as libsvm itself has it
  std::vector<uint8_t> seen(labels, 0);
  std::vector<std::vector<uint32_t>> of_label(labels);
  for (uint32_t i = 0; i < tokens.size(); ++i) {
    const data::Label label = tokens.gold[i];
    if (!seen[label]) order.push_back(label);
    seen[label] = 1;
    of_label[label].push_back(i);
  }
  std::vector<KernelProblem> problems;
  for (size_t i = 0; i < order.size(); ++i)
    for (size_t j = i + 1; j < order.size(); ++j)
      problems.push_back({order[i], order[j], of_label[order[i]], of_label[order[j]]});
  return train_problems(std::move(tokens), problems, std::move(seen), options, {});
}

}  // namespace espalier::linear

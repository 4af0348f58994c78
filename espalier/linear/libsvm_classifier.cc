#include "espalier/linear/libsvm_classifier.h"

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

/// libsvm's layout: features from 1, each row ended by −1.
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

Result<ModelPointer> run(Instances& instances, const TokenRows& tokens, const LibsvmOptions& options) {
  std::vector<double> y(tokens.gold.begin(), tokens.gold.end());
  svm_problem examples{};
  examples.l = static_cast<int>(y.size());
  examples.y = y.data();
  examples.x = instances.rows.data();
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
  const std::lock_guard lock(packaged_classifier_mutex());
  svm_set_print_string_function(print_nothing);
  std::srand(static_cast<unsigned>(options.seed));
  if (const char* const wrong = svm_check_parameter(&examples, &parameter); wrong != nullptr)
    return fail("libsvm refuses its parameters: {}", wrong);
  return ModelPointer(svm_train(&examples, &parameter));
}

/// libsvm keeps the vectors of each class together; of the machine between classes i < j, the coefficients of
/// i's vectors are in sv_coef[j − 1], those of j's in sv_coef[i], and a positive decision speaks for i.
void add_machines(const svm_model& trained, const TokenRows& tokens, KernelParts& parts) {
  for (int v = 0; v < trained.l; ++v) {
    const size_t row = static_cast<size_t>(trained.sv_indices[v]) - 1;
    const auto features = tokens.features[row];
    parts.vectors.append(features);
    parts.values.insert(parts.values.end(), tokens.values_of(row), tokens.values_of(row) + features.size());
  }
  std::vector<int> class_begin{0};
  for (int c = 0; c < trained.nr_class; ++c) class_begin.push_back(class_begin.back() + trained.nSV[c]);
  const auto add_terms = [&](int of, const double* coefficients) {
    for (int v = class_begin[of]; v < class_begin[of + 1]; ++v) {
      if (coefficients[v] == 0) continue;
      parts.terms.push(static_cast<uint32_t>(v));
      parts.coefficients.push_back(static_cast<float>(coefficients[v]));
    }
  };
  size_t pair = 0;
  for (int i = 0; i < trained.nr_class; ++i)
    for (int j = i + 1; j < trained.nr_class; ++j) {
      parts.machines.push_back({static_cast<uint32_t>(trained.label[i]),
                                static_cast<uint32_t>(trained.label[j]), trained.rho[pair++]});
      add_terms(i, trained.sv_coef[j - 1]);
      add_terms(j, trained.sv_coef[i]);
      parts.terms.close();
    }
}

}  // namespace

Result<KernelModel> train_libsvm(const Dataset& data, size_t labels, const LibsvmOptions& options) {
  if (!(options.kernel.gamma > 0)) return fail("gamma is {}, wanted a number above 0", options.kernel.gamma);
  if (!(options.kernel.coef0 >= 0)) return fail("coef0 is {}, wanted a number from 0", options.kernel.coef0);
  if (!(options.C > 0)) return fail("C is {}, wanted a number above 0", options.C);
  ESPALIER_ASSIGN(TokenRows tokens, collect_labelled_tokens(data, labels));
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
  parts.seen.assign(labels, 0);
  for (const data::Label label : tokens.gold) parts.seen[label] = 1;
  if (std::count(parts.seen.begin(), parts.seen.end(), 1) > 1) {
    Instances instances(tokens);
    ESPALIER_ASSIGN(const ModelPointer trained, run(instances, tokens, options));
    add_machines(*trained, tokens, parts);
  }
  return KernelModel::make(std::move(parts));
}

}  // namespace espalier::linear

#include "espalier/linear/classifiers/liblinear_classifier.h"

#include <linear.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>

#include "espalier/linear/token_rows.h"

namespace espalier::linear {
namespace {

struct SolverNumber {
  LiblinearSolver solver;
  int number;      ///< in linear.h
  double epsilon;  ///< liblinear's default
};
constexpr std::array<SolverNumber, 4> kSolvers = {{
    {LiblinearSolver::kSquaredHingeDual, L2R_L2LOSS_SVC_DUAL, 0.1},
    {LiblinearSolver::kHingeDual, L2R_L1LOSS_SVC_DUAL, 0.1},
    {LiblinearSolver::kLogistic, L2R_LR, 0.01},
    {LiblinearSolver::kCrammerSinger, MCSVM_CS, 0.1},
}};

const SolverNumber& number_of(LiblinearSolver solver) {
  return *std::find_if(kSolvers.begin(), kSolvers.end(),
                       [&](const SolverNumber& s) { return s.solver == solver; });
}

void print_nothing(const char*) {}

struct ModelDeleter {
  void operator()(model* m) const { free_and_destroy_model(&m); }
};
using ModelPointer = std::unique_ptr<model, ModelDeleter>;

/// Instances in liblinear's layout: features from 1, each row ended by −1.
struct Instances {
  std::vector<feature_node> nodes;
  std::vector<feature_node*> rows;
};

/// The given tokens, with the features for which keep(feature) holds and the bias as feature number
/// `features`.
template <typename Keep>
void fill_instances(const TokenRows& tokens, std::span<const uint32_t> taken, size_t features, double bias,
                    Keep&& keep, Instances& out) {
  size_t all = 0;
  for (const uint32_t i : taken) all += tokens.features[i].size() + 2;
  out.nodes.clear();
  out.nodes.reserve(all);  // no growth below: rows point into it
  out.rows.clear();
  for (const uint32_t i : taken) {
    const size_t start = out.nodes.size();
    const auto list = tokens.features[i];
    for (size_t j = 0; j < list.size(); ++j)
      if (keep(list[j])) out.nodes.push_back({static_cast<int>(list[j]) + 1, double{tokens.values_of(i)[j]}});
    if (bias > 0) out.nodes.push_back({static_cast<int>(features) + 1, bias});
    out.nodes.push_back({-1, 0});
    out.rows.push_back(out.nodes.data() + start);
  }
}

std::vector<uint32_t> all_of(const TokenRows& tokens) {
  std::vector<uint32_t> all(tokens.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

parameter parameter_of(const LiblinearOptions& options) {
  parameter p{};
  p.solver_type = number_of(options.solver).number;
  p.C = options.C;
  p.eps = options.epsilon > 0 ? options.epsilon : number_of(options.solver).epsilon;
  return p;
}

/// `features` includes the bias.
Result<ModelPointer> run_liblinear(Instances& instances, std::vector<double>& y, size_t features,
                                   const LiblinearOptions& options) {
  problem examples{};
  examples.l = static_cast<int>(y.size());
  examples.n = static_cast<int>(features);
  examples.y = y.data();
  examples.x = instances.rows.data();
  examples.bias = -1;  // ours is an ordinary feature
  const parameter wanted = parameter_of(options);
  const std::lock_guard lock(packaged_classifier_mutex());
  set_print_string_function(print_nothing);
  std::srand(static_cast<unsigned>(options.seed));
  if (const char* const wrong = check_parameter(&examples, &wanted); wrong != nullptr)
    return fail("liblinear refuses its parameters: {}", wrong);
  return ModelPointer(train(&examples, &wanted));
}

Status check_liblinear(const LiblinearOptions& options, const TokenRows& tokens, size_t features) {
  if (!(options.C > 0)) return fail("C is {}, wanted a number above 0", options.C);
  if (!(options.epsilon >= 0)) return fail("epsilon is {}, wanted a number from 0", options.epsilon);
  if (!(options.bias >= 0)) return fail("bias is {}, wanted a number from 0", options.bias);
  constexpr size_t kLimit = std::numeric_limits<int>::max() - 2;
  if (tokens.size() > kLimit || features > kLimit)
    return fail("liblinear takes at most {} tokens and features", kLimit);
  for (const uint32_t f : tokens.features.values) ESPALIER_CHECK(f < features);
  return {};
}

/// What the ways of training share. `Wanted` maps (token, label) to 1, −1, or 0 if the token is not an
/// example for the label.
template <typename Wanted>
class Trainer {
 public:
  Trainer(const TokenRows& tokens, const StateRows& rows, const LiblinearOptions& options, Wanted wanted)
      : tokens_(tokens), rows_(rows), options_(options), wanted_(std::move(wanted)) {
    result_.weights = make_weights(rows.weights());
    result_.bias.assign(rows.width, 0.0f);
  }

  Result<LinearClassifier> one_against_rest(const Monitor& monitor) {
    for (size_t k = 0; k < rows_.width; ++k) {
      if (monitor.stop_requested()) return fail("training was stopped before every label had its classifier");
      monitor.report({.phase = "training",
                      .done = double(k),
                      .total = double(rows_.width),
                      .round = {},
                      .objective = {},
                      .dev_score = {}});
      ESPALIER_TRY(train_label(k));
    }
    return std::move(result_);
  }

  Result<LinearClassifier> crammer_singer() {
    for (size_t f = 0; f < rows_.rows(); ++f)
      if (!rows_.full(f)) return fail("the Crammer-Singer solver needs a weight for every feature and label");
    fill_instances(
        tokens_, all_of(tokens_), rows_.rows(), options_.bias, [](uint32_t) { return true; }, all_);
    std::vector<double> y(tokens_.gold.begin(), tokens_.gold.end());
    std::vector<bool> seen(rows_.width, false);
    for (const data::Label label : tokens_.gold) seen[label] = true;
    for (size_t k = 0; k < rows_.width; ++k)
      if (!seen[k]) result_.bias[k] = -1;
    ESPALIER_ASSIGN(const ModelPointer trained, run(all_, y));
    const size_t classes = static_cast<size_t>(trained->nr_class);
    for (size_t c = 0; c < classes; ++c) {
      const auto k = static_cast<size_t>(trained->label[c]);
      for (size_t f = 0; f < rows_.rows(); ++f)
        result_.weights[rows_.begin[f] + k] = static_cast<float>(trained->w[f * classes + c]);
      if (options_.bias > 0)
        result_.bias[k] = static_cast<float>(options_.bias * trained->w[rows_.rows() * classes + c]);
    }
    return std::move(result_);
  }

 private:
  Status train_label(size_t k) {
    taken_.clear();
    y_.clear();
    size_t positive = 0;
    for (uint32_t i = 0; i < tokens_.size(); ++i)
      if (const int w = wanted_(i, k); w != 0) {
        taken_.push_back(i);
        y_.push_back(w);
        positive += w > 0 ? 1 : 0;
      }
    // All examples have the same target: with a bias, the bias alone decides; without, the weights are
    // learned anyway.
    const bool one_sided = positive == 0 || positive == taken_.size();
    if (taken_.empty() || (one_sided && options_.bias > 0)) {
      result_.bias[k] = positive == 0 ? -1 : 1;
      return {};
    }
    place_.resize(rows_.rows());
    bool complete = true;
    for (size_t f = 0; f < rows_.rows(); ++f) {
      place_[f] = weight_at(rows_, f, k).value_or(kNoFeature);
      complete = complete && place_[f] != kNoFeature;
    }
    Instances& instances = complete ? all_ : some_;
    if (!complete) {
      fill_instances(
          tokens_, taken_, rows_.rows(), options_.bias,
          [this](uint32_t f) { return place_[f] != kNoFeature; }, some_);
    } else if (all_taken_ != taken_) {
      fill_instances(
          tokens_, taken_, rows_.rows(), options_.bias, [](uint32_t) { return true; }, all_);
      all_taken_ = taken_;
    }
    ESPALIER_ASSIGN(const ModelPointer trained, run(instances, y_));
    const double sign = trained->label[0] > 0 ? 1 : -1;  // w is for the class that comes first
    for (size_t f = 0; f < rows_.rows(); ++f)
      if (place_[f] != kNoFeature) result_.weights[place_[f]] = static_cast<float>(sign * trained->w[f]);
    if (options_.bias > 0)
      result_.bias[k] = static_cast<float>(sign * options_.bias * trained->w[rows_.rows()]);
    return {};
  }

  Result<ModelPointer> run(Instances& instances, std::vector<double>& y) {
    return run_liblinear(instances, y, rows_.rows() + (options_.bias > 0 ? 1 : 0), options_);
  }

  const TokenRows& tokens_;
  const StateRows& rows_;
  const LiblinearOptions& options_;
  Wanted wanted_;
  Instances all_, some_;
  std::vector<uint32_t> taken_, all_taken_;  ///< examples of the current label; those that all_ holds
  std::vector<double> y_;
  std::vector<uint32_t> place_;  ///< of each feature's weight for the current label
  LinearClassifier result_;
};

}  // namespace

std::optional<uint32_t> weight_at(const StateRows& rows, size_t feature, size_t label) {
  if (rows.full(feature)) return rows.begin[feature] + static_cast<uint32_t>(label);
  const auto first = rows.column.begin() + rows.begin[feature];
  const auto last = rows.column.begin() + rows.begin[feature + 1];
  const auto found = std::lower_bound(first, last, static_cast<uint16_t>(label));
  if (found == last || *found != label) return std::nullopt;
  return static_cast<uint32_t>(found - rows.column.begin());
}

StateRows full_rows(size_t features, size_t labels) {
  ESPALIER_CHECK(labels < data::kNoLabel && features * labels < kNoFeature);
  StateRows rows;
  rows.width = static_cast<uint32_t>(labels);
  rows.column.reserve(features * labels);
  for (size_t f = 0; f < features; ++f) {
    for (size_t k = 0; k < labels; ++k) rows.column.push_back(static_cast<uint16_t>(k));
    rows.begin.push_back(static_cast<uint32_t>(rows.column.size()));
  }
  return rows;
}

Result<LinearClassifier> train_liblinear(const Dataset& data, const StateRows& rows,
                                         const LiblinearOptions& options, const Monitor& monitor) {
  ESPALIER_ASSIGN(const TokenRows tokens, collect_labelled_tokens(data, rows.width));
  return train_liblinear(tokens, rows, options, monitor);
}

Result<LinearClassifier> train_liblinear(const TokenRows& tokens, const StateRows& rows,
                                         const LiblinearOptions& options, const Monitor& monitor) {
  ESPALIER_TRY(check_liblinear(options, tokens, rows.rows()));
  Trainer trainer(tokens, rows, options,
                  [&](uint32_t token, size_t label) { return tokens.gold[token] == label ? 1 : -1; });
  return options.solver == LiblinearSolver::kCrammerSinger ? trainer.crammer_singer()
                                                           : trainer.one_against_rest(monitor);
}

Result<LinearClassifier> train_liblinear(const TokenRows& tokens, std::span<const int8_t> wanted,
                                         const StateRows& rows, const LiblinearOptions& options,
                                         const Monitor& monitor) {
  ESPALIER_CHECK(wanted.size() == tokens.size() * rows.width &&
                 options.solver != LiblinearSolver::kCrammerSinger);
  ESPALIER_TRY(check_liblinear(options, tokens, rows.rows()));
  Trainer trainer(tokens, rows, options, [&](uint32_t token, size_t label) {
    return static_cast<int>(wanted[token * rows.width + label]);
  });
  return trainer.one_against_rest(monitor);
}

Result<std::vector<float>> train_liblinear_binary(const TokenRows& examples, size_t features,
                                                  const LiblinearOptions& options) {
  ESPALIER_CHECK(options.solver != LiblinearSolver::kCrammerSinger);
  ESPALIER_TRY(check_liblinear(options, examples, features));
  if (examples.size() == 0) return fail("no example to train a classifier on");
  Instances instances;
  fill_instances(
      examples, all_of(examples), features, 0, [](uint32_t) { return true; }, instances);
  std::vector<double> y(examples.size());
  for (size_t i = 0; i < y.size(); ++i) y[i] = examples.gold[i] == 1 ? 1 : -1;
  ESPALIER_ASSIGN(const ModelPointer trained, run_liblinear(instances, y, features, options));
  const double sign = trained->label[0] > 0 ? 1 : -1;  // w is for the class that comes first
  std::vector<float> weights(features);
  for (size_t f = 0; f < features; ++f) weights[f] = static_cast<float>(sign * trained->w[f]);
  return weights;
}

}  // namespace espalier::linear

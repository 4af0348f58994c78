#include "espalier/linear/liblinear_classifier.h"

#include <linear.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include "espalier/linear/token_rows.h"

namespace espalier::linear {
namespace {

struct NamedSolver {
  LiblinearSolver solver;
  std::string_view name;
  int number;      ///< in linear.h
  double epsilon;  ///< liblinear's default
};
constexpr std::array<NamedSolver, 4> kSolvers = {{
    {LiblinearSolver::kSquaredHingeDual, "l2-svm", L2R_L2LOSS_SVC_DUAL, 0.1},
    {LiblinearSolver::kHingeDual, "l1-svm", L2R_L1LOSS_SVC_DUAL, 0.1},
    {LiblinearSolver::kLogistic, "logistic", L2R_LR, 0.01},
    {LiblinearSolver::kCrammerSinger, "crammer-singer", MCSVM_CS, 0.1},
}};

const NamedSolver& named(LiblinearSolver solver) {
  return *std::find_if(kSolvers.begin(), kSolvers.end(),
                       [&](const NamedSolver& s) { return s.solver == solver; });
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
  std::vector<data::Label> gold;  ///< of each row
};

/// The tokens whose label is one for which take(label) holds: their features for which keep(feature) holds,
/// and the bias as feature number `features`.
template <typename Take, typename Keep>
void fill_instances(const TokenRows& tokens, size_t features, double bias, Take&& take, Keep&& keep,
                    Instances& out) {
  out.nodes.clear();
  out.nodes.reserve(tokens.values.size() + 2 * tokens.size());  // no growth below: rows point into it
  out.rows.clear();
  out.gold.clear();
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!take(tokens.gold[i])) continue;
    out.gold.push_back(tokens.gold[i]);
    const size_t start = out.nodes.size();
    const auto list = tokens.features[i];
    for (size_t j = 0; j < list.size(); ++j)
      if (keep(list[j])) out.nodes.push_back({static_cast<int>(list[j]) + 1, double{tokens.values_of(i)[j]}});
    if (bias > 0) out.nodes.push_back({static_cast<int>(features) + 1, bias});
    out.nodes.push_back({-1, 0});
    out.rows.push_back(out.nodes.data() + start);
  }
}

/// Place of the weight (feature, label) in the layout.
std::optional<uint32_t> weight_at(const StateRows& rows, size_t feature, size_t label) {
  if (rows.full(feature)) return rows.begin[feature] + static_cast<uint32_t>(label);
  const auto first = rows.column.begin() + rows.begin[feature];
  const auto last = rows.column.begin() + rows.begin[feature + 1];
  const auto found = std::lower_bound(first, last, static_cast<uint16_t>(label));
  if (found == last || *found != label) return std::nullopt;
  return static_cast<uint32_t>(found - rows.column.begin());
}

/// What the two ways of training share.
class Trainer {
 public:
  Trainer(const TokenRows& tokens, const StateRows& rows, const LiblinearOptions& options)
      : tokens_(tokens), rows_(rows), options_(options), count_(rows.width, 0) {
    for (const data::Label label : tokens.gold) ++count_[label];
    parameter_.solver_type = named(options.solver).number;
    parameter_.C = options.C;
    parameter_.eps = options.epsilon > 0 ? options.epsilon : named(options.solver).epsilon;
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
    if (!options_.groups.empty()) return fail("the Crammer-Singer solver tells all labels apart at once");
    const auto all = [](uint32_t) { return true; };
    fill_instances(tokens_, rows_.rows(), options_.bias, all, all, all_);
    std::vector<double> y(tokens_.gold.begin(), tokens_.gold.end());
    for (size_t k = 0; k < rows_.width; ++k)
      if (count_[k] == 0) result_.bias[k] = -1;
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
  uint32_t group_of(size_t label) const { return options_.groups.empty() ? 0 : options_.groups[label]; }

  Status train_label(size_t k) {
    const auto rival = [this, k](data::Label label) { return group_of(label) == group_of(k); };
    size_t rivals = 0;
    for (size_t l = 0; l < rows_.width; ++l)
      if (rival(static_cast<data::Label>(l))) rivals += count_[l];
    // Nothing to tell apart: the bias says so where there is one, and is learned from the others otherwise.
    const bool one_sided = count_[k] == 0 || count_[k] == rivals;
    if (rivals == 0 || (one_sided && options_.bias > 0)) {
      result_.bias[k] = count_[k] == 0 ? -1 : 1;
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
          tokens_, rows_.rows(), options_.bias, rival, [this](uint32_t f) { return place_[f] != kNoFeature; },
          some_);
    } else if (all_of_ != group_of(k)) {
      fill_instances(
          tokens_, rows_.rows(), options_.bias, rival, [](uint32_t) { return true; }, all_);
      all_of_ = group_of(k);
    }
    std::vector<double> y(instances.gold.size());
    for (size_t i = 0; i < y.size(); ++i) y[i] = instances.gold[i] == k ? 1 : -1;
    ESPALIER_ASSIGN(const ModelPointer trained, run(instances, y));
    const double sign = trained->label[0] > 0 ? 1 : -1;  // w speaks for the class that comes first
    for (size_t f = 0; f < rows_.rows(); ++f)
      if (place_[f] != kNoFeature) result_.weights[place_[f]] = static_cast<float>(sign * trained->w[f]);
    if (options_.bias > 0)
      result_.bias[k] = static_cast<float>(sign * options_.bias * trained->w[rows_.rows()]);
    return {};
  }

  Result<ModelPointer> run(Instances& instances, std::vector<double>& y) {
    problem examples{};
    examples.l = static_cast<int>(y.size());
    examples.n = static_cast<int>(rows_.rows() + (options_.bias > 0 ? 1 : 0));
    examples.y = y.data();
    examples.x = instances.rows.data();
    examples.bias = -1;  // ours is an ordinary feature
    const std::lock_guard lock(packaged_classifier_mutex());
    set_print_string_function(print_nothing);
    std::srand(static_cast<unsigned>(options_.seed));
    if (const char* const wrong = check_parameter(&examples, &parameter_); wrong != nullptr)
      return fail("liblinear refuses its parameters: {}", wrong);
    return ModelPointer(train(&examples, &parameter_));
  }

  const TokenRows& tokens_;
  const StateRows& rows_;
  const LiblinearOptions& options_;
  parameter parameter_{};
  std::vector<size_t> count_;  ///< tokens of each label
  Instances all_, some_;
  std::optional<uint32_t> all_of_;  ///< the group that all_ holds
  std::vector<uint32_t> place_;     ///< of each feature's weight for the label at hand
  LinearClassifier result_;
};

}  // namespace

std::string_view liblinear_solver_name(LiblinearSolver solver) { return named(solver).name; }

Result<LiblinearSolver> parse_liblinear_solver(std::string_view name) {
  for (const NamedSolver& s : kSolvers)
    if (s.name == name) return s.solver;
  return fail("unknown solver '{}'; there are l2-svm, l1-svm, logistic, crammer-singer", name);
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
  if (!(options.C > 0)) return fail("C is {}, wanted a number above 0", options.C);
  if (!(options.epsilon >= 0)) return fail("epsilon is {}, wanted a number from 0", options.epsilon);
  if (!(options.bias >= 0)) return fail("bias is {}, wanted a number from 0", options.bias);
  ESPALIER_CHECK(options.groups.empty() || options.groups.size() == rows.width);
  ESPALIER_ASSIGN(const TokenRows tokens, collect_labelled_tokens(data, rows.width));
  constexpr size_t kLimit = std::numeric_limits<int>::max() - 2;
  if (tokens.size() > kLimit || rows.rows() > kLimit)
    return fail("liblinear takes at most {} tokens and features", kLimit);
  for (const uint32_t f : tokens.features.values) ESPALIER_CHECK(f < rows.rows());
  Trainer trainer(tokens, rows, options);
  return options.solver == LiblinearSolver::kCrammerSinger ? trainer.crammer_singer()
                                                           : trainer.one_against_rest(monitor);
}

}  // namespace espalier::linear

// What can be set about a cascade: the options struct and the table of its parameters. Tested by
// learner_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "espalier/cascade/options.h"
#include "espalier/model/defaults.h"
#include "espalier/model/learner.h"

namespace espalier::model {

/// How the levels before the last one filter. `kNone`: there are none.
enum class FilterChoice { kCascade, kPerceptron, kCrf, kDictionary, kNone };

struct CascadeOptions : CommonOptions {
  std::optional<size_t> order;
  std::optional<std::vector<double>> levels;
  FilterChoice filter = FilterChoice::kCascade;
  cascade::Loss last = cascade::Loss::kLog;
  std::optional<std::vector<double>> filter_loss;
  std::optional<double> loss_in_use;
  double budget = 0;
  cascade::LossUnit loss_unit = cascade::LossUnit::kPositions;
  cascade::Unit filter_unit = cascade::Unit::kCliques;
  int warm_up = 2;
  std::vector<double> train_alphas = {0.5};
  int filter_passes = 1;
  bool adaptive_filters = true;
  std::optional<double> filter_rate;
  double filter_lambda = 0;
  double threshold_prior_length = 100;
  size_t folds = 2;
  bool quantiles = false;
  size_t edge_order = 2;
  std::optional<std::string> word_feature;
  std::optional<int> passes;
  size_t batch = 8;
  double rate = 0.2;
  std::optional<double> dropout;
  std::optional<double> l2;
  double average_from = 0.2;
  bool calibrate = true;
};

/// Orders of the levels. Precondition: the options were checked.
/// `usual`: what order=auto stands for (model/defaults.h).
std::vector<size_t> orders_of(const CascadeOptions& options, size_t usual = kUsualOrder);

/// What filter-rate=auto stands for.
double filter_rate_of(const CascadeOptions& options);

/// An error unless filter-loss is one number, or one for each filter of a cascade of so many levels.
/// Precondition: it is given.
Status check_filter_losses(const CascadeOptions& options, size_t levels);

ParameterTable<CascadeOptions> cascade_table();

}  // namespace espalier::model

// Labelled tokens in the form that liblinear and libsvm expect: sparse rows with ascending features. Tested
// in classifiers/liblinear_classifier_test.cc.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/result.h"
#include "espalier/linear/encoding/dataset.h"

namespace espalier::linear {

/// Row i holds the features of one token in ascending order, each once (values of repeated features are
/// added).
struct TokenRows {
  Ragged<uint32_t> features;
  std::vector<float> values;  ///< parallel to features.values
  std::vector<data::Label> gold;

  size_t size() const { return gold.size(); }
  const float* values_of(size_t i) const { return values.data() + features.begin[i]; }
  /// Adds a row with these features and their values, in any order, which it sorts.
  void add(std::vector<std::pair<uint32_t, float>>& row, data::Label label);
};

/// The tokens whose label is known, in order. An error where there are none, where a label is not below
/// `labels`, or where sequences have weights other than 1, which liblinear and libsvm do not support.
Result<TokenRows> collect_labelled_tokens(const Dataset& data, size_t labels);

/// liblinear and libsvm use the C library's global random state: hold this lock while calling them, and seed
/// it first.
std::mutex& packaged_classifier_mutex();

}  // namespace espalier::linear

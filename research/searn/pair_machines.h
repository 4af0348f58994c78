// A linear support vector machine for each pair of labels, which vote: what libsvm, the paper's SVM, makes of
// several labels. Call PairMachines::train, then decide(). Header only. Decisions that no machine for each
// label could make are within its reach, such as a label that lies between two others.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "espalier/linear/classifiers/liblinear_classifier.h"

namespace espalier::research {

class PairMachines {
 public:
  /// Precondition: the features of the tokens are below `features`, their labels below `labels`.
  static Result<PairMachines> train(const linear::TokenRows& tokens, size_t features, size_t labels,
                                    const linear::LiblinearOptions& options, const Monitor& monitor = {}) {
    PairMachines machines;
    for (size_t i = 0; i < labels; ++i)
      for (size_t j = i + 1; j < labels; ++j)
        machines.pairs_.push_back({static_cast<data::Label>(i), static_cast<data::Label>(j)});
    const size_t pairs = machines.pairs_.size();
    std::vector<int8_t> wanted(tokens.size() * pairs, 0);
    for (size_t t = 0; t < tokens.size(); ++t)
      for (size_t p = 0; p < pairs; ++p) {
        if (tokens.gold[t] == machines.pairs_[p].one) wanted[t * pairs + p] = 1;
        if (tokens.gold[t] == machines.pairs_[p].other) wanted[t * pairs + p] = -1;
      }
    machines.labels_ = labels;
    machines.rows_ = linear::full_rows(features, pairs);
    ESPALIER_ASSIGN(machines.classifier_,
                    linear::train_liblinear(tokens, wanted, machines.rows_, options, monitor));
    return machines;
  }

  /// The label with the most votes; of several, the first.
  data::Label decide(std::span<const uint32_t> features, const float* values) const {
    std::vector<float> score(classifier_.bias.begin(), classifier_.bias.end());
    for (size_t i = 0; i < features.size(); ++i) {
      const uint32_t first = rows_.begin[features[i]];
      for (size_t p = 0; p < pairs_.size(); ++p) score[p] += values[i] * classifier_.weights[first + p];
    }
    std::vector<uint32_t> votes(labels_, 0);
    for (size_t p = 0; p < pairs_.size(); ++p) ++votes[score[p] > 0 ? pairs_[p].one : pairs_[p].other];
    return static_cast<data::Label>(std::max_element(votes.begin(), votes.end()) - votes.begin());
  }

 private:
  struct Pair {
    data::Label one, other;
  };
  size_t labels_ = 0;
  std::vector<Pair> pairs_;
  linear::StateRows rows_;
  linear::LinearClassifier classifier_;
};

}  // namespace espalier::research

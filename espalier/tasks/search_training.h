// Training of the sequence tasks by search: train_search() turns a problem into a policy with SEARN, LaSO or
// the incremental perceptron; search_decoding.h applies it. check_reduction() says which classifiers support
// which kind of search. The templates (learn_by_search.h) are compiled for the four problems of
// sequence_problem.h and for summaries.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "espalier/base/training_round.h"
#include "espalier/data/predictor.h"
#include "espalier/linear/classifiers/liblinear_classifier.h"
#include "espalier/linear/classifiers/libsvm_classifier.h"
#include "espalier/linear/rows.h"
#include "espalier/search/laso.h"
#include "espalier/search/policy/online_classifier.h"
#include "espalier/search/searn.h"
#include "espalier/tasks/spaces/sequence_problem.h"
#include "espalier/tasks/summary/summary_space.h"

namespace espalier::tasks {

using search::SearchLearner;

/// The classifiers that SEARN may learn.
enum class BaseClassifier {
  kPerceptron,
  kLogistic,       ///< online
  kSoftmaxMargin,  ///< online; logistic with the cost as margin
  kSvm,            ///< online; the cost as margin
  kLeastSquares,   ///< online; predicts the cost of every action
  kLiblinear,      ///< linear SVMs of liblinear
  kQuadraticSvm,   ///< kernel machines of libsvm
};

struct SearchOptions {
  SearchLearner learner = SearchLearner::kSearn;
  search::SearnOptions searn;
  /// kSearn: if positive, the initial policy finds the best completion by a beam search of this width instead
  /// of knowing it.
  size_t oracle_beam = 0;
  search::DirectOptions direct;
  BaseClassifier classifier = BaseClassifier::kPerceptron;
  search::Reduction reduction = search::Reduction::kDirect;
  linear::LiblinearOptions liblinear;
  linear::LibsvmOptions libsvm;
  /// liblinear and libsvm, if examples differ in weight: the number of samples of costing, whose machines are
  /// combined.
  int costing_samples = 10;
  search::LasoOptions laso;
  search::IncrementalUpdate incremental = search::IncrementalUpdate::kMaxViolation;
  int passes = 10;  ///< of the LaSO family and the incremental perceptron
  bool average = true;
  uint64_t seed = 1;
};

/// An error if the classifier does not support this reduction in this kind of search; it says why and what to
/// use instead.
Status check_reduction(BaseClassifier classifier, search::Reduction reduction, SearchKind kind);
/// The meaning of `auto`: the best supported reduction for the classifier.
search::Reduction best_reduction(BaseClassifier classifier, SearchKind kind);

/// What a trainer is given besides the problem. The objective of a round is the number of updates per
/// sequence, or what is left of SEARN's initial policy; round_ended may be null.
struct SearchContext : RoundContext<search::Mixture> {
  std::shared_ptr<const linear::StateRows> layout;
  size_t labels = 0;
  size_t static_features = 0;
  /// For interpolation=kLearnedLineSearch; may be null.
  std::function<double(const search::Mixture&)> dev_score = nullptr;
  /// The model that is trained further, where there is one.
  search::OldModel old = {};
  /// What the person who trains should know; may be null.
  std::function<void(std::string)> note = nullptr;
};

/// `dev` is for interpolation=kLineSearch, which follows the initial policy on it; may be null otherwise.
/// Compiled in search_training.cc for LabelProblem, JointProblem, EasiestProblem and ChunkProblem, in
/// summary/summary_search.cc for SummaryProblem. P::kBatchClassifiers: liblinear and libsvm are supported.
template <search::Problem P>
Result<search::Mixture> train_search(const P& problem, const SearchOptions& options,
                                     const SearchContext& context, const P* dev = nullptr);

}  // namespace espalier::tasks

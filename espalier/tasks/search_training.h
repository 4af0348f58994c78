// Training and decoding of the sequence tasks by search: train_search() turns a problem into a policy with
// SEARN, LaSO or the incremental perceptron; decode_labels() and its kin decode one sequence.
// check_reduction() says which classifiers support which kind of search. Templates are compiled in
// search_training.cc for the four problems of sequence_problem.h and for summaries.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "espalier/base/training_round.h"
#include "espalier/data/predictor.h"
#include "espalier/linear/liblinear_classifier.h"
#include "espalier/linear/libsvm_classifier.h"
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
  /// For a line search; may be null.
  std::function<double(const search::Mixture&)> dev_score = nullptr;
  /// The model that is trained further, where there is one.
  search::OldModel old = {};
  /// What the person who trains should know; may be null.
  std::function<void(std::string)> note = nullptr;
};

/// Compiled in search_training.cc for LabelProblem, JointProblem, EasiestProblem, ChunkProblem and
/// SummaryProblem. P::kBatchClassifiers: liblinear and libsvm are supported.
template <search::Problem P>
Result<search::Mixture> train_search(const P& problem, const SearchOptions& options,
                                     const SearchContext& context);

/// How decisions are combined when tagging.
struct DecodeOptions {
  size_t beam = 1;          ///< width of the beam; 1: greedy
  bool best_first = false;  ///< best-first instead of breadth-first search with this beam
  bool stochastic = false;  ///< draw a classifier for each decision (greedy)
  bool normalise = false;  ///< turn the scores of each state into log-probabilities first: for classifiers of
                           ///< single decisions, not for weights learned with a beam
  uint64_t seed = 1;       ///< seed of the stochastic policy: one_seed() of the sequence
  size_t nbest = 1;        ///< if greater than 1, the best goals of a breadth-first beam, as many as it has
};
/// The seed for one sequence, derived from the model's seed and all features of the sequence. Different
/// sequences get different draws, and the same sequence the same ones in any order and on any thread.
uint64_t one_seed(uint64_t seed, const data::HashedFeatures& features);

struct Decoded {
  struct Way {
    std::vector<search::Action> actions;
    std::vector<data::Label> labels;  ///< one per token, column by column
    double score = 0;
  };
  std::vector<Way> best;  ///< at least one, best first
  data::SearchEnd ended = data::SearchEnd::kApproximate;
};
/// Decodes a sequence for which the mixture has begun its blocks. Best-first search is limited in steps; if
/// it reaches the limit, a breadth-first search decides and the outcome says so. Fails if the search ends
/// without a goal.
Result<Decoded> decode_labels(const LabelSpace& space, const DecisionPlan& plan, size_t length,
                              const search::Mixture& policy, const DecodeOptions& options);
Result<Decoded> decode_labels(const JointSpace& space, const DecisionPlan& plan, size_t length,
                              const search::Mixture& policy, const DecodeOptions& options);
Result<Decoded> decode_labels(const EasiestSpace& space, const DecisionPlan& plan, size_t length,
                              const search::Mixture& policy, const DecodeOptions& options);
Result<Decoded> decode_labels(const ChunkSpace& space, const DecisionPlan& plan, size_t length,
                              const search::Mixture& policy, const DecodeOptions& options);
/// The pieces of a summary are the candidates of the actions; labels stay empty. `longest`: the limit.
Result<Decoded> decode_pieces(const SummarySpace& space, size_t longest, const search::Mixture& policy,
                              const DecodeOptions& options);

}  // namespace espalier::tasks

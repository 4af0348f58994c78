// The learners of searches, over the sequence tasks: from a problem to a policy.
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
#include "espalier/search/policy/direct.h"
#include "espalier/search/searn.h"
#include "espalier/tasks/spaces/sequence_problem.h"

namespace espalier::tasks {

enum class SearchLearner { kSearn, kLasoBr, kLasoBst, kLaso, kIncremental };

/// What SEARN reduces to.
enum class BaseClassifier {
  kPerceptron,
  kLogistic,       ///< on line
  kSoftmaxMargin,  ///< on line: logistic with the cost as margin
  kSvm,            ///< on line: the cost as margin
  kLiblinear,      ///< linear SVMs of liblinear
  kQuadraticSvm,   ///< libsvm's kernel machines
};

struct SearchOptions {
  SearchLearner learner = SearchLearner::kSearn;
  search::SearnOptions searn;
  /// kSearn, above 0: the initial policy searches for the best completion with a beam as wide as this,
  /// instead of knowing it.
  size_t oracle_beam = 0;
  search::DirectOptions direct;
  BaseClassifier classifier = BaseClassifier::kPerceptron;
  search::Reduction reduction = search::Reduction::kDirect;
  linear::LiblinearOptions liblinear;
  linear::LibsvmOptions libsvm;
  /// The packages, where weights of examples differ: samples of costing, whose machines decide together.
  int costing_samples = 10;
  search::LasoOptions laso;
  search::IncrementalUpdate incremental = search::IncrementalUpdate::kMaxViolation;
  int passes = 10;  ///< of the LaSO family and the incremental perceptron
  bool average = true;
  uint64_t seed = 1;
};

/// An error where the classifier cannot be learned by that reduction in such a search, which says why and
/// what to take instead.
Status check_reduction(BaseClassifier classifier, search::Reduction reduction, SearchKind kind);
/// What `auto` means: the reduction that serves the classifier best where it is possible.
search::Reduction best_reduction(BaseClassifier classifier, SearchKind kind);

/// What a trainer is given besides the problem. The objective of a round is the number of updates per
/// sequence, or what is left of SEARN's initial policy; round_ended may be null.
struct SearchContext : RoundContext<search::Mixture> {
  std::shared_ptr<const linear::StateRows> layout;
  size_t labels = 0;
  size_t static_features = 0;
  /// For a line search; may be null.
  std::function<double(const search::Mixture&)> dev_score = nullptr;
  /// What the person who trains should know; may be null.
  std::function<void(std::string)> note = nullptr;
};

/// Compiled in search_training.cc for LabelProblem, JointProblem, EasiestProblem and ChunkProblem.
template <search::Problem P>
Result<search::Mixture> train_search(const P& problem, const SearchOptions& options,
                                     const SearchContext& context);

/// How decisions are put together at test time.
struct DecodeOptions {
  size_t beam = 1;          ///< 1: greedy
  bool best_first = false;  ///< best-first instead of breadth-first, with this beam
  bool stochastic = false;  ///< draw the classifier of every decision (greedy)
  bool normalise = false;  ///< scores of each state become log-probabilities first: for classifiers of single
                           ///< decisions, not for weights learned for a beam
  uint64_t seed = 1;       ///< of the stochastic policy's draws: one_seed() of each sequence
  size_t nbest = 1;        ///< more than 1: the best goals of a breadth-first beam, as many as it has
};
/// The seed of one sequence's draws: of the model's seed and of all that is seen of the sequence, so that
/// sequences draw apart from each other, and the same one the same in any order, by any thread.
uint64_t one_seed(uint64_t seed, const data::HashedFeatures& features);

struct Decoded {
  struct Way {
    std::vector<search::Action> actions;
    std::vector<data::Label> labels;  ///< of every token, column by column
    double score = 0;
  };
  std::vector<Way> best;  ///< at least one; best first
  data::SearchEnd ended = data::SearchEnd::kApproximate;
};
/// Decodes a sequence of a problem whose blocks the mixture has begun. Best-first search has a horizon; where
/// it is reached, a breadth-first search decides, and the outcome says so. Fails where the search ends
/// without a goal.
Result<Decoded> decode_labels(const LabelSpace& space, const SequenceShape& shape, size_t length,
                              const search::Mixture& policy, const DecodeOptions& options);
Result<Decoded> decode_labels(const JointSpace& space, const SequenceShape& shape, size_t length,
                              const search::Mixture& policy, const DecodeOptions& options);
Result<Decoded> decode_labels(const EasiestSpace& space, const SequenceShape& shape, size_t length,
                              const search::Mixture& policy, const DecodeOptions& options);
Result<Decoded> decode_labels(const ChunkSpace& space, const SequenceShape& shape, size_t length,
                              const search::Mixture& policy, const DecodeOptions& options);

}  // namespace espalier::tasks

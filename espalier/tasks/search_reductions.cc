// Which classifiers of SEARN support which reductions: check_reduction() and best_reduction() of
// search_training.h. Tested in search_training_test.cc and espalier/model/training/search_refusals_test.cc.
#include <algorithm>

#include "espalier/tasks/search_training.h"

namespace espalier::tasks {

Status check_reduction(BaseClassifier classifier, search::Reduction reduction, SearchKind kind) {
  using search::Reduction;
  // What cannot be; everything else can.
  struct Refusal {
    BaseClassifier classifier;
    std::vector<Reduction> reductions;
    std::vector<SearchKind> kinds;
    std::string_view reason;
  };
  static const std::vector<Reduction> binary = {Reduction::kOneVsAll, Reduction::kAllPairs};
  static const std::vector<SearchKind> everywhere = {SearchKind::kLabel, SearchKind::kJoint,
                                                     SearchKind::kEasiest, SearchKind::kSegment,
                                                     SearchKind::kSummary};
  static const std::vector<Reduction> all = {Reduction::kDirect, Reduction::kOneVsAll, Reduction::kAllPairs};
  constexpr std::string_view kOnLine =
      "summaries are learned on line: take classifier=perceptron, logistic, softmax-margin, svm or "
      "least-squares";
  static const std::vector<Refusal> refusals = {
      {BaseClassifier::kLiblinear, all, {SearchKind::kSummary}, kOnLine},
      {BaseClassifier::kQuadraticSvm, all, {SearchKind::kSummary}, kOnLine},
      {BaseClassifier::kLeastSquares, binary, everywhere,
       "least-squares predicts the cost of every action, there is nothing to reduce: take reduction=direct"},
      {BaseClassifier::kSoftmaxMargin, binary, everywhere,
       "softmax-margin is a loss over all actions at once, which binary problems do not have: take "
       "reduction=direct, or classifier=logistic"},
      {BaseClassifier::kQuadraticSvm,
       all,
       {SearchKind::kSegment},
       "quadratic-svm has machines between labels, and the chunks that compete differ in length, too: take "
       "classifier=liblinear or unit=word"},
      {BaseClassifier::kQuadraticSvm,
       {Reduction::kDirect},
       everywhere,
       "libsvm's machines tell two sides apart, there is none over all labels at once: take "
       "reduction=all-pairs or reduction=one-vs-all"},
      {BaseClassifier::kLiblinear,
       {Reduction::kDirect},
       {SearchKind::kJoint, SearchKind::kSegment},
       "liblinear's machine over all labels at once (Crammer and Singer) is for states in which all labels "
       "of one token compete: take reduction=all-pairs or reduction=one-vs-all"},
  };
  for (const Refusal& refusal : refusals)
    if (refusal.classifier == classifier &&
        std::count(refusal.reductions.begin(), refusal.reductions.end(), reduction) > 0 &&
        std::count(refusal.kinds.begin(), refusal.kinds.end(), kind) > 0)
      return fail("{}", refusal.reason);
  return {};
}

search::Reduction best_reduction(BaseClassifier classifier, SearchKind /*kind*/) {
  // The same for every kind of search; `reproduce searn-reductions` measures what this is worth.
  switch (classifier) {
    case BaseClassifier::kLiblinear:
      return search::Reduction::kOneVsAll;
    case BaseClassifier::kQuadraticSvm:
      return search::Reduction::kAllPairs;
    default:
      return search::Reduction::kDirect;
  }
}

}  // namespace espalier::tasks

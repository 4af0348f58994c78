// SEARN with oracle=search, for the problems that support it. Each question to such an oracle is a beam
// search of its own, so this is compiled for size of the build, not for speed (espalier/CMakeLists.txt).
// Tested in search_training_test.cc.
#include "espalier/tasks/learn_by_search.h"

namespace espalier::tasks {

template <search::Problem P>
Result<search::Mixture> train_with_searched_oracle(const P& problem, const SearchOptions& options,
                                                   const SearchContext& context, const P* dev) {
  using Searched = search::SearchOracleProblem<P>;
  const Searched training{problem, options.oracle_beam}, measured{dev ? *dev : problem, options.oracle_beam};
  return train_searn(training, options, context, dev ? &measured : nullptr);
}

/// What learns from examples is the same whatever the oracle, and compiled where the problem's other learners
/// are.
#define ESPALIER_COMPILE_SEARCHED_ORACLE(P)                                                              \
  extern template Result<std::shared_ptr<search::Scorer>> learn_classifier(                              \
      const P&, const SearchOptions&, const SearchContext&, const search::Examples<P::Space>&, int, int, \
      int);                                                                                              \
  template Result<search::Mixture> train_with_searched_oracle(const P&, const SearchOptions&,            \
                                                              const SearchContext&, const P*);
ESPALIER_COMPILE_SEARCHED_ORACLE(LabelProblem)
ESPALIER_COMPILE_SEARCHED_ORACLE(JointProblem)
ESPALIER_COMPILE_SEARCHED_ORACLE(ChunkProblem)
#undef ESPALIER_COMPILE_SEARCHED_ORACLE

}  // namespace espalier::tasks

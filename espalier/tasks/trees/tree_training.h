// Training of parsers by search: train_trees() learns the weights of a TreeSystem from gold trees.
//
// SEARN follows the parser's own decisions and corrects each that loses arcs, at once and by the dynamic
// oracle (DAgger with an on-line learner; Goldberg and Nivre 2012). The LaSO family and the incremental
// perceptron are those of search/laso.h. A pass costs one parse per sentence; one thread does the work, so
// the result does not depend on the number of threads. Tested in tree_training_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/base/training_round.h"
#include "espalier/search/laso.h"
#include "espalier/tasks/search_training.h"
#include "espalier/tasks/trees/parse_space.h"
#include "espalier/tasks/trees/tree_model.h"
#include "espalier/tasks/trees/tree_scorer.h"

namespace espalier::tasks {

struct TreeExample {
  TreeSentence sentence;
  GoldTree gold;
};

struct TreeTrainingOptions {
  SearchLearner learner = SearchLearner::kSearn;
  int passes = 10;
  search::LasoOptions laso;  ///< all learners but SEARN
  search::IncrementalUpdate incremental = search::IncrementalUpdate::kMaxViolation;
  bool average = true;
  uint64_t seed = 1;
};

Result<TreeTables> train_trees(const TreeSystem& system, const std::vector<TreeExample>& examples,
                               const TreeTrainingOptions& options, const RoundContext<TreeTables>& context);

/// The sharpness (TreeScorer) under which the optimal actions of the states on the parser's own greedy paths
/// are most probable; it uses about 1,000 of the examples, spread evenly. Best on sentences that were
/// not trained on.
float fit_sharpness(const TreeSystem& system, const TreeTables& tables,
                    const std::vector<TreeExample>& examples);

/// The calibration (TreeSettings) of a beam's arcs, on sentences that were not
/// trained on; it uses about 1,000 of them. Precondition: `how` has a beam
/// above 1 and a sharpness.
eval::MonotoneMap fit_arc_calibration(const TreeSystem& system, const TreeTables& tables, TreeDecoding how,
                                      const std::vector<TreeExample>& examples);

}  // namespace espalier::tasks

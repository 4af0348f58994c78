// From a Learner (a name and settings) to options for learning a search task of a user.
//
// parse_task_learner checks names, ranges and combinations before anything is learned; a setting that would
// have no effect is an error that says why. Tested in contract_test.cc and task_test.cc.
#pragma once

#include <string>

#include "espalier/base/result.h"
#include "espalier/public/learners.h"
#include "espalier/search/laso.h"
#include "espalier/search/policy/online_classifier.h"
#include "espalier/search/searn.h"

namespace espalier::own_task {

/// What is known of the task and the call.
struct TaskSituation {
  bool oracle_searches = false;  ///< neither optimal_actions nor best_loss is given
  bool dev = false;
};

struct TaskLearner {
  search::SearchLearner kind = search::SearchLearner::kSearn;
  std::string name;
  Settings settings;  ///< all that apply, `auto` worked out
  search::SearnOptions searn;
  search::DirectOptions direct;
  search::LasoOptions laso;
  search::IncrementalUpdate update = search::IncrementalUpdate::kMaxViolation;
  int passes = 10;  ///< of all but searn
  bool average = true;
  size_t beam = 1;
  bool best_first = false;
  size_t oracle_beam = 10;
  int patience = 5;
};

Result<TaskLearner> parse_task_learner(const Learner& learner, const TaskSituation& situation);

}  // namespace espalier::own_task

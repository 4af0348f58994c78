// Which learners and settings are worth trying on a data set. Tested in compare_test.cc.
#pragma once

#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/label_scheme.h"
#include "espalier/public/compare.h"
#include "espalier/public/train.h"

namespace espalier::report {

/// What is known about training data before anything is trained.
struct Survey {
  size_t sequences = 0, tokens = 0;
  data::Scheme scheme = data::Scheme::kNone;
};
/// Reads all of it once, one sequence at a time.
Result<Survey> survey_of(const Files& files);

/// The candidates, cheapest learners first, without repetitions. An error if a learner or parameter is
/// unknown, or a setting of the grid is refused.
Result<std::vector<Candidate>> candidates_for(const Files& train, const CompareOptions& options,
                                              const Survey& survey);

/// How the candidate is trained in this comparison: what check_options() and train() take.
TrainOptions train_options_of(const Candidate& candidate, const CompareOptions& options);

}  // namespace espalier::report

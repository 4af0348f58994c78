// Training of parsers (task parse): from the job's sentences to a model. Called by the search learners, with
// their settings. Tested in apps/tests/parse_test.sh.
#pragma once

#include "espalier/model/learners/search_options.h"
#include "espalier/model/training/training_job.h"
#include "espalier/tasks/search_training.h"

namespace espalier::model {

/// Learns and saves the model. Precondition: the job has read its data with their text.
Status train_tree_model(TrainingJob& job, const SearchLearnerOptions& asked,
                        const tasks::SearchOptions& options);

}  // namespace espalier::model

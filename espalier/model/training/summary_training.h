// Training of summarisers from a TrainingJob: reading clusters, the background of general language, the
// oracle, the development set and the model file. Tested in summary_training_test.cc.
#pragma once

#include "espalier/model/learners/search_options.h"
#include "espalier/model/training/training_job.h"

namespace espalier::model {

/// Reads the clusters of the job's sources; each needs references.
Status read_clusters(TrainingJob& job);

struct SummaryMethod {
  tasks::SearchOptions options;
  size_t oracle_beam = 20;
};
Status train_summary_model(TrainingJob& job, const SearchLearnerOptions& asked, const SummaryMethod& method);

}  // namespace espalier::model

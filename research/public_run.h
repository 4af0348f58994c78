// How experiments train: through the public API, with the seed, threads and stop flag of their request. What
// a paper's own algorithm is about (filters, consistency, bounds) works on the modules directly instead.
// Tested in apps/tests/reproduce_test.sh, which runs every experiment.
#pragma once

#include <string>
#include <vector>

#include "espalier/espalier.h"
#include "research/experiment.h"

namespace espalier::research {

/// A learner with settings written as on the command line, "name=value".
Learner learner_with(const std::string& name, const std::vector<std::string>& settings);
/// Options for train_on(): seed, threads and stop flag of the request. A template file may be named.
Result<TrainOptions> train_options(const Request& request, Learner learner,
                                   const std::string& template_file = {});
/// The first sequences of a file, or the file if `most` is 0.
Result<Data> first_of(const std::string& file, const ReadOptions& reading, size_t most);
/// Trains; an interrupted training is an error.
Result<Training> train_on(const Data& data, const TrainOptions& options);
/// Folds as ReadOptions has them: "1,3".
std::string fold_list(const std::vector<int>& folds);

}  // namespace espalier::research

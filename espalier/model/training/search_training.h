// Training of searches over sequences (searn, laso and its kin, incremental), whatever they search: words in
// a direction, words easiest first, chunks, several columns.
//
// A learner decides its options and calls train_search_model(), which encodes what the kind of search needs,
// trains, keeps the policy that is best on the development set, and saves. Tested by train_search_test.cc.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "espalier/model/learners/search_options.h"
#include "espalier/model/training/training_job.h"
#include "espalier/tasks/search_training.h"

namespace espalier::model {

/// What the choices of SEARN are called, in the order in which they are listed.
template <typename Choice>
using ChoiceNames = std::vector<std::pair<std::string_view, Choice>>;
ChoiceNames<tasks::BaseClassifier> classifier_names();
ChoiceNames<search::Reduction> reduction_names();

/// What a learner of searches has decided on.
struct SearchMethod {
  tasks::SearchOptions options;
  bool stochastic = false;  ///< the classifier of every decision is drawn
};

/// Learns and saves the model. Precondition: the job has read what search_needs() asks for.
Status train_search_model(TrainingJob& job, const SearchLearnerOptions& asked, const SearchMethod& method);

}  // namespace espalier::model

// Every learner there is, one file each; registry.cc lists them.
#pragma once

#include <memory>

#include "espalier/model/learner.h"

namespace espalier::model {

std::unique_ptr<const LearnerSpec> crf_learner();         // crf.cc
std::unique_ptr<const LearnerSpec> memm_learner();        // crf.cc: the same losses, normalised by position
std::unique_ptr<const LearnerSpec> perceptron_learner();  // perceptron.cc
std::unique_ptr<const LearnerSpec> svm_learner();         // svm.cc
std::unique_ptr<const LearnerSpec> local_learner();       // local.cc
std::unique_ptr<const LearnerSpec> cascade_learner();     // cascade.cc
std::unique_ptr<const LearnerSpec> searn_learner();       // searn.cc
std::unique_ptr<const LearnerSpec> laso_br_learner();     // laso.cc, as the next three
std::unique_ptr<const LearnerSpec> laso_bst_learner();
std::unique_ptr<const LearnerSpec> laso_learner();
std::unique_ptr<const LearnerSpec> incremental_learner();
std::unique_ptr<const LearnerSpec> brackets_learner();   // brackets.cc
std::unique_ptr<const LearnerSpec> committee_learner();  // committee.cc

}  // namespace espalier::model

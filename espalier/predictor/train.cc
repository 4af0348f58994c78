#include "espalier/predictor/train.h"

#include "espalier/predictor/train_cascade.h"
#include "espalier/predictor/train_chain.h"
#include "espalier/predictor/training_job.h"

namespace espalier::predictor {

Result<TrainReport> train(const TrainRequest& request, const Monitor& monitor) {
  if (request.train.empty()) return fail("no training file");
  if (request.task != "label") return fail("there is no task '{}'; there is: label", request.task);
  ESPALIER_ASSIGN(const Learner* const learner, find_learner(request.learner));
  TrainingJob job(request, monitor);
  ESPALIER_ASSIGN(job.values, check_parameters(request.learner, request.settings));
  if (!request.start_from.empty()) {
    ESPALIER_ASSIGN(job.old, Model::open(request.start_from));
  }
  ESPALIER_TRY(job.read_data());
  switch (learner->kind) {
    case ModelKind::kChain:
      ESPALIER_TRY(train_chain(job));
      break;
    case ModelKind::kCascade:
      ESPALIER_TRY(train_cascade(job));
      break;
  }
  job.report.seconds = job.seconds();
  return std::move(job.report);
}

}  // namespace espalier::predictor

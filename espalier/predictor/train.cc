#include "espalier/predictor/train.h"

#include "espalier/predictor/train_cascade.h"
#include "espalier/predictor/train_chain.h"
#include "espalier/predictor/train_search.h"
#include "espalier/predictor/training_job.h"

namespace espalier::predictor {

Result<TrainReport> train(const TrainRequest& request, const Monitor& monitor) {
  if (request.train.empty()) return fail("no training file");
  ESPALIER_ASSIGN(const Learner* const learner, find_learner(request.learner));
  if (request.task != "label" && request.task != "segment")
    return fail("there is no task '{}'; there are: label, segment", request.task);
  if (request.task == "segment" && learner->kind != ModelKind::kSearch)
    return fail(
        "task segment is learned by searn, laso-br, laso-bst, laso or incremental; learner {} labels "
        "segments "
        "as task label",
        request.learner);
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
    case ModelKind::kSearch:
      ESPALIER_TRY(train_search(job));
      break;
  }
  job.report.seconds = job.seconds();
  return std::move(job.report);
}

}  // namespace espalier::predictor

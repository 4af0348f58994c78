#include "espalier/model/train.h"

#include "espalier/data/formats/label_column.h"
#include "espalier/model/registry.h"
#include "espalier/model/training_job.h"

namespace espalier::model {

namespace {

/// The learner asked for, with its settings; or what is wrong with the request.
Result<std::unique_ptr<const ConfiguredLearner>> configure_learner(const TrainRequest& request) {
  if (request.train.empty()) return fail("no training file");
  ESPALIER_ASSIGN(const LearnerSpec* const learner, find_learner(request.learner));
  ESPALIER_ASSIGN(const Task* const task, find_task(request.task));
  ESPALIER_TRY(check_learner_of_task(*task, request.learner));
  const bool joint = task->kind == TaskKind::kJoint;
  if (joint && !data::several_label_columns(request.reading))
    return fail(
        "task joint decides several columns of labels: say which, in the order of decision, such as "
        "--label-column 2,3");
  if (!joint && data::several_label_columns(request.reading))
    return fail("label columns {}: several are decided by --task joint", request.reading.label_column);
  const Situation situation{*task, !request.dev.empty(), !request.constraints.empty(),
                            !request.start_from.empty(), request.resume || request.checkpoint_every > 0};
  return learner->configure(request.settings, situation);
}

}  // namespace

Status check_request(const TrainRequest& request) {
  ESPALIER_TRY(configure_learner(request));
  return {};
}

Result<TrainReport> train(const TrainRequest& request, const Monitor& monitor) {
  TrainingJob job(request, monitor);
  ESPALIER_ASSIGN(job.learner, configure_learner(request));
  ESPALIER_ASSIGN(job.task, find_task(request.task));
  if (!request.start_from.empty()) {
    ESPALIER_ASSIGN(job.old, Model::open(request.start_from));
  }
  ESPALIER_TRY(job.read_data());
  ESPALIER_TRY(job.learner->train(job));
  job.report.seconds = job.seconds();
  return std::move(job.report);
}

}  // namespace espalier::model

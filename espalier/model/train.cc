#include "espalier/model/train.h"

#include "espalier/base/files/input.h"
#include "espalier/base/files/scratch_file.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/model/registry.h"
#include "espalier/model/training/training_job.h"

namespace espalier::model {

namespace {

/// The configured learner, or an error about the request.
Result<std::unique_ptr<const ConfiguredLearner>> configure_learner(const TrainRequest& request) {
  if (request.train.empty()) return fail("there is nothing to train on");
  if (request.model.empty() && (request.resume || request.checkpoint_every > 0))
    return fail("checkpoints are written next to the model file; name that file");
  if (request.feature_text && request.feature_text->text.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail("{}: the template is empty; leave it out for the default features",
                request.feature_text->name);
  ESPALIER_ASSIGN(const LearnerSpec* const learner, find_learner(request.learner));
  ESPALIER_ASSIGN(const Task* const task, find_task(request.task));
  ESPALIER_TRY(check_learner_of_task(*task, request.learner));
  const bool joint = task->kind == TaskKind::kJoint;
  if (joint && !data::several_label_columns(request.reading))
    return fail(
        "task joint predicts several columns of labels; name them in the order of decision, such as "
        "--label-column 2,3");
  const bool parse = task->kind == TaskKind::kParse;
  if (parse && !request.word_lists.empty())
    return fail("task parse has features of its own; it does not support lexicons and word classes");
  if (!request.parsers.empty() && task->kind != TaskKind::kSummary)
    return fail("--parser goes with task summary");
  if (request.feature_text && task->kind == TaskKind::kSummary)
    return fail("task summary has features of its own and takes no template");
  if (!joint && !parse && data::several_label_columns(request.reading))
    return fail("label columns {}: several need --task joint", request.reading.label_column);
  if (request.start_from) {
    const ModelHeader& old = request.start_from->about();
    const std::string& name = request.start_from->file().name();
    if (old.learner != request.learner)
      return fail("{}: a model of learner {}, which learner {} cannot train further; take learner {}", name,
                  old.learner, request.learner, old.learner);
    if (old.task != request.task)
      return fail("{}: a model for task {}, which cannot be trained further for task {}", name, old.task,
                  request.task);
  }
  const Situation situation{*task,
                            !request.dev.empty(),
                            request.constraints.has_value(),
                            request.start_from != nullptr,
                            request.resume || request.checkpoint_every > 0,
                            request.ranks != nullptr && request.ranks->size() > 1,
                            request.memory > 0};
  return learner->configure(request.settings, situation);
}

}  // namespace

Status check_request(const TrainRequest& request) {
  ESPALIER_TRY(configure_learner(request));
  return {};
}

namespace {

Result<Trained> train_together(const TrainRequest& request, const Team& team) try {
  TrainingJob job(request, team.monitor(), team);
  ESPALIER_ASSIGN(job.learner, configure_learner(request));
  ESPALIER_ASSIGN(job.task, find_task(request.task));
  ESPALIER_TRY(job.read_data());
  ESPALIER_TRY(job.learner->train(job));
  job.report.seconds = job.seconds();
  return Trained{std::move(*job.saved), std::move(job.report)};
} catch (const ScratchFailure& failure) {  // the disk is full, or memory too small for what cannot leave it
  return Error{failure.what()};
}

}  // namespace

Result<Trained> train(const TrainRequest& request, const Monitor& monitor) {
  const Team team(request.ranks, monitor);
  if (team.alone()) return train_together(request, team);
  try {
    return train_together(request, team);
  } catch (const AnotherRankFailed& failure) {
    return fail("{}", failure.what());
  }
}

}  // namespace espalier::model

#include "espalier/predictor/train.h"

#include "espalier/data/label_column.h"
#include "espalier/predictor/train_brackets.h"
#include "espalier/predictor/train_cascade.h"
#include "espalier/predictor/train_chain.h"
#include "espalier/predictor/train_search.h"
#include "espalier/predictor/training_job.h"

namespace espalier::predictor {

Result<TrainReport> train(const TrainRequest& request, const Monitor& monitor) {
  if (request.train.empty()) return fail("no training file");
  ESPALIER_ASSIGN(const Learner* const learner, find_learner(request.learner));
  ESPALIER_ASSIGN(const Task* const task, find_task(request.task));
  ESPALIER_TRY(check_learner_of_task(*task, request.learner));
  const bool joint = request.task == "joint", segment = request.task == "segment";
  if (joint && !data::several_label_columns(request.reading))
    return fail(
        "task joint decides several columns of labels: say which, in the order of decision, such as "
        "--label-column 2,3");
  if (!joint && data::several_label_columns(request.reading))
    return fail("label columns {}: several are decided by --task joint", request.reading.label_column);
  TrainingJob job(request, monitor);
  job.task = task;
  ESPALIER_ASSIGN(job.values, check_parameters(request.learner, request.settings));
  const bool search = learner->kind == ModelKind::kSearch;
  job.keep_sequences =
      joint ||
      (search && (job.values.text("unit") == "chunk" || (segment && job.values.text("unit") != "word")));
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
    case ModelKind::kBrackets:
      ESPALIER_TRY(train_brackets(job));
      break;
  }
  job.report.seconds = job.seconds();
  return std::move(job.report);
}

}  // namespace espalier::predictor

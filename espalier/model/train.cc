#include "espalier/model/train.h"

#include "espalier/base/input.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/model/train_brackets.h"
#include "espalier/model/train_cascade.h"
#include "espalier/model/train_chain.h"
#include "espalier/model/train_search.h"
#include "espalier/model/training_job.h"

namespace espalier::model {

Result<std::optional<TemplateText>> read_template(const std::string& path) {
  if (path.empty()) return std::optional<TemplateText>();
  ESPALIER_ASSIGN(std::string text, read_text_file(path));
  return std::optional<TemplateText>({path, std::move(text)});
}

Status check_request(const TrainRequest& request) {
  if (request.train.empty()) return fail("there is nothing to train on");
  if (request.model.empty() && (request.resume || request.checkpoint_every > 0))
    return fail("checkpoints lie next to the file of the model: say where that goes");
  if (request.feature_text && request.feature_text->text.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail("{}: the template is empty; leave it out for the default features", request.feature_text->name);
  ESPALIER_ASSIGN(const Learner* const learner, find_learner(request.learner));
  ESPALIER_ASSIGN(const Task* const task, find_task(request.task));
  ESPALIER_TRY(check_learner_of_task(*task, request.learner));
  const bool joint = request.task == "joint";
  if (joint && !data::several_label_columns(request.reading))
    return fail(
        "task joint decides several columns of labels: say which, in the order of decision, such as "
        "--label-column 2,3");
  if (!joint && data::several_label_columns(request.reading))
    return fail("label columns {}: several are decided by --task joint", request.reading.label_column);
  ESPALIER_ASSIGN(const ParameterValues values, check_parameters(request.learner, request.settings));
  ESPALIER_TRY(check_use(*learner, *task, values));
  return learner->kind == ModelKind::kSearch ? check_search(request, values) : Status();
}

Result<Trained> train(const TrainRequest& request, const Monitor& monitor) {
  ESPALIER_TRY(check_request(request));
  ESPALIER_ASSIGN(const Learner* const learner, find_learner(request.learner));
  ESPALIER_ASSIGN(const Task* const task, find_task(request.task));
  TrainingJob job(request, monitor);
  job.task = task;
  ESPALIER_ASSIGN(job.values, check_parameters(request.learner, request.settings));
  job.keep_sequences = request.task == "joint" ||
                       (learner->kind == ModelKind::kSearch &&
                        search_choice(request.learner, request.task, job.values, "unit") == "chunk");
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
  return Trained{std::move(*job.saved), std::move(job.report)};
}

}  // namespace espalier::model

#include "espalier/model/task_data.h"

#include "espalier/model/registry.h"
#include "espalier/tasks/structures/json_tasks.h"
#include "espalier/tasks/structures/roles.h"

namespace espalier::model {

Result<std::unique_ptr<data::Reader>> open_task_reader(const data::Source& source, std::string_view task,
                                                       const data::ReadOptions& options) {
  ESPALIER_ASSIGN(const Task* const found, find_task(task));
  if (found->json && !source.in_memory()) return tasks::open_json_task(source.name(), *found->json, options);
  return data::open_source(source, options);
}

Result<std::vector<data::Sequence>> read_task_data(const std::vector<data::Source>& sources,
                                                   std::string_view task, const data::ReadOptions& options) {
  std::vector<data::Sequence> out;
  for (const data::Source& source : sources) {
    ESPALIER_ASSIGN(const auto reader, open_task_reader(source, task, options));
    while (true) {
      data::Sequence sequence;
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      out.push_back(std::move(sequence));
    }
  }
  return out;
}

constrain::InstanceMaker instances_of_task(std::string_view task) {
  const auto found = find_task(task);
  if (!found.ok() || !(*found)->json) return constrain::instance_of_rows;
  return [json = *(*found)->json](const constrain::Constraints& constraints, const data::Sequence& sequence) {
    return tasks::instance_of_json(constraints, sequence, json);
  };
}

constrain::ConstraintScope shape_of_task(const ModelHeader& about, const data::LabelSet& labels) {
  const auto found = find_task(about.task);
  if (found.ok() && (*found)->json == tasks::JsonTask::kRoles) return tasks::role_shape(labels);
  constrain::ConstraintScope shape;
  shape.name = about.task;
  shape.neighbours = !found.ok() || (*found)->neighbours;
  shape.columns = about.reading.columns;
  if (about.outputs > 0) shape.length = about.outputs;
  return shape;
}

}  // namespace espalier::model

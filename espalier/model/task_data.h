// The data of a task: how it is read, and what constraints can refer to.
//
// open_task_reader opens a source, read_task_data reads several into memory. Tested in
// apps/tests/tasks_test.sh.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/data/formats/source.h"
#include "espalier/model/model_header.h"

namespace espalier::model {

/// Opens data of a task: rows in the format of `options`, or the task's own JSON lines. For task parse with
/// labels_required, heads that are no tree are errors.
Result<std::unique_ptr<data::Reader>> open_task_reader(const data::Source& source, std::string_view task,
                                                       const data::ReadOptions& options);
/// All sequences of the sources, in order. `origins`, if not null, becomes the source of each.
Result<std::vector<data::Sequence>> read_task_data(const std::vector<data::Source>& sources,
                                                   std::string_view task, const data::ReadOptions& options,
                                                   std::vector<const data::Source*>* origins = nullptr);

/// What constraints see of a sequence of the task.
constrain::InstanceMaker instances_of_task(std::string_view task);
/// What constraints can refer to in a model of the task.
constrain::ConstraintScope shape_of_task(const ModelHeader& about, const data::LabelSet& labels);

}  // namespace espalier::model

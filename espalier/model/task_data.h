// What a task's data look like: how they are read, and what constraints can say about them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/data/formats/source.h"
#include "espalier/model/about.h"

namespace espalier::model {

/// Opens data of a task: rows of the format asked for, or the task's own JSON lines.
Result<std::unique_ptr<data::Reader>> open_task_reader(const data::Source& source, std::string_view task,
                                                       const data::ReadOptions& options);
/// Everything in the sources, in order.
Result<std::vector<data::Sequence>> read_task_data(const std::vector<data::Source>& sources,
                                                   std::string_view task, const data::ReadOptions& options);

/// What the rules see of a sequence of the task.
constrain::InstanceMaker instances_of_task(std::string_view task);
/// What constraints may speak about in a model of the task.
constrain::ConstraintScope shape_of_task(const About& about, const data::LabelSet& labels);

}  // namespace espalier::model

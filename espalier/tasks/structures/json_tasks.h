// Tasks whose instances are JSON lines: predicates with candidates (roles), sets of variables, clusters of
// documents (summary).
// open_json_task() reads them as sequences, so that every learner of labels can be used; append_json_task()
// writes them back with the predictions. Tested in roles_test.cc, variables_test.cc and
// apps/tests/tasks_test.sh.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "espalier/constrain/rules.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/formats/writer.h"

namespace espalier::tasks {

/// The tasks that are read from JSON lines.
enum class JsonTask { kRoles, kVariables, kSummary };

/// Opens a file of such a task (plain or gz, "-" for standard input). A sequence has one row per candidate or
/// variable, with precomputed features, its label if there is one, the cells that constraints refer to, and
/// the line itself as its first comment. Errors name file and line.
Result<std::unique_ptr<data::Reader>> open_json_task(const std::string& path, JsonTask task,
                                                     const data::ReadOptions& options);
/// The same for text in memory, which must outlive the reader.
Result<std::unique_ptr<data::Reader>> read_json_task(std::string_view text, std::string name, JsonTask task,
                                                     const data::ReadOptions& options);

/// The same for any input.
Result<std::unique_ptr<data::Reader>> read_json_input(Input input, JsonTask task,
                                                      const data::ReadOptions& options);

/// The line that a sequence was read from.
const std::string& json_line(const data::Sequence& sequence);

/// What constraints see of a sequence read like this.
constrain::Instance instance_of_json(const constrain::Constraints& constraints,
                                     const data::Sequence& sequence, JsonTask task);

/// The number of gold arguments of a predicate that are not among its candidates.
size_t missed_arguments(const data::Sequence& sequence);

/// Appends the line with the labels in their place (`role` of each candidate; the array `y`) and extra
/// fields.
void append_json_task(const data::Sequence& sequence, JsonTask task, std::span<const std::string_view> labels,
                      const data::ExtraFields& extra, std::string& out);

}  // namespace espalier::tasks

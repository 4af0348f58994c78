// Tasks whose instances are JSON lines: predicates with candidates (roles) and sets of variables. Read as
// sequences, so that everything that labels rows serves them; written back with what was predicted.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "espalier/constrain/rules.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/formats/writer.h"

namespace espalier::tasks {

/// The tasks of JSON lines.
enum class JsonTask { kRoles, kVariables };

/// Opens a file (plain or gz, "-" for standard input) of such a task. A sequence has a row a candidate or
/// variable, with ready-made features, its label where there is one, the cells that constraints speak about,
/// and the line itself as its first comment. Errors name file and line.
Result<std::unique_ptr<data::Reader>> open_json_task(const std::string& path, JsonTask task,
                                                     const data::ReadOptions& options);
/// The same over text in memory, which must outlive the reader.
Result<std::unique_ptr<data::Reader>> read_json_task(std::string_view text, std::string name, JsonTask task,
                                                     const data::ReadOptions& options);

/// The same over any input.
Result<std::unique_ptr<data::Reader>> read_json_input(Input input, JsonTask task,
                                                      const data::ReadOptions& options);

/// The line that a sequence was read from.
const std::string& json_line(const data::Sequence& sequence);

/// What the rules see of a sequence that was read so.
constrain::Instance instance_of_json(const constrain::Constraints& constraints,
                                     const data::Sequence& sequence, JsonTask task);

/// Gold arguments that are no candidate, of a predicate that was read as a sequence.
size_t missed_arguments(const data::Sequence& sequence);

/// Appends the line with the labels in their place (`role` of each candidate; the array `y`) and extra
/// fields beside them.
void append_json_task(const data::Sequence& sequence, JsonTask task, std::span<const std::string_view> labels,
                      const data::ExtraFields& extra, std::string& out);

}  // namespace espalier::tasks

// The body of the targets of JSON tasks: reads every line, looks at every cell and writes the line with
// labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/tasks/structures/json_tasks.h"

namespace espalier::fuzzing {

inline int read_json_task(const uint8_t* bytes, size_t size, tasks::JsonTask task) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const bool labels : {true, false}) {
    data::ReadOptions options;
    options.format = data::Format::kJsonLines;
    options.labels_required = labels;
    auto reader = tasks::read_json_task(text, "input", task, options);
    if (!reader.ok()) continue;
    data::Sequence sequence;
    std::string out;
    while (true) {
      const auto more = (*reader)->next(sequence);
      if (!more.ok() || !*more) break;
      size_t touched = tasks::missed_arguments(sequence);
      for (size_t row = 0; row < sequence.length(); ++row) {
        for (size_t column = 0; column < sequence.columns(); ++column)
          touched += sequence.cell(row, column).size();
        for (size_t i = 0; i < sequence.attribute_count(row); ++i)
          touched += sequence.attribute(row, i).name.size();
      }
      (void)touched;
      const std::vector<std::string_view> predicted(sequence.length(),
                                                    task == tasks::JsonTask::kSummary ? "in" : "X");
      out.clear();
      tasks::append_json_task(sequence, task, predicted, {}, out);
    }
  }
  return 0;
}

}  // namespace espalier::fuzzing

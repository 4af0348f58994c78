#include "espalier/tasks/structures/variables_files.h"

#include <iterator>

#include "espalier/base/text/format.h"

namespace espalier::tasks {

std::string variables_line(const VariablesData& data, size_t example) {
  std::string out = "{\"x\":[";
  for (size_t i = 0; i < data.variables; ++i) {
    out += i > 0 ? ",[" : "[";
    for (size_t k = 0; k + 1 < data.width; ++k)
      append_format(out, "{}{}", k > 0 ? "," : "", data.row(example, i)[k]);
    out += "]";
  }
  out += "],\"y\":[";
  for (size_t i = 0; i < data.variables; ++i)
    append_format(out, "{}{}", i > 0 ? "," : "", data.y[example] >> i & 1);
  return out + "]}\n";
}

std::string legal_assignments(const VariablesProblem& problem) {
  std::string out;
  for (const Assignment y : problem.legal)
    for (size_t i = 0; i < problem.variables; ++i) {
      out += (y >> i & 1) != 0 ? '1' : '0';
      out += i + 1 < problem.variables ? ' ' : '\n';
    }
  return out;
}

}  // namespace espalier::tasks

#include "apps/synth_variables.h"

#include <algorithm>
#include <filesystem>

#include "espalier/base/atomic_file.h"
#include "espalier/tasks/structures/variables_files.h"

namespace espalier::apps {

Status check_synth_variables(const SynthVariables& options) {
  if (options.variables < 1 || options.variables > 20)
    return fail("--variables {}: there can be 1 to 20", options.variables);
  if (options.dimensions < 1 || options.dimensions > 100000)
    return fail("--dimensions {}: a variable can have 1 to 100000", options.dimensions);
  if (!(options.kappa >= 0 && options.kappa <= 1))
    return fail("--kappa {}: a share lies between 0 and 1", options.kappa);
  if (options.variables == 1 && options.kappa > 0 && options.kappa < 1)
    return fail("--kappa {}: one variable with one legal value is labelled the same throughout",
                options.kappa);
  if (options.examples == 0) return fail("--sequences 0: there would be nothing to learn from");
  return {};
}

Result<std::vector<SynthFile>> write_synth_variables(const SynthVariables& options,
                                                     const std::string& directory, const Monitor& monitor) {
  ESPALIER_TRY(check_synth_variables(options));
  Random random(options.seed);
  const tasks::VariablesProblem problem = tasks::draw_problem(options.variables, options.dimensions, random);
  std::vector<SynthFile> files;
  const auto write = [&](std::string_view name, const auto& text_of, size_t lines) -> Status {
    SynthFile file{(std::filesystem::path(directory) / name).string()};
    ESPALIER_ASSIGN(AtomicFile out, AtomicFile::open(file.file));
    for (size_t i = 0; i < lines; ++i) {
      if (monitor.stop_requested()) return fail("interrupted");
      const std::string text = text_of(i);
      file.bytes += text.size();
      ESPALIER_TRY(out.write(text));
    }
    ESPALIER_TRY(out.commit());
    files.push_back(std::move(file));
    return {};
  };
  uint64_t part = 0;
  for (const auto& [name, share] : {std::pair{"train.jsonl", size_t{1}}, std::pair{"dev.jsonl", size_t{10}},
                                    std::pair{"test.jsonl", size_t{5}}}) {
    // One example at a time, so that the size of a file is no matter.
    Random own = random.split(++part);
    ESPALIER_TRY(write(
        name,
        [&](size_t) {
          return tasks::variables_line(tasks::draw_examples(problem, 1, options.kappa, own), 0);
        },
        std::max<size_t>(1, options.examples / share)));
  }
  ESPALIER_TRY(write(
      "legal.txt", [&](size_t) { return tasks::legal_assignments(problem); }, 1));
  ESPALIER_TRY(write(
      "constraints.txt", [&](size_t) { return std::string("legal: assignments \"legal.txt\"\n"); }, 1));
  return files;
}

}  // namespace espalier::apps

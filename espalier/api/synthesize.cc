// synthesize: generated corpora, for tests and for measuring how time and memory grow. Tested in
// apps/tests/verbs_test.sh and apps/tests/tasks_test.sh.
#include <algorithm>
#include <filesystem>

#include "espalier/api/corpus.h"
#include "espalier/api/public_monitor.h"
#include "espalier/api/tagger.h"
#include "espalier/base/files/atomic_file.h"
#include "espalier/base/random.h"
#include "espalier/data/synth/synth.h"
#include "espalier/public/tools.h"
#include "espalier/tasks/structures/variables_files.h"

namespace espalier {
namespace {

constexpr std::string_view kVariables = "variables";
// Dev and test data have this fraction of the training sequences.
constexpr size_t kDevShare = 10, kTestShare = 5;

Result<data::SynthOptions> options_of(const SynthOptions& from) {
  data::SynthOptions to;
  to.name = from.name;
  to.seed = from.seed;
  to.sequences = from.sequences;
  to.labels = from.labels;
  to.length = from.length;
  to.noise = from.noise;
  to.source = from.source;
  to.copies = from.copies;
  ESPALIER_ASSIGN(api::Reading reading, api::reading_of(from.reading, {from.source}));
  to.source_format = std::move(reading.options);
  return to;
}

Status check_variables(const SynthOptions& options) {
  if (options.variables < 1 || options.variables > 20)
    return fail("{} variables: there can be 1 to 20", options.variables);
  if (options.dimensions < 1 || options.dimensions > 100000)
    return fail("{} dimensions: a variable can have 1 to 100000", options.dimensions);
  if (!(options.kappa >= 0 && options.kappa <= 1))
    return fail("kappa {}: a share is between 0 and 1", options.kappa);
  if (options.variables == 1 && options.kappa > 0 && options.kappa < 1)
    return fail("kappa {}: one variable with one legal value is labelled the same throughout", options.kappa);
  if (options.sequences == 0) return fail("0 sequences: there would be nothing to learn from");
  return {};
}

/// Writes one file with the text that `write_lines` passes on.
template <typename WriteLines>
Result<SynthFile> write_file(const std::string& folder, std::string_view name, uint64_t seed,
                             const WriteLines& write_lines) {
  SynthFile file{(std::filesystem::path(folder) / name).string(), 0, seed};
  ESPALIER_ASSIGN(AtomicFile out, AtomicFile::open(file.path));
  ESPALIER_TRY(write_lines([&](std::string_view text) {
    file.bytes += text.size();
    return out.write(text);
  }));
  ESPALIER_TRY(out.commit());
  return file;
}

Result<std::vector<SynthFile>> write_variables(const std::string& folder, const SynthOptions& options,
                                               const Monitor& monitor) {
  Random random(options.seed);
  const tasks::VariablesProblem problem = tasks::draw_problem(options.variables, options.dimensions, random);
  std::vector<SynthFile> files;
  uint64_t part = 0;
  for (const auto& [name, share] : {std::pair{"train.jsonl", size_t{1}}, std::pair{"dev.jsonl", kDevShare},
                                    std::pair{"test.jsonl", kTestShare}}) {
    // One example at a time, so that memory does not grow with the file.
    Random own = random.split(++part);
    const size_t lines = std::max<size_t>(1, options.sequences / share);
    ESPALIER_ASSIGN(SynthFile file, write_file(folder, name, options.seed, [&](const auto& write) -> Status {
                      for (size_t i = 0; i < lines; ++i) {
                        if (monitor.stop_requested()) return fail("stopped before everything was written");
                        ESPALIER_TRY(write(
                            tasks::variables_line(tasks::draw_examples(problem, 1, options.kappa, own), 0)));
                      }
                      return {};
                    }));
    files.push_back(std::move(file));
  }
  ESPALIER_ASSIGN(SynthFile legal, write_file(folder, "legal.txt", options.seed, [&](const auto& write) {
                    return write(tasks::legal_assignments(problem));
                  }));
  files.push_back(std::move(legal));
  ESPALIER_ASSIGN(SynthFile rules, write_file(folder, "constraints.txt", options.seed, [](const auto& write) {
                    return write("legal: assignments \"legal.txt\"\n");
                  }));
  files.push_back(std::move(rules));
  return files;
}

}  // namespace

std::vector<SynthKind> synth_kinds() {
  std::vector<SynthKind> out;
  for (const data::SynthKind& kind : data::synth_kinds())
    out.push_back({std::string(kind.name), std::string(kind.description)});
  out.push_back({std::string(kVariables),
                 "binary variables under a random list of legal assignments, for task variables"});
  return out;
}

Status check_options(const SynthOptions& options) {
  if (options.name == kVariables) return check_variables(options);
  ESPALIER_ASSIGN(data::SynthOptions one, options_of(options));
  if (options.name == "copies")
    return options.source.empty() ? Status(fail("copies needs a source file to multiply")) : Status();
  one.sequences = 1;  // options out of range are found with the first sequence
  return data::synthesize(one, [](std::string_view) { return Status(); });
}

Result<std::vector<SynthFile>> synthesize(const std::string& folder, const SynthOptions& options,
                                          const std::function<bool(const Progress&)>& on_progress,
                                          const std::atomic<bool>* stop) {
  ESPALIER_TRY(check_options(options));
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return fail("cannot make the directory '{}': {}", folder, code.message());
  const api::PublicMonitor monitor(on_progress, stop);
  if (options.name == kVariables) return write_variables(folder, options, monitor.monitor());
  ESPALIER_ASSIGN(const data::SynthOptions all, options_of(options));
  std::vector<std::pair<std::string, data::SynthOptions>> parts;
  if (options.name == "copies") {
    const bool conllu = all.source_format.format == data::Format::kConllu;
    parts.emplace_back(conllu ? "train.conllu" : "train.txt", all);
  } else {
    data::SynthOptions part = all;
    parts.emplace_back("train.txt", part);
    for (const auto& [name, share] : {std::pair{"dev.txt", kDevShare}, std::pair{"test.txt", kTestShare}}) {
      ++part.seed;
      part.sequences = std::max<size_t>(1, all.sequences / share);
      parts.emplace_back(name, part);
    }
  }
  std::vector<SynthFile> files;
  for (const auto& [name, part] : parts) {
    const data::SynthOptions& wanted = part;
    ESPALIER_ASSIGN(SynthFile file, write_file(folder, name, part.seed, [&](const auto& write) -> Status {
                      ESPALIER_TRY(data::synthesize(wanted, write, monitor.monitor()));
                      if (monitor.stopped()) return fail("stopped before everything was written");
                      return {};
                    }));
    files.push_back(std::move(file));
  }
  return files;
}

Status check_writable(const std::string& path) { return AtomicFile::check_writable(path); }
std::string version() { return ESPALIER_VERSION; }

}  // namespace espalier

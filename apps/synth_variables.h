// The synthetic variables under a list of legal assignments, as files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"

namespace espalier::apps {

struct SynthVariables {
  size_t examples = 1000;
  uint64_t seed = 1;
  size_t variables = 5, dimensions = 100;
  double kappa = 0.15;  ///< share of examples whose labels need inference
};

/// What can be wrong with the options.
Status check_synth_variables(const SynthVariables& options);

/// Writes train.jsonl, dev.jsonl, test.jsonl, legal.txt (the list) and constraints.txt (which names it) to a
/// directory that is there. The files with their sizes, in this order.
struct SynthFile {
  std::string file;
  size_t bytes = 0;
};
Result<std::vector<SynthFile>> write_synth_variables(const SynthVariables& options,
                                                     const std::string& directory, const Monitor& monitor);

}  // namespace espalier::apps

#include "experiments/experiments.h"

#include <algorithm>

#include "espalier/base/text.h"
#include "experiments/experiment.h"

namespace espalier::experiments {

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> all = {
      // One line each: {name, summary, {corpora}, function of experiments.h}.
      {"beam-counterexamples",
       "margins that do not make beam-search learners converge (2007, Figure 5)",
       {},
       beam_counterexamples},
      {"beam-bounds",
       "updates of beam-search learners within their bounds (2007, Theorems 7 to 9)",
       {},
       beam_bounds},
      {"beam-consistency",
       "whether ranking functions for beam search exist, decided exactly (2007, Theorems 1 to 6)",
       {},
       beam_consistency},
  };
  return all;
}

Result<const Experiment*> find_experiment(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return &experiment;
    names.push_back(experiment.name);
  }
  const std::string near = nearest(name, names);
  return fail("there is no experiment '{}'{}; reproduce --list shows them all", name,
              near.empty() ? "" : fmt::format(" (did you mean {}?)", near));
}

}  // namespace espalier::experiments

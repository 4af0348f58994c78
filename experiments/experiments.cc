#include "experiments/experiments.h"

#include <algorithm>

#include "espalier/base/text.h"
#include "experiments/experiment.h"

namespace espalier::experiments {

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> all = {
      // One line each: {name, summary, {corpora}, function of experiments.h}.
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

#include "experiments/experiments.h"

#include <algorithm>

#include "espalier/base/text.h"
#include "experiments/experiment.h"

namespace espalier::experiments {

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> all = {
      // One line each: {name, summary, {corpora}, function of experiments.h}.
      {"constrained-synthetic",
       "learning only, with inference, through inference: synthetic variables (2005, Figure 2)",
       {},
       constrained_synthetic},
      {"constrained-roles",
       "the same for semantic roles by the number of features (2005, Figure 3)",
       {"srl-ewt/train.verbs.jsonl.gz", "srl-ewt/test.verbs.jsonl.gz", "srl-ewt/rolesets.tsv.gz",
        "srl-wsj/train.verbs.jsonl.gz", "srl-wsj/test.verbs.jsonl.gz"},
       constrained_roles},
      {"constrained-np",
       "the same for base noun phrases by the features' frequency (2005, Figure 4)",
       {"conll2000/np_train.txt.gz", "conll2000/np_test.txt.gz"},
       constrained_np},
      {"constrained-bounds",
       "bounds on the error of local and global training (2005, Figure 5)",
       {},
       constrained_bounds},
      {"constrained-speed",
       "what constraints cost: Viterbi, automata, integer programs",
       {},
       constrained_speed},
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

// The parameter `mixing` of learners that go over the data sequence by sequence, for several ranks. Tested in
// train_ranks_test.cc and learner_test.cc.
#pragma once

#include "espalier/model/parameters.h"

namespace espalier::model {

enum class Mixing { kNone, kEveryPass };

template <typename O>
void add_mixing(ParameterTable<O> table) {
  table.choice(
      "mixing", &O::mixing, {{"none", Mixing::kNone}, {"every-pass", Mixing::kEveryPass}},
      "several ranks: none, all step together (the model of one rank); every-pass, each learns from its "
      "own part and weights are mixed after each pass, for slow networks (docs/cluster.md)",
      kAdvanced);
  table.clash([](const O& o,
                 const Situation& situation) { return o.mixing == Mixing::kEveryPass && !situation.ranks; },
              "mixing=every-pass has an effect on several ranks only (espalier-mpi)");
  table.clash(
      [](const O& o, const Situation& situation) {
        return o.mixing == Mixing::kEveryPass && situation.start_from;
      },
      "mixing=every-pass cannot train a model further; leave one of them out");
}

}  // namespace espalier::model

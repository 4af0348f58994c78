// From votes to a model: chooses a method on held-out data, learns, calibrates confidences.
//
// Call learn_ensemble; learn_from_experts.h fills the request from options and data. Tested in model_test.cc.
// Linear in tokens × experts for each candidate and fold.
#pragma once

#include <functional>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/ensemble/model.h"
#include "espalier/ensemble/votes/vote_store.h"

namespace espalier::ensemble {

struct LearnRequest {
  std::vector<Method> methods;  ///< if several: compared on held-out data
  std::vector<double> betas;    ///< if several: compared; empty: that of `options`
  MethodOptions options;
  bool learn_switch = false;  ///< best expert for short sequences, ensemble for long
  bool calibrate = true;
  bool legal = true;  ///< held-out labels are decoded under the scheme, as they will be in use
  SubstructureOptions substructures;
  data::Scheme scheme = data::Scheme::kNone;
  VoteForm form = VoteForm::kProduct;
  bool probabilities = false;  ///< votes are weighed by experts' probabilities; espboost only
  bool aligned = false;        ///< votes are columns of aligned outputs; kGapText is one of the labels
  uint64_t seed = 1;
  int threads = 1;
};

struct LearnOutcome {
  EnsembleModel model;
  std::vector<Candidate> candidates;  ///< if there was a choice
  double held_out_error = -1;  ///< of the chosen method, on tokens it did not learn from; −1: not measured
  double held_out_best = -1;   ///< of the best expert, on the same
  double held_out_edits = -1;  ///< mean edit distance per sequence, if outputs are aligned
  double held_out_best_edits = -1;
  std::vector<std::string> notes;
};

/// Learns from the votes of a store. Where the store is in memory, so are the substructures; otherwise they
/// are encoded again in every pass, and memory does not grow with the number of sequences (except for what
/// rand keeps, and the distinct patterns of espboost and sle). The label set is the one the votes refer to,
/// and is moved into the model. The caller adds experts' names and the automaton.
Result<LearnOutcome> learn_ensemble(const VoteStore& sample, data::LabelSet labels,
                                    const LearnRequest& request, const Monitor& monitor = {});

}  // namespace espalier::ensemble

// Decoding of the sequence tasks by search: decode_labels() labels one sequence with a trained policy,
// greedily, with a beam, best-first or by drawing classifiers. The template is in decode_by_search.h,
// compiled in search_decoding.cc for the four spaces and in summary/summary_search.cc for summaries. Tested
// in search_training_test.cc.
#pragma once

#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/predictor.h"
#include "espalier/search/policy/policy.h"
#include "espalier/tasks/spaces/sequence_problem.h"
#include "espalier/tasks/summary/summary_space.h"

namespace espalier::tasks {

/// How decisions are combined when tagging.
struct DecodeOptions {
  size_t beam = 1;          ///< width of the beam; 1: greedy
  bool best_first = false;  ///< best-first instead of breadth-first search with this beam
  bool stochastic = false;  ///< draw a classifier for each decision (greedy)
  bool normalise = false;  ///< turn the scores of each state into log-probabilities first: for classifiers of
                           ///< single decisions, not for weights learned with a beam
  uint64_t seed = 1;       ///< seed of the stochastic policy: one_seed() of the sequence
  size_t nbest = 1;        ///< if greater than 1, the best goals of a breadth-first beam, as many as it has
};
/// The seed for one sequence, derived from the model's seed and all features of the sequence. Different
/// sequences get different draws, and the same sequence the same ones in any order and on any thread.
uint64_t one_seed(uint64_t seed, const data::HashedFeatures& features);

struct Decoded {
  struct Way {
    std::vector<search::Action> actions;
    std::vector<data::Label> labels;  ///< one per token, column by column
    double score = 0;
  };
  std::vector<Way> best;  ///< at least one, best first
  data::SearchEnd ended = data::SearchEnd::kApproximate;
};
/// Decodes a sequence for which the mixture has begun its blocks. Best-first search is limited in steps; if
/// it reaches the limit, a breadth-first search decides and the outcome says so. Fails if the search ends
/// without a goal.
Result<Decoded> decode_labels(const LabelSpace& space, const DecisionPlan& plan, size_t length,
                              const search::Mixture& policy, const DecodeOptions& options);
Result<Decoded> decode_labels(const JointSpace& space, const DecisionPlan& plan, size_t length,
                              const search::Mixture& policy, const DecodeOptions& options);
Result<Decoded> decode_labels(const EasiestSpace& space, const DecisionPlan& plan, size_t length,
                              const search::Mixture& policy, const DecodeOptions& options);
Result<Decoded> decode_labels(const ChunkSpace& space, const DecisionPlan& plan, size_t length,
                              const search::Mixture& policy, const DecodeOptions& options);
/// The pieces of a summary are the candidates of the actions; labels stay empty. `longest`: the limit.
Result<Decoded> decode_pieces(const SummarySpace& space, size_t longest, const search::Mixture& policy,
                              const DecodeOptions& options);

}  // namespace espalier::tasks

// The votes of one sequence in, one labelling out. Tested in substructures_test.cc and model_test.cc.
//
// Combiner does it under a rule; ensemble/apply.h adds confidences and text. O(items × experts), plus a
// Viterbi over labels where a scheme or n-grams tie tokens together.
#pragma once

#include <memory>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/chain/lattice/label_automaton.h"
#include "espalier/ensemble/automaton/automaton.h"
#include "espalier/ensemble/methods/online.h"
#include "espalier/ensemble/methods/weight_table.h"
#include "espalier/ensemble/votes/substructures.h"
#include "espalier/ensemble/votes/token_votes.h"

namespace espalier::ensemble {

/// How votes become labels. What is pointed to must outlive the Combiner.
struct CombineRule {
  const WeightTable* table = nullptr;
  const DistributionSuffix* suffix = nullptr;  ///< rand: paths are drawn
  const ExpertAutomaton* automaton = nullptr;  ///< paths that are allowed
  const WeightTable* short_table = nullptr;    ///< for sequences below switch_length
  size_t switch_length = 0;                    ///< 0: never
  data::Scheme legal = data::Scheme::kNone;    ///< scheme that the output keeps
  VoteForm form = VoteForm::kProduct;          ///< where an automaton or a scheme ties items together
  uint64_t seed = 1;                           ///< of rand
};

struct Combined {
  std::vector<data::Label> labels;  ///< data::kNoLabel if all experts abstain
  std::vector<double> share;        ///< the vote's own confidence, one per token, not calibrated
};

/// Labels sequences one after the other. Not for several threads at once: it adds labels to the set.
class Combiner {
 public:
  Combiner(const CombineRule& rule, Substructures& substructures, data::LabelSet& labels);
  /// `number` is the sequence's, from 0: it keys the random draw of rand.
  Status combine(const TokenVotes& tokens, size_t number, Combined& out);

 private:
  const chain::LabelAutomaton* scheme_states();
  void random_path(const VoteView& view, size_t number, Combined& out);

  CombineRule rule_;
  Substructures& substructures_;
  data::LabelSet& labels_;
  chain::LabelAutomaton scheme_automaton_;
  std::unique_ptr<AutomatonVote> automaton_vote_;
  std::vector<Value> values_;
  std::vector<uint32_t> path_;
  std::vector<float> conditional_;
  std::vector<double> weights_;
  std::vector<Substructures::ItemWinner> winners_;
};

}  // namespace espalier::ensemble

// From open experts to an ensemble: reads them, decides what the data must decide, learns.
//
// Call learn_from_experts with streams over gold and experts (experts/open_experts.h). It decides whether
// outputs are put side by side, finds the label scheme, picks the substructures where none are asked for,
// opens the automaton and hands over to learn_ensemble (learn.h), which chooses and learns from the votes
// alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/ensemble/experts/aligned_experts.h"
#include "espalier/ensemble/learn.h"

namespace espalier::ensemble {

/// Whether outputs of unequal length are put side by side.
enum class AlignOutputs {
  kAuto,  ///< where gold and experts hold labels alone and the numbers of labels differ
  kYes,
  kNo,
};
Result<AlignOutputs> parse_align(std::string_view text);

struct ExpertLearning {
  LearnRequest request;  ///< substructures, scheme, aligned and automaton are set by learn_from_experts
  std::optional<SubstructureOptions> substructures;  ///< not set: positions or classes, by the data
  AlignOutputs align = AlignOutputs::kAuto;
  std::string automaton;           ///< OpenFst file of the paths through experts that are allowed; empty: all
  std::string probability_column;  ///< of experts' files; empty: the one after the label
  size_t memory = VoteStore::kDefaultMemory;  ///< bytes of votes kept in memory
};
/// What is wrong with the settings whatever the data.
Status check(const ExpertLearning& settings);

struct LearnedEnsemble {
  LearnOutcome outcome;
  size_t left_out = 0;  ///< sequences
};
/// `labels` is the set that `aligned` adds to. Fails with "interrupted …" where the monitor asks to stop.
Result<LearnedEnsemble> learn_from_experts(AlignedExperts& aligned, data::LabelSet& labels,
                                           ExpertLearning settings, const Monitor& monitor = {});

}  // namespace espalier::ensemble

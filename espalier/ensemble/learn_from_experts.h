// From open experts to an ensemble: reads them, decides what the data must decide, learns.
//
// Call learn_from_experts with streams over gold and experts (experts/open_experts.h). It decides whether
// outputs are aligned, detects the label scheme, chooses the substructures if the options name none,
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

/// Whether outputs of unequal length are aligned.
enum class AlignOutputs {
  kAuto,  ///< if gold and experts have labels only and the numbers of labels differ
  kYes,
  kNo,
};
Result<AlignOutputs> parse_align(std::string_view text);

struct ExpertLearning {
  LearnRequest request;  ///< substructures, scheme, aligned and automaton are set by learn_from_experts
  std::optional<SubstructureOptions> substructures;  ///< not set: positions or classes, by the data
  AlignOutputs align = AlignOutputs::kAuto;
  std::string automaton;           ///< OpenFst file with the allowed paths through the experts; empty: all
  std::string probability_column;  ///< of experts' files; empty: the column after the label
  size_t memory = VoteStore::kDefaultMemory;  ///< bytes of votes kept in memory
};
/// An error if the settings are wrong for any data.
Status check(const ExpertLearning& settings);

struct LearnedEnsemble {
  LearnOutcome outcome;
  size_t left_out = 0;  ///< sequences
};
/// `labels` is the set that `aligned` adds to. Fails with "interrupted …" where the monitor asks to stop.
Result<LearnedEnsemble> learn_from_experts(AlignedExperts& aligned, data::LabelSet& labels,
                                           ExpertLearning settings, const Monitor& monitor = {});

}  // namespace espalier::ensemble

// Labelled data and what experts say about it, read once: the votes, and what learning must know about them.
//
// Call read_sample; tested in learn_from_experts_test.cc. One pass over all streams, O(tokens × experts);
// votes beyond the memory given go to a temporary file (vote_store.h).
#pragma once

#include <string>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/data/label_scheme.h"
#include "espalier/ensemble/experts/aligned_experts.h"
#include "espalier/ensemble/votes/vote_store.h"

namespace espalier::ensemble {

struct Sample {
  explicit Sample(size_t memory) : votes(memory) {}

  VoteStore votes;
  size_t sequences = 0, tokens = 0;
  size_t left_out = 0;     ///< sequences that an expert lacks (Missing::kLeaveOut)
  bool one_length = true;  ///< all sequences that are not empty have `length` tokens
  size_t length = 0;
  data::Scheme scheme = data::Scheme::kNone;  ///< of the gold labels
  std::vector<uint64_t> fingerprint;          ///< per expert, of all it says
  std::vector<size_t> uses;                   ///< labels × experts: how often
  std::vector<uint8_t> in_gold;               ///< per label

  /// Messages about unusual experts: only one, two that agree throughout, labels that gold does not have.
  std::vector<std::string> remarks(const std::vector<std::string>& names, const data::LabelSet& labels) const;
};

/// `labels` is the set that `aligned` adds to; `memory` in bytes.
Result<Sample> read_sample(AlignedExperts& aligned, const data::LabelSet& labels, size_t memory,
                           const Monitor& monitor);

}  // namespace espalier::ensemble

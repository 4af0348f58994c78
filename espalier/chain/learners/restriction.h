// Training with constraints: what a learner asks for where not every labelling may be.
#pragma once

#include <cstddef>
#include <span>

#include "espalier/chain/kernels.h"
#include "espalier/data/label_set.h"

namespace espalier::chain {

/// The labellings of each training sequence that may be, and what some of them cost. Implemented above this
/// module (constrain/training.h), so that learners need not know where constraints come from. Safe for any
/// number of threads.
class Restriction {
 public:
  virtual ~Restriction() = default;

  /// False: every labelling of this sequence may be, and nothing below is called for it. The gold labelling
  /// of a sequence that is restricted is always among those that may be.
  virtual bool applies(size_t sequence) const = 0;
  /// The labelling that may be with the highest score less penalties.
  virtual void best(size_t sequence, const ChainScores& scores, ChainScratch& scratch,
                    data::Label* labels) const = 0;
  /// forward_backward over the labellings that may be, each weighted by exp(score − penalty): log Z;
  /// marginals T×S, set; pairs K×S, +=; edge T×K×S or null, set.
  virtual double sums(size_t sequence, const ChainScores& scores, ChainScratch& scratch, float* marginals,
                      float* pairs, float* edge) const = 0;
  /// What soft constraints take off the score of a labelling.
  virtual double penalty(size_t sequence, std::span<const data::Label> labels) const = 0;
};

/// Decodes a training sequence: among all labellings, or those that may be.
inline void decode_for_training(const Restriction* restriction, size_t sequence, const ChainScores& scores,
                                ChainScratch& scratch, data::Label* labels) {
  if (restriction != nullptr && restriction->applies(sequence)) {
    restriction->best(sequence, scores, scratch, labels);
  } else {
    viterbi(scores, scratch, labels);
  }
}

}  // namespace espalier::chain

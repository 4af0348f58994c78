// The interface between learners and constraints: which labellings of a training sequence are allowed.
// Learners call it through TrainingContext::restriction; constrain/training.h implements it.
#pragma once

#include <cstddef>
#include <span>

#include "espalier/chain/kernels.h"
#include "espalier/data/label_set.h"

namespace espalier::chain {

/// The allowed labellings of each training sequence, and the penalties of some of them. An interface, because
/// constraints live above this module. Safe for any number of threads.
class Restriction {
 public:
  virtual ~Restriction() = default;

  /// False: every labelling of this sequence is allowed, and nothing below is called for it. The gold
  /// labelling of a restricted sequence is always allowed.
  virtual bool applies(size_t sequence) const = 0;
  /// The allowed labelling with the highest score minus penalties.
  virtual void best(size_t sequence, const ChainScores& scores, ChainScratch& scratch,
                    data::Label* labels) const = 0;
  /// forward_backward over the allowed labellings, each weighted by exp(score − penalty): log Z;
  /// marginals T×S, set; pairs K×S, +=; edge T×K×S or null, set.
  virtual double sums(size_t sequence, const ChainScores& scores, ChainScratch& scratch, float* marginals,
                      float* pairs, float* edge) const = 0;
  /// The penalty of a labelling under soft constraints.
  virtual double penalty(size_t sequence, std::span<const data::Label> labels) const = 0;
};

/// Decodes a training sequence, among the allowed labellings if there is a restriction.
inline void decode_for_training(const Restriction* restriction, size_t sequence, const ChainScores& scores,
                                ChainScratch& scratch, data::Label* labels) {
  if (restriction != nullptr && restriction->applies(sequence)) {
    restriction->best(sequence, scores, scratch, labels);
  } else {
    viterbi(scores, scratch, labels);
  }
}

}  // namespace espalier::chain

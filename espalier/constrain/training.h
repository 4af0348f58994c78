// Constraints in training (inference-based training): the restrictions that chain learners and the last level
// of a cascade take.
#pragma once

#include <string>
#include <vector>

#include "espalier/cascade/restriction.h"
#include "espalier/chain/learners/restriction.h"
#include "espalier/constrain/decode.h"
#include "espalier/linear/encoding/dataset.h"

namespace espalier::constrain {

/// The allowed labellings of a training set. Sequences whose own gold labels break a hard constraint are
/// counted, reported, and left unrestricted, since their gold labelling could not be learned otherwise. Safe
/// for any number of threads.
class TrainingRestriction final : public chain::Restriction, public cascade::LatticeRestriction {
 public:
  /// One instance per sequence of the data set.
  TrainingRestriction(Constraints constraints, std::vector<Instance> instances, const linear::Dataset& data,
                      DecodeOptions options);

  /// For decoding: every sequence is restricted, whatever its labels.
  static TrainingRestriction for_decoding(Constraints constraints, std::vector<Instance> instances,
                                          DecodeOptions options);

  bool applies(size_t sequence) const override { return restricted_[sequence] != 0; }
  void best(size_t sequence, const Scores& scores, chain::ChainScratch& scratch,
            data::Label* labels) const override;
  double sums(size_t sequence, const Scores& scores, chain::ChainScratch& scratch, float* marginals,
              float* pairs, float* edge) const override;
  double penalty(size_t sequence, std::span<const data::Label> labels) const override;
  cascade::LegalPart legal_part(size_t sequence, const chain::Lattice& lattice) const override;

  const Compiled& compiled() const { return compiled_; }
  size_t unrestricted() const { return unrestricted_; }
  /// "12 of 8936 sequences break hard constraints and were trained on without: scheme (10), core (2)"; empty
  /// if none does.
  std::string note() const;
  /// Makes note() speak of the sequences of all ranks.
  void count_on(const Team& team);
  /// The same for a selection of the sequences, in this order.
  TrainingRestriction subset(std::span<const uint32_t> sequences) const;

 private:
  TrainingRestriction(Constraints constraints, DecodeOptions options)
      : compiled_(std::move(constraints)), options_(options) {}
  double sums_on_lattice(const Instance& instance, const Scores& scores, float* marginals, float* pairs,
                         float* edge) const;

  Compiled compiled_;
  std::vector<Instance> instances_;
  std::vector<uint8_t> restricted_;
  DecodeOptions options_;
  size_t unrestricted_ = 0;
  size_t sequences_ = 0;        ///< that note() speaks of
  std::vector<size_t> broken_;  ///< per statement: sequences whose labels break it
};

}  // namespace espalier::constrain

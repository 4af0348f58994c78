// How good an ensemble and its experts are, and where, measured on labelled data.
//
// Call report_on_streams over open experts, or fill a Reporter with votes; tested in model_test.cc.
// O(tokens × experts²): the ensemble is also measured without each expert.
#pragma once

#include <string>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/ensemble/experts/aligned_experts.h"
#include "espalier/ensemble/methods/espboost.h"
#include "espalier/ensemble/model.h"
#include "espalier/eval/scores.h"
#include "espalier/eval/significance.h"

namespace espalier::ensemble {

/// Right and seen, of tokens.
struct Hits {
  size_t right = 0, total = 0;
  double percent() const {
    return total == 0 ? 0 : 100.0 * static_cast<double>(right) / static_cast<double>(total);
  }
};

/// Whole sequences, if outputs of unequal length are aligned: gold compared with an output without
/// its gaps.
struct WholeSequences {
  size_t sequences = 0, exact = 0, edits = 0;
  void add(std::span<const data::Label> gold, std::span<const data::Label> said);
  double edit_distance() const {
    return sequences == 0 ? 0 : static_cast<double>(edits) / static_cast<double>(sequences);
  }
  double exact_percent() const {
    return sequences == 0 ? 0 : 100.0 * static_cast<double>(exact) / static_cast<double>(sequences);
  }
};

struct ExpertReport {
  std::string name;
  eval::TaggingScores scores;
  WholeSequences whole;
  double weight = 0;         ///< its share of the weight where it votes, 0 to 1
  double left_out_loss = 0;  ///< loss of the ensemble without it minus loss with it
  size_t silent_sequences = 0;
  std::vector<Hits> by_class = std::vector<Hits>(kPositionClasses);
  std::vector<Hits> by_label;  ///< by gold label
};

/// Bounds of the paper on this sample (bounds.h); those that do not apply are left out.
struct BoundLine {
  std::string name;
  double bound = 0, measured = 0;
  std::string meaning;
};

struct EnsembleReport {
  size_t sequences = 0, tokens = 0;
  eval::TaggingScores ensemble, majority;
  std::vector<ExpertReport> experts;
  std::vector<Hits>
      agreement;  ///< experts × experts: tokens on which two say the same, of those both speak at
  double loss = 0, majority_loss = 0;  ///< mean normalised Hamming loss
  std::vector<double> expert_loss;
  size_t best_expert = 0;  ///< on this data
  bool aligned = false;    ///< outputs of unequal length were aligned: tokens are columns
  WholeSequences whole;    ///< of the ensemble; without alignment neither insertions nor deletions occur
  WholeSequences majority_whole;
  eval::BootstrapResult against_best;  ///< ensemble (second) against the best expert (first)
  eval::Reliability sequence_calibration;
};

/// Runs the model and everything it is compared with over labelled votes. Memory grows with labels, experts
/// and sequences (a few numbers each), not with tokens.
class Reporter {
 public:
  /// The model must outlive it; `labels` is the growing set that votes refer to, which begins as the model's.
  Reporter(const EnsembleModel& model, bool legal, data::LabelSet& labels, uint64_t seed);
  ~Reporter();
  /// Precondition: gold labels are there.
  Status add(const TokenVotes& tokens);
  Result<EnsembleReport> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The report on all that open experts have read. `labels` begins as the model's and is the set that
/// `aligned` adds to. Fails with "interrupted …" where the monitor asks to stop.
Result<EnsembleReport> report_on_streams(const EnsembleModel& model, bool legal, AlignedExperts& aligned,
                                         data::LabelSet& labels, uint64_t seed, const Monitor& monitor);

/// Theorems 1, 4 and 5 and Proposition 2 for the model on a sample.
Result<std::vector<BoundLine>> paper_bounds(VoteSource& source, const EnsembleModel& model, double rho);

}  // namespace espalier::ensemble

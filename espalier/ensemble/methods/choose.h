// What is chosen on held-out data: the method, β, and the length from which the ensemble takes over.
//
// try_candidates measures by cross-validation, best_candidate picks, choose_switch finds the length. Tested
// in model_test.cc.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/ensemble/methods/methods.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

/// The values of β that are tried where none is given; the more sequences there are, the closer to 1 is best.
inline constexpr double kBetas[] = {0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999};

struct Candidate {
  Method method = Method::kMvote;
  double beta = 0;       ///< 0 where the method has none
  double loss = 0;       ///< mean normalised Hamming loss on sequences not learned from
  double deviation = 0;  ///< of the folds
  std::string failure;   ///< why the method could not learn, where it could not
  std::vector<double> fold_losses = {};
  /// Of every sequence with known gold, fold after fold: what candidates are compared by. Not kept for rand.
  std::vector<float> sequence_losses = {};
};

/// Folds of cross-validation for so many sequences: five, fewer where there are fewer sequences; 0: too few.
int choice_folds(size_t sequences);

/// A sample that can be divided: makes streams over the sequences of fold `fold` of `folds` (inside), or over
/// all others. Called from several threads at once; each uses the stream it made.
struct DividedSample {
  size_t sequences = 0;
  std::function<std::unique_ptr<VoteSource>(int folds, int fold, bool inside)> part;
};
/// A batch, which must outlive it, divided by data::fold_of.
DividedSample divide(const VoteBatch& batch, uint64_t seed);

/// Tries each method (and each β, where that is left open) by cross-validation; the candidates in the order
/// tried. `betas` empty: that of the options alone.
Result<std::vector<Candidate>> try_candidates(const DividedSample& sample, std::span<const Method> methods,
                                              std::span<const double> betas, const MethodOptions& options,
                                              const Workers& workers, const Monitor& monitor);
/// The candidate to take. The lowest of many losses is low by chance, too, so what needs nothing learned goes
/// first: simple majority, where that is among the candidates, gives way only to candidates that are better
/// by more than noise, by sure_by() standard errors of the paired difference over the held-out sequences. Of
/// those, the one with the lowest loss is taken; but the single best expert, if it is
/// one of them, gives way to it by the same rule only. Without majority, the best expert takes its place;
/// without both, the lowest loss wins, ties going to the first. `reproduce ensemble-choice` measures what
/// this costs. Precondition: a candidate that did not fail.
/// With 100 sequences or fewer, 1.8 standard errors are asked for (one-sided, 4 %), and less with more: what
/// a wrong choice costs falls with the standard error, so that it pays to be bolder. Chosen on training
/// sentences of chunks, entities and tags that no expert had seen, by the mean over 100, 300 and 1,000 gold
/// sequences: there the error was at most .04 points above that of the best candidate, and .01 on average.
/// That was a second choice: 1.3 standard errors, chosen first, had been .075 above it in `reproduce
/// ensemble-choice`.
double sure_by(size_t sequences);
const Candidate& best_candidate(std::span<const Candidate> candidates);
/// Why it was taken, in one line.
std::string choice_in_words(std::span<const Candidate> candidates, const Candidate& chosen);

/// Sequences by length, with the summed losses of the best expert and of the ensemble on them.
struct LengthLosses {
  struct Entry {
    size_t sequences = 0;
    double expert = 0, ensemble = 0;
  };
  std::vector<Entry> by_length;
  void add(size_t length, double expert_loss, double ensemble_loss);
  /// How many sequences are shorter than this.
  size_t sequences_below(size_t length) const;
};
/// The length L that minimises Σ_{length < L} expert + Σ_{length ≥ L} ensemble, ties go to the smallest: the
/// remark of section 5.5 as a method. 0: the ensemble throughout.
size_t choose_switch(const LengthLosses& losses);

}  // namespace espalier::ensemble

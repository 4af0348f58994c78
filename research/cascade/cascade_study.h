// What the experiments on cascades share: study_cascades() trains in memory, measure_cascade() measures what
// filters lose and what they leave. Tested in apps/tests/reproduce_test.sh, which runs every experiment.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "espalier/cascade/model/model.h"
#include "espalier/cascade/training/train.h"
#include "research/experiment.h"

namespace espalier::research {

/// A trained cascade, ready to use.
struct StudiedCascade {
  std::unique_ptr<SectionFile> file;
  std::unique_ptr<cascade::CascadePredictor> predictor;
  double training_seconds = 0, loading_seconds = 0;  ///< processor time
};

struct CascadeStudy {
  bool fill_in = true;       ///< choose full_rows_from and passes as `train` does
  bool every_order = false;  ///< return the cascades that end at each level, not only the last
};
/// Trains on sequences with these features.
Result<std::vector<StudiedCascade>> study_cascades(std::span<const data::Sequence> sequences,
                                                   const data::FeatureOptions& features,
                                                   cascade::Options options, const CascadeStudy& study,
                                                   const Workers& workers, const Monitor& monitor);
/// The same for one.
Result<StudiedCascade> study_cascade(std::span<const data::Sequence> sequences,
                                     const data::FeatureOptions& features, cascade::Options options,
                                     bool fill_in, const Workers& workers, const Monitor& monitor);

/// The step size η and the penalty λ of equation 9; η = 0: Pegasos's 1/(λ·t).
struct FilterSteps {
  double eta = 1, lambda = 0;
};
std::string text_of(const FilterSteps& steps);
/// What the grid search over η and λ tries.
inline constexpr FilterSteps kFilterSteps[] = {{0.001, 0},   {0.01, 0},   {0.1, 0},  {1, 0},   {0.001, 1e-4},
                                               {0.01, 1e-4}, {0.1, 1e-4}, {1, 1e-4}, {0, 1e-4}};

/// The training of a filter as the paper prints it, equations 6, 8 and 9: stochastic subgradients from zero
/// weights, one sequence at a time, and the plain mean in the threshold. Candidates for α in training, and
/// early stopping, are chosen by the trade-off (7) on held-out data. What it has beyond the paper: the
/// jackknife over three folds, and the average of the weights.
cascade::Options as_printed(cascade::Options options, std::vector<double> train_alphas, FilterSteps steps);
/// Lists what that has beyond the paper.
void depart_in_training(Report& report);

/// The paper's features for tagging: the word, with each tag; label n-grams are weights of the levels anyway.
/// `column` is that of the words, from 0.
data::FeatureOptions words_alone(size_t column);

/// How a cascade performs on labelled data, on one thread.
struct CascadeFigures {
  double accuracy = 0, sequence_accuracy = 0;  ///< percent
  double most_frequent = 0;                    ///< percent of positions with the most frequent label
  double lost_positions = 0;  ///< percent of positions whose correct state is not in the last level's lattice
  double lost_sequences = 0;  ///< percent of sequences whose correct labelling is not
  double states = 0, arcs = 0;  ///< in the last level, per position
  double feature_seconds = 0;   ///< processor time from text to features
  double decode_seconds = 0;    ///< processor time from features to labels
};
/// If `filtered` is false, the last level runs alone over all labels.
Result<CascadeFigures> measure_cascade(const StudiedCascade& cascade,
                                       std::span<const data::Sequence> sequences, bool filtered);

}  // namespace espalier::research

// What the experiments with cascades share: training in memory, and measuring what filters lose and leave.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "espalier/cascade/model.h"
#include "espalier/cascade/train.h"
#include "experiments/experiment.h"

namespace espalier::experiments {

/// A cascade that was trained here, ready to use.
struct StudiedCascade {
  cascade::Cascade trained;
  std::unique_ptr<SectionFile> file;
  std::unique_ptr<cascade::CascadePredictor> predictor;
  double seconds = 0;
};

/// Trains on sequences with these features. full_rows_from and passes below 0 are filled in as `train` does.
Result<StudiedCascade> study_cascade(std::span<const data::Sequence> sequences,
                                     const data::FeatureOptions& features, cascade::Options options,
                                     bool fill_in, const Workers& workers, const Monitor& monitor);

/// How a cascade does on labelled data, one thread.
struct CascadeFigures {
  double accuracy = 0, sequence_accuracy = 0;  ///< percent
  double lost_positions = 0;    ///< percent of positions whose state is not in the last level's lattice
  double lost_sequences = 0;    ///< percent of sequences whose truth is not
  double states = 0, arcs = 0;  ///< of the last level, per position
  double decode_seconds = 0;    ///< from features to labels
  double whole_seconds = 0;     ///< from text to labels
};
/// With `filtered` false the last level runs by itself over all labels.
Result<CascadeFigures> measure_cascade(const StudiedCascade& cascade,
                                       std::span<const data::Sequence> sequences, bool filtered);

}  // namespace espalier::experiments

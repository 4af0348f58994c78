// What the experiments with cascades share: training in memory, and measuring what filters lose and leave.
// Tested by apps/reproduce_test.sh, which runs every experiment.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "espalier/cascade/model.h"
#include "espalier/cascade/train.h"
#include "research/experiment.h"

namespace espalier::research {

/// A cascade that was trained here, ready to use.
struct StudiedCascade {
  std::unique_ptr<SectionFile> file;
  std::unique_ptr<cascade::CascadePredictor> predictor;
  double training_seconds = 0, loading_seconds = 0;  ///< of the processor
};

struct CascadeStudy {
  bool fill_in = true;       ///< full_rows_from and passes are those that `train` takes
  bool every_order = false;  ///< the cascades that end at each level, not only the last of them
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

/// How a cascade does on labelled data, one thread.
struct CascadeFigures {
  double accuracy = 0, sequence_accuracy = 0;  ///< percent
  double lost_positions = 0;    ///< percent of positions whose state is not in the last level's lattice
  double lost_sequences = 0;    ///< percent of sequences whose truth is not
  double states = 0, arcs = 0;  ///< of the last level, per position
  double feature_seconds = 0;   ///< of the processor, from text to features
  double decode_seconds = 0;    ///< the same from features to labels
};
/// With `filtered` false the last level runs by itself over all labels.
Result<CascadeFigures> measure_cascade(const StudiedCascade& cascade,
                                       std::span<const data::Sequence> sequences, bool filtered);

}  // namespace espalier::research

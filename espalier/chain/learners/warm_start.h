// Going on from a trained model: its weights, features and labels carried over into a new training run.
// Tested in espalier/model/train_test.cc.
#pragma once

#include "espalier/base/section_file.h"
#include "espalier/chain/model/model.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/dataset.h"

namespace espalier::chain {

/// Lays out weights for the new data and copies the old model's into them. Features of the old model that do
/// not occur in the new data are appended to `training`'s spaces with their weights, so that nothing learnt
/// is lost. The labels of `training` must begin with the old model's (DatasetBuilder's `known`). Needs the
/// model's hashes (not stripped).
Result<ChainWeights> warm_start(linear::EncodedTraining& training, const ChainPredictor& old,
                                const SectionFile& file, bool transitions, const PairOptions& options);

}  // namespace espalier::chain

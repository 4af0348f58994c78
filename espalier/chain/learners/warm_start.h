// Continues training from a saved model: copies its weights into a new layout and adds its features and
// labels to the new training set. Tested in espalier/model/train_test.cc.
#pragma once

#include "espalier/base/files/section_file.h"
#include "espalier/chain/model/model.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/encoding/dataset.h"

namespace espalier::chain {

/// Lays out weights for the new data and copies the old model's into them. Features of the old model that do
/// not occur in the new data are appended to `training`'s feature spaces and keep their weights. The labels
/// of `training` must begin with the old model's (DatasetBuilder's `known`). Fails if the model was stripped
/// of its feature names.
Result<ChainWeights> warm_start(linear::EncodedTraining& training, const ChainPredictor& old,
                                const SectionFile& file, bool transitions, const PairOptions& options,
                                const Team& team = Team());

}  // namespace espalier::chain

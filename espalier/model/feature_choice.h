// Chooses what a model's features look at, from the data's columns and the user's options.
//
// Call choose_features. Tested in apps/tests/bad_input_test.sh, apps/tests/verbs_test.sh and train_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/features/features.h"
#include "espalier/data/formats/reader.h"
#include "espalier/model/train.h"

namespace espalier::model {

/// `chosen` are columns counted from 1; empty: all but the `labels` (only FORM for CoNLL-U). Rows without
/// columns have attributes, for which a template is an error. Errors name the column or file that is wrong.
Result<data::FeatureOptions> choose_features(const std::optional<TemplateText>& template_text,
                                             const std::vector<size_t>& chosen, data::Format format,
                                             size_t columns, std::span<const size_t> labels);

}  // namespace espalier::model

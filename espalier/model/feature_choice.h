// What a model is to look at, given the data's columns and what the user chose.
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

/// `chosen` are columns from 1; empty: all but the `labels` (FORM alone for CoNLL-U). Rows without columns
/// have ready-made attributes, which take no template. Errors say which column or file is wrong.
Result<data::FeatureOptions> choose_features(const std::optional<TemplateText>& template_text,
                                             const std::vector<size_t>& chosen, data::Format format,
                                             size_t columns, std::span<const size_t> labels);

}  // namespace espalier::model

#include "espalier/model/feature_choice.h"

#include <algorithm>

namespace espalier::model {

Result<data::FeatureOptions> choose_features(const std::optional<TemplateText>& template_text,
                                             const std::vector<size_t>& chosen, data::Format format,
                                             size_t columns, std::span<const size_t> labels) {
  const auto is_label = [&](size_t c) { return std::find(labels.begin(), labels.end(), c) != labels.end(); };
  data::FeatureOptions options;
  options.attributes = columns == 0;
  if (template_text) {
    if (options.attributes)
      return fail("{}: a template needs columns, but the data has attributes", template_text->name);
    options.template_text = template_text->text;
    options.template_name = template_text->name;
  }
  if (options.attributes) return options;
  for (const size_t column : chosen) {
    if (column == 0 || column > columns)
      return fail("feature column {}: the data has columns 1 to {}", column, columns);
    if (is_label(column - 1)) return fail("feature column {} is the label itself", column);
    options.feature_columns.push_back(column - 1);
  }
  std::sort(options.feature_columns.begin(), options.feature_columns.end());
  if (!chosen.empty()) return options;
  if (format == data::Format::kConllu) {
    options.feature_columns = {1};  // FORM
  } else {
    for (size_t c = 0; c < columns; ++c)
      if (!is_label(c)) options.feature_columns.push_back(c);
    if (options.feature_columns.empty())
      return fail("all {} columns are labels; features need at least one other", columns);
  }
  return options;
}

}  // namespace espalier::model

// What a model remembers about how it was made.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/features/features.h"
#include "espalier/data/formats/reader.h"

namespace espalier::model {

/// Stored as JSON in the section "about"; tag and eval need nothing else to read their input.
struct About {
  std::string task = "label";
  std::string learner;
  data::ReadOptions reading;      ///< format, columns, label column, encoding
  data::FeatureOptions features;  ///< template or default set, feature columns
  std::vector<std::pair<std::string, std::string>> parameters;
  uint64_t seed = 1;
  size_t training_sequences = 0, training_tokens = 0;
  size_t outputs = 0;  ///< of every sequence, where the task fixes it (variables); 0: any

  /// How input to tag is to be read: as the training data was, but it may lack the label.
  data::ReadOptions reading_for_use() const {
    data::ReadOptions options = reading;
    options.labels_required = false;
    return options;
  }
};

std::string about_to_json(const About& about);
/// `name` is what errors call the model.
Result<About> about_from_json(std::string_view text, const std::string& name);

}  // namespace espalier::model

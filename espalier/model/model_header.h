// ModelHeader: what a model file stores about its own training, as JSON in the section "about".
//
// header_to_json writes it, header_from_json reads and checks it. Tagging and scoring need nothing else to
// read their input. Tested in train_test.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/features/features.h"
#include "espalier/data/formats/reader.h"

namespace espalier::model {

/// How a model was trained, and how its data is read.
struct ModelHeader {
  std::string task = "label";
  std::string learner;
  data::ReadOptions reading;                                    ///< format, columns, label column, encoding
  data::FeatureOptions features;                                ///< template or default set, feature columns
  std::vector<std::pair<std::string, std::string>> parameters;  ///< of the learner, by name
  uint64_t seed = 1;
  size_t training_sequences = 0, training_tokens = 0;
  std::string imported_from;  ///< the program that trained it, if that was another one
  size_t matrix_columns = 0;  ///< of the matrices of numbers that it was trained on; 0: on something else
  size_t outputs = 0;         ///< tokens of every sequence, if the task fixes it (variables); 0: any number

  /// How input is read for tagging: like the training data, but the label may be missing, and empty input is
  /// empty output.
  data::ReadOptions reading_for_use() const {
    data::ReadOptions options = reading;
    options.labels_required = false;
    options.allow_empty = true;
    return options;
  }
};

std::string header_to_json(const ModelHeader& header);
/// Error messages call the model `name`.
Result<ModelHeader> header_from_json(std::string_view text, const std::string& name);

}  // namespace espalier::model

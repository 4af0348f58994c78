// How a model reads its input: the format it was trained on, another one that holds the same cells, or raw
// text.
//
// model_input() decides before anything is read. Tested in apps/tests/input_test.sh and stream_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/api/tagger.h"
#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/formats/source.h"
#include "espalier/data/input_map.h"
#include "espalier/tasks/structures/json_tasks.h"

namespace espalier::api {

/// What a caller says about the input. Empty: as the file's name says, otherwise as in training.
struct InputChoice {
  std::string format = {}, encoding = {}, separator = {}, comment = {};
  std::optional<TextSplit> text = {};
  bool labels_required = false;
};

struct ModelInput {
  data::ReadOptions reading;
  std::optional<tasks::JsonTask> task;
  std::optional<data::InputMap> map;  ///< if the input is not in the format of the training data
};

/// `path` is the name of the file; empty: it has none. An error if the model cannot read such input.
Result<ModelInput> model_input(const Tagger::State& tagger, const std::string& path,
                               const InputChoice& choice);

/// A source, and how the model reads it.
struct ModelSource {
  data::Source source;
  ModelInput input;
};
/// The sources of data that is tagged or scored. Files are read like the model's training data, except where
/// the caller says otherwise.
Result<std::vector<ModelSource>> model_sources(const Tagger::State& tagger, const Data& data,
                                               bool labels_required);

/// The same, with the sequences of a corpus in the layout of the model's data.
Result<std::vector<ModelSource>> laid_out_sources(const Tagger::State& tagger, const Data& data,
                                                  bool labels_required);

/// The cell of a sequence as it is read that holds the word: the first that features use.
size_t word_cell(const Tagger::State& tagger, const ModelInput& input);

/// The same reader, which refuses input in whose first sequence nothing in the place of a label is a label of
/// the model: raw text, or attributes without a label in front. For formats that cannot tell these apart.
std::unique_ptr<data::Reader> check_first_labels(std::unique_ptr<data::Reader> reader, data::Format format,
                                                 const data::LabelSet& labels);

}  // namespace espalier::api

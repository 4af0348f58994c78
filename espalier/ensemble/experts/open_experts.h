// Experts of every kind, opened and read in step with the gold data or the text that they labelled.
//
// Call open_experts with the reference (gold data, or text; in a file or in memory) and a list of experts:
// files of predictions, model files, open models, answers in memory, in any mixture. Tested in
// learn_from_experts_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/ensemble/experts/aligned_experts.h"
#include "espalier/model/model.h"

namespace espalier::ensemble {

/// Where an expert's labels come from: one of three.
struct ExpertSource {
  std::string path;  ///< a file of predictions, or a model file that is run over the text
  std::shared_ptr<const MemoryAnswers> memory;
  std::shared_ptr<const model::Model> model;
  std::string name = {};  ///< of `memory` and `model`, for reports; files have their path
};

/// What the experts' answers are compared with: gold data, or the text to be labelled.
struct ExpertReference {
  std::optional<data::Source> source;  ///< not set: the first expert that is not a model has the tokens
  data::ReadOptions reading;
  bool gold = true;  ///< it has labels, which are read
};

struct ExpertReading {
  data::ReadOptions files;                 ///< of experts' files; a name such as x.jsonl overrides the format
  std::optional<LabelLayout> labels_only;  ///< of column files, the reference included; not set: detected
  size_t nbest = 1;                        ///< labellings per sequence that files and models give
  Missing missing = Missing::kError;
  int threads = 0;  ///< for models; 0: all cores
};

/// Streams over reference and experts, with everything they need.
struct OpenExperts {
  std::unique_ptr<Workers> workers;  ///< that models run on
  std::unique_ptr<AlignedExperts> aligned;
  data::ReadOptions reference_reading;
  LabelLayout reference_layout = LabelLayout::kWithTokens;
};

/// `labels` is the set that the streams add to; it must outlive them.
Result<OpenExperts> open_experts(const ExpertReference& reference, const std::vector<ExpertSource>& experts,
                                 const ExpertReading& reading, data::LabelSet& labels);

}  // namespace espalier::ensemble

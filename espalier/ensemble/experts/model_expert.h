// A trained model as an expert of an ensemble: it labels the text as the experts' answers are read.
//
// Call open_model_expert; tested in espalier/combine/ensemble_test.cc. The model runs through the pipeline
// (model/pipeline.h), a block of sequences at a time on all threads, so memory is bounded by the block. It
// obeys the constraints that it was trained with.
#pragma once

#include <memory>
#include <string>

#include "espalier/base/parallel.h"
#include "espalier/ensemble/experts/expert_stream.h"
#include "espalier/model/model.h"

namespace espalier::ensemble {

/// `text` is read as the model's training data was, folds aside. With n > 1, the n best labellings of a
/// sequence are n experts. The workers must outlive the stream.
Result<std::unique_ptr<ExpertStream>> open_model_expert(const std::string& name,
                                                        std::shared_ptr<const model::Model> model,
                                                        const data::Source& text,
                                                        const std::vector<int>& folds, size_t n,
                                                        const Workers& workers);

}  // namespace espalier::ensemble

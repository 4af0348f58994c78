// The one loop that runs a model over data: tagging, scoring, explaining, the experts of an ensemble, all go through it.
//
// Call run_pipeline with a reader and a predictor. Sequences are read in blocks, worked on by all threads, and handed on in
// the order of the input. Memory is bounded by the block; where input pauses (a pipe, a terminal), what is there is
// answered at once. Does not score and does not write.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/predictor.h"

namespace espalier::model {

struct PipelineOptions {
  data::PredictOptions predict;
  /// Column (from 0) whose cell, where it is a label of the model, is forced on the row; -1: none. A cell that is "_" or
  /// empty leaves the row free; any other text is an error.
  int forced_column = -1;
  /// Called after each block, in which input may have paused: the place to flush output. May be empty.
  std::function<Status()> block_ended;
};

/// Called for each sequence with what was predicted:
///   work(sequence, prediction, out)  on any thread: turns it into text (or anything) appended to `out`;
///   done(sequence, prediction, out)  on the calling thread, in input order.
/// Everything before a sequence that fails is done before its error is returned. Ends early (without error) when the
/// monitor wants it to.
using PipelineWork =
    std::function<void(const data::Sequence& sequence, const data::Prediction& prediction, std::string& out)>;
using PipelineDone = std::function<Status(const data::Sequence& sequence, const data::Prediction& prediction,
                                          std::string_view out)>;
Status run_pipeline(data::Reader& reader, const data::Predictor& predictor, const PipelineOptions& options,
                    const Workers& workers, const Monitor& monitor, const PipelineWork& work,
                    const PipelineDone& done);

/// The same loop for anything else that a predictor does with a sequence. `step` runs on any thread.
using PipelineStep =
    std::function<Status(const data::Sequence& sequence, data::Predictor::Scratch& scratch, std::string& out)>;
using PipelineTake = std::function<Status(const data::Sequence& sequence, std::string_view out)>;
Status run_steps(data::Reader& reader, const data::Predictor& predictor, const Workers& workers,
                 const Monitor& monitor, const PipelineStep& step, const PipelineTake& take);

}  // namespace espalier::model

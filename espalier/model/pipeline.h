// The one loop that runs a model over data: command, binding and service all call it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/predictor.h"

namespace espalier::model {

struct PipelineOptions {
  data::PredictOptions predict;
  /// Column (from 0) whose cell, where it is a label of the model, is forced on the row; -1: none. Other
  /// cells ("_" among them) leave the row free.
  int forced_column = -1;
};

/// Reads sequences in blocks, predicts in parallel, and calls, for each sequence:
///   work(sequence, prediction, out)  on any thread: turns it into text (or anything) appended to `out`;
///   done(sequence, prediction, out)  on the calling thread, in input order.
/// Memory is bounded by the block. Ends early (without error) when the monitor wants it to.
using PipelineWork =
    std::function<void(const data::Sequence& sequence, const data::Prediction& prediction, std::string& out)>;
using PipelineDone = std::function<Status(const data::Sequence& sequence, const data::Prediction& prediction,
                                          std::string_view out)>;
Status run_pipeline(data::Reader& reader, const data::Predictor& predictor, const PipelineOptions& options,
                    const Workers& workers, const Monitor& monitor, const PipelineWork& work,
                    const PipelineDone& done);

}  // namespace espalier::model

// The one loop that runs a model over data. Tagging, scoring, explaining and the experts of an ensemble use
// it.
//
// Call run_pipeline with a reader and a predictor. Sequences are read in blocks, processed by all threads,
// and passed on in the order of the input. Memory is bounded by the block. When input pauses (a pipe, a
// terminal), the sequences read so far are processed at once. Does not score and does not write. Tested in
// espalier/api/stream_test.cc.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "espalier/base/files/section_file.h"
#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/input_map.h"
#include "espalier/data/predictor.h"

namespace espalier::model {

/// Predictors and writers know the line of a sequence but not its file: "line 7: …" becomes "new.txt:7: …".
Status with_file(const data::Reader& reader, const Status& status);

struct PipelineOptions {
  data::PredictOptions predict;
  /// Column (from 0) with labels that tokens must get; -1: none. "_" or an empty cell leaves the token free;
  /// a text that is not a label of the model is an error.
  int forced_column = -1;
  /// Input in another format than that of the training is brought into its layout by this; null: the same
  /// format.
  const data::InputMap* map = nullptr;
  /// Called, in input order, for a sequence that cannot be read or labelled; the next one follows. Not set:
  /// the first such sequence is an error.
  std::function<void(const Error& error)> on_bad_sequence;
  /// The file of the model: a change in place is an error, noticed before labels that it spoilt are passed
  /// on. May be null.
  const SectionFile* file = nullptr;
  /// Called after each block, to flush output because input may have paused. May be empty.
  std::function<Status()> block_ended;
};

/// Both functions are called for each sequence with its prediction:
///   work(sequence, prediction, out)  on any thread: may append text to `out`;
///   done(sequence, prediction, out)  on the calling thread, in input order, with that text.
/// If a sequence fails, all sequences before it are done before the error is returned or on_bad_sequence
/// called. An error of done() is always returned. Ends early, without an error, if the monitor asks for it.
using PipelineWork =
    std::function<void(const data::Sequence& sequence, const data::Prediction& prediction, std::string& out)>;
using PipelineDone = std::function<Status(const data::Sequence& sequence, const data::Prediction& prediction,
                                          std::string_view out)>;
Status run_pipeline(data::Reader& reader, const data::Predictor& predictor, const PipelineOptions& options,
                    const Workers& workers, const Monitor& monitor, const PipelineWork& work,
                    const PipelineDone& done);

/// The same loop for other work with a predictor. `step` runs on any thread, `take` on the calling thread in
/// order.
using PipelineStep = std::function<Status(const data::Sequence& sequence, data::Predictor::Scratch& scratch,
                                          std::string& out)>;
using PipelineTake = std::function<Status(const data::Sequence& sequence, std::string_view out)>;
Status run_steps(data::Reader& reader, const data::Predictor& predictor, const Workers& workers,
                 const Monitor& monitor, const PipelineStep& step, const PipelineTake& take);

}  // namespace espalier::model

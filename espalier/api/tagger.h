// The inside of a public Tagger: an open model, and how public options become those of the library.
//
// decode_choice checks DecodeOptions against a model and returns the predictor to use; to_tagged turns a
// prediction into the public result. Compiling constraints takes time, so the predictor made for the last
// ones is kept.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "espalier/api/corpus.h"
#include "espalier/base/result.h"
#include "espalier/data/predictor.h"
#include "espalier/model/constraint_file.h"
#include "espalier/model/model.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/scratch_pool.h"
#include "espalier/public/pipeline.h"
#include "espalier/public/tagger.h"

namespace espalier {

struct Constraints::State {
  model::ConstraintFile file;
};

struct Tagger::State {
  explicit State(model::Model opened)
      : model(std::move(opened)),
        unlabelled(model.about().reading),
        scratch(model.predictor()),
        bare_scratch(model.bare()) {
    unlabelled.labels_required = false;
  }
  model::Model model;
  data::ReadOptions unlabelled;  ///< how the training data were read, with or without labels
  mutable model::ScratchPool scratch, bare_scratch;  ///< of model.predictor() and model.bare()
  ModelInfo info;

  /// The last predictor made for constraints given with a call: most programs use the same ones every time.
  struct Ruled {
    std::shared_ptr<const Constraints::State> rules;  ///< null: the model's own, with other options
    DecodeOptions options;
    std::shared_ptr<const data::Predictor> predictor;
  };
  mutable std::mutex mutex;
  mutable std::optional<Ruled> last;
};

/// The stages of a pipeline, and what each of them reads. Tested in pipeline_test.cc.
struct Pipeline::State {
  std::vector<PipelineStage> stages;
  std::vector<size_t> input_cells;  ///< the columns of the first model's data that the input has, in order
  static constexpr size_t kEmpty = static_cast<size_t>(-1);
  /// Per stage and column of its data: which cell of the row so far it gets, or kEmpty.
  std::vector<std::vector<size_t>> cells;
};

struct TaggerBuilder {
  static Result<Tagger> from_model(Result<model::Model> opened);
};

namespace api {

/// The predictor to use, and how it searches.
struct DecodeChoice {
  std::shared_ptr<const data::Predictor> made;  ///< keeps `predictor` alive if it was made for the call
  const data::Predictor* predictor = nullptr;
  data::Decoder decoder = data::Decoder::kModel;
  data::SearchChoice search;
};
/// The choice without constraints. An error if the options contradict each other or do not fit the
/// model, whatever is in the constraints.
Result<DecodeChoice> unconstrained_choice(const Tagger::State& tagger, const DecodeOptions& options);
/// The same with constraints, which may contain errors themselves.
Result<DecodeChoice> decode_choice(const Tagger::State& tagger, const DecodeOptions& options);
/// An error if the options are wrong for any model.
Status check_decode_options(const DecodeOptions& options);

/// A scratch of the predictor that was chosen, kept for later calls where that is one of the model's own.
class BorrowedScratch {
 public:
  BorrowedScratch(const Tagger::State& tagger, const data::Predictor& predictor)
      : pool_(&predictor == &tagger.model.bare()        ? &tagger.bare_scratch
              : &predictor == &tagger.model.predictor() ? &tagger.scratch
                                                        : nullptr),
        scratch_(pool_ != nullptr ? pool_->take() : predictor.make_scratch()) {}
  ~BorrowedScratch() {
    if (pool_ != nullptr) pool_->give_back(std::move(scratch_));
  }
  BorrowedScratch(const BorrowedScratch&) = delete;
  BorrowedScratch& operator=(const BorrowedScratch&) = delete;
  data::Predictor::Scratch& operator*() const { return *scratch_; }

 private:
  model::ScratchPool* pool_;
  std::unique_ptr<data::Predictor::Scratch> scratch_;
};

/// The labels that tokens must get, as numbers; empty if none is forced.
Result<std::vector<data::Label>> forced_labels(const std::vector<std::string>& forced, size_t length,
                                               const data::LabelSet& labels);

/// A built sequence in the layout of the model's data: the builder's own, or `buffer`.
Result<const data::Sequence*> built_for(const Tagger::State& state, const SequenceBuilder& builder,
                                        data::Sequence& buffer);

/// Explanations of a predictor as public values.
std::vector<Explanation> to_explanations(const std::vector<data::Predictor::Explanation>& found,
                                         const data::Predictor& predictor);

/// Public options as options of a predictor; `single`: confidence is on by default.
Result<data::PredictOptions> predict_options(const TagOptions& options, const DecodeChoice& choice,
                                             bool single);

/// `predictor` made the prediction.
Tagged to_tagged(const data::Prediction& prediction, const data::Predictor& predictor);
Outcome outcome_of(const data::Prediction& prediction);

}  // namespace api
}  // namespace espalier

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
#include "espalier/public/tagger.h"

namespace espalier {

struct Constraints::State {
  model::ConstraintFile file;
};

struct Tagger::State {
  explicit State(model::Model opened) : model(std::move(opened)) {}
  model::Model model;
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

struct TaggerBuilder {
  static Result<Tagger> from_model(Result<model::Model> opened);
};

namespace api {

/// The predictor to use, and how it searches.
struct DecodeChoice {
  std::shared_ptr<const data::Predictor> made;  ///< keeps `predictor` alive if it was made for the call
  const data::Predictor* predictor = nullptr;
  data::Decoder decoder = data::Decoder::kViterbi;
  data::SearchChoice search;
};
/// The choice without constraints. An error if the options contradict each other or do not fit the
/// model, whatever is in the constraints.
Result<DecodeChoice> unconstrained_choice(const Tagger::State& tagger, const DecodeOptions& options);
/// The same with constraints, which may contain errors themselves.
Result<DecodeChoice> decode_choice(const Tagger::State& tagger, const DecodeOptions& options);
/// An error if the options are wrong for any model.
Status check_decode_options(const DecodeOptions& options);

/// Public options as options of a predictor; `single`: confidence is on by default.
Result<data::PredictOptions> predict_options(const TagOptions& options, const DecodeChoice& choice,
                                             bool single);

Tagged to_tagged(const data::Prediction& prediction, const model::Model& model);
Outcome outcome_of(const data::Prediction& prediction);

}  // namespace api
}  // namespace espalier

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

  /// The last predictor made for rules given with a call: most programs give the same ones again and again.
  struct Ruled {
    std::shared_ptr<const Constraints::State> rules;  ///< null: the model's own, decoded otherwise
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

/// Which predictor answers, and how it searches.
struct DecodeChoice {
  std::shared_ptr<const data::Predictor> made;  ///< keeps `predictor` alive where it was made for the call
  const data::Predictor* predictor = nullptr;
  data::Decoder decoder = data::Decoder::kViterbi;
  data::SearchChoice search;
};
/// What the options come to without constraints; an error where they contradict each other or do not fit the
/// model, whatever is in the constraints.
Result<DecodeChoice> unconstrained_choice(const Tagger::State& tagger, const DecodeOptions& options);
/// The same with constraints, which may have errors of their own.
Result<DecodeChoice> decode_choice(const Tagger::State& tagger, const DecodeOptions& options);
/// What is wrong with options whatever the model.
Status check_decode_options(const DecodeOptions& options);

/// What public options come to; `single`: confidence is on unless said otherwise.
Result<data::PredictOptions> predict_options(const TagOptions& options, const DecodeChoice& choice,
                                             bool single);

Tagged to_tagged(const data::Prediction& prediction, const model::Model& model);
Outcome outcome_of(const data::Prediction& prediction);

}  // namespace api
}  // namespace espalier

// DecodeOptions checked against a model. Declared in api/tagger.h, tested in tagger_test.cc and
// stream_test.cc.
#include <algorithm>
#include <array>

#include "espalier/api/tagger.h"
#include "espalier/base/text/format.h"
#include "espalier/base/text/text.h"

namespace espalier::api {
namespace {

constexpr std::array<std::string_view, 7> kDecoders = {"auto", "viterbi", "posterior", "ilp",
                                                       "beam", "greedy",  "best-first"};
constexpr size_t kConstrainedBeam = 16;

constrain::Method method_of(std::string_view decoder) {
  if (decoder == "viterbi") return constrain::Method::kLattice;
  if (decoder == "ilp") return constrain::Method::kInteger;
  if (decoder == "beam") return constrain::Method::kBeam;
  return constrain::Method::kAuto;
}

Result<data::SearchChoice> search_of(const model::Model& model, const DecodeOptions& options) {
  using Method = data::SearchChoice::Method;
  const std::string& decoder = options.decoder;
  const bool search_only = decoder == "greedy" || decoder == "best-first";
  if (!model.bare().is_search()) {
    if (search_only)
      return fail(
          "decoder {} is for models that are searches (searn, laso-br, laso-bst, laso, incremental); this "
          "one "
          "is of learner {}",
          decoder, model.about().learner);
    if (options.beam > 0 && decoder != "beam" && decoder != "auto")
      return fail("a beam width needs decoder beam, not {}", decoder);
    return data::SearchChoice{};
  }
  if (decoder != "auto" && decoder != "beam" && !search_only)
    return fail("this model is a search (learner {}): its decoders are greedy, beam and best-first, not {}",
                model.about().learner, decoder);
  const Method method = decoder == "greedy"       ? Method::kGreedy
                        : decoder == "beam"       ? Method::kBeam
                        : decoder == "best-first" ? Method::kBestFirst
                                                  : Method::kModel;
  return data::SearchChoice{method, options.beam};
}

bool same_way(const DecodeOptions& one, const DecodeOptions& other) {
  return one.strict == other.strict && one.why == other.why && one.time_limit == other.time_limit &&
         one.decoder == other.decoder && one.beam == other.beam;
}

/// Whether the constraints of the model's training apply.
bool remembered_rules_hold(const model::Model& model, const DecodeOptions& options) {
  return model.constraints().has_value() && !options.unconstrained && options.decoder != "posterior";
}

}  // namespace

Status check_decode_options(const DecodeOptions& options) {
  const std::string& decoder = options.decoder;
  if (std::find(kDecoders.begin(), kDecoders.end(), decoder) == kDecoders.end()) {
    const std::string meant = nearest(decoder, kDecoders);
    return fail("unknown decoder '{}'; there are {}{}", decoder, joined(kDecoders, ", "),
                meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant));
  }
  if (decoder == "posterior" && options.constraints)
    return fail("decoder posterior chooses each label by itself and does not support constraints");
  if (decoder == "greedy" && options.beam > 1)
    return fail("decoder greedy keeps one labelling; a beam of {} needs decoder beam", options.beam);
  if (options.unconstrained && options.constraints)
    return fail("constraints are given together with unconstrained; give one of the two");
  if (!(options.time_limit > 0))
    return fail("a time limit of {:g} seconds: it must be above 0", options.time_limit);
  return {};
}

Result<DecodeChoice> unconstrained_choice(const Tagger::State& tagger, const DecodeOptions& options) {
  ESPALIER_TRY(check_decode_options(options));
  const model::Model& model = tagger.model;
  DecodeChoice choice;
  ESPALIER_ASSIGN(choice.search, search_of(model, options));
  choice.predictor = &model.bare();
  if (options.decoder == "posterior") choice.decoder = data::Decoder::kPosterior;
  if (options.decoder == "viterbi") choice.decoder = data::Decoder::kViterbi;
  if (options.constraints || remembered_rules_hold(model, options)) return choice;
  const std::string_view needs = options.why                                             ? "saying why"
                                 : options.strict                                        ? "strict"
                                 : model.bare().is_search()                              ? ""
                                 : options.decoder == "ilp" || options.decoder == "beam" ? "this decoder"
                                 : options.beam > 0                                      ? "a beam"
                                                                                         : "";
  if (!needs.empty()) return fail("{} needs constraints, or a model trained with some", needs);
  return choice;
}

Result<DecodeChoice> decode_choice(const Tagger::State& tagger, const DecodeOptions& options) {
  ESPALIER_ASSIGN(DecodeChoice choice, unconstrained_choice(tagger, options));
  const model::Model& model = tagger.model;
  if (!options.constraints && !remembered_rules_hold(model, options)) return choice;
  if (!options.constraints && same_way(options, DecodeOptions{})) {
    choice.predictor = &model.predictor();
    return choice;
  }
  const std::shared_ptr<const Constraints::State> rules =
      options.constraints ? options.constraints->state() : nullptr;
  {
    const std::lock_guard lock(tagger.mutex);
    if (tagger.last && tagger.last->rules == rules && same_way(tagger.last->options, options)) {
      choice.made = tagger.last->predictor;
      choice.predictor = choice.made.get();
      return choice;
    }
  }
  const size_t beam = options.beam > 0 ? options.beam : kConstrainedBeam;
  const constrain::ConstrainedOptions how{
      {.method = method_of(options.decoder), .beam = beam, .seconds = options.time_limit},
      options.why,
      options.strict};
  ESPALIER_ASSIGN(auto made, model.under(rules ? rules->file : *model.constraints(), how));
  choice.made = std::move(made);
  choice.predictor = choice.made.get();
  const std::lock_guard lock(tagger.mutex);
  tagger.last = Tagger::State::Ruled{rules, options, choice.made};
  return choice;
}

}  // namespace espalier::api

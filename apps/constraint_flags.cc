#include "apps/constraint_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "apps/terminal.h"
#include "espalier/base/text.h"
#include "espalier/constrain/constrained_cascade.h"
#include "espalier/model/constraint_file.h"
#include "espalier/model/task_data.h"
#include "espalier/tasks/constrained_search.h"

namespace espalier::apps {
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

}  // namespace

void ConstraintFlags::add_to(CLI::App& verb, bool with_why) {
  verb.add_option("--constraints", file,
                  "keep to the constraints in this file, see the manual; none: not even to\nthose the model "
                  "was trained "
                  "with [those]")
      ->type_name("FILE");
  verb.add_option(
          "--decoder", decoder,
          "viterbi: the best labelling as a whole; posterior: the most probable\nlabel of each token; under "
          "constraints also ilp (integer program) and\nbeam; searches: greedy, beam or best-first; auto: "
          "viterbi, or what the\nconstraints or the search need [auto]")
      ->type_name("D");
  verb.add_option(
          "--beam", beam,
          "labellings that --decoder beam or best-first keeps [16; of a search\nthat of its training]")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  verb.add_option("--time-limit", seconds, "seconds an integer program may take for one sequence [10]")
      ->type_name("S")
      ->check(CLI::Validator(CLI::PositiveNumber).description(""));
  verb.add_flag("--strict", strict, "a sequence that cannot satisfy the constraints is an error");
  verb.add_flag("--verbose", verbose, "say how each constraint is decoded");
  if (with_why) verb.add_flag("--why", why, "say which constraint changed which token, and at what price");
}

Status ConstraintFlags::check() const {
  if (std::find(kDecoders.begin(), kDecoders.end(), decoder) == kDecoders.end()) {
    const std::string meant = nearest(decoder, kDecoders);
    return fail("unknown decoder '{}'; there are {}{}", decoder, fmt::join(kDecoders, ", "),
                meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant));
  }
  if (posterior() && !file.empty() && file != "none")
    return fail("--decoder posterior takes each label by itself and cannot keep to constraints");
  if (decoder == "greedy" && beam && *beam > 1)
    return fail("--decoder greedy keeps one labelling; --beam {} goes with --decoder beam", *beam);
  return {};
}

Result<data::SearchChoice> ConstraintFlags::search(const model::Model& model) const {
  using Method = data::SearchChoice::Method;
  const bool search_only = decoder == "greedy" || decoder == "best-first";
  if (!model.predictor().is_search()) {
    if (search_only)
      return fail(
          "--decoder {} is for models that are searches (searn, laso-br, laso-bst, laso, incremental); "
          "this one is of learner {}",
          decoder, model.about().learner);
    if (beam && decoder != "beam" && decoder != "auto") return fail("--beam goes with --decoder beam");
    return data::SearchChoice{};
  }
  if (decoder != "auto" && decoder != "beam" && !search_only)
    return fail("this model is a search (learner {}): its decoders are greedy, beam and best-first, not {}",
                model.about().learner, decoder);
  const Method method = decoder == "greedy"       ? Method::kGreedy
                        : decoder == "beam"       ? Method::kBeam
                        : decoder == "best-first" ? Method::kBestFirst
                                                  : Method::kModel;
  return data::SearchChoice{method, beam.value_or(0)};
}

Result<std::optional<constrain::Constraints>> ConstraintFlags::constraints_of(
    const model::Model& model) const {
  model::ConstraintFile source;
  if (!file.empty() && file != "none") {
    ESPALIER_ASSIGN(source, model::ConstraintFile::read(file));
  } else if (model.file().has(model::kConstraintSection)) {
    ESPALIER_ASSIGN(const std::string_view text, model.file().text(model::kConstraintSection));
    ESPALIER_ASSIGN(source, model::ConstraintFile::from_json(text, model.file().name()));
  } else {
    return std::optional<constrain::Constraints>();
  }
  ESPALIER_ASSIGN(constrain::Constraints constraints, source.resolve(model.about(), model.labels()));
  return std::optional<constrain::Constraints>(std::move(constraints));
}

Result<std::unique_ptr<data::Predictor>> ConstraintFlags::apply(const model::Model& model) const {
  using Made = std::unique_ptr<data::Predictor>;
  const bool remembered = model.file().has(model::kConstraintSection) && !posterior();
  const bool given = !file.empty() && file != "none";
  if (!given && (!remembered || file == "none")) {
    const std::string_view needs = why                                     ? "--why"
                                   : strict                                ? "--strict"
                                   : model.predictor().is_search()         ? ""
                                   : decoder == "ilp" || decoder == "beam" ? "this decoder"
                                   : beam                                  ? "--beam"
                                                                           : "";
    if (!needs.empty()) return fail("{} needs --constraints, or a model trained with some", needs);
    return Made();
  }
  if (model.about().task == "brackets")
    return fail("task brackets keeps phrases from overlapping by itself and takes no constraints");
  ESPALIER_ASSIGN(auto constraints, constraints_of(model));
  const auto describe = [&](std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (verbose) say(text);
  };
  if (const auto* search = dynamic_cast<const tasks::SearchPredictor*>(&model.predictor())) {
    ESPALIER_ASSIGN(auto made, tasks::ConstrainedSearch::make(*search, std::move(*constraints), why, strict));
    describe(made->compiled().describe() + "decoder: the model's own search, among what can be completed");
    return Made(std::move(made));
  }
  if (const auto* cascade = dynamic_cast<const cascade::CascadePredictor*>(&model.predictor())) {
    if (decoder != "auto" && decoder != "viterbi")
      return fail("--decoder {}: a cascade is decoded on the lattice that its filters leave", decoder);
    ESPALIER_ASSIGN(auto made,
                    constrain::ConstrainedCascade::make(*cascade, std::move(*constraints), why, strict));
    describe(made->compiled().describe() + "decoder: Viterbi on what the filters and the constraints leave");
    return Made(std::move(made));
  }
  const auto* chain = dynamic_cast<const chain::ChainPredictor*>(&model.predictor());
  if (chain == nullptr) return fail("constraints do not go with models of learner {}", model.about().learner);
  const constrain::ConstrainedOptions options{
      {.method = method_of(decoder), .beam = beam.value_or(kConstrainedBeam), .seconds = seconds},
      why,
      strict};
  auto made = std::make_unique<constrain::ConstrainedPredictor>(*chain, std::move(*constraints), options,
                                                                model::instances_of_task(model.about().task));
  describe(made->describe());
  return Made(std::move(made));
}

void ConstraintTally::add(const data::Prediction& prediction) {
  if (!prediction.constraints) return;
  ++constrained;
  using Ended = data::ConstraintEffect::Outcome;
  switch (prediction.constraints->outcome) {
    case Ended::kExact:
      break;
    case Ended::kApproximate:
      ++approximate;
      break;
    case Ended::kInfeasible:
      ++infeasible;
      if (example.empty()) example = fmt::format("{}", fmt::join(prediction.constraints->clash, ", "));
      break;
    case Ended::kOutOfTime:
      ++out_of_time;
      break;
  }
}

void ConstraintTally::merge(const ConstraintTally& other) {
  constrained += other.constrained;
  approximate += other.approximate;
  infeasible += other.infeasible;
  out_of_time += other.out_of_time;
  if (example.empty()) example = other.example;
}

void ConstraintTally::warn() const {
  if (infeasible > 0)
    say(fmt::format(
        "espalier: warning: {} of {} sequences cannot satisfy the constraints{}; they got the labelling "
        "that breaks fewest",
        infeasible, constrained, example.empty() ? "" : fmt::format(" (clashing: {})", example)));
  if (out_of_time > 0)
    say(fmt::format(
        "espalier: warning: {} of {} sequences ran out of time; they got the best labelling found until "
        "then",
        out_of_time, constrained));
  if (approximate > 0)
    say(fmt::format(
        "espalier: {} of {} sequences were not decoded exactly (by a beam or another search, or after the "
        "filters of a cascade were loosened); their labellings satisfy the constraints but may not be the "
        "best",
        approximate, constrained));
}

nlohmann::ordered_json ConstraintTally::to_json() const {
  return {{"sequences", constrained},
          {"exact", constrained - approximate - infeasible - out_of_time},
          {"approximate", approximate},
          {"infeasible", infeasible},
          {"out_of_time", out_of_time}};
}

}  // namespace espalier::apps

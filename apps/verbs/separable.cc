#include "apps/verbs/separable.h"

#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/terminal.h"

namespace espalier::apps {
namespace {

/// Trains with the last weights of a perceptron, which are right everywhere if its last pass made no mistake.
Result<Tagger> train_perceptron(const Data& data, const SeparabilityOptions& options, Learner learner,
                                const std::optional<Constraints>& constraints) {
  for (const auto& [name, value] : {std::pair<std::string, std::string>("average", "no"),
                                    {"calibrate", "no"},
                                    {"names", "no"},
                                    {"weight-bits", "32"},
                                    {"passes", std::to_string(SeparabilityOptions::kPasses)}})
    learner.settings.emplace_back(name, value);
  TrainOptions training;
  training.learner = std::move(learner);
  training.constraints = constraints;
  training.feature_template = options.feature_template;
  training.template_name = options.template_name;
  training.feature_columns = options.feature_columns;
  training.threads = options.threads;
  training.on_progress = options.on_progress;
  training.stop = options.stop;
  ESPALIER_ASSIGN(Training trained, train_with_report(data, training));
  if (trained.interrupted) return fail("interrupted before it was known whether the data are separable");
  return std::move(trained.tagger);
}

Result<Separability::Regime> try_on(const Data& data, const SeparabilityOptions& options, std::string name,
                                    const Tagger& tagger, const std::optional<Constraints>& constraints) {
  EvaluateOptions evaluation;
  evaluation.threads = options.threads;
  evaluation.stop = options.stop;
  evaluation.decode.constraints = constraints;
  ESPALIER_ASSIGN(const Scores scores, evaluate(tagger, data, evaluation));
  return Separability::Regime{
      std::move(name), scores.sequence_accuracy == 100, scores.accuracy, scores.sequence_accuracy, {}};
}

}  // namespace

Result<Separability> find_separability(const Data& data, const SeparabilityOptions& options) {
  Separability out;
  std::optional<Constraints> constraints;
  if (!options.constraints.empty()) {
    ESPALIER_ASSIGN(constraints, Constraints::read(options.constraints));
    out.constraints = options.constraints;
  } else if (options.scheme != "none") {
    out.constraints = "valid " + options.scheme;
    ESPALIER_ASSIGN(constraints, Constraints::parse(out.constraints + "\n"));
  }
  Learner local("local");
  local.settings.emplace_back("classifier", "perceptron");
  ESPALIER_ASSIGN(const Tagger by_itself, train_perceptron(data, options, std::move(local), std::nullopt));
  ESPALIER_ASSIGN(Separability::Regime alone, try_on(data, options, "locally", by_itself, std::nullopt));
  const bool locally = alone.found;
  out.regimes.push_back(std::move(alone));
  if (constraints) {
    ESPALIER_ASSIGN(Separability::Regime under,
                    try_on(data, options, "with inference", by_itself, constraints));
    out.regimes.push_back(std::move(under));
  } else {
    out.regimes.push_back({"with inference", locally, out.regimes[0].tokens, out.regimes[0].sequences,
                           "there are no constraints"});
  }
  if (locally) {
    out.regimes.push_back({"globally", true, 100, 100, "weights that separate locally do so globally, too"});
    return out;
  }
  ESPALIER_ASSIGN(const Tagger together, train_perceptron(data, options, Learner("perceptron"), constraints));
  ESPALIER_ASSIGN(Separability::Regime global, try_on(data, options, "globally", together, std::nullopt));
  out.regimes.push_back(std::move(global));
  return out;
}

std::string separability_text(const Separability& separability) {
  std::string out = fmt::format("separable by linear weights ({} passes of a perceptron{}{}):\n",
                                SeparabilityOptions::kPasses, separability.constraints.empty() ? "" : ", ",
                                separability.constraints);
  for (const Separability::Regime& regime : separability.regimes)
    append_format(out, "  {:<15} {}{}\n", regime.name,
                  regime.found ? std::string("yes")
                               : fmt::format("no such weights found: {:.2f} % of tokens, {:.2f} % of "
                                             "sequences are right",
                                             regime.tokens, regime.sequences),
                  regime.why_not_tried.empty() ? "" : " (" + regime.why_not_tried + ")");
  return out;
}

Json separability_json(const Separability& separability) {
  Json out = {{"constraints", separability.constraints}, {"passes", SeparabilityOptions::kPasses}};
  const char* const keys[] = {"local", "inference", "global"};
  for (size_t i = 0; i < separability.regimes.size(); ++i) {
    const Separability::Regime& regime = separability.regimes[i];
    out[keys[i]] = {
        {"found", regime.found}, {"accuracy", regime.tokens}, {"sequence_accuracy", regime.sequences}};
  }
  return out;
}

}  // namespace espalier::apps

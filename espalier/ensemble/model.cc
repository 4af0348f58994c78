#include "espalier/ensemble/model.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "espalier/base/text/json_as.h"

namespace espalier::ensemble {
namespace {
constexpr int kEnsembleVersion = 1;

/// An arc of the automaton as it is stored.
struct StoredArc {
  uint32_t source, target, expert, unused;
  double cost;
};
static_assert(sizeof(StoredArc) == 24);

Json about_json(const EnsembleModel& model) {
  Json json;
  json["version"] = kEnsembleVersion;
  json["method"] = method_name(model.method);
  json["experts"] = model.experts;
  json["beta"] = model.beta;
  json["delta"] = model.delta;
  json["substructures"] = substructures_text(model.substructures);
  json["scheme"] = data::scheme_name(model.scheme);
  json["labels"] = model.labels.names();
  json["aligned"] = model.aligned;
  json["probabilities"] = model.probabilities;
  json["form"] = model.form == VoteForm::kSum ? "sum" : "product";
  json["switch_length"] = model.switch_length;
  json["best_expert"] = model.best_expert;
  json["calibrated"] = model.calibrated;
  json["seed"] = model.seed;
  json["sequences"] = model.training_sequences;
  json["tokens"] = model.training_tokens;
  json["words"] = model.words;
  json["suffix_slots"] = model.suffix.slots;
  json["suffix_experts"] = model.suffix.experts;
  json["automaton_states"] = model.automaton ? model.automaton->states() : 0;
  return json;
}

Result<EnsembleModel> about_from(std::string_view text, const std::string& name) try {
  const Json json = parse_json(text);
  if (json_as<int>(json.at("version")) != kEnsembleVersion)
    return fail("{}: an ensemble of version {}; this program reads version {}", name,
                json_as<int>(json.at("version")), kEnsembleVersion);
  EnsembleModel model;
  ESPALIER_ASSIGN(model.method, parse_method(json.at("method").get<std::string>()));
  model.experts = json.at("experts").get<std::vector<std::string>>();
  model.beta = json.at("beta").get<double>();
  model.delta = json.at("delta").get<double>();
  ESPALIER_ASSIGN(model.substructures, parse_substructures(json.at("substructures").get<std::string>()));
  ESPALIER_ASSIGN(model.scheme, data::parse_scheme(json.at("scheme").get<std::string>()));
  const auto labels = json.at("labels").get<std::vector<std::string>>();
  if (labels.size() >= data::kNoLabel) return fail("{}: too many labels", name);
  for (const std::string& label : labels) model.labels.add(label);
  if (model.labels.size() != labels.size()) return fail("{}: a label occurs twice", name);
  model.aligned = json.value("aligned", false);
  model.probabilities = json.value("probabilities", false);
  model.form = json.value("form", "product") == "sum" ? VoteForm::kSum : VoteForm::kProduct;
  if (model.aligned && !model.labels.find(kGapText)) return fail("{}: the label of gaps is missing", name);
  model.switch_length = json_as<size_t>(json.at("switch_length"));
  model.best_expert = json_as<size_t>(json.at("best_expert"));
  model.calibrated = json.at("calibrated").get<bool>();
  model.seed = json_as<uint64_t>(json.at("seed"));
  model.training_sequences = json_as<size_t>(json.at("sequences"));
  model.training_tokens = json_as<size_t>(json.at("tokens"));
  model.words = json.at("words").get<std::string>();
  model.suffix.slots = json_as<size_t>(json.at("suffix_slots"));
  model.suffix.experts = json_as<size_t>(json.at("suffix_experts"));
  const SubstructureKind kind = model.substructures.kind;
  if (model.probabilities && kind != SubstructureKind::kPositions && kind != SubstructureKind::kClasses &&
      kind != SubstructureKind::kTokens)
    return fail("{}: probabilities are not supported with the substructures {}", name,
                substructures_text(model.substructures));
  if (model.experts.empty() || model.best_expert >= model.experts.size())
    return fail("{}: section 'ensemble' does not make sense", name);
  return model;
} catch (const Json::exception& error) {
  return fail("{}: section 'ensemble' cannot be read: {}", name, error.what());
}

Status check_numbers(std::span<const double> values, const std::string& name, std::string_view section) {
  for (const double value : values)
    if (!std::isfinite(value) || value < 0)
      return fail("{}: section '{}' has a number that is not a weight", name, section);
  return {};
}

Result<std::vector<double>> read_numbers(const SectionFile& file, std::string_view section) {
  ESPALIER_ASSIGN(const std::span<const double> values, file.array<double>(section));
  ESPALIER_TRY(check_numbers(values, file.name(), section));
  return std::vector<double>(values.begin(), values.end());
}

Result<ExpertAutomaton> read_automaton(const SectionFile& file, size_t experts) {
  ESPALIER_ASSIGN(const std::span<const StoredArc> arcs, file.array<StoredArc>("automaton.arcs"));
  ESPALIER_ASSIGN(const std::span<const double> finals, file.array<double>("automaton.finals"));
  openfst::PlainFst fst;
  if (finals.empty() || finals.size() > 100'000'000)
    return fail("{}: section 'automaton.finals' is damaged", file.name());
  fst.states = static_cast<int>(finals.size());
  fst.final_cost.assign(finals.begin(), finals.end());
  for (const StoredArc& arc : arcs) {
    if (arc.source >= finals.size() || arc.target >= finals.size() || arc.expert >= experts)
      return fail("{}: section 'automaton.arcs' is damaged", file.name());
    fst.arcs.push_back({static_cast<int>(arc.source), static_cast<int>(arc.target),
                        static_cast<int>(arc.expert) + 1, arc.cost});
  }
  return ExpertAutomaton::from_plain(std::move(fst), std::vector<std::string>(experts), file.name());
}

SectionWriter ensemble_sections(const EnsembleModel& model) {
  SectionWriter out;
  out.add_text("ensemble", json_text(about_json(model)));
  out.add_array("weights", model.table.weights);
  out.add_array("elsewhere", model.table.elsewhere);
  out.add_array("ties", model.table.tie_order);
  out.add_array("suffix", model.suffix.weights);
  out.add_array("confidence.tokens", model.token_confidence.values());
  out.add_array("confidence.sequences", model.sequence_confidence.values());
  std::vector<double> rounds;
  for (const BoostRound& round : model.boosting) rounds.insert(rounds.end(), {round.error, round.step});
  out.add_array("boosting", rounds);
  std::vector<double> normalisers;
  for (const BoostRound& round : model.boosting) normalisers.push_back(round.normaliser);
  out.add_array("boosting.normalisers", normalisers);
  if (model.automaton) {
    std::vector<StoredArc> arcs;
    for (const ExpertAutomaton::Arc& arc : model.automaton->arcs())
      arcs.push_back({arc.source, arc.target, arc.expert, 0, arc.prior_cost});
    out.add_array("automaton.arcs", arcs);
    out.add_array("automaton.finals", model.automaton->plain().final_cost);
  }
  return out;
}

}  // namespace

CombineRule EnsembleModel::rule(bool legal, const WeightTable& short_table) const {
  CombineRule rule;
  rule.table = &table;
  rule.suffix = method == Method::kRand ? &suffix : nullptr;
  rule.automaton = automaton ? &*automaton : nullptr;
  rule.short_table = switch_length > 0 ? &short_table : nullptr;
  rule.switch_length = switch_length;
  rule.legal = legal ? scheme : data::Scheme::kNone;
  rule.form = form;
  rule.seed = seed;
  return rule;
}

Status EnsembleModel::save(const std::string& path) const { return ensemble_sections(*this).save(path); }
std::vector<std::byte> EnsembleModel::to_bytes() const { return ensemble_sections(*this).to_bytes(); }

Result<EnsembleModel> EnsembleModel::from_file(const SectionFile& file) {
  if (!file.has("ensemble"))
    return fail("{}: this is a model that labels text by itself, not an ensemble: use `espalier tag`",
                file.name());
  ESPALIER_ASSIGN(const std::string_view text, file.text("ensemble"));
  ESPALIER_ASSIGN(EnsembleModel model, about_from(text, file.name()));
  const size_t p = model.experts.size();
  model.table.experts = p;
  ESPALIER_ASSIGN(model.table.weights, read_numbers(file, "weights"));
  ESPALIER_ASSIGN(model.table.elsewhere, read_numbers(file, "elsewhere"));
  ESPALIER_ASSIGN(const std::span<const uint32_t> ties, file.array<uint32_t>("ties"));
  model.table.tie_order.assign(ties.begin(), ties.end());
  if (model.table.weights.size() % p != 0 || model.table.elsewhere.size() != p ||
      (!ties.empty() && ties.size() != p))
    return fail("{}: the weights are not those of {} experts", file.name(), p);
  ESPALIER_ASSIGN(const std::span<const float> suffix, file.array<float>("suffix"));
  for (const float w : suffix)
    if (!(w >= 0 && w <= 1.001f))
      return fail("{}: section 'suffix' has a number that is not a probability", file.name());
  model.suffix.weights.assign(suffix.begin(), suffix.end());
  // Neither can be more than there are numbers, so that the product cannot overflow.
  if (model.suffix.slots > suffix.size() || model.suffix.experts > suffix.size() ||
      suffix.size() > UINT32_MAX) {
    if (model.method == Method::kRand) return fail("{}: section 'suffix' is cut off", file.name());
    model.suffix.slots = model.suffix.experts = 0;
  }
  const size_t table_size = model.suffix.slots * model.suffix.experts;
  if (model.method == Method::kRand && (suffix.empty() || table_size == 0 || suffix.size() % table_size != 0))
    return fail("{}: section 'suffix' does not divide into distributions", file.name());
  ESPALIER_ASSIGN(const auto tokens, read_numbers(file, "confidence.tokens"));
  ESPALIER_ASSIGN(const auto sequences, read_numbers(file, "confidence.sequences"));
  ESPALIER_ASSIGN(model.token_confidence, ConfidenceMap::from_values(tokens));
  ESPALIER_ASSIGN(model.sequence_confidence, ConfidenceMap::from_values(sequences));
  ESPALIER_ASSIGN(const auto rounds, read_numbers(file, "boosting"));
  std::vector<double> normalisers;
  if (file.has("boosting.normalisers")) {
    ESPALIER_ASSIGN(normalisers, read_numbers(file, "boosting.normalisers"));
  }
  for (size_t i = 0; i + 1 < rounds.size(); i += 2) {
    BoostRound round;
    round.error = rounds[i];
    round.step = rounds[i + 1];
    round.normaliser = i / 2 < normalisers.size()
                           ? normalisers[i / 2]
                           : 2 * std::sqrt(round.error * std::max(0.0, 1 - round.error));
    model.boosting.push_back(std::move(round));
  }
  if (file.has("automaton.arcs")) {
    ESPALIER_ASSIGN(model.automaton, read_automaton(file, p));
    if (model.method == Method::kRand && model.suffix.experts != model.automaton->arcs().size())
      return fail("{}: section 'suffix' is not about the automaton's arcs", file.name());
  } else if (model.method == Method::kRand && model.suffix.experts != p) {
    return fail("{}: section 'suffix' is not about {} experts", file.name(), p);
  }
  return model;
}

Result<EnsembleModel> EnsembleModel::open(const std::string& path) {
  ESPALIER_ASSIGN(const SectionFile file, SectionFile::open(path));
  return from_file(file);
}

Result<EnsembleModel> EnsembleModel::from_bytes(const std::vector<std::byte>& bytes, std::string name) {
  ESPALIER_ASSIGN(const SectionFile file, SectionFile::from_bytes(bytes, std::move(name)));
  return from_file(file);
}

}  // namespace espalier::ensemble

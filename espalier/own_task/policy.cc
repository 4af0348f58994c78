// Policies in memory and in files. Tested in task_test.cc.
#include "espalier/own_task/policy.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "espalier/base/files/saved_sections.h"
#include "espalier/base/text/json_as.h"

namespace espalier {

namespace {

constexpr int kPolicyVersion = 1;

std::string policy_prefix(size_t i) { return fmt::format("p{}.", i); }

Json policy_to_json(const PolicyInfo& info, const PolicyBuilder::Usage& usage) {
  Json settings = Json::object();
  for (const auto& [name, value] : info.settings) settings[name] = value;
  return {{"version", kPolicyVersion},
          {"learner", info.learner},
          {"settings", settings},
          {"oracle", info.oracle},
          {"seed", info.seed},
          {"examples", info.examples},
          {"labels", info.labels},
          {"rounds", info.rounds},
          {"best_round", info.best_round},
          {"dev_loss", info.dev_loss},
          {"interrupted", info.interrupted},
          {"beam", usage.beam},
          {"best_first", usage.best_first},
          {"normalise", usage.normalise}};
}

/// Reads and checks what policy_to_json wrote.
Status read_policy_json(const Json& about, Policy::State& state) {
  const auto wrong = [&](std::string_view what) {
    return fail("{}: section '{}': {}", state.file.name(), own_task::kPolicySection, what);
  };
  if (!about.is_object()) return wrong("not a JSON object");
  PolicyInfo& info = state.info;
  try {
    if (const int version = json_as<int>(about.at("version")); version != kPolicyVersion)
      return wrong(fmt::format("version {}; this library reads version {}", version, kPolicyVersion));
    info.learner = about.at("learner").get<std::string>();
    for (const auto& [name, value] : about.at("settings").items())
      info.settings.emplace_back(name, value.get<std::string>());
    info.oracle = about.at("oracle").get<std::string>();
    info.seed = json_as<uint64_t>(about.at("seed"));
    info.examples = json_as<size_t>(about.at("examples"));
    info.labels = json_as<size_t>(about.at("labels"));
    info.rounds = json_as<int>(about.at("rounds"));
    info.best_round = json_as<int>(about.at("best_round"));
    info.dev_loss = about.at("dev_loss").get<double>();
    info.interrupted = about.at("interrupted").get<bool>();
    state.beam = json_as<size_t>(about.at("beam"));
    state.best_first = about.at("best_first").get<bool>();
    state.normalise = about.at("normalise").get<bool>();
    if (info.labels == 0 || info.labels > own_task::kMostTaskLabels)
      return wrong("an impossible number of labels");
    if (state.beam == 0) return wrong("a beam of 0");
    const Json& classifiers = about.at("classifiers");
    if (!classifiers.is_array() || classifiers.empty()) return wrong("no classifiers");
    for (size_t i = 0; i < classifiers.size(); ++i) {
      const double share = classifiers[i].at("share").get<double>();
      if (!(share > 0 && share <= 1)) return wrong("a classifier's share is not between 0 and 1");
      const std::string header = classifiers[i].at("header").get<std::string>();
      ESPALIER_ASSIGN(auto stored, search::load_policy(state.file, policy_prefix(i), header, info.labels));
      if (stored->rows() == nullptr || stored->bits() != 32)
        return wrong("a classifier is not made of 32-bit weights");
      if (info.labels <= own_task::DenseTaskRows::kMostLabels) {
        ESPALIER_ASSIGN(auto dense, own_task::DenseTaskRows::load(state.file, policy_prefix(i), info.labels));
        state.dense.push_back(std::move(dense));
      }
      info.features += stored->features();
      info.weights += stored->weights();
      state.stored.push_back(std::move(stored));
      state.shares.push_back(share);
    }
    info.classifiers = state.stored.size();
  } catch (const Json::exception&) {
    return wrong("a field is missing or of the wrong kind");
  }
  return {};
}

}  // namespace

std::unique_ptr<Policy::State::Scorers> Policy::State::take() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto scorers = std::move(idle_.back());
      idle_.pop_back();
      return scorers;
    }
  }
  auto scorers = std::make_unique<Scorers>();
  double so_far = 0;
  for (size_t i = 0; i < stored.size(); ++i) {
    so_far += shares[i];
    std::shared_ptr<search::Scorer> scorer;
    if (dense.empty()) {
      scorer = stored[i]->make_scorer();
    } else {
      scorer = std::make_shared<own_task::DenseTaskScorer>(dense[i]);
    }
    scorers->policy.interpolate(std::move(scorer), i == 0 ? 1.0 : shares[i] / so_far);
  }
  return scorers;
}

void Policy::State::give_back(std::unique_ptr<Scorers> scorers) const noexcept {
  try {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(scorers));
  } catch (...) {  // no memory to keep it: the next call makes another
  }
}

Result<Policy> PolicyBuilder::from_weights(const search::Mixture& mixture, const PolicyInfo& info,
                                           const Usage& usage) {
  SectionWriter out;
  Json about = policy_to_json(info, usage);
  about["classifiers"] = Json::array();
  for (size_t i = 0; i < mixture.size(); ++i) {
    const auto& rows = dynamic_cast<const search::RowWeights&>(mixture.classifier(i));
    for (const float w : rows.hashed().weights())
      if (!std::isfinite(w)) return fail("the weights overflowed: use feature values of about 1");
    const std::string header = search::save_policy(policy_prefix(i), rows, {}, 32, out);
    about["classifiers"].push_back({{"share", mixture.share(i)}, {"header", header}});
  }
  out.add_text(own_task::kPolicySection, json_text(about, 1));
  ESPALIER_ASSIGN(SectionFile file, SectionFile::from_bytes(out.to_bytes(), "policy"));
  return from_file(std::move(file));
}

Result<Policy> PolicyBuilder::from_file(SectionFile file) {
  auto state = std::make_shared<Policy::State>(std::move(file));
  if (!state->file.has(own_task::kPolicySection)) {
    if (state->file.has("about"))
      return fail(
          "{}: this model labels sequences; it is opened by Tagger::open, not as the policy of a search task",
          state->file.name());
    return fail("{}: not the policy of a search task", state->file.name());
  }
  ESPALIER_ASSIGN(const std::string_view text, state->file.text(own_task::kPolicySection));
  ESPALIER_TRY(read_policy_json(try_parse_json(text), *state));
  return Policy(std::shared_ptr<const Policy::State>(std::move(state)));
}

Result<Policy> Policy::open(const std::string& path) {
  ESPALIER_ASSIGN(SectionFile file, SectionFile::open(path));
  return PolicyBuilder::from_file(std::move(file));
}

Result<Policy> Policy::from_bytes(const std::vector<std::byte>& bytes, std::string name) {
  ESPALIER_ASSIGN(SectionFile file, SectionFile::from_bytes(bytes, std::move(name)));
  return PolicyBuilder::from_file(std::move(file));
}

Status Policy::save(const std::string& path) const { return sections_of(state_->file).save(path); }

std::vector<std::byte> Policy::bytes() const { return sections_of(state_->file).to_bytes(); }

const PolicyInfo& Policy::info() const { return state_->info; }

}  // namespace espalier

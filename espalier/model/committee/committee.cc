#include "espalier/model/committee/committee.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "espalier/base/text/json.h"

namespace espalier::model {

using data::Label;

namespace {

constexpr std::string_view kCommitteeSection = "committee";
constexpr size_t kMostMembers = 32;

std::string member_section(size_t member) { return fmt::format("member{}", member + 1); }

}  // namespace

std::vector<std::byte> bytes_of(const Model& model) {
  SectionWriter out;
  for (const SectionFile::Entry& entry : model.file().entries()) out.add(entry.name, entry.bytes);
  return out.to_bytes();
}

void save_committee(std::span<const CommitteeMember> members, std::span<const double> weights,
                    data::Scheme scheme, std::span<const std::byte> chain, SectionWriter& out) {
  Json names = Json::array();
  for (size_t m = 0; m < members.size(); ++m) {
    names.push_back(members[m].name);
    out.add(member_section(m), members[m].model);
  }
  out.add("decider", chain);
  out.add_text(kCommitteeSection,
               json_text(Json{{"members", names},
                              {"weights", std::vector<double>(weights.begin(), weights.end())},
                              {"scheme", data::scheme_name(scheme)}}));
}

struct CommitteePredictor::Buffers final : data::Predictor::Scratch {
  Members::Scratch asking;
  std::vector<Opinion> said;
  Pooled pooled;
  std::unique_ptr<data::Predictor::Scratch> deciding;
  data::Sequence means;
  data::Prediction ranked;
};

CommitteePredictor::CommitteePredictor(std::shared_ptr<const Core> core, const data::Predictor& decider,
                                       std::unique_ptr<const data::Predictor> constrained)
    : core_(std::move(core)), constrained_(std::move(constrained)), decider_(&decider), members_([&] {
        std::vector<Members::Member> members;
        for (size_t m = 0; m < core_->members.size(); ++m)
          members.push_back({core_->names[m], &core_->members[m]});
        return Members(std::move(members), core_->chain.labels(), core_->scheme);
      }()) {}

Result<std::unique_ptr<CommitteePredictor>> CommitteePredictor::load(const SectionFile& file) {
  ESPALIER_ASSIGN(const std::string_view text, file.text(kCommitteeSection));
  const Json header = try_parse_json(text);
  auto core = std::make_shared<Core>();
  std::string scheme;
  try {
    core->names = header.at("members").get<std::vector<std::string>>();
    core->weights = header.at("weights").get<std::vector<double>>();
    scheme = header.at("scheme").get<std::string>();
  } catch (const Json::exception&) {
    return fail("{}: section '{}' lacks the members, their weights or the label scheme", file.name(),
                kCommitteeSection);
  }
  if (scheme != data::scheme_name(data::Scheme::kNone)) {
    ESPALIER_ASSIGN(core->scheme, data::parse_scheme(scheme));
  }
  if (core->names.empty() || core->names.size() > kMostMembers)
    return fail("{}: a committee of {} members", file.name(), core->names.size());
  const auto bad = [](double weight) { return !std::isfinite(weight) || weight < 0; };
  if (core->weights.size() != core->names.size() ||
      std::any_of(core->weights.begin(), core->weights.end(), bad) ||
      *std::max_element(core->weights.begin(), core->weights.end()) == 0)
    return fail("{}: the weights of the members make no sense", file.name());
  const auto open = [&](const std::string& section) -> Result<Model> {
    ESPALIER_ASSIGN(const auto bytes, file.array<std::byte>(section));
    ESPALIER_ASSIGN(Model model, Model::from_view(bytes, fmt::format("{}: {}", file.name(), section)));
    if (model.as<CommitteePredictor>() != nullptr)
      return fail("{}: a member of a committee is a committee", file.name());
    return model;
  };
  for (size_t m = 0; m < core->names.size(); ++m) {
    ESPALIER_ASSIGN(Model member, open(member_section(m)));
    core->members.push_back(std::move(member));
  }
  ESPALIER_ASSIGN(core->chain, open("decider"));
  if (core->chain.as<chain::ChainPredictor>() == nullptr || !core->chain.about().features.attributes)
    return fail("{}: what decides for the committee is not a chain over their probabilities", file.name());
  const data::Predictor& chain = core->chain.bare();
  return std::unique_ptr<CommitteePredictor>(new CommitteePredictor(std::move(core), chain, nullptr));
}

std::unique_ptr<data::Predictor> CommitteePredictor::under(constrain::Constraints rules,
                                                           const constrain::ConstrainedOptions& options,
                                                           constrain::InstanceMaker instances) const {
  auto constrained = std::make_unique<const constrain::ConstrainedPredictor>(
      *core_->chain.as<chain::ChainPredictor>(), std::move(rules), options, std::move(instances));
  const data::Predictor& decider = *constrained;
  return std::unique_ptr<data::Predictor>(new CommitteePredictor(core_, decider, std::move(constrained)));
}

std::unique_ptr<data::Predictor::Scratch> CommitteePredictor::make_scratch() const {
  auto buffers = std::make_unique<Buffers>();
  buffers->asking = members_.make_scratch();
  buffers->deciding = decider_->make_scratch();
  return buffers;
}

Status CommitteePredictor::predict(const data::Sequence& sequence, std::span<const Label> forced,
                                   const data::PredictOptions& options, Scratch& scratch,
                                   data::Prediction& out) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  ESPALIER_TRY(members_.ask(sequence, b.asking, b.said));
  members_.pool(b.said, core_->weights, sequence.length(), b.pooled);
  const bool by_chain = constrained_ != nullptr || !forced.empty() || options.nbest > 1 ||
                        options.decoder == data::Decoder::kPosterior;
  if (by_chain || options.confidence || options.marginals)
    members_.describe(sequence, b.pooled, constrained_ != nullptr, b.means);
  if (by_chain) return decider_->predict(b.means, forced, options, *b.deciding, out);
  return answer(options, b, out);
}

Status CommitteePredictor::answer(const data::PredictOptions& options, Buffers& b,
                                  data::Prediction& out) const {
  const size_t K = labels().size();
  out.clear();
  data::Labelling& best = out.best.front();
  best.labels = b.pooled.best;
  for (size_t t = 0; t < best.labels.size(); ++t)
    best.score += std::log(std::max(b.pooled.labels[t * K + best.labels[t]], kLeastProbability));
  if ((!options.confidence && !options.marginals) || best.labels.empty()) return {};
  const auto* const chain = core_->chain.as<chain::ChainPredictor>();
  data::PredictOptions all = options;
  all.marginals = all.confidence = true;
  ESPALIER_TRY(chain->predict(b.means, {}, all, *b.deciding, b.ranked));
  // P(y) = P(y*) · exp(score(y) − score(y*)), where y* is the chain's own best labelling.
  const chain::SequenceScores& scores = chain->scores(b.means, {}, *b.deciding);
  best.probability = b.ranked.best.front().probability *
                     std::exp(chain::score_of(scores.view, best.labels) - b.ranked.best.front().score);
  for (size_t t = 0; t < best.labels.size(); ++t)
    out.confidence.push_back(b.ranked.marginals[t * K + best.labels[t]]);
  if (options.marginals) out.marginals = b.ranked.marginals;
  if (!options.confidence || core_->scheme == data::Scheme::kNone) return {};
  std::vector<std::string_view> names;
  for (const Label label : best.labels) names.push_back(labels().name(label));
  for (const data::Span& span : data::spans(names, core_->scheme)) {
    const auto same = [&](const data::LikelySegment& known) {
      return known.first == span.first && known.last == span.last &&
             members_.rules()->type_name(known.type) == span.type;
    };
    const auto known = std::find_if(b.pooled.segments.begin(), b.pooled.segments.end(), same);
    out.spans.push_back({span.first, span.last, std::string(span.type),
                         known == b.pooled.segments.end() ? 0 : std::min(1.0, known->probability)});
  }
  return {};
}

Result<std::vector<data::Predictor::Explanation>> CommitteePredictor::explain_forced(
    const data::Sequence& sequence, std::span<const Label> forced, Scratch& scratch) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  data::Prediction found;
  ESPALIER_TRY(predict(sequence, forced, {}, scratch, found));
  const size_t K = labels().size();
  double all = 0;
  for (const double weight : core_->weights) all += weight;
  std::vector<Explanation> out(sequence.length());
  for (size_t t = 0; t < out.size(); ++t) {
    const float* const p = b.pooled.labels.data() + t * K;
    Explanation& e = out[t];
    e.label = e.runner_up = found.labels()[t];
    for (size_t j = 0; j < K; ++j)
      if (j != e.label && (e.runner_up == e.label || p[j] > p[e.runner_up]))
        e.runner_up = static_cast<Label>(j);
    e.margin = p[e.label] - p[e.runner_up];
    for (size_t m = 0; m < b.said.size(); ++m) {
      Contribution c;
      Label said = e.label;
      float most = 0;
      for (const Opinion::Belief& belief : b.said[m].labels) {
        if (belief.row != t) continue;
        const double share = core_->weights[m] / all * belief.probability;
        if (belief.label == e.label) c.weight = share;
        if (belief.label == e.runner_up) c.runner_up = share;
        if (belief.probability <= most) continue;
        most = belief.probability;
        said = belief.label;
      }
      c.feature = fmt::format("{} says {}", members_.name(m), labels().name(said));
      e.contributions.push_back(std::move(c));
    }
    std::stable_sort(e.contributions.begin(), e.contributions.end(),
                     [](const Contribution& x, const Contribution& y) {
                       return std::abs(x.weight - x.runner_up) > std::abs(y.weight - y.runner_up);
                     });
  }
  return out;
}

Result<std::vector<data::Predictor::WeightedFeature>> CommitteePredictor::strongest(
    size_t how_many, std::optional<Label> only) const {
  return core_->chain.bare().strongest(how_many, only);
}

std::vector<data::Predictor::WeightedTransition> CommitteePredictor::weighted_transitions() const {
  return core_->chain.bare().weighted_transitions();
}

data::Predictor::Size CommitteePredictor::size() const {
  Size all = core_->chain.bare().size();
  for (const Model& member : core_->members) {
    const Size one = member.bare().size();
    all.features += one.features;
    all.weights += one.weights;
  }
  return all;
}

std::string CommitteePredictor::details() const {
  Json members = Json::array();
  for (size_t m = 0; m < core_->members.size(); ++m) {
    Json settings = Json::object();
    for (const auto& [name, value] : core_->members[m].about().parameters) settings[name] = value;
    members.push_back({{"name", core_->names[m]},
                       {"weight", core_->weights[m]},
                       {"learner", core_->members[m].about().learner},
                       {"task", core_->members[m].about().task},
                       {"parameters", settings}});
  }
  return json_text(Json{{"members", members}});
}

}  // namespace espalier::model

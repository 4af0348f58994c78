#include "espalier/tasks/summary/summary_model.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "espalier/base/text/json_as.h"
#include "espalier/tasks/search_model.h"

namespace espalier::tasks {
namespace {

constexpr data::Label kOutLabel = 0, kInLabel = 1;

Status check_not_forced(std::span<const data::Label> forced) {
  if (std::any_of(forced.begin(), forced.end(), [](data::Label l) { return l != data::kNoLabel; }))
    return fail("a summariser takes no forced labels");
  return {};
}

}  // namespace

struct SummaryPredictor::Buffers final : Scratch {
  search::Mixture policy;
};

void save_summary_model(const SummarySettings& settings, const WordCounts& background,
                        const search::Mixture& policy, SectionWriter& out) {
  Json header{{"unit", settings.unit == SummaryUnit::kWord ? "word" : "sentence"},
              {"limit", settings.limit},
              {"stemmer", settings.stemmer},
              {"beam", settings.decode.beam},
              {"best_first", settings.decode.best_first},
              {"normalise", settings.decode.normalise},
              {"classifier", settings.classifier},
              {"policies", Json::array()}};
  for (size_t i = 0; i < policy.size(); ++i)
    header["policies"].push_back(
        {{"share", policy.share(i)},
         {"header", search::save_policy(fmt::format("p{}.", i), policy.classifier(i), {}, 32, out)}});
  out.add_text("summary", json_text(header));
  background.save("background", out);
}

SummaryPredictor::SummaryPredictor() {
  labels_.add(kOutOfSummary);
  labels_.add(kInSummary);
}

Result<std::unique_ptr<SummaryPredictor>> SummaryPredictor::load(const SectionFile& file) {
  std::unique_ptr<SummaryPredictor> model(new SummaryPredictor());
  ESPALIER_ASSIGN(const std::string_view text, file.text("summary"));
  const Json header = try_parse_json(text);
  if (!header.is_object()) return fail("{}: section 'summary' is not a JSON object", file.name());
  SummarySettings& settings = model->settings_;
  try {
    settings.unit =
        header.at("unit").get<std::string>() == "word" ? SummaryUnit::kWord : SummaryUnit::kSentence;
    settings.limit = json_as<size_t>(header.at("limit"));
    settings.stemmer = header.at("stemmer").get<std::string>();
    settings.decode.beam = json_as<size_t>(header.at("beam"));
    settings.decode.best_first = header.at("best_first").get<bool>();
    settings.decode.normalise = header.at("normalise").get<bool>();
    settings.classifier = header.at("classifier").get<std::string>();
    if (settings.limit == 0 || settings.decode.beam == 0 || settings.decode.beam > 100000)
      return fail("{}: section 'summary': a limit or a beam cannot be", file.name());
    double sum = 0;
    for (const Json& policy : header.at("policies")) {
      const std::string prefix = fmt::format("p{}.", model->policies_.size());
      ESPALIER_ASSIGN(auto loaded,
                      search::load_policy(file, prefix, policy.at("header").get<std::string>(), 1));
      model->policies_.push_back(std::move(loaded));
      model->shares_.push_back(policy.at("share").get<double>());
      sum += model->shares_.back();
      if (!(model->shares_.back() > 0)) return fail("{}: a classifier has no share", file.name());
    }
    if (model->policies_.empty() || std::abs(sum - 1) > 1e-6)
      return fail("{}: the classifiers' shares do not add up to 1", file.name());
  } catch (const Json::exception&) {
    return fail("{}: section 'summary' lacks a field or has one of the wrong kind", file.name());
  }
  if (const auto stemmer = data::Stemmer::make(settings.stemmer); !stemmer.ok())
    return fail("{}: {}", file.name(), stemmer.error().message);
  ESPALIER_ASSIGN(model->background_, WordCounts::load(file, "background"));
  return model;
}

std::unique_ptr<data::Predictor::Scratch> SummaryPredictor::make_scratch() const {
  auto buffers = std::make_unique<Buffers>();
  double so_far = 0;
  for (size_t i = 0; i < policies_.size(); ++i) {
    so_far += shares_[i];
    buffers->policy.interpolate(policies_[i]->make_scorer(), i == 0 ? 1.0 : shares_[i] / so_far);
  }
  return buffers;
}

Result<std::unique_ptr<SummaryInstance>> SummaryPredictor::instance_of(const data::Sequence& sequence) const {
  if (sequence.comments().empty()) return fail("a summariser reads clusters of documents, as lines of JSON");
  ESPALIER_ASSIGN(Cluster cluster,
                  parse_cluster(sequence.comments().front(),
                                fmt::format("line {}", sequence.empty() ? 0 : sequence.line(0))));
  if (settings_.unit == SummaryUnit::kWord && !cluster.parsed()) {
    if (!annotate_)
      return fail(
          "line {}: the model chooses words by their dependency trees, but the sentences have none and the "
          "model "
          "was trained without --parser",
          sequence.line(0));
    ESPALIER_TRY(annotate_(cluster));
  }
  SummaryInputOptions options{settings_.unit, cluster.limit.value_or(settings_.limit), settings_.stemmer};
  ESPALIER_ASSIGN(SummaryInput input, make_summary_input(cluster, options, background_, nullptr));
  return std::make_unique<SummaryInstance>(std::move(cluster), std::move(input));
}

Result<DecodeOptions> SummaryPredictor::decoding(const data::PredictOptions& options) const {
  using Method = data::SearchChoice::Method;
  if (options.confidence || options.marginals || options.decoder == data::Decoder::kPosterior)
    return fail(
        "a summariser has scores, but no probabilities (no --confidence, --marginals or posterior decoding)");
  DecodeOptions how = settings_.decode;
  if (options.search.beam > 0) how.beam = options.search.beam;
  if (options.search.method == Method::kGreedy) how.beam = 1;
  if (options.search.method != Method::kModel) how.best_first = options.search.method == Method::kBestFirst;
  constexpr size_t kUsualSummaryBeam = 5;
  if ((options.search.method == Method::kBeam || how.best_first) && options.search.beam == 0 && how.beam == 1)
    how.beam = kUsualSummaryBeam;
  how.nbest = options.nbest;
  if (options.nbest > 1 && (how.best_first || options.nbest > how.beam))
    return fail(
        "a search has as many summaries as its beam is wide: --nbest {} needs --decoder beam and --beam {} "
        "or more",
        options.nbest, options.nbest);
  return how;
}

Status SummaryPredictor::predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                                 const data::PredictOptions& options, Scratch& scratch,
                                 data::Prediction& out) const {
  ESPALIER_TRY(check_not_forced(forced));
  ESPALIER_ASSIGN(const DecodeOptions how, decoding(options));
  ESPALIER_ASSIGN(const auto instance, instance_of(sequence));
  ESPALIER_ASSIGN(const Decoded decoded, decode_pieces(SummarySpace(*instance), instance->input.limit,
                                                       static_cast<Buffers&>(scratch).policy, how));
  out.clear();
  out.best.resize(decoded.best.size());
  out.search_end = decoded.ended;
  for (size_t k = 0; k < decoded.best.size(); ++k) {
    out.best[k] = {};
    out.best[k].score = decoded.best[k].score;
    std::vector<uint32_t> pieces;
    for (const search::Action& action : decoded.best[k].actions) pieces.push_back(action.candidate);
    for (const bool in : tokens_of_pieces(instance->input, instance->cluster, pieces))
      out.best[k].labels.push_back(in ? kInLabel : kOutLabel);
  }
  return {};
}

Result<std::vector<data::Predictor::Explanation>> SummaryPredictor::explain_forced(
    const data::Sequence& sequence, std::span<const data::Label> forced, Scratch& scratch) const {
  ESPALIER_TRY(check_not_forced(forced));
  ESPALIER_ASSIGN(const DecodeOptions how, decoding({}));
  ESPALIER_ASSIGN(const auto instance, instance_of(sequence));
  const SummarySpace space(*instance);
  const search::Mixture& policy = static_cast<Buffers&>(scratch).policy;
  ESPALIER_ASSIGN(const Decoded decoded, decode_pieces(space, instance->input.limit, policy, how));
  std::vector<Explanation> out(sequence.length());
  for (Explanation& e : out) {
    e.runner_up = kInLabel;
    e.margin = std::numeric_limits<double>::quiet_NaN();
  }
  const size_t shown = largest_share(shares_);
  const auto weight_of = [&](uint64_t hash) {
    double weight = 0;
    policies_[shown]->visit_hashed(hash, [&](uint32_t, float w) { weight += w; });
    return weight;
  };
  const SummaryInput& input = instance->input;
  const auto piece_text = [&](uint32_t p) {
    std::string text;
    for (uint32_t w = input.pieces[p].first; w < input.pieces[p].last; ++w)
      text += (text.empty() ? "" : " ") + instance->cluster.tokens[input.words[w].token].text;
    return text;
  };
  SummarySpace::State state = space.initial();
  std::vector<search::Action> actions;
  std::vector<float> scores;
  size_t step = 0;
  for (const search::Action action : decoded.best.front().actions) {
    ++step;
    actions.clear();
    space.actions(state, actions);
    search::score_actions(space, policy.classifier(shown), state, std::span<const search::Action>(actions),
                          scores);
    size_t own = 0, other = actions.size();
    for (size_t i = 0; i < actions.size(); ++i)
      if (actions[i] == action) own = i;
    for (size_t i = 0; i < actions.size(); ++i)
      if (i != own && (other == actions.size() || scores[i] > scores[other])) other = i;
    Explanation made;
    made.label = kInLabel;
    made.runner_up = kOutLabel;
    made.decision = fmt::format("step {}: {}", step, piece_text(action.candidate));
    made.margin = std::numeric_limits<double>::quiet_NaN();
    std::vector<NamedSummaryFeature> its;
    instance->context.load(input, instance->cluster, state.chosen, state.key);
    const std::vector<NamedSummaryFeature> mine =
        instance->features.named(instance->context, action.candidate);
    if (other < actions.size()) {
      made.margin = double{scores[own]} - double{scores[other]};
      made.runner_up_decision = piece_text(actions[other].candidate);
      its = instance->features.named(instance->context, actions[other].candidate);
    }
    for (const NamedSummaryFeature& feature : mine)
      made.contributions.push_back({feature.name, feature.value * weight_of(feature.hash), 0});
    for (const NamedSummaryFeature& feature : its)
      made.contributions.push_back({feature.name, 0, feature.value * weight_of(feature.hash)});
    std::erase_if(made.contributions,
                  [](const Contribution& c) { return c.weight == 0 && c.runner_up == 0; });
    std::stable_sort(made.contributions.begin(), made.contributions.end(), [](const auto& a, const auto& b) {
      return std::abs(a.weight - a.runner_up) > std::abs(b.weight - b.runner_up);
    });
    const SummaryPiece& piece = input.pieces[action.candidate];
    for (uint32_t w = piece.first; w < piece.last; ++w) {
      Explanation& e = out[input.words[w].token];
      e = made;
      if (w > piece.first) e.contributions.clear();  // the first word of a sentence speaks for all
    }
    space.advance(state, action);
  }
  return out;
}

Result<std::vector<data::Predictor::WeightedFeature>> SummaryPredictor::strongest(
    size_t, std::optional<data::Label>) const {
  return fail(
      "a summariser keeps the hashes of its features, not their names; explain shows those of a cluster");
}

data::Predictor::Size SummaryPredictor::size() const {
  Size size;
  for (const auto& policy : policies_) {
    size.features += policy->features();
    size.weights += policy->weights();
  }
  size.names = false;
  return size;
}

std::string SummaryPredictor::details() const {
  return json_text(Json{{"unit", settings_.unit == SummaryUnit::kWord ? "word" : "sentence"},
                        {"limit", settings_.limit},
                        {"stemmer", settings_.stemmer},
                        {"beam", settings_.decode.beam},
                        {"classifier", settings_.classifier},
                        {"shares", shares_},
                        {"background_words", background_.words()},
                        {"parser", annotate_ != nullptr}});
}

}  // namespace espalier::tasks

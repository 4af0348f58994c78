#include "espalier/base/text/json_as.h"
#include "espalier/tasks/search_buffers.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "espalier/data/forced_explanation.h"

namespace espalier::tasks {

using data::Label;

size_t largest_share(std::span<const double> shares) {
  size_t most = 0;
  for (size_t i = 1; i < shares.size(); ++i)
    if (shares[i] >= shares[most]) most = i;
  return most;
}

Status save_search_model(const SearchModelSource& source, SectionWriter& out) {
  out.add_text("search", source.plan.to_json());
  Json header{{"beam", source.decode.beam},
              {"best_first", source.decode.best_first},
              {"stochastic", source.decode.stochastic},
              {"normalise", source.decode.normalise},
              {"seed", source.decode.seed},
              {"classifier", source.classifier},
              {"policies", Json::array()}};
  if (!source.history.hashes.empty()) {
    out.add_array("history.hashes", source.history.hashes);
    out.add_text("history.names", source.history.names);
  }
  for (size_t i = 0; i < source.policy.size(); ++i) {
    const search::Scorer& classifier = source.policy.classifier(i);
    header["policies"].push_back({{"share", source.policy.share(i)},
                                  {"header", search::save_policy(fmt::format("p{}.", i), classifier,
                                                                 source.features, source.weight_bits, out)}});
  }
  if (source.chunks != nullptr) {
    Json lists = Json::array();
    for (size_t i = 0; i < source.chunks->lists.size(); ++i) {
      lists.push_back(source.chunks->lists[i].name);
      out.add_array(fmt::format("list{}", i), source.chunks->lists[i].entries);
    }
    header["chunks"] = {{"columns", source.chunks->columns},
                        {"stemmer", source.chunks->stemmer},
                        {"meta", source.chunks->meta.text()},
                        {"lists", lists}};
  }
  out.add_text("search.policies", json_text(header));
  return {};
}

std::unique_ptr<data::Predictor::Scratch> SearchPredictor::make_scratch() const {
  auto b = std::make_unique<Buffers>();
  // Interpolated in this order, the shares come out as they are stored.
  double so_far = 0;
  for (size_t i = 0; i < policies_.size(); ++i) {
    std::shared_ptr<search::InputScorer> scorer = policies_[i]->make_scorer();
    b->scorers.push_back(scorer.get());
    so_far += shares_[i];
    b->policy.interpolate(std::move(scorer), i == 0 ? 1.0 : shares_[i] / so_far);
  }
  // A stochastic policy draws its seed from the features.
  const std::vector<uint64_t> roles = chunks_ ? ChunkFeatures::roles() : std::vector<uint64_t>();
  b->keeps_sums = !decode_.stochastic && std::all_of(b->scorers.begin(), b->scorers.end(), [&](auto* scorer) {
    return scorer->keep_sums(extractor_, roles);
  });
  return b;
}

bool SearchPredictor::prepare_grouped(const data::Sequence& sequence, Buffers& b) const {
  if (!b.keeps_sums) return false;
  if (chunks_) chunks_->extract(sequence, nullptr, b.chunks, b.blocks, b.looks);
  for (search::InputScorer* scorer : b.scorers)
    if (!scorer->prepare_grouped(sequence, b.extraction, b.grouped, chunks_ ? &b.blocks : nullptr))
      return false;
  std::swap(b.tokens, b.grouped.others);
  return true;
}

Status SearchPredictor::prepare(const data::Sequence& sequence, data::Predictor::Scratch& scratch,
                                Each each) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  if (each == Each::kFeature || !prepare_grouped(sequence, b)) {
    extractor_.extract(sequence, b.extraction, b.tokens);
    if (chunks_) chunks_->extract(sequence, &b.tokens, b.chunks, b.blocks, b.looks);
    for (search::InputScorer* scorer : b.scorers) scorer->prepare(chunks_ ? b.blocks : b.tokens);
  }
  b.words.clear();
  if (plan_.columns() == 1) return {};
  if (plan_.word_cell && *plan_.word_cell >= sequence.columns())
    return fail("the model looks at the word in column {}, the input has {}", *plan_.word_cell + 1,
                sequence.columns());
  append_words(plan_, sequence, b.words);
  return {};
}

std::optional<SearchPredictor::Further> SearchPredictor::further() const {
  if (policies_.size() != 1) return std::nullopt;
  std::optional<search::OldRows> rows = policies_[0]->old_rows();
  if (!rows) return std::nullopt;
  rows->known_hashes = history_hashes_;
  return Further{std::move(*rows),
                 names_,
                 {{history_hashes_.begin(), history_hashes_.end()}, std::string(history_names_)}};
}

JointInput SearchPredictor::joint_input(const data::Sequence& sequence, const Buffers& b) const {
  return {sequence.length(), {}, b.tokens.edge, b.tokens.edge_begin, b.words};
}

Result<DecodeOptions> SearchPredictor::decoding(const data::PredictOptions& options) const {
  using Method = data::SearchChoice::Method;
  if (options.confidence || options.marginals || options.decoder == data::Decoder::kPosterior)
    return fail(
        "this model is a search: its scores are no probabilities (no --confidence, --marginals or posterior "
        "decoding)");
  DecodeOptions decode = decode_;
  const data::SearchChoice& choice = options.search;
  if (choice.method == Method::kGreedy && choice.beam > 1)
    return fail("a greedy search keeps one state, not a beam of {}", choice.beam);
  if (choice.beam > 0) decode.beam = choice.beam;
  switch (choice.method) {
    case Method::kModel:
      break;
    case Method::kGreedy:
      decode.beam = 1;
      decode.best_first = false;
      break;
    case Method::kBeam:
    case Method::kBestFirst:
      decode.best_first = choice.method == Method::kBestFirst;
      if (choice.beam == 0 && decode.beam == 1) decode.beam = kUsualBeam;
      break;
  }
  // To name a decoder is to ask for the vote of the classifiers that would be drawn otherwise.
  if (choice.method != Method::kModel) decode.stochastic = false;
  if (decode.stochastic && choice.beam > 1)
    return fail(
        "the model draws each decision again every time (policy=stochastic), which a beam of {} has no use "
        "for; "
        "--decoder "
        "beam lets its classifiers vote instead",
        choice.beam);
  decode.nbest = options.nbest;
  if (options.nbest > 1 && (decode.best_first || decode.stochastic || options.nbest > decode.beam))
    return fail(
        "a search has as many labellings as its breadth-first beam is wide: --nbest {} needs --decoder beam "
        "and --beam {} or more",
        options.nbest, options.nbest);
  return decode;
}

Status SearchPredictor::predict(const data::Sequence& sequence, std::span<const Label> forced,
                                const data::PredictOptions& options, data::Predictor::Scratch& scratch,
                                data::Prediction& out) const {
  return predict_legal(sequence, forced, options, nullptr, {}, scratch, out);
}

Status SearchPredictor::predict_legal(const data::Sequence& sequence, std::span<const Label> forced,
                                      const data::PredictOptions& options, const constrain::Completion* legal,
                                      std::span<const constrain::Move> moves,
                                      data::Predictor::Scratch& scratch, data::Prediction& out) const {
  ESPALIER_TRY(prepare(sequence, scratch));
  return predict_prepared(sequence, forced, options, legal, moves, static_cast<Buffers&>(scratch), out);
}

Status SearchPredictor::predict_prepared(const data::Sequence& sequence, const data::PredictOptions& options,
                                         data::Predictor::Scratch& scratch, data::Prediction& out) const {
  return predict_prepared(sequence, {}, options, nullptr, {}, static_cast<Buffers&>(scratch), out);
}

Status SearchPredictor::predict_prepared(const data::Sequence& sequence, std::span<const Label> forced,
                                         const data::PredictOptions& options,
                                         const constrain::Completion* legal,
                                         std::span<const constrain::Move> moves, Buffers& b,
                                         data::Prediction& out) const {
  ESPALIER_ASSIGN(Decoded decoded, decode(sequence, forced, options, legal, moves, b));
  const size_t T = sequence.length(), C = plan_.columns();
  out.clear();
  out.best.resize(decoded.best.size());
  out.search_end = decoded.ended;
  for (size_t k = 0; k < decoded.best.size(); ++k) {
    data::Labelling& labelling = out.best[k];
    std::vector<Label>& all = decoded.best[k].labels;
    labelling.score = decoded.best[k].score;
    labelling.probability = std::numeric_limits<double>::quiet_NaN();
    if (C == 1) {
      labelling.others.clear();
      labelling.labels = std::move(all);
      continue;
    }
    labelling.labels.resize(T);
    labelling.others.assign(C - 1, std::vector<Label>(T));
    for (size_t t = 0; t < T; ++t)
      for (size_t c = 0; c < C; ++c)
        (c + 1 == C ? labelling.labels : labelling.others[c])[t] =
            static_cast<Label>(all[t * C + c] - plan_.column_begin[c]);
  }
  return {};
}

Result<Decoded> SearchPredictor::decode(const data::Sequence& sequence, std::span<const Label> forced,
                                        const data::PredictOptions& options,
                                        const constrain::Completion* legal,
                                        std::span<const constrain::Move> moves, Buffers& b) const {
  ESPALIER_ASSIGN(DecodeOptions how, decoding(options));
  const bool any_forced = data::any_forced(forced);
  if (any_forced && chunks_) return fail("a model that decides on whole chunks takes no forced labels");
  if (how.stochastic) how.seed = one_seed(how.seed, b.tokens);
  const std::span<const Label> binding = any_forced ? forced : std::span<const Label>();
  return visit_space(sequence, binding, legal, moves, b, [&](const auto& space) {
    return decode_labels(space, plan_, sequence.length(), b.policy, how);
  });
}

data::Predictor::Size SearchPredictor::size() const {
  Size size;
  for (const auto& policy : policies_) {
    size.features += policy->features();
    size.weights += policy->weights();
  }
  size.weight_bits = policies_[0]->bits();
  size.names = !names_.empty();
  return size;
}

std::string SearchPredictor::details() const {
  Json columns = Json::array();
  for (const data::LabelSet& labels : plan_.column_labels) columns.push_back(labels.names());
  return json_text(Json{{"unit", plan_.unit == DecisionUnit::kWord ? "word" : "chunk"},
                        {"direction", order_name(plan_.order)},
                        {"history", plan_.history},
                        {"max_length", plan_.max_length},
                        {"beam", decode_.beam},
                        {"decoder", decode_.stochastic   ? "stochastic"
                                    : decode_.best_first ? "best-first"
                                    : decode_.beam > 1   ? "beam"
                                                         : "greedy"},
                        {"columns", std::move(columns)},
                        {"classifier", classifier_},
                        {"classifiers", policies_.size()},
                        {"shares", shares_},
                        {"shown", shown_ + 1}});
}

Result<std::unique_ptr<SearchPredictor>> SearchPredictor::load(const SectionFile& file,
                                                               data::FeatureExtractor extractor) {
  std::unique_ptr<SearchPredictor> model(new SearchPredictor(std::move(extractor)));
  ESPALIER_ASSIGN(const std::string_view plan, file.text("search"));
  ESPALIER_ASSIGN(model->plan_, DecisionPlan::from_json(plan, file.name()));
  ESPALIER_ASSIGN(const std::string_view text, file.text("search.policies"));
  const Json header = try_parse_json(text);
  if (!header.is_object()) return fail("{}: section 'search.policies' is not a JSON object", file.name());
  const bool chunks = model->plan_.unit == DecisionUnit::kChunk;
  const size_t columns = chunks ? model->plan_.types.size() : model->plan_.labels.size();
  try {
    model->decode_.beam = json_as<size_t>(header.at("beam"));
    model->decode_.best_first = header.at("best_first").get<bool>();
    model->decode_.stochastic = header.at("stochastic").get<bool>();
    model->decode_.normalise = header.at("normalise").get<bool>();
    model->decode_.seed = json_as<uint64_t>(header.at("seed"));
    model->classifier_ = header.at("classifier").get<std::string>();
    if (model->decode_.beam == 0 || model->decode_.beam > 100000)
      return fail("{}: a beam of {} cannot be", file.name(), model->decode_.beam);
    double sum = 0;
    for (const Json& policy : header.at("policies")) {
      const std::string prefix = fmt::format("p{}.", model->policies_.size());
      ESPALIER_ASSIGN(auto loaded,
                      search::load_policy(file, prefix, policy.at("header").get<std::string>(), columns));
      model->policies_.push_back(std::move(loaded));
      model->shares_.push_back(policy.at("share").get<double>());
      if (!(model->shares_.back() > 0 && model->shares_.back() <= 1))
        return fail("{}: a classifier's share of {} cannot be", file.name(), model->shares_.back());
      sum += model->shares_.back();
    }
    if (model->policies_.empty() || std::abs(sum - 1) > 1e-6)
      return fail("{}: the classifiers' shares do not add up to 1", file.name());
    if (chunks) {
      const Json& about = header.at("chunks");
      ChunkFeatureOptions options;
      options.columns = json_as<std::vector<size_t>>(about.at("columns"));
      options.stemmer = about.at("stemmer").get<std::string>();
      const auto meta = ChunkFamilies::parse(about.at("meta").get<std::string>());
      if (!meta.ok()) return fail("{}: section 'search.policies': {}", file.name(), meta.error().message);
      options.meta = *meta;
      for (const Json& name : about.at("lists")) {
        ESPALIER_ASSIGN(const auto entries,
                        file.array<uint64_t>(fmt::format("list{}", options.lists.size())));
        options.lists.push_back({name.get<std::string>(), {entries.begin(), entries.end()}});
      }
      ESPALIER_ASSIGN(model->chunks_, ChunkFeatures::make(std::move(options), model->plan_.max_length));
      model->chunks_->announce(model->plan_);
      // Every type must have its labels, or decoding could not name what it finds.
      DecisionPlan complete = model->plan_;
      add_scheme_labels(complete);
      if (!(complete.labels == model->plan_.labels))
        return fail("{}: section 'search': labels are missing for some types", file.name());
    }
  } catch (const Json::exception&) {
    return fail("{}: section 'search.policies' lacks a field or has one of the wrong kind", file.name());
  }
  model->shown_ = largest_share(model->shares_);
  if (const std::string names = fmt::format("p{}.state.names", model->shown_); file.has(names)) {
    ESPALIER_ASSIGN(model->names_, file.text(names));
  }
  if (file.has("history.names")) {
    ESPALIER_ASSIGN(model->history_hashes_, file.array<uint64_t>("history.hashes"));
    ESPALIER_ASSIGN(model->history_names_, file.text("history.names"));
  }
  return model;
}

}  // namespace espalier::tasks

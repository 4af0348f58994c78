#include "espalier/tasks/search_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "espalier/data/strongest.h"

namespace espalier::tasks {

using data::Label;
using nlohmann::json;
using search::Action;

Status save_search_model(const SearchModelSource& source, SectionWriter& out) {
  out.add_text("search", source.shape.to_json());
  json header{{"beam", source.decode.beam},
              {"best_first", source.decode.best_first},
              {"stochastic", source.decode.stochastic},
              {"normalise", source.decode.normalise},
              {"seed", source.decode.seed},
              {"policies", json::array()}};
  for (size_t i = 0; i < source.policy.size(); ++i) {
    const search::Scorer& classifier = source.policy.classifier(i);
    if (source.policy.size() > 1 && dynamic_cast<const search::KernelScorer*>(&classifier) != nullptr)
      return fail("a model file holds one kernel machine, not a mixture of {}; take beta=1",
                  source.policy.size());
    header["policies"].push_back({{"share", source.policy.share(i)},
                                  {"header", search::save_policy(fmt::format("p{}.", i), classifier,
                                                                 source.features, source.weight_bits, out)}});
  }
  if (source.chunks != nullptr) {
    json lists = json::array();
    for (size_t i = 0; i < source.chunks->lists.size(); ++i) {
      lists.push_back(source.chunks->lists[i].name);
      out.add_array(fmt::format("list{}", i), source.chunks->lists[i].entries);
    }
    header["chunks"] = {{"columns", source.chunks->columns},
                        {"stemmer", source.chunks->stemmer},
                        {"meta", source.chunks->meta},
                        {"lists", lists}};
  }
  out.add_text("search.policies", header.dump(-1, ' ', false, json::error_handler_t::replace));
  return {};
}

struct SearchPredictor::Buffers final : data::Predictor::Scratch {
  data::FeatureExtractor::Scratch extraction;
  data::HashedFeatures tokens, blocks;
  ChunkFeatures::Scratch chunks;
  std::vector<uint64_t> words;
  search::Mixture policy;
  std::vector<search::InputScorer*> scorers;
};

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
  return b;
}

void SearchPredictor::prepare(const data::Sequence& sequence, Buffers& b) const {
  extractor_.extract(sequence, b.extraction, b.tokens);
  if (chunks_) chunks_->extract(sequence, b.tokens, b.chunks, b.blocks, b.words);
  for (search::InputScorer* scorer : b.scorers) scorer->prepare(chunks_ ? b.blocks : b.tokens);
}

Status SearchPredictor::predict(const data::Sequence& sequence, std::span<const Label> forced,
                                const data::PredictOptions& options, data::Predictor::Scratch& scratch,
                                data::Prediction& out) const {
  if (options.nbest > 1 || options.confidence || options.marginals ||
      options.decoder == data::Decoder::kPosterior)
    return fail(
        "this model is a search: it gives one labelling, without probabilities (no --nbest, --confidence, "
        "--marginals or posterior decoding)");
  Buffers& b = static_cast<Buffers&>(scratch);
  const bool any_forced =
      std::any_of(forced.begin(), forced.end(), [](Label l) { return l != data::kNoLabel; });
  if (any_forced && chunks_) return fail("a model that decides on whole chunks takes no forced labels");
  out.best.resize(1);
  out.confidence.clear();
  out.spans.clear();
  out.marginals.clear();
  prepare(sequence, b);
  const size_t T = sequence.length();
  Result<std::vector<Label>> labels = std::vector<Label>();
  if (chunks_) {
    const ChunkSpace space(shape_, {T, {}, b.words});
    labels = decode_labels(space, shape_, T, b.policy, decode_);
  } else {
    LabelInput input{
        T, {}, b.tokens.edge, b.tokens.edge_begin, any_forced ? forced : std::span<const Label>()};
    labels = decode_labels(LabelSpace(shape_, input), shape_, T, b.policy, decode_);
  }
  if (!labels.ok()) return std::move(labels).error();
  out.best[0].labels = std::move(labels).value();
  out.best[0].score = 0;
  return {};
}

Label SearchPredictor::label_of_type(uint32_t type) const {
  if (!chunks_) return static_cast<Label>(type);
  const Chunk one[] = {{0, 1, type}};
  return labels_of(shape_, one, 1)[0];
}

std::string SearchPredictor::block_name(const data::Sequence& sequence, Buffers& b, uint32_t block,
                                        size_t slot) const {
  if (chunks_) return chunks_->name(sequence, extractor_, b.tokens, b.chunks, block, slot);
  return extractor_.state_name(sequence, block, slot);
}

template <typename Space>
void SearchPredictor::explain_path(const data::Sequence& sequence, const Space& space, Buffers& b,
                                   std::vector<Explanation>& out) const {
  constexpr bool kChunks = std::is_same_v<Space, ChunkSpace>;
  const size_t most = static_cast<size_t>(std::max_element(shares_.begin(), shares_.end()) - shares_.begin());
  search::InputScorer& scorer = *b.scorers[most];
  std::vector<Action> actions;
  std::vector<float> scores;
  search::FeatureSink sink;
  auto state = space.initial();
  while (!space.is_goal(state)) {
    actions.clear();
    space.actions(state, actions);
    search::score_actions(space, scorer, state, std::span<const Action>(actions), scores);
    const size_t best = search::best_action(space, state, std::span<const Action>(actions), scores);
    size_t second = best;
    for (size_t i = 0; i < actions.size(); ++i)
      if (i != best && (second == best || scores[i] > scores[second])) second = i;
    // Contributions by name: what the action taken had, what the other would have had.
    std::map<std::string, Contribution> found;
    const auto collect = [&](const Action& action, bool taken) {
      sink.clear();
      space.features(state, action.candidate, sink);
      const auto note = [&](const std::string& name, double weight) {
        if (weight == 0) return;
        Contribution& c = found[name];
        c.feature = name;
        (taken ? c.weight : c.runner_up) += weight;
      };
      for (const uint32_t block : sink.blocks())
        scorer.visit_block(block, [&](size_t slot, uint32_t label, double weight) {
          if (label == action.label) note(block_name(sequence, b, block, slot), weight);
        });
      for (size_t i = 0; i < sink.entries().size(); ++i)
        scorer.visit_entry(sink.entries()[i].hash, [&](size_t, uint32_t label, double weight) {
          if (label != action.label) return;
          if constexpr (kChunks) {
            note(space.entry_name(state, action.candidate, i), weight * sink.entries()[i].value);
          } else {
            note(space.entry_name(state, i), weight * sink.entries()[i].value);
          }
        });
    };
    collect(actions[best], true);
    if (second != best) collect(actions[second], false);
    Explanation e;
    e.margin =
        second == best ? std::numeric_limits<double>::infinity() : double{scores[best]} - scores[second];
    for (auto& [name, contribution] : found) e.contributions.push_back(std::move(contribution));
    std::stable_sort(e.contributions.begin(), e.contributions.end(),
                     [](const Contribution& x, const Contribution& y) {
                       return std::abs(x.weight - x.runner_up) > std::abs(y.weight - y.runner_up);
                     });
    if constexpr (kChunks) {
      // Every token of the chunk has the same reasons; labels are those of the two chunkings at the token.
      const auto at_token = [&](const Action& a, size_t t) {
        const Chunk chunk[] = {{0, a.candidate + 1, a.label}};
        const auto labels = labels_of(shape_, chunk, a.candidate + 1);
        return t < labels.size() ? labels[t] : shape_.labels.find("O").value_or(labels.back());
      };
      for (size_t t = 0; t <= actions[best].candidate; ++t) {
        e.label = at_token(actions[best], t);
        e.runner_up = at_token(actions[second], t);
        out[state.at + t] = e;
      }
    } else {
      e.label = static_cast<Label>(actions[best].label);
      e.runner_up = static_cast<Label>(actions[second].label);
      out[space.token(state)] = std::move(e);
    }
    state = space.apply(state, actions[best]);
  }
}

Result<std::vector<data::Predictor::Explanation>> SearchPredictor::explain(
    const data::Sequence& sequence, data::Predictor::Scratch& scratch) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  prepare(sequence, b);
  std::vector<Explanation> out(sequence.length());
  if (chunks_) {
    explain_path(sequence, ChunkSpace(shape_, {sequence.length(), {}, b.words}), b, out);
  } else {
    LabelInput input{sequence.length(), {}, b.tokens.edge, b.tokens.edge_begin, {}};
    explain_path(sequence, LabelSpace(shape_, input), b, out);
  }
  return out;
}

Result<std::vector<data::Predictor::WeightedFeature>> SearchPredictor::strongest(
    size_t how_many, std::optional<Label> only) const {
  const linear::PackedRows* rows = policies_[0]->rows();
  if (rows == nullptr) return fail("a kernel machine has no weights of single features");
  if (names_.empty()) return fail("the model has no names of features (trained with names=no, or stripped)");
  std::vector<uint32_t> starts;
  const auto view =
      linear::PackedRows::view(rows->words(), rows->width(), rows->bits(), rows->scale(), &starts);
  ESPALIER_CHECK(view.ok());
  std::vector<data::NamedWeight> weights;
  std::string_view names = names_;
  for (const uint32_t start : starts) {
    const auto name = data::take_name(names);
    if (!name) return fail("the names of features do not match the weights");
    rows->for_each(start, [&](uint32_t column, float weight) {
      const Label label = label_of_type(column);
      if (!only || *only == label) weights.push_back({*name, label, weight});
    });
  }
  return data::strongest_of(std::move(weights), how_many);
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
  return json{{"unit", shape_.unit == DecisionUnit::kWord ? "word" : "chunk"},
              {"order", shape_.order == DecisionOrder::kLeftToRight ? "left-to-right" : "right-to-left"},
              {"history", shape_.history},
              {"max_length", shape_.max_length},
              {"beam", decode_.beam},
              {"decoder", decode_.stochastic   ? "stochastic"
                          : decode_.best_first ? "best-first"
                          : decode_.beam > 1   ? "beam"
                                               : "greedy"},
              {"classifiers", policies_.size()}}
      .dump();
}

Result<std::unique_ptr<SearchPredictor>> SearchPredictor::load(const SectionFile& file,
                                                               data::FeatureExtractor extractor) {
  std::unique_ptr<SearchPredictor> model(new SearchPredictor(std::move(extractor)));
  ESPALIER_ASSIGN(const std::string_view shape, file.text("search"));
  ESPALIER_ASSIGN(model->shape_, SequenceShape::from_json(shape, file.name()));
  ESPALIER_ASSIGN(const std::string_view text, file.text("search.policies"));
  const json header = json::parse(text, nullptr, false);
  if (!header.is_object()) return fail("{}: section 'search.policies' is not a JSON object", file.name());
  const bool chunks = model->shape_.unit == DecisionUnit::kChunk;
  const size_t columns = chunks ? model->shape_.types.size() : model->shape_.labels.size();
  try {
    model->decode_.beam = header.at("beam").get<size_t>();
    model->decode_.best_first = header.at("best_first").get<bool>();
    model->decode_.stochastic = header.at("stochastic").get<bool>();
    model->decode_.normalise = header.at("normalise").get<bool>();
    model->decode_.seed = header.at("seed").get<uint64_t>();
    if (model->decode_.beam == 0 || model->decode_.beam > 100000)
      return fail("{}: a beam of {} cannot be", file.name(), model->decode_.beam);
    double sum = 0;
    for (const json& policy : header.at("policies")) {
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
      const json& about = header.at("chunks");
      ChunkFeatureOptions options;
      options.columns = about.at("columns").get<std::vector<size_t>>();
      options.stemmer = about.at("stemmer").get<std::string>();
      options.meta = about.at("meta").get<bool>();
      for (const json& name : about.at("lists")) {
        ESPALIER_ASSIGN(const auto entries,
                        file.array<uint64_t>(fmt::format("list{}", options.lists.size())));
        options.lists.push_back({name.get<std::string>(), {entries.begin(), entries.end()}});
      }
      ESPALIER_ASSIGN(model->chunks_, ChunkFeatures::make(std::move(options), model->shape_.max_length));
      // Every type must have its labels, or decoding could not name what it finds.
      SequenceShape complete = model->shape_;
      add_scheme_labels(complete);
      if (!(complete.labels == model->shape_.labels))
        return fail("{}: section 'search': labels are missing for some types", file.name());
    }
  } catch (const json::exception&) {
    return fail("{}: section 'search.policies' lacks a field or has one of the wrong kind", file.name());
  }
  if (file.has("p0.state.names")) {
    ESPALIER_ASSIGN(model->names_, file.text("p0.state.names"));
  }
  return model;
}

}  // namespace espalier::tasks

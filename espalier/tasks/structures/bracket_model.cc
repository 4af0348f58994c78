#include "espalier/tasks/structures/bracket_model.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "espalier/base/text/json_as.h"
#include "espalier/data/forced_explanation.h"

namespace espalier::tasks {

using constrain::Phrase;
using data::Label;

namespace {

enum Bracket : size_t { kOpen, kClose };
enum BracketLabel : Label { kBeginPhrase, kInPhrase, kNoPhrase };

data::LabelSet bracket_names() {
  data::LabelSet names;
  names.add("open");
  names.add("close");
  return names;
}

Status check_no_forced(std::span<const Label> forced) {
  if (data::any_forced(forced)) return fail("forced labels are not supported by task brackets");
  return {};
}

}  // namespace

std::vector<Label> bracket_labels(std::span<const Phrase> phrases, size_t length) {
  std::vector<Label> out(length, kNoPhrase);
  for (const Phrase& p : phrases) {
    out[p.first] = kBeginPhrase;
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(p.first + 1),
              out.begin() + static_cast<std::ptrdiff_t>(p.last), Label{kInPhrase});
  }
  return out;
}

void save_bracket_model(const BracketSource& source, SectionWriter& out) {
  const data::LabelSet names = bracket_names();
  chain::ChainWeights weights;
  weights.labels = names.size();
  weights.stride = linear::padded(names.size());
  weights.transitions = false;
  weights.trans.assign(weights.labels * weights.stride, 0.0f);
  weights.state_rows.width = static_cast<uint32_t>(names.size());
  const size_t features = source.features.size();
  weights.state = linear::make_weights(2 * features);
  for (size_t f = 0; f < features; ++f) {
    weights.state_rows.column.insert(weights.state_rows.column.end(), {kOpen, kClose});
    weights.state_rows.begin.push_back(static_cast<uint32_t>(2 * f + 2));
    weights.state[2 * f + kOpen] = source.weights.open[f];
    weights.state[2 * f + kClose] = source.weights.close[f];
  }
  weights.edge = linear::make_weights(0);
  const linear::FeatureSpace none;
  chain::save_model({.labels = names,
                     .weights = weights,
                     .state = source.features,
                     .edge = none,
                     .weight_bits = source.weight_bits},
                    out);
  out.add_text("brackets", json_text(Json{{"type", source.type}, {"longest", source.longest}}));
}

Result<std::unique_ptr<BracketPredictor>> BracketPredictor::load(const SectionFile& file,
                                                                 data::FeatureExtractor extractor) {
  std::unique_ptr<BracketPredictor> model(new BracketPredictor());
  ESPALIER_ASSIGN(model->classifiers_, chain::ChainPredictor::load(file, std::move(extractor)));
  if (!(model->classifiers_->labels() == bracket_names()) || model->classifiers_->transitions())
    return fail("{}: the file does not hold two bracket classifiers", file.name());
  ESPALIER_ASSIGN(const std::string_view text, file.text("brackets"));
  const Json header = try_parse_json(text);
  try {
    model->type_ = header.at("type").get<std::string>();
    model->longest_ = json_as<size_t>(header.at("longest"));
  } catch (const Json::exception&) {
    return fail("{}: section 'brackets' lacks a field or has one of the wrong type", file.name());
  }
  if (model->type_.empty() || model->longest_ == 0)
    return fail("{}: section 'brackets': phrases need a type and at least one word", file.name());
  for (const char* prefix : {"B-", "I-"}) model->labels_.add(prefix + model->type_);
  model->labels_.add("O");
  return model;
}

std::vector<Phrase> BracketPredictor::find(const data::Sequence& sequence, Scratch& scratch,
                                           std::vector<float>& opens, std::vector<float>& closes) const {
  const chain::ChainScores& scores = classifiers_->scores(sequence, {}, scratch).view;
  opens.resize(sequence.length());
  closes.resize(sequence.length());
  for (size_t t = 0; t < sequence.length(); ++t) {
    opens[t] = scores.node[t * scores.stride + kOpen];
    closes[t] = scores.node[t * scores.stride + kClose];
  }
  return constrain::best_phrases(opens, closes, longest_);
}

Status BracketPredictor::predict(const data::Sequence& sequence, std::span<const Label> forced,
                                 const data::PredictOptions& options, Scratch& scratch,
                                 data::Prediction& out) const {
  if (options.nbest > 1 || options.confidence || options.marginals ||
      options.decoder == data::Decoder::kPosterior)
    return fail(
        "task brackets returns the best phrases without probabilities: --nbest, --confidence, --marginals "
        "and posterior decoding are not supported");
  ESPALIER_TRY(check_no_forced(forced));
  std::vector<float> opens, closes;
  const std::vector<Phrase> phrases = find(sequence, scratch, opens, closes);
  double score = 0;
  for (const Phrase& p : phrases)
    score += static_cast<double>(opens[p.first]) + static_cast<double>(closes[p.last - 1]);
  out.clear();
  out.best.front().labels = bracket_labels(phrases, sequence.length());
  out.best.front().score = score;
  return {};
}

Result<std::vector<data::Predictor::Explanation>> BracketPredictor::explain_forced(
    const data::Sequence& sequence, std::span<const Label> forced, Scratch& scratch) const {
  ESPALIER_TRY(check_no_forced(forced));
  ESPALIER_ASSIGN(const std::vector<Explanation> both, classifiers_->explain(sequence, scratch));
  std::vector<float> opens, closes;
  const std::vector<Label> labels = bracket_labels(find(sequence, scratch, opens, closes), sequence.length());
  std::vector<Explanation> out(labels.size());
  for (size_t t = 0; t < labels.size(); ++t) {
    Explanation& e = out[t];
    e.label = labels[t];
    e.margin = std::min(std::abs(opens[t]), std::abs(closes[t]));
    const bool open = std::abs(opens[t]) <= std::abs(closes[t]);
    e.runner_up = labels[t] == kNoPhrase              ? kBeginPhrase
                  : open && labels[t] == kBeginPhrase ? kNoPhrase
                                                      : kInPhrase;
    if (e.runner_up == e.label) e.runner_up = kNoPhrase;
    for (const Contribution& c : both[t].contributions) {
      const double for_open = both[t].label == kOpen ? c.weight : c.runner_up;
      const double for_close = both[t].label == kOpen ? c.runner_up : c.weight;
      if (for_open != 0) e.contributions.push_back({"begins: " + c.feature, for_open, 0});
      if (for_close != 0) e.contributions.push_back({"ends: " + c.feature, for_close, 0});
    }
    std::stable_sort(e.contributions.begin(), e.contributions.end(),
                     [](const auto& a, const auto& b) { return std::abs(a.weight) > std::abs(b.weight); });
  }
  return out;
}

Result<std::vector<data::Predictor::WeightedFeature>> BracketPredictor::strongest(
    size_t how_many, std::optional<Label> only) const {
  // The weights are about where phrases begin and end; both count for the label that begins a phrase.
  if (only && *only != kBeginPhrase) return std::vector<WeightedFeature>();
  ESPALIER_ASSIGN(std::vector<WeightedFeature> all, classifiers_->strongest(how_many, std::nullopt));
  for (WeightedFeature& f : all) {
    f.feature = (f.label == kOpen ? "begins: " : "ends: ") + f.feature;
    f.label = kBeginPhrase;
  }
  return all;
}

std::string BracketPredictor::details() const {
  return json_text(Json{{"phrases", type_}, {"longest", longest_}});
}

}  // namespace espalier::tasks

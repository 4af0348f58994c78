#include "espalier/data/refined_predictor.h"

#include <algorithm>
#include <cmath>

#include "espalier/data/sequence.h"

namespace espalier::data {

Result<LabelSet> restore_labels(const std::vector<std::string>& names, const std::string& places,
                                const std::string& name) {
  if (!places.empty() && places.size() != names.size())
    return fail("{}: {} labels, but the places of {}", name, names.size(), places.size());
  LabelSet out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (places.empty()) {
      out.add(names[i]);
    } else {
      out.add(names[i], places[i]);
    }
  }
  if (out.size() != names.size()) return fail("{}: a label occurs twice", name);
  return out;
}

void gold_labels(const Sequence& sequence, const LabelSet& labels, Scheme scheme, std::vector<Label>& out) {
  out.clear();
  std::vector<std::string_view> names;
  for (size_t t = 0; t < sequence.length(); ++t) names.push_back(sequence.label(t));
  const std::string places = labels.refined() ? segment_places(names, scheme) : std::string();
  for (size_t t = 0; t < names.size(); ++t)
    out.push_back(
        (labels.refined() ? labels.find(names[t], places[t]) : labels.find(names[t])).value_or(kNoLabel));
}

float probability_of(const LabelSet& labels, std::span<const float> p, Label label) {
  if (!labels.refined()) return p[label];
  const std::span<const Label> plain = labels.plain_numbers();
  float sum = 0;
  for (size_t j = 0; j < p.size(); ++j)
    if (plain[j] == plain[label]) sum += p[j];
  return std::min(1.0f, sum);
}

Label most_probable(const LabelSet& labels, std::span<const float> p) {
  const auto first_best = [](std::span<const float> row) {
    return static_cast<Label>(std::max_element(row.begin(), row.end()) - row.begin());
  };
  if (!labels.refined()) return first_best(p);
  const std::span<const Label> plain = labels.plain_numbers();
  std::vector<float> sums(p.size(), 0.0f), readings(p.begin(), p.end());
  for (size_t j = 0; j < p.size(); ++j) sums[plain[j]] += p[j];
  const Label text = first_best(sums);
  for (size_t j = 0; j < p.size(); ++j)
    if (plain[j] != text) readings[j] = -1;
  return first_best(readings);
}

RefinedPredictor::RefinedPredictor(const Predictor& model)
    : WrappedPredictor(model), model_(model), plain_(model.labels().plain()) {}

RefinedPredictor::RefinedPredictor(std::unique_ptr<const Predictor> model)
    : WrappedPredictor(*model), owned_(std::move(model)), model_(*owned_), plain_(owned_->labels().plain()) {}

void RefinedPredictor::make_plain(Prediction& out) const {
  const LabelSet& inner = model_.labels();
  if (out.constraints)
    for (ConstraintEffect::Change& change : out.constraints->changes)
      change.before = inner.plain_number(change.before);
  for (Labelling& labelling : out.best)
    for (Label& label : labelling.labels) label = inner.plain_number(label);
  if (out.constraints)
    std::erase_if(out.constraints->changes, [&](const ConstraintEffect::Change& change) {
      return change.before == out.labels()[change.row];
    });
  // Readings of the same labelling become one.
  std::vector<Labelling> once;
  for (Labelling& labelling : out.best) {
    const auto same = std::find_if(once.begin(), once.end(),
                                   [&](const Labelling& other) { return other.labels == labelling.labels; });
    if (same == once.end()) {
      once.push_back(std::move(labelling));
    } else if (!std::isnan(same->probability)) {
      same->probability = std::min(1.0, same->probability + labelling.probability);
    }
  }
  out.best = std::move(once);
  if (out.marginals.empty()) return;
  const size_t K = inner.size(), plain = plain_.size(), T = out.marginals.size() / K;
  std::vector<float> sums(T * plain, 0.0f);
  for (size_t t = 0; t < T; ++t)
    for (size_t j = 0; j < K; ++j)
      sums[t * plain + inner.plain_number(static_cast<Label>(j))] += out.marginals[t * K + j];
  out.marginals = std::move(sums);
}

Status RefinedPredictor::predict(const Sequence& sequence, std::span<const Label> forced,
                                 const PredictOptions& options, Scratch& scratch, Prediction& out) const {
  // Some of the best readings are of one labelling, so more of them are asked for until there are enough.
  constexpr size_t kMostReadings = 64;
  PredictOptions inside = options;
  while (true) {
    ESPALIER_TRY(model_.predict(sequence, forced, inside, scratch, out));
    const size_t found = out.best.size();
    make_plain(out);
    if (options.nbest <= 1 || out.best.size() >= options.nbest || found < inside.nbest ||
        inside.nbest >= kMostReadings * options.nbest)
      break;
    inside.nbest *= 2;
  }
  if (out.best.size() > options.nbest && options.nbest > 0) out.best.resize(options.nbest);
  return {};
}

Result<std::vector<Predictor::Explanation>> RefinedPredictor::explain_forced(const Sequence& sequence,
                                                                             std::span<const Label> forced,
                                                                             Scratch& scratch) const {
  ESPALIER_ASSIGN(auto explanations, model_.explain_forced(sequence, forced, scratch));
  for (Explanation& e : explanations) {
    e.label = model_.labels().plain_number(e.label);
    e.runner_up = model_.labels().plain_number(e.runner_up);
  }
  return explanations;
}

Result<std::vector<Predictor::WeightedFeature>> RefinedPredictor::strongest(size_t how_many,
                                                                            std::optional<Label> only) const {
  ESPALIER_ASSIGN(auto weights, model_.strongest(how_many, only));
  for (WeightedFeature& weight : weights) weight.label = model_.labels().plain_number(weight.label);
  return weights;
}

std::vector<Predictor::WeightedTransition> RefinedPredictor::weighted_transitions() const {
  std::vector<WeightedTransition> out;
  std::vector<size_t> place(plain_.size() * plain_.size(), SIZE_MAX);
  for (const WeightedTransition& t : model_.weighted_transitions()) {
    const Label from = model_.labels().plain_number(t.from), to = model_.labels().plain_number(t.to);
    size_t& at = place[from * plain_.size() + to];
    if (at == SIZE_MAX) {
      at = out.size();
      out.push_back({from, to, t.weight});
    } else {
      out[at].weight = std::max(out[at].weight, t.weight);
    }
  }
  return out;
}

}  // namespace espalier::data

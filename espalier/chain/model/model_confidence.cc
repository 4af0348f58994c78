// Part of model.h: the probabilities of predictions. Tested in model_test.cc.
#include <algorithm>
#include <cmath>

#include "espalier/chain/model/model.h"
#include "espalier/chain/model/model_buffers.h"
#include "espalier/data/refined_predictor.h"

namespace espalier::chain {

using data::Label;

double ChainPredictor::find_marginals(Buffers& b, AlignedVector<float>& trans) const {
  const size_t T = b.scores.view.length, K = labels_.size(), S = stride_;
  // P(y|x) ∝ exp(score/τ). A model normalised at each position already has log probabilities (τ = 1 there).
  b.warm = b.scores;
  b.warm.view.node = b.warm.node.data();
  if (b.scores.view.edge != nullptr) b.warm.view.edge = b.warm.edge.data();
  if (temperature_ != 1) {
    const float factor = static_cast<float>(1 / temperature_);
    for (float& x : b.warm.node) x *= factor;
    for (float& x : b.warm.edge) x *= factor;
  }
  // The model's own transitions, unless constraints have replaced them.
  const bool own = b.scores.view.trans == trans_.data();
  trans.assign(b.scores.view.trans, b.scores.view.trans + K * S);
  for (float& w : trans) w = static_cast<float>(w / temperature_);
  b.warm.view.trans = trans.data();
  TransitionPotentials others;
  if (!own) others.assign(trans.data(), K, S);
  b.marginals.resize(T * S);
  return forward_backward(b.warm.view, own ? potentials_ : others, b.chain, b.marginals.data(), nullptr);
}

const WaysBack& ChainPredictor::ways_back(const data::Sequence& sequence,
                                          data::Predictor::Scratch& scratch) const {
  constexpr float kLeast = 1e-4f;
  Buffers& b = static_cast<Buffers&>(scratch);
  score(sequence, {}, Each::kSum, b);
  b.ways.clear();
  if (sequence.empty()) return b.ways;
  AlignedVector<float> trans;
  find_marginals(b, trans);
  find_ways_back(b.warm.view, b.marginals.data(), kLeast, b.ways);
  return b.ways;
}

void ChainPredictor::add_confidence(const data::PredictOptions& options, Buffers& b,
                                    data::Prediction& out) const {
  const size_t T = b.scores.view.length, K = labels_.size(), S = stride_;
  if (T == 0) return;
  AlignedVector<float> trans;
  const double log_z = find_marginals(b, trans);

  if (options.decoder == data::Decoder::kPosterior && options.nbest <= 1) {
    std::vector<Label>& labels = out.best.front().labels;
    for (size_t t = 0; t < T; ++t) {
      const float* p = b.marginals.data() + t * S;
      labels[t] = data::most_probable(labels_, {p, K});
    }
    out.best.front().score = score_of(b.scores.view, labels);
  }
  for (data::Labelling& labelling : out.best)
    labelling.probability = std::exp(score_of(b.warm.view, labelling.labels) - log_z);
  const std::vector<Label>& best = out.labels();
  out.confidence.resize(T);
  for (size_t t = 0; t < T; ++t)
    out.confidence[t] = data::probability_of(labels_, {b.marginals.data() + t * S, K}, best[t]);
  if (options.marginals) {
    out.marginals.resize(T * K);
    for (size_t t = 0; t < T; ++t) std::copy_n(b.marginals.data() + t * S, K, out.marginals.data() + t * K);
  }
  if (options.confidence && span_rules_) add_spans(b, out);
}

void ChainPredictor::add_spans(Buffers& b, data::Prediction& out) const {
  std::vector<std::string_view> names;
  for (const Label label : out.labels()) names.push_back(labels_.name(label));
  const std::vector<data::Span> spans = data::spans(names, scheme_);
  if (spans.empty()) return;
  SpanMarginals marginals(*span_rules_);
  marginals.assign(b.warm.view);
  for (const data::Span& span : spans)
    out.spans.push_back({span.first, span.last, std::string(span.type), marginals.probability(span)});
}

}  // namespace espalier::chain

// Part of model.h: the probabilities of predictions, among the labellings that the filters kept. Tested in
// espalier/model/training/train_cascade_test.cc.
#include <algorithm>
#include <cmath>

#include "espalier/cascade/model/model_buffers.h"
#include "espalier/chain/lattice/lattice_marginals.h"
#include "espalier/data/refined_predictor.h"

namespace espalier::cascade {

using chain::Lattice;
using data::Label;

void CascadePredictor::add_confidence(const data::PredictOptions& options, Buffers& b,
                                      data::Prediction& out) const {
  Lattice& lattice = b.trellis.lattice;
  const size_t T = lattice.positions(), K = labels_.size();
  if (T == 0) return;
  // P(y|x) ∝ exp(score/τ) over the labellings left.
  if (temperature_ != 1) {
    const float factor = static_cast<float>(1 / temperature_);
    for (float& x : lattice.state_scores()) x *= factor;
    for (float& x : lattice.arc_scores()) x *= factor;
  }
  const chain::SumMarginals marginals = chain::sum_marginals(lattice);
  std::vector<float> by_label(T * K, 0.0f);
  for (size_t t = 0; t < T; ++t) {
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s)
      by_label[t * K + lattice.label(s)] += static_cast<float>(marginals.state[s]);
  }
  if (options.decoder == data::Decoder::kPosterior && options.nbest <= 1) {
    std::vector<Label>& labels = out.best.front().labels;
    for (size_t t = 0; t < T; ++t) {
      const float* p = by_label.data() + t * K;
      labels[t] = data::most_probable(labels_, {p, K});
    }
    out.best.front().score = temperature_ * score_in(b.trellis, labels);
  }
  for (data::Labelling& labelling : out.best)
    labelling.probability = std::exp(labelling.score / temperature_ - marginals.log_z);
  const std::vector<Label>& best = out.labels();
  out.confidence.resize(T);
  for (size_t t = 0; t < T; ++t)
    out.confidence[t] = std::min(1.0f, data::probability_of(labels_, {by_label.data() + t * K, K}, best[t]));
  if (options.confidence && span_rules_) {
    std::vector<std::string_view> names;
    names.reserve(best.size());
    for (const Label label : best) names.push_back(labels_.name(label));
    for (const data::Span& span : data::spans(names, scheme_))
      out.spans.push_back({span.first, span.last, std::string(span.type),
                           chain::span_probability(*span_rules_, lattice, marginals, span)});
  }
  if (options.marginals) out.marginals = std::move(by_label);
}

Result<const chain::WaysBack*> CascadePredictor::ways_back(const data::Sequence& sequence,
                                                           data::Predictor::Scratch& scratch) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  if (sequence.empty()) {
    b.ways.clear();
  } else if (triples_.labels > 0) {
    look_up(sequence, 1, b);
    data::Labelling best;
    ESPALIER_TRY(find_best({}, false, b, best));
    b.triples.find_ways_back(b.kept, triples_, temperature_, b.ways);
  } else {
    look_up(sequence, b);
    ESPALIER_TRY(search({}, &alphas_, b));
    b.forward.run(b.trellis.lattice);
    chain::find_ways_back(b.trellis.lattice, b.forward, temperature_, b.ways);
  }
  return &b.ways;
}

}  // namespace espalier::cascade

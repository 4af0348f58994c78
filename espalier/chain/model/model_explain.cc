// Part of model.h: explain(), why a token got its label. Tested in model_test.cc.
#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/chain/lattice/lattice_viterbi.h"
#include "espalier/chain/model/model.h"
#include "espalier/chain/model/model_buffers.h"

namespace espalier::chain {

using data::Label;

Result<std::vector<data::Predictor::Explanation>> ChainPredictor::explain_forced(
    const data::Sequence& sequence, std::span<const Label> forced, data::Predictor::Scratch& scratch) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  score(sequence, forced, Each::kFeature, b);
  std::vector<Label> best(sequence.length());
  if (!best.empty()) viterbi(b.scores.view, b.chain, best.data());
  return explain_labels(sequence, best, forced, scratch);
}

Result<std::vector<data::Predictor::Explanation>> ChainPredictor::explain_labels(
    const data::Sequence& sequence, std::span<const Label> best, std::span<const Label> forced,
    data::Predictor::Scratch& scratch) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  score(sequence, forced, Each::kFeature, b);
  const size_t T = sequence.length(), K = labels_.size();
  ESPALIER_CHECK(best.size() == T);
  std::vector<Explanation> explanations(T);
  if (T == 0) return explanations;
  const Lattice lattice = make_lattice(b.scores.view);
  const MaxMarginals through = max_marginals(lattice);

  data::FeatureNames names(extractor_);
  for (size_t t = 0; t < T; ++t) {
    Explanation& e = explanations[t];
    e.label = e.runner_up = best[t];
    // The runner-up is the other label through which the best labelling passes.
    double second = -std::numeric_limits<double>::infinity(), first = second;
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      const Label label = lattice.label(s);
      if (labels_.plain_number(label) == labels_.plain_number(e.label)) {
        if (label == e.label) first = through.state[s];
      } else if (through.state[s] > second) {
        second = through.state[s];
        e.runner_up = label;
      }
    }
    e.margin = K > 1 ? first - second : std::numeric_limits<double>::infinity();

    // A kernel machine has no weights per feature.
    names.move_to(sequence, t);
    for (uint32_t i = b.features.state_begin[t]; i < b.features.state_begin[t + 1] && !kernel_; ++i) {
      if (b.state_offsets[i] == linear::kNoFeature) continue;
      const double value = b.features.state_values.empty() ? 1.0 : b.features.state_values[i];
      Contribution c;
      state_.for_each(b.state_offsets[i], [&](uint32_t column, float w) {
        if (column == e.label) c.weight = value * w;
        if (column == e.runner_up) c.runner_up = value * w;
      });
      if (c.weight == 0 && c.runner_up == 0) continue;
      c.feature = names.state_name(i - b.features.state_begin[t]);
      e.contributions.push_back(std::move(c));
    }
    const auto add_edge = [&](size_t at, Label from, Label to, Label other_from, Label other_to) {
      if (transitions_)
        e.contributions.push_back({fmt::format("{} → {}", labels_.name(from), labels_.name(to)),
                                   transition(from, to), transition(other_from, other_to)});
      if (b.features.edge.empty()) return;
      for (uint32_t i = b.features.edge_begin[at]; i < b.features.edge_begin[at + 1]; ++i) {
        if (b.edge_offsets[i] == linear::kNoFeature) continue;
        Contribution c;
        edge_.for_each(b.edge_offsets[i], [&](uint32_t pair, float w) {
          if (pair == from * K + to) c.weight = w;
          if (pair == other_from * K + other_to) c.runner_up = w;
        });
        if (c.weight == 0 && c.runner_up == 0) continue;
        c.feature = extractor_.edge_name(sequence, at, i - b.features.edge_begin[at]);
        e.contributions.push_back(std::move(c));
      }
    };
    // Neighbours keep their labels of the labelling that is explained; only this token gets the runner-up.
    if (t > 0) add_edge(t, best[t - 1], e.label, best[t - 1], e.runner_up);
    if (t + 1 < T) add_edge(t + 1, e.label, best[t + 1], e.runner_up, best[t + 1]);
    std::stable_sort(e.contributions.begin(), e.contributions.end(),
                     [](const Contribution& x, const Contribution& y) {
                       return std::abs(x.weight - x.runner_up) > std::abs(y.weight - y.runner_up);
                     });
  }
  return explanations;
}

}  // namespace espalier::chain

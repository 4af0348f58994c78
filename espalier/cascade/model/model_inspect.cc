// Part of model.h: explain() and what `inspect` shows of a cascade. Tested in
// espalier/model/training/train_cascade_test.cc and training/train_test.cc.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "espalier/base/text/format.h"
#include "espalier/base/text/json.h"
#include "espalier/cascade/model/model_buffers.h"
#include "espalier/cascade/model/model_json.h"
#include "espalier/data/named_weights.h"

namespace espalier::cascade {

using chain::Lattice;
using data::Label;

namespace {

/// The states of the lattice that a labelling passes through.
std::vector<uint32_t> states_of(const Lattice& lattice, std::span<const Label> labels) {
  std::vector<uint32_t> path;
  for (size_t t = 0; t < labels.size(); ++t) {
    const auto follows = [&](size_t s) {
      if (t == 0) return true;
      const Range arcs = lattice.arcs_into(s);
      for (size_t a = arcs.first; a < arcs.last; ++a)
        if (lattice.source(a) == path.back()) return true;
      return false;
    };
    const Range states = lattice.states_at(t);
    size_t s = states.first;
    while (s < states.last && (lattice.label(s) != labels[t] || !follows(s))) ++s;
    ESPALIER_CHECK(s < states.last);
    path.push_back(static_cast<uint32_t>(s));
  }
  return path;
}

}  // namespace

Result<std::vector<data::Predictor::Explanation>> CascadePredictor::explain_forced(
    const data::Sequence& sequence, std::span<const Label> forced, data::Predictor::Scratch& scratch) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  look_up(sequence, b);
  ESPALIER_TRY(search(forced, &alphas_, b));
  if (sequence.empty()) return std::vector<Explanation>();
  if (!answers_segments_) {
    MaxPass pass;
    pass.run(b.trellis.lattice);
    std::vector<Label> labels;
    for (const uint32_t s : pass.path()) labels.push_back(b.trellis.lattice.label(s));
    return explain_path(sequence, labels, scratch);
  }
  data::Prediction found;
  ESPALIER_TRY(predict(sequence, forced, {}, scratch, found));
  // The filters may have dropped what the segments say between them: that is compared with more labellings.
  look_up(sequence, b);
  for (const double most : {1.0, 0.0, -0.5}) {
    std::vector<double> alphas = alphas_;
    for (double& alpha : alphas) alpha = std::min(alpha, most);
    ESPALIER_TRY(search(forced, &alphas, b));
    if (!find_path(b.trellis, found.labels()).empty()) return explain_path(sequence, found.labels(), scratch);
  }
  std::vector<Label> plain;
  for (const Label label : found.labels()) plain.push_back(labels_.plain_number(label));
  ESPALIER_TRY(search(plain, nullptr, b));
  return explain_path(sequence, found.labels(), scratch);
}

std::vector<data::Predictor::Explanation> CascadePredictor::explain_path(
    const data::Sequence& sequence, std::span<const Label> labels, data::Predictor::Scratch& scratch) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  const size_t T = sequence.length(), last = levels_.size() - 1;
  std::vector<Explanation> explanations(T);
  if (T == 0) return explanations;
  find_features(sequence, b);
  const PackedLevel& level = levels_[last];
  const Lattice& lattice = b.trellis.lattice;
  const std::vector<uint32_t> path = states_of(lattice, labels);
  MaxPass pass;
  pass.run(lattice);
  const auto weight = [&](uint32_t gram) {
    return gram < level.gram.size() ? double{level.gram[gram]} : 0.0;
  };
  const auto gram_name = [&](uint32_t gram) {
    std::vector<std::string> symbols;
    while (true) {
      const uint32_t symbol = gram < grams_.single() ? gram : grams_.entry(gram).last;
      symbols.push_back(symbol == grams_.start() ? "start"
                        : symbol == grams_.end() ? "end"
                                                 : labels_.name(static_cast<Label>(symbol)));
      if (gram < grams_.single()) break;
      gram = grams_.entry(gram).prefix;
    }
    std::reverse(symbols.begin(), symbols.end());
    return joined(symbols, " → ");
  };
  data::FeatureNames names(extractor_);
  for (size_t t = 0; t < T; ++t) {
    Explanation& e = explanations[t];
    const uint32_t best = path[t];
    e.label = e.runner_up = lattice.label(best);
    // The runner-up is the label of the best path through any other label that is alive.
    double second = -std::numeric_limits<double>::infinity(), first = second;
    const Range states = lattice.states_at(t);
    uint32_t other = best;
    for (size_t s = states.first; s < states.last; ++s) {
      if (lattice.label(s) == e.label) {
        first = std::max(first, pass.state(s));
      } else if (labels_.plain_number(lattice.label(s)) == labels_.plain_number(e.label)) {
        continue;  // another reading of the same label
      } else if (pass.state(s) > second) {
        second = pass.state(s);
        e.runner_up = lattice.label(s);
        other = static_cast<uint32_t>(s);
      }
    }
    e.margin = first - second;  // infinite where no other label was left
    names.move_to(sequence, t);
    for (uint32_t i = b.features.state_begin[t]; i < b.features.state_begin[t + 1]; ++i) {
      if (b.state[i] == linear::kNoFeature) continue;
      const uint32_t row = state_offsets_[size_t{b.state[i]} * levels_.size() + last];
      if (row == linear::kNoFeature) continue;
      const double value = b.features.state_values.empty() ? 1.0 : b.features.state_values[i];
      Contribution c;
      level.state.for_each(row, [&](uint32_t column, float w) {
        if (column == e.label) c.weight = value * w;
        if (column == e.runner_up) c.runner_up = value * w;
      });
      if (c.weight == 0 && c.runner_up == 0) continue;
      c.feature = names.state_name(i - b.features.state_begin[t]);
      e.contributions.push_back(std::move(c));
    }
    // Grams that end here, along the path and along the best path through the runner-up.
    const auto arc_into = [&](uint32_t s) {
      if (s != best) return size_t{pass.arc_before(s)};
      const Range arcs = lattice.arcs_into(s);
      size_t a = arcs.first;
      while (lattice.source(a) != path[t - 1]) ++a;
      return a;
    };
    const auto grams_of = [&](uint32_t s) {
      std::vector<uint32_t> grams(b.trellis.grams_of(s).begin(), b.trellis.grams_of(s).end());
      grams.push_back(t == 0 ? b.trellis.first_gram[s] : b.trellis.arc_gram[arc_into(s)]);
      return grams;
    };
    if (level.order > 1) {
      const std::vector<uint32_t> own = grams_of(best), others = grams_of(other);
      for (size_t j = 0; j < own.size(); ++j) {
        Contribution c;
        if (own[j] != kNoGram) c.weight = weight(own[j]);
        if (others[j] != kNoGram) c.runner_up = weight(others[j]);
        if (c.weight == 0 && c.runner_up == 0) continue;
        c.feature = own[j] == kNoGram ? fmt::format("{} labels, new", j + 2) : gram_name(own[j]);
        e.contributions.push_back(std::move(c));
      }
    }
    const auto eighth = [&](uint32_t s) {
      const float rating = b.trellis.rating[s];
      return rating == kNoRating ? 0.0 : double{level.quantile[quantile_of(level.cuts, rating)]};
    };
    if (b.trellis.rating[best] != kNoRating)
      e.contributions.push_back({"rating at the level before", eighth(best), eighth(other)});
    std::stable_sort(e.contributions.begin(), e.contributions.end(),
                     [](const Contribution& x, const Contribution& y) {
                       return std::abs(x.weight - x.runner_up) > std::abs(y.weight - y.runner_up);
                     });
  }
  return explanations;
}

Result<std::vector<data::Predictor::WeightedFeature>> CascadePredictor::strongest(
    size_t how_many, std::optional<Label> only) const {
  if (!names_) return fail("{}: the model was written without the names of its features", file_name_);
  std::vector<data::NamedWeight> weights;
  std::string_view names = *names_;
  const size_t last = levels_.size() - 1;
  for (size_t f = 0; f < state_features_; ++f) {
    const auto name = data::take_name(names);
    if (!name) return fail("{}: fewer names than features", file_name_);
    const uint32_t row = state_offsets_[f * levels_.size() + last];
    if (row != linear::kNoFeature)
      levels_[last].state.for_each(row, [&](uint32_t column, float weight) {
        if (!only || *only == labels_.plain_number(static_cast<Label>(column)))
          weights.push_back({*name, static_cast<Label>(column), weight});
      });
  }
  return data::strongest_of(std::move(weights), how_many);
}

std::vector<data::Predictor::WeightedTransition> CascadePredictor::weighted_transitions() const {
  std::vector<WeightedTransition> all;
  const PackedLevel& level = levels_.back();
  if (level.order == 1) return all;
  for (size_t i = 0; i < grams_.entries().size(); ++i) {
    const GramTable::Entry e = grams_.entries()[i];
    if (e.prefix < labels_.size() && e.last < labels_.size())
      all.push_back(
          {static_cast<Label>(e.prefix), static_cast<Label>(e.last), level.gram[grams_.single() + i]});
  }
  return all;
}

data::Predictor::Size CascadePredictor::size() const {
  Size size;
  size.features = state_features_ + edge_features_;
  for (size_t l = 0; l < levels_.size(); ++l) {
    for (size_t i = l; i < state_offsets_.size(); i += levels_.size())
      if (state_offsets_[i] != linear::kNoFeature)
        size.weights += levels_[l].state.weights_at(state_offsets_[i]);
    for (size_t i = l; i < edge_offsets_.size(); i += levels_.size())
      if (edge_offsets_[i] != linear::kNoFeature)
        size.weights += levels_[l].edge.weights_at(edge_offsets_[i]);
    if (levels_[l].order > 1) size.weights += grams_.entries().size() + kQuantiles;
  }
  size.weight_bits = levels_.back().state.bits();
  size.names = names_.has_value();
  return size;
}

std::string CascadePredictor::details() const {
  Json levels = Json::array();
  for (size_t l = 0; l < levels_.size(); ++l)
    levels.push_back(report_json(levels_[l].report, l + 1 < levels_.size()));
  return json_text(Json{{"levels", levels}, {"grams", grams_.entries().size()}});
}

}  // namespace espalier::cascade

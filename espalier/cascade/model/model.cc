#include "espalier/cascade/model/model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/cascade/model/model_buffers.h"
#include "espalier/chain/lattice/lattice_nbest.h"

namespace espalier::cascade {

using data::kNoLabel;
using data::Label;

std::unique_ptr<data::Predictor::Scratch> CascadePredictor::make_scratch() const {
  auto buffers = std::make_unique<Buffers>();
  linear::GroupedSums::Source source{extractor_, state_map_, state_offsets_, {}, {}};
  for (const PackedLevel& level : levels_) source.rows.push_back(&level.state);
  // A dictionary asks for the features themselves.
  if (dictionary_.empty() && state_features_ > 0 && linear::GroupedSums::possible(source))
    buffers->sums.emplace(std::move(source));
  return buffers;
}

const Trellis& CascadePredictor::trellis_of(const data::Predictor::Scratch& scratch) {
  return static_cast<const Buffers&>(scratch).trellis;
}

void CascadePredictor::find_features(const data::Sequence& sequence, Buffers& b) const {
  b.summed = false;
  extractor_.extract(sequence, b.extraction, b.features);
  b.state.resize(b.features.state.size());
  state_map_.find_all(b.features.state, b.state.data());
}

void CascadePredictor::look_up(const data::Sequence& sequence, data::Predictor::Scratch& scratch) const {
  look_up(sequence, levels_.size(), static_cast<Buffers&>(scratch));
}

void CascadePredictor::look_up(const data::Sequence& sequence, size_t levels, Buffers& b) const {
  b.summed = b.sums && b.sums->sum(sequence, b.extraction, b.grouped, levels);
  if (b.summed) {
    std::swap(b.features, b.grouped.others);
  } else {
    find_features(sequence, b);
  }
  b.edge.resize(b.features.edge.size());
  edge_map_.find_all(b.features.edge, b.edge.data());
}

void CascadePredictor::score_nodes(size_t level, Buffers& b) const {
  const size_t T = b.features.length(), L = levels_.size();
  if (b.summed) {
    b.node.resize(T * stride_);
    b.sums->scores(level, 0, b.node.data());
    return;
  }
  b.offsets.resize(b.state.size());
  for (size_t i = 0; i < b.state.size(); ++i)
    b.offsets[i] = b.state[i] == linear::kNoFeature ? linear::kNoFeature
                                                    : state_offsets_[size_t{b.state[i]} * L + level];
  b.node.assign(T * stride_, 0.0f);
  levels_[level].state.add(b.offsets, b.features.state_begin,
                           b.features.state_values.empty() ? nullptr : b.features.state_values.data(),
                           stride_, b.node.data());
}

void CascadePredictor::score_alive(size_t level, const AliveLabels& alive, Buffers& b) const {
  b.alive_node.resize(alive.label.size());
  if (b.summed) {
    b.sums->scores_of(level, alive.begin, alive.label, b.alive_node.data());
    return;
  }
  score_nodes(level, b);
  for (size_t t = 0; t < alive.positions(); ++t)
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s)
      b.alive_node[s] = b.node[t * stride_ + alive.label[s]];
}

void CascadePredictor::score(size_t level, Buffers& b) const {
  score_nodes(level, b);
  const PackedLevel& packed = levels_[level];
  const bool edges = !b.features.edge.empty();
  if (edges) b.values.value.resize(grams_.size(), 0.0f);
  score_trellis(
      packed.view(), b.node.data(), stride_,
      [&](size_t t, GramValues& values) {
        if (!edges) return;
        for (uint32_t i = b.features.edge_begin[t]; i < b.features.edge_begin[t + 1]; ++i) {
          if (b.edge[i] == linear::kNoFeature) continue;
          const uint32_t row = edge_offsets_[size_t{b.edge[i]} * levels_.size() + level];
          if (row != linear::kNoFeature)
            packed.edge.for_each(row, [&](uint32_t gram, float w) { values.add(gram, w); });
        }
      },
      b.values, b.trellis);
}

void CascadePredictor::rate_labels(size_t level, Buffers& b) const {
  const size_t T = b.features.length(), K = labels_.size();
  if (level > 0 || dictionary_.empty()) {
    score_nodes(level, b);
    find_unigram_ratings(b.node.data(), T, K, stride_, levels_[level].measure, levels_[level].prior, b.rating,
                         b.items);
    return;
  }
  b.items.resize(T * K);
  for (size_t t = 0; t < T; ++t) {
    b.offsets.clear();
    for (uint32_t i = b.features.state_begin[t]; i < b.features.state_begin[t + 1]; ++i)
      if (b.state[i] != linear::kNoFeature) b.offsets.push_back(b.state[i]);
    dictionary_ratings(dictionary_, b.offsets, kNoLabel, {b.items.data() + t * K, K});
  }
}

Status CascadePredictor::filter(std::span<const Label> forced, std::span<const double> alphas,
                                const Visit& visit, data::Predictor::Scratch& scratch) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  const size_t T = b.features.length(), K = labels_.size();
  if (T == 0) {
    b.trellis = {};
    return {};
  }
  const auto first_trellis = [&](const AliveLabels& alive, size_t order) -> Status {
    if (arcs_of(alive) > kMostArcs)
      return fail("{} positions have more than {} pairs of labels left alive", T, kMostArcs);
    ESPALIER_ASSIGN(b.trellis, grow_to(make_trellis(alive, grams_), {}, trellis_length(order), grams_));
    return {};
  };
  bool made = false;
  const auto filters_at = [&](size_t l) { return l < alphas.size() && l + 1 < levels_.size(); };
  for (size_t l = 0; l < levels_.size(); ++l) {
    const PackedLevel& level = levels_[l];
    const bool filters = filters_at(l);
    const bool shown = visit && l + 1 < levels_.size();
    if (!made && (level.order > 1 || l + 1 == levels_.size())) {
      ESPALIER_TRY(first_trellis(forced_labels(T, K, forced, labels_.plain_numbers()), level.order));
      made = true;
    }
    if (!filters && !shown) break;
    if (!made) {
      rate_labels(l, b);
      if (shown) visit({l, nullptr, b.items, nullptr});
      if (!filters) break;
      b.alive = keep_labels(b.items, K, alphas[l], {}, forced, labels_.plain_numbers());
      made = true;
      if (!visit && filters_at(l + 1) && levels_[l + 1].pairs.labels > 0) {
        ++l;
        ESPALIER_TRY(filter_pairs(l, alphas[l], b));
        b.trellis = grown(b.kept, grams_);
        continue;
      }
      ESPALIER_TRY(first_trellis(b.alive, levels_[l + 1].order));
    } else {
      score(l, b);
      find_ratings(b.trellis.lattice, level.measure, level.unit, level.prior, b.rating, b.ratings);
      if (shown) visit({l, &b.trellis, {}, &b.ratings});
      if (!filters) break;
      ESPALIER_ASSIGN(b.trellis,
                      filter_and_grow(b.trellis, b.ratings, level.unit, alphas[l], b.rating.pass.path(),
                                      trellis_length(levels_[l + 1].order), grams_));
    }
    if (!quantiles_) std::fill(b.trellis.rating.begin(), b.trellis.rating.end(), kNoRating);
  }
  return {};
}

Status CascadePredictor::filter_pairs(size_t level, double alpha, Buffers& b) const {
  const auto check = [&](size_t arcs, size_t n) -> Status {
    if (arcs <= kMostArcs) return {};
    return fail(
        "{} positions have more than {} label {}-grams left alive; filter more, or take a lower order",
        b.alive.positions(), kMostArcs, n);
  };
  ESPALIER_TRY(check(arcs_of(b.alive), 2));
  score_alive(level, b.alive, b);
  const PackedLevel& packed = levels_[level];
  if (packed.dense_pairs.labels == 0 ||
      !b.dense_pairs.filter(b.alive, b.alive_node, packed.dense_pairs, packed.prior, alpha, b.kept))
    b.pairs.filter(b.alive, b.alive_node, packed.pairs, packed.prior, alpha, b.kept);
  return check(b.kept.triples, 3);
}

Status CascadePredictor::search(std::span<const Label> forced, const std::vector<double>* alphas,
                                data::Predictor::Scratch& scratch) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  const size_t T = b.features.length();
  if (alphas != nullptr) {
    ESPALIER_TRY(filter(forced, *alphas, nullptr, scratch));
  } else {
    const AliveLabels alive = forced_labels(T, labels_.size(), forced, labels_.plain_numbers());
    if (arcs_of(alive) > kMostArcs)
      return fail("{} positions have more than {} pairs of labels", T, kMostArcs);
    ESPALIER_ASSIGN(b.trellis,
                    grow_to(make_trellis(alive, grams_), {}, trellis_length(levels_.back().order), grams_));
  }
  if (T > 0) score(levels_.size() - 1, b);
  return {};
}

Status CascadePredictor::predict(const data::Sequence& sequence, std::span<const Label> forced,
                                 const data::PredictOptions& options, data::Predictor::Scratch& scratch,
                                 data::Prediction& out) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  ESPALIER_CHECK(forced.empty() || forced.size() == sequence.length());
  out.clear();
  const bool segments = answers_segments_ && options.decoder == data::Decoder::kModel && options.nbest <= 1;
  const bool probabilities =
      options.confidence || options.marginals || options.decoder == data::Decoder::kPosterior;
  if (triples_.labels > 0 && options.nbest <= 1 && !probabilities && !sequence.empty()) {
    look_up(sequence, 1, b);
    return find_best(forced, segments, b, out.best.front());
  }
  look_up(sequence, b);
  ESPALIER_TRY(search(forced, &alphas_, b));
  ESPALIER_TRY(best_labellings(options, b, out));
  if (segments && !sequence.empty()) {
    chain::find_ways_back(b.trellis.lattice, b.forward, temperature_, b.ways);
    data::Labelling& best = out.best.front();
    if (choose_segments(forced, b, best.labels)) best.score = score_in(b.trellis, best.labels);
  }
  if (probabilities) add_confidence(options, b, out);
  return {};
}

bool CascadePredictor::choose_segments(std::span<const Label> forced, Buffers& b,
                                       std::vector<Label>& labels) const {
  std::vector<Label> chosen = labels;
  if (!b.segments.choose(b.ways, *span_rules_, labels_, scheme_, chosen)) return false;
  for (size_t t = 0; t < forced.size(); ++t)
    if (forced[t] != kNoLabel && forced[t] != labels_.plain_number(chosen[t])) return false;
  labels = std::move(chosen);
  return true;
}

Status CascadePredictor::find_best(std::span<const Label> forced, bool segments, Buffers& b,
                                   data::Labelling& best) const {
  const size_t K = labels_.size();
  const PackedLevel& first = levels_.front();
  if (forced.empty() && dictionary_.empty() && first.measure == Measure::kMaxMarginal && alphas_[0] <= 1 &&
      K <= LabelLevel::kMostLabels) {
    score_nodes(0, b);
    b.first.filter(b.node.data(), b.features.length(), K, stride_, first.prior, alphas_[0], b.alive);
  } else {
    rate_labels(0, b);
    b.alive = keep_labels(b.items, K, alphas_[0], {}, forced, labels_.plain_numbers());
  }
  ESPALIER_TRY(filter_pairs(1, alphas_[1], b));
  score_alive(2, b.kept.alive, b);
  best.score = b.triples.decode(b.kept, b.alive_node, triples_, best.labels);
  best.probability = std::numeric_limits<double>::quiet_NaN();
  if (!segments) return {};
  if (b.triples.find_shares(b.kept, triples_, temperature_, SegmentAnswer::kSureShare, b.shares) &&
      SegmentAnswer::sure(b.shares, *span_rules_, best.labels))
    return {};
  b.triples.find_ways_back(b.kept, triples_, temperature_, b.ways);
  if (choose_segments(forced, b, best.labels))
    best.score = b.triples.score_of(b.kept, b.alive_node, triples_, best.labels);
  return {};
}

Status CascadePredictor::best_labellings(const data::PredictOptions& options, Buffers& b,
                                         data::Prediction& out) const {
  constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
  const chain::Lattice& lattice = b.trellis.lattice;
  if (options.nbest <= 1) {
    const chain::LatticePath path = chain::viterbi(lattice, b.forward);
    ESPALIER_CHECK(path.outcome == chain::Outcome::kExact);
    out.best.front() = {chain::path_labels(lattice, path.states), path.score, kNotKnown};
    return {};
  }
  const chain::NBestResult found = chain::n_best(lattice, options.nbest);
  if (found.outcome == chain::Outcome::kOutOfBudget)
    return fail("the {} best labellings of {} tokens take too much memory; ask for fewer", options.nbest,
                lattice.positions());
  out.best.clear();
  for (const chain::LatticePath& path : found.paths)
    out.best.push_back({chain::path_labels(lattice, path.states), path.score, kNotKnown});
  return {};
}

}  // namespace espalier::cascade

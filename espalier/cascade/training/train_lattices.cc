// Part of training.h: what is alive between the levels of a cascade in training. Tested in train_test.cc.
#include <algorithm>
#include <utility>

#include "espalier/cascade/training/training.h"

namespace espalier::cascade {

using data::kNoLabel;
using data::Label;

namespace {
/// Positions whose gold item is lost after a filter: those lost before, those whose gold item is rated below
/// α, and, if the items of the next level reach `longer` labels further back, those whose item contains one
/// of these.
std::vector<uint8_t> lost_after(std::span<const uint8_t> before, std::span<const float> truth, double alpha,
                                size_t longer) {
  std::vector<uint8_t> lost(truth.size(), 0);
  for (size_t t = 0; t < truth.size(); ++t)
    if ((!before.empty() && before[t]) || truth[t] < alpha)
      for (size_t i = t; i < std::min(truth.size(), t + longer + 1); ++i) lost[i] = 1;
  return lost;
}

/// Quantiles are computed from at most about this many ratings.
constexpr size_t kRatingsForCuts = 2'000'000;
}  // namespace

void CascadeTraining::score(const LevelWeights& weights, const linear::Dataset& data, size_t s,
                            Trellis& trellis, Work& work) const {
  const Layout& layout = cascade_.layout;
  work.alive.find(trellis.lattice);
  score_nodes(layout, weights, linear::features_of(data, s), work.alive, 1, work.node);
  const uint64_t first = data.sequence_begin[s];
  const bool edges = !data.edge.values.empty();
  if (edges) work.values.value.resize(layout.grams.size(), 0.0f);
  score_trellis(
      view_of(weights), work.node.data(), layout.stride,
      [&](size_t t, GramValues& values) {
        if (!edges) return;
        for (const uint32_t f : data.edge[first + t])
          for (uint32_t w = layout.edge.begin[f]; w < layout.edge.begin[f + 1]; ++w)
            values.add(layout.edge.column[w], weights.edge[w]);
      },
      work.values, trellis);
}

/// Fills work.items (level 1) or work.ratings, and work.truth.
void CascadeTraining::judge(const LevelWeights& weights, const linear::Dataset& data, size_t s,
                            Trellis* trellis, Work& work) const {
  const Layout& layout = cascade_.layout;
  const auto gold = data.gold_of(s);
  if (trellis == nullptr) {
    const size_t K = layout.labels;
    if (filter_ == Filter::kDictionary) {
      work.items.resize(gold.size() * K);
      const bool training = &data == &data_;
      for (size_t t = 0; t < gold.size(); ++t)
        dictionary_ratings(cascade_.dictionary, data.state[data.sequence_begin[s] + t],
                           training ? gold[t] : kNoLabel, {work.items.data() + t * K, K});
    } else {
      score_nodes(layout, weights, data, s, work.node);
      find_unigram_ratings(work.node.data(), gold.size(), K, layout.stride, measure(), weights.prior,
                           work.scratch, work.items);
    }
    work.truth.assign(gold.size(), kAbsent);
    for (size_t t = 0; t < gold.size(); ++t)
      if (gold[t] != kNoLabel) work.truth[t] = work.items[t * K + gold[t]];
    return;
  }
  score(weights, data, s, *trellis, work);
  find_ratings(trellis->lattice, measure(), options_.unit, weights.prior, work.scratch, work.ratings);
  truth_ratings(*trellis, work.ratings, options_.unit, gold, work.truth);
}

Status CascadeTraining::first_lattices(size_t order) {
  const size_t K = cascade_.layout.labels;
  lattices_.resize(data_.sequences());
  for (const uint32_t s : usable_) {
    ESPALIER_TRY(not_stopped());
    const AliveLabels alive = all_labels(data_.length(s), K);
    if (arcs_of(alive) > kMostArcs)
      return fail(
          "{} labels at every position of a sequence of {} are too many for a first level of order {}; begin "
          "with order 1",
          K, data_.length(s), order);
    lattices_[s].trellis = make_trellis(alive, cascade_.layout.grams);
  }
  std::vector<std::vector<float>> none(data_.sequences());
  ESPALIER_TRY(finish_lattices(none, order));
  if (context_.dev != nullptr) {
    dev_lattices_.resize(context_.dev->sequences());
    for (size_t s = 0; s < context_.dev->sequences(); ++s) {
      const AliveLabels alive = all_labels(context_.dev->length(s), K);
      if (arcs_of(alive) > kMostArcs)
        return fail("{} labels at every position of a sequence of {} are too many", K,
                    context_.dev->length(s));
      ESPALIER_ASSIGN(dev_lattices_[s], grow_to(make_trellis(alive, cascade_.layout.grams), {},
                                                trellis_length(order), cascade_.layout.grams));
    }
  }
  return {};
}

/// Grows the lattices to the length the level needs; the last step is left to those who use them, unless
/// ratings are asked for later. Grams are numbered on one thread, in the order of the data.
Status CascadeTraining::finish_lattices(std::vector<std::vector<float>>& arc_ratings, size_t order) {
  GramTable& grams = cascade_.layout.grams;
  const size_t length = trellis_length(order);
  const TrainingLattice& any = lattices_[usable_.front()];
  size_t grown = any.alive.label.empty() ? any.trellis.gram_length : 1;
  Trellis buffer;
  while (true) {
    ESPALIER_TRY(not_stopped());
    if (order > 1)
      for (const uint32_t s : usable_) lattices_[s].add_missing_grams(grams, buffer);
    if (grown >= length) break;
    for (const uint32_t s : usable_)
      if (arcs_when_grown(lattices_[s].trellis) > kMostArcs)
        return fail(
            "a sequence of {} tokens has more than {} label {}-grams left alive; filter more, or take a "
            "lower "
            "order",
            data_.length(s), kMostArcs, grown + 2);
    const bool later = grown + 1 == length && !options_.quantiles;
    context_.workers.for_each(kPieces, [&](size_t piece) {
      const Range range = piece_of(usable_.size(), kPieces, piece);
      for (size_t i = range.first; i < range.last && !stopped(); ++i) {
        TrainingLattice& lattice = lattices_[usable_[i]];
        lattice.grows = later;
        if (!later) lattice.trellis = grow(lattice.trellis, arc_ratings[usable_[i]], grams);
        arc_ratings[usable_[i]].clear();
      }
    });
    ++grown;
  }
  ESPALIER_TRY(not_stopped());
  context_.workers.for_each(kPieces, [&](size_t piece) {
    Trellis own;
    const Range range = piece_of(usable_.size(), kPieces, piece);
    for (size_t i = range.first; i < range.last; ++i) {
      const uint32_t s = usable_[i];
      lattices_[s].find_truth(data_.gold_of(s), grams, own);
      ESPALIER_CHECK(lattices_[s].truth.size() == data_.length(s));
    }
  });
  return {};
}

Status CascadeTraining::next_lattices(const Filters& filters, const Level& level, size_t order) {
  const size_t K = cascade_.layout.labels;
  const bool first = unigram();
  const double alpha = level.report.lattice_alpha;
  std::vector<TrainingLattice> next(data_.sequences());
  std::vector<std::vector<float>> arc_ratings(data_.sequences());
  context_.workers.for_each(kPieces, [&](size_t piece) {
    Work work;
    const Range range = piece_of(usable_.size(), kPieces, piece);
    for (size_t i = range.first; i < range.last && !stopped(); ++i) {
      const uint32_t s = usable_[i];
      TrainingLattice* lattice = first ? nullptr : &lattices_[s];
      const LevelWeights& weights =
          filters.held_out[std::min<size_t>(fold_of_sequence_[s], filters.held_out.size() - 1)];
      Trellis* const trellis = open_lattice(s, work);
      Judgement judged;
      if (!judged_.empty()) judged = std::exchange(judged_[s], {});
      if (judged.truth.empty()) {
        judge(weights, data_, s, trellis, work);
        judged = judgement_of(work, trellis != nullptr);
      }
      next[s].lost = lost_after(first ? std::span<const uint8_t>() : lattice->lost, judged.truth, alpha,
                                item_length(order) - item_length(level.report.order));
      if (first) {
        AliveLabels alive = keep_labels(judged.items, K, alpha, data_.gold_of(s), {});
        if (trellis_length(order) > 1 || options_.quantiles) {
          next[s].trellis = make_trellis(alive, cascade_.layout.grams);
          continue;
        }
        alive.rating = {};
        alive.label.shrink_to_fit();
        next[s].alive = std::move(alive);
      } else {
        Filtered filtered = apply_filter(*trellis, judged.ratings, level.unit, alpha, judged.best_path,
                                         lattice->truth, lattice->truth_arcs);
        next[s].trellis = std::move(filtered.trellis);
        if (options_.quantiles) arc_ratings[s] = std::move(filtered.arc_rating);
        *lattice = {};
      }
    }
  });
  judged_ = {};
  ESPALIER_TRY(not_stopped());
  lattices_ = std::move(next);
  ESPALIER_TRY(finish_lattices(arc_ratings, order));
  if (!options_.quantiles) {
    for (const uint32_t s : usable_)
      std::fill(lattices_[s].trellis.rating.begin(), lattices_[s].trellis.rating.end(), kNoRating);
    return {};
  }
  size_t states = 0;
  for (const uint32_t s : usable_) states += lattices_[s].trellis.states();
  const size_t stride = states / kRatingsForCuts + 1;
  std::vector<float> sample;
  size_t next_one = 0, seen = 0;
  for (const uint32_t s : usable_)
    for (const float x : lattices_[s].trellis.rating)
      if (seen++ == next_one) {
        sample.push_back(x);
        next_one += stride;
      }
  cuts_ = find_cuts(std::move(sample));
  return {};
}

void CascadeTraining::advance_dev(const Level& level, size_t order) {
  if (context_.dev == nullptr) return;
  const linear::Dataset& dev = *context_.dev;
  const bool first = dev_lattices_.empty();
  if (first) dev_lattices_.resize(dev.sequences());
  std::vector<Status> troubles(kPieces);
  context_.workers.for_each(kPieces, [&](size_t piece) {
    Work work;
    const Range range = piece_of(dev.sequences(), kPieces, piece);
    for (size_t s = range.first; s < range.last && !stopped(); ++s) {
      if (dev.length(s) == 0) continue;
      judge(level.weights, dev, s, first ? nullptr : &dev_lattices_[s], work);
      const size_t length = trellis_length(order);
      const GramTable& grams = cascade_.layout.grams;
      auto grown =
          first ? grow_to(make_trellis(keep_labels(work.items, cascade_.layout.labels, level.alpha, {}, {}),
                                       grams),
                          {}, length, grams)
                : filter_and_grow(dev_lattices_[s], work.ratings, level.unit, level.alpha,
                                  work.scratch.pass.path(), length, grams);
      if (!grown.ok()) {
        troubles[piece] = grown.error();
        return;
      }
      dev_lattices_[s] = std::move(grown).value();
      if (!options_.quantiles)
        std::fill(dev_lattices_[s].rating.begin(), dev_lattices_[s].rating.end(), kNoRating);
    }
  });
  for (const Status& trouble : troubles)
    if (!trouble.ok()) trouble_ = trouble;
}

void CascadeTraining::describe_lattices(LevelReport& report) const {
  const double n = static_cast<double>(std::max<size_t>(1, positions_));
  if (unigram()) {
    report.states = static_cast<double>(cascade_.layout.labels);
    return;
  }
  size_t states = 0, arcs = 0;
  for (const uint32_t s : usable_) {
    const auto [own_states, own_arcs] = lattices_[s].states_and_arcs();
    states += own_states;
    arcs += own_arcs;
  }
  report.states = static_cast<double>(states) / n;
  report.arcs = static_cast<double>(arcs) / n;
}

}  // namespace espalier::cascade

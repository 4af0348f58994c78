#include "espalier/cascade/training/stages.h"

#include <algorithm>

namespace espalier::cascade {

using data::kNoLabel;
using data::Label;

namespace {

/// The number by which forced labels call label j (LabelSet::plain_numbers).
size_t number_for_users(size_t j, std::span<const Label> plain) { return plain.empty() ? j : plain[j]; }

Status check_growth(const Trellis& trellis, const Growth& growth) {
  if (growth.arcs <= kMostArcs) return {};
  return fail("{} positions have more than {} label {}-grams left alive; filter more, or take a lower order",
              trellis.lattice.positions(), kMostArcs, trellis.gram_length + 2);
}

}  // namespace

AliveLabels keep_labels(std::span<const float> ratings, size_t K, double alpha, std::span<const Label> gold,
                        std::span<const Label> forced, std::span<const Label> plain) {
  AliveLabels alive;
  const size_t T = ratings.size() / K;
  const float threshold = static_cast<float>(alpha);
  for (size_t t = 0; t < T; ++t) {
    const float* row = ratings.data() + t * K;
    const auto keep = [&](size_t j) {
      alive.label.push_back(static_cast<Label>(j));
      alive.rating.push_back(row[j]);
    };
    if (!forced.empty() && forced[t] != kNoLabel) {
      for (size_t j = 0; j < K; ++j)
        if (number_for_users(j, plain) == forced[t]) keep(j);
    } else {
      const size_t best = static_cast<size_t>(std::max_element(row, row + K) - row);
      const size_t truth = gold.empty() ? best : gold[t];
      for (size_t j = 0; j < K; ++j)
        if (row[j] >= threshold || j == best || j == truth) keep(j);
    }
    alive.begin.push_back(static_cast<uint32_t>(alive.label.size()));
  }
  return alive;
}

AliveLabels forced_labels(size_t positions, size_t K, std::span<const Label> forced,
                          std::span<const Label> plain) {
  if (forced.empty()) return all_labels(positions, K);
  AliveLabels alive;
  for (size_t t = 0; t < positions; ++t) {
    for (size_t j = 0; j < K; ++j)
      if (forced[t] == kNoLabel || forced[t] == number_for_users(j, plain))
        alive.label.push_back(static_cast<Label>(j));
    alive.begin.push_back(static_cast<uint32_t>(alive.label.size()));
  }
  alive.rating.assign(alive.label.size(), kNoRating);
  return alive;
}

size_t arcs_of(const AliveLabels& alive) {
  size_t arcs = 0;
  for (size_t t = 1; t < alive.positions(); ++t)
    arcs += size_t{alive.begin[t] - alive.begin[t - 1]} * (alive.begin[t + 1] - alive.begin[t]);
  return arcs;
}

Filtered apply_filter(const Trellis& trellis, const Ratings& ratings, Unit unit, double alpha,
                      std::span<const uint32_t> best_path, std::span<const uint32_t> truth,
                      std::span<const uint32_t> truth_arcs) {
  chain::KeepMasks keep = keep_from(trellis.lattice, ratings, unit, alpha, best_path);
  for (size_t t = 0; t < truth.size(); ++t) {
    keep.states[truth[t]] = 1;
    if (t > 0) keep.arcs[truth_arcs[t]] = 1;
  }
  Thinned thinned = thin(trellis, keep, ratings.state);
  Filtered result{std::move(thinned.trellis), {}};
  result.arc_rating.reserve(thinned.old_arc.size());
  for (const uint32_t old : thinned.old_arc) result.arc_rating.push_back(ratings.arc[old]);
  return result;
}

Result<Trellis> grow_to(Trellis trellis, std::span<const float> arc_rating, size_t length,
                        const GramTable& grams) {
  while (trellis.gram_length < length) {
    const Growth growth = plan_growth(trellis);
    ESPALIER_TRY(check_growth(trellis, growth));
    trellis = grow(trellis, growth, {}, {}, arc_rating, grams);
    arc_rating = {};
  }
  return trellis;
}

Result<Trellis> filter_and_grow(const Trellis& trellis, const Ratings& ratings, Unit unit, double alpha,
                                std::span<const uint32_t> best_path, size_t length, const GramTable& grams) {
  chain::KeepMasks keep = keep_from(trellis.lattice, ratings, unit, alpha, best_path);
  if (length <= trellis.gram_length) return thin(trellis, keep, ratings.state).trellis;
  chain::drop_unconnected(trellis.lattice, keep);
  const Growth growth = plan_growth(trellis, keep);
  ESPALIER_TRY(check_growth(trellis, growth));
  return grow_to(grow(trellis, growth, keep, ratings.state, ratings.arc, grams), {}, length, grams);
}

void dictionary_ratings(const Dictionary& dictionary, std::span<const uint32_t> features, Label leave_out,
                        std::span<float> out) {
  constexpr float kOut = -1e6f;
  std::fill(out.begin(), out.end(), 1.0f);
  for (const uint32_t f : features) {
    const uint32_t first = dictionary.begin[f], last = dictionary.begin[f + 1];
    if (first == last) continue;  // not a word
    const auto seen = [&](uint32_t i) {
      return dictionary.count[i] > (dictionary.label[i] == leave_out ? 1u : 0u);
    };
    bool known = false;
    for (uint32_t i = first; i < last; ++i) known = known || seen(i);
    if (!known) return;
    std::fill(out.begin(), out.end(), kOut);
    for (uint32_t i = first; i < last; ++i)
      if (seen(i)) out[dictionary.label[i]] = 1.0f;
    return;
  }
}

QuantileCuts find_cuts(std::vector<float> ratings) {
  QuantileCuts cuts{};
  if (ratings.empty()) return cuts;
  std::sort(ratings.begin(), ratings.end());
  for (size_t q = 1; q < kQuantiles; ++q) cuts[q - 1] = ratings[ratings.size() * q / kQuantiles];
  return cuts;
}

}  // namespace espalier::cascade

// The steps between levels, shared by training and tagging: apply a filter, then grow the lattice for the
// next level. Tested in train_test.cc.
#pragma once

#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/cascade/options.h"

namespace espalier::cascade {

/// Gram length of the trellis that a level of this order runs on.
inline size_t trellis_length(size_t order) { return order <= 2 ? 1 : order - 1; }

/// Larger lattices are refused: a filter that keeps everything at a high order would otherwise exhaust
/// memory.
inline constexpr size_t kMostArcs = size_t{1} << 27;

/// What a level of order 1 keeps: labels rated α or more, the best label of each position, and `gold` if not
/// empty. A forced label is the only one of its position. Ratings are T×K. `plain`, if not empty, has the
/// number by which `forced` calls each label (LabelSet::plain_numbers).
AliveLabels keep_labels(std::span<const float> ratings, size_t labels, double alpha,
                        std::span<const data::Label> gold, std::span<const data::Label> forced,
                        std::span<const data::Label> plain = {});

/// All labels, except at positions with a forced label.
AliveLabels forced_labels(size_t positions, size_t labels, std::span<const data::Label> forced,
                          std::span<const data::Label> plain = {});

/// How many arcs make_trellis or grow would make.
size_t arcs_of(const AliveLabels& alive);
inline size_t arcs_when_grown(const Trellis& trellis) { return plan_growth(trellis).arcs; }

/// A trellis after its filter, with the ratings of its arcs.
struct Filtered {
  Trellis trellis;
  std::vector<float> arc_rating;
};
/// Filters a trellis. `truth` and its arcs, if not empty, are always kept.
Filtered apply_filter(const Trellis& trellis, const Ratings& ratings, Unit unit, double alpha,
                      std::span<const uint32_t> best_path, std::span<const uint32_t> truth,
                      std::span<const uint32_t> truth_arcs);

/// Grows the trellis until its states have `length` labels. An error if that takes too many arcs.
Result<Trellis> grow_to(Trellis trellis, std::span<const float> arc_rating, size_t length,
                        const GramTable& grams);

/// What the filter of a level in use leaves, grown for the next level: apply_filter and grow_to without the
/// trellis between them.
Result<Trellis> filter_and_grow(const Trellis& trellis, const Ratings& ratings, Unit unit, double alpha,
                                std::span<const uint32_t> best_path, size_t length, const GramTable& grams);

/// Ratings by the dictionary: 1 for labels the word was seen with, very low for others. `features` are the
/// token's; if `leave_out` is a label, one occurrence of it is not counted (the token itself).
void dictionary_ratings(const Dictionary& dictionary, std::span<const uint32_t> features,
                        data::Label leave_out, std::span<float> out);

/// The cut points that divide all known ratings into eighths.
QuantileCuts find_cuts(std::vector<float> ratings);

}  // namespace espalier::cascade

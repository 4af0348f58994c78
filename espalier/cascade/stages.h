// The steps between levels, shared by training and use. Tested in train_test.cc.
#pragma once

#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/cascade/options.h"

namespace espalier::cascade {

/// Gram length of the trellis that a level of this order runs on.
inline size_t trellis_length(size_t order) { return order <= 2 ? 1 : order - 1; }

/// A lattice larger than this is refused: a filter that keeps everything at a high order would otherwise take
/// all memory there is.
inline constexpr size_t kMostArcs = size_t{1} << 27;

/// What a level of order 1 leaves alive: labels that stand at α or above and the best of each position, and
/// `gold`, where not empty, in any case. Labels that are forced are the only ones of their position.
/// Ratings are T×K.
AliveLabels keep_labels(std::span<const float> ratings, size_t labels, double alpha,
                        std::span<const data::Label> gold, std::span<const data::Label> forced);

/// All labels but where one is forced.
AliveLabels forced_labels(size_t positions, size_t labels, std::span<const data::Label> forced);

/// How many arcs make_trellis or grow would make.
size_t arcs_of(const AliveLabels& alive);
size_t arcs_when_grown(const Trellis& trellis);

/// A trellis after its filter, and where its arcs stood.
struct Filtered {
  Trellis trellis;
  std::vector<float> arc_rating;
};
/// Thins a trellis. `truth` and its arcs, where not empty, are kept in any case.
Filtered apply_filter(const Trellis& trellis, const Ratings& ratings, Unit unit, double alpha,
                      std::span<const uint32_t> best_path, std::span<const uint32_t> truth,
                      std::span<const uint32_t> truth_arcs);

/// Grows until states have the length a level of this order wants. An error where that takes too many arcs.
Result<Trellis> grow_to(Trellis trellis, std::span<const float> arc_rating, size_t length,
                        const GramTable& grams);

/// Where labels stand by the dictionary: 1, or far below everything for labels the word was not seen with.
/// `features` are the token's; `leave_out`, where a label, is taken away once beforehand (leaving the token
/// itself out).
void dictionary_ratings(const Dictionary& dictionary, std::span<const uint32_t> features,
                        data::Label leave_out, std::span<float> out);

/// Eighths of the ratings of all states that have one.
QuantileCuts find_cuts(std::vector<float> ratings);

}  // namespace espalier::cascade

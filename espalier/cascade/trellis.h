// The lattice of a level, whose states are label n-grams. make_trellis builds one from single labels, grow()
// makes the n-grams longer by one, thin() applies a filter.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "espalier/cascade/gram_table.h"
#include "espalier/chain/lattice/lattice.h"
#include "espalier/chain/lattice/lattice_filter.h"
#include "espalier/data/label_set.h"

namespace espalier::cascade {

/// The labels alive at each position, with their ratings at the level that kept them.
struct AliveLabels {
  std::vector<uint32_t> begin{0};  ///< position t owns [begin[t], begin[t+1])
  std::vector<data::Label> label;  ///< ascending within a position
  std::vector<float> rating;       ///< parallel to `label`; kNoRating before the first filter

  size_t positions() const { return begin.size() - 1; }
};

/// The rating of labels and states that have not been through a filter.
inline constexpr float kNoRating = -1e30f;

/// All labels at every position.
AliveLabels all_labels(size_t positions, size_t labels);

/// A lattice in which a state at position t stands for the last m labels up to t (fewer before position m −
/// 1, with start symbols in their place), and an arc for the m + 1 labels it joins. Arcs only join states
/// that agree on the labels they share. To grow m by one, arcs become states (the line graph): a new state is
/// an arc that is still alive, which is equation 5 of Weiss and Taskar (2010).
///
/// The trellis also holds the numbers of the grams that a level has weights for: grams of 2 … m labels belong
/// to states, grams of m + 1 to arcs (to states at the first position, which has no arcs), and grams that end
/// with the end symbol to states of the last position. Size: linear in what is alive.
struct Trellis {
  size_t gram_length = 1;  ///< m
  chain::Lattice lattice;
  std::vector<uint32_t> state_grams;  ///< states × (m − 1): the last 2, 3, … m labels
  std::vector<uint32_t> arc_gram;     ///< per arc: its m + 1 labels
  std::vector<uint32_t> first_gram;   ///< per state of position 0: m start symbols and its label
  std::vector<uint32_t>
      end_grams;              ///< states of the last position × m: the last 1, 2, … m labels and the end
  std::vector<float> rating;  ///< per state: see AliveLabels

  size_t states() const { return lattice.states(); }
  std::span<const uint32_t> grams_of(size_t state) const {
    return {state_grams.data() + state * (gram_length - 1), gram_length - 1};
  }
  /// The gram of all m labels of a state.
  uint32_t top_gram(size_t state) const {
    return gram_length == 1 ? lattice.label(state) : state_grams[state * (gram_length - 1) + gram_length - 2];
  }
};

/// The trellis of single labels (m = 1) with every arc between neighbours. Grams not in the table are
/// kNoGram. It is made in the memory of `used`.
Trellis make_trellis(const AliveLabels& alive, const GramTable& grams, Trellis used = {});

/// The shape of a trellis that grows by one. What masks drop is left out of it; empty masks keep all.
/// Precondition: what they keep is on a path of kept parts (chain::drop_unconnected).
struct Growth {
  std::vector<uint32_t> place;  ///< the new states that end with old state s are [place[s], place[s+1])
  size_t arcs = 0;
};
Growth plan_growth(const Trellis& from, const chain::KeepMasks& keep = {});

/// m grows by one. The ratings of the old states and arcs become those of the new states. Empty: those of
/// `from`; of an arc, that of its target. The new trellis is made in the memory of `used`.
Trellis grow(const Trellis& from, const Growth& growth, const chain::KeepMasks& keep,
             std::span<const float> state_rating, std::span<const float> arc_rating, const GramTable& grams,
             Trellis used = {});
inline Trellis grow(const Trellis& from, std::span<const float> arc_rating, const GramTable& grams,
                    Trellis used = {}) {
  return grow(from, plan_growth(from), {}, {}, arc_rating, grams, std::move(used));
}

/// Fills first_gram and end_grams, which follow from the rest.
void find_border_grams(Trellis& trellis, const GramTable& grams);

/// Adds all grams of the trellis that are not in the table yet.
void add_missing_grams(Trellis& trellis, GramTable& grams);

/// Keeps what the masks keep and what is on a path. `rating`, one per old state, replaces the old values if
/// not empty. Precondition: the masks leave a path.
struct Thinned {
  Trellis trellis;
  std::vector<uint32_t> old_state, old_arc;
};
Thinned thin(const Trellis& trellis, const chain::KeepMasks& keep, std::span<const float> rating);

/// The path with these labels, or an empty one if there is none.
std::vector<uint32_t> find_path(const Trellis& trellis, std::span<const data::Label> labels);

/// The score of a labelling; −∞ if there is no path with these labels.
double score_in(const Trellis& trellis, std::span<const data::Label> labels);

/// The arcs along a path: entry t is the arc into path[t]; entry 0 means nothing.
std::vector<uint32_t> arcs_of_path(const chain::Lattice& lattice, std::span<const uint32_t> path);

}  // namespace espalier::cascade

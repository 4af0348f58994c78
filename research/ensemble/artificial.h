// The artificial data sets of Cortes, Kuznetsov and Mohri (2014), section 5.1: sequences of letters and
// experts that err in known ways.
#pragma once

#include <cstddef>
#include <cstdint>

#include "espalier/ensemble/votes/votes.h"

namespace espalier::research {

enum class ArtificialSet {
  kAds1,  ///< expert j is good at positions 2j − 1 and 2j
  kAds2,  ///< every expert errs at a fixed number of random positions per sequence
  kAds3,  ///< expert j is always right on its part of the alphabet
};

/// Sequences of letters from a random Markov chain. An expert that errs names a neighbour of the letter in
/// the alphabet, either one with equal probability (a and z have only one). Slots are positions.
struct ArtificialOptions {
  ArtificialSet set = ArtificialSet::kAds1;
  size_t sequences = 40'000;
  size_t length = 10;
  size_t experts = 5;
  double good = 0.97;      ///< ADS1: probability of being right at the expert's own positions
  double elsewhere = 0.5;  ///< ADS1: at the other positions; ADS3: outside the expert's part of the alphabet
  size_t errors = 4;       ///< ADS2: errors per expert and sequence
  bool same_mistake = false;  ///< all experts that err at an item name the same neighbour
};

/// The options that the text of section 5.1 states.
ArtificialOptions stated_options(ArtificialSet set);
/// The options that reproduce the printed tables (found by simulation): ADS1 .98/.30, ADS3 .6 with the same
/// mistake for all; ADS2 as stated, since no weighting reaches its printed figure.
ArtificialOptions fitted_options(ArtificialSet set);

ensemble::VoteBatch make_artificial(const ArtificialOptions& options, uint64_t seed);

}  // namespace espalier::research

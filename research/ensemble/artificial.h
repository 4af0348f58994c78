// The artificial data sets of section 5.1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "espalier/ensemble/votes/votes.h"

namespace espalier::research {

enum class ArtificialSet {
  kAds1,  ///< expert j is good at positions 2j − 1 and 2j
  kAds2,  ///< every expert errs at a fixed number of random positions of each sequence
  kAds3,  ///< expert j is always right on its part of the alphabet
};

/// Sequences of letters from a random Markov chain; an expert that errs says a neighbour of the letter in the
/// alphabet, either with equal chance (a and z have one). Slots are positions.
struct ArtificialOptions {
  ArtificialSet set = ArtificialSet::kAds1;
  size_t sequences = 40'000;
  size_t length = 10;
  size_t experts = 5;
  double good = 0.97;         ///< ADS1: chance of being right at the expert's own positions
  double elsewhere = 0.5;     ///< ADS1: at the others; ADS3: outside the expert's part of the alphabet
  size_t errors = 4;          ///< ADS2: errors of each expert in each sequence
  bool same_mistake = false;  ///< experts that err at an item all say the same neighbour
};

/// What the text of section 5.1 states.
ArtificialOptions stated_options(ArtificialSet set);
/// What the printed tables follow from (found by simulation): ADS1 .98/.30, ADS3 .6 with the same mistake for
/// all; ADS2 as stated, since no weighting reaches its printed figure.
ArtificialOptions fitted_options(ArtificialSet set);

ensemble::VoteBatch make_artificial(const ArtificialOptions& options, uint64_t seed);

}  // namespace espalier::research

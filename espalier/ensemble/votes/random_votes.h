// For tests only: random samples of every awkward kind.
#pragma once

#include "espalier/base/random.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

struct RandomVotesOptions {
  size_t experts = 3, sequences = 12, longest = 4, values = 3;
  double accuracy = 0.6;
  double silence = 0;       ///< probability that an expert abstains at an item
  double unknown_gold = 0;  ///< probability that an item has no gold value
  bool fixed_length = false;
  bool shared_slots = false;  ///< several items of a sequence in one slot
};

inline VoteBatch random_votes(const RandomVotesOptions& options, uint64_t seed) {
  Random random(seed);
  VoteBatch batch(options.experts);
  std::vector<Value> votes(options.experts);
  for (size_t s = 0; s < options.sequences; ++s) {
    const size_t length = options.fixed_length ? options.longest : random.below(options.longest + 1);
    for (size_t k = 0; k < length; ++k) {
      const auto gold = static_cast<Value>(random.below(options.values));
      for (size_t j = 0; j < options.experts; ++j) {
        // Later experts are better, and all differ by slot.
        const double bonus =
            0.3 * static_cast<double>((j + k) % options.experts) / static_cast<double>(options.experts);
        votes[j] = random.uniform() < options.accuracy + bonus
                       ? gold
                       : static_cast<Value>(random.below(options.values));
        if (random.uniform() < options.silence) votes[j] = kAbsent;
      }
      const bool unknown = random.uniform() < options.unknown_gold;
      batch.add_item(static_cast<uint32_t>(options.shared_slots ? k % 2 : k), unknown ? kAbsent : gold,
                     votes);
    }
    batch.end_sequence();
  }
  return batch;
}

}  // namespace espalier::ensemble

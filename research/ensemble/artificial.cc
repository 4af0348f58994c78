#include "research/ensemble/artificial.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "espalier/base/random.h"

namespace espalier::research {
namespace {

constexpr size_t kLetters = 26;

/// A chain with transitions drawn uniformly and normalised.
class LetterChain {
 public:
  explicit LetterChain(Random random) {
    for (auto& row : cumulative_) {
      double sum = 0;
      for (double& c : row) c = sum += random.uniform();
      for (double& c : row) c /= sum;
    }
  }
  ensemble::Value first(Random& random) const { return static_cast<ensemble::Value>(random.below(kLetters)); }
  ensemble::Value next(ensemble::Value from, Random& random) const {
    const auto& row = cumulative_[from];
    const auto it = std::upper_bound(row.begin(), row.end(), random.uniform());
    return static_cast<ensemble::Value>(std::min<std::ptrdiff_t>(it - row.begin(), kLetters - 1));
  }

 private:
  std::array<std::array<double, kLetters>, kLetters> cumulative_{};
};

ensemble::Value neighbour(ensemble::Value letter, bool up) {
  if (letter == 0) return 1;
  if (letter == kLetters - 1) return kLetters - 2;
  return up ? letter + 1 : letter - 1;
}

}  // namespace

ArtificialOptions stated_options(ArtificialSet set) {
  ArtificialOptions options;
  options.set = set;
  if (set == ArtificialSet::kAds3) options.elsewhere = 0.7;
  return options;
}

ArtificialOptions fitted_options(ArtificialSet set) {
  ArtificialOptions options = stated_options(set);
  if (set == ArtificialSet::kAds1) {
    options.good = 0.98;
    options.elsewhere = 0.30;
  }
  if (set == ArtificialSet::kAds3) {
    options.elsewhere = 0.6;
    options.same_mistake = true;
  }
  return options;
}

ensemble::VoteBatch make_artificial(const ArtificialOptions& options, uint64_t seed) {
  const Random root(seed);
  const LetterChain chain(root.split(1));
  Random random = root.split(2);
  const size_t p = options.experts;

  // ADS3: the alphabet, divided among the experts.
  std::array<size_t, kLetters> owner{};
  std::vector<size_t> letters(kLetters);
  std::iota(letters.begin(), letters.end(), size_t{0});
  random.shuffle(std::span(letters));
  for (size_t i = 0; i < kLetters; ++i) owner[letters[i]] = i % p;

  ensemble::VoteBatch batch(p);
  std::vector<ensemble::Value> votes(p);
  std::vector<size_t> positions(options.length);
  std::vector<uint8_t> errs(p * options.length);
  for (size_t s = 0; s < options.sequences; ++s) {
    if (options.set == ArtificialSet::kAds2) {
      std::fill(errs.begin(), errs.end(), 0);
      for (size_t j = 0; j < p; ++j) {
        std::iota(positions.begin(), positions.end(), size_t{0});
        random.shuffle(std::span(positions));
        for (size_t e = 0; e < std::min(options.errors, options.length); ++e)
          errs[j * options.length + positions[e]] = 1;
      }
    }
    ensemble::Value letter = chain.first(random);
    for (size_t k = 0; k < options.length; ++k) {
      if (k > 0) letter = chain.next(letter, random);
      const bool shared_up = random.below(2) == 1;
      for (size_t j = 0; j < p; ++j) {
        bool right = true;
        switch (options.set) {
          case ArtificialSet::kAds1:
            right = random.uniform() < (k / 2 == j ? options.good : options.elsewhere);
            break;
          case ArtificialSet::kAds2:
            right = errs[j * options.length + k] == 0;
            break;
          case ArtificialSet::kAds3:
            right = owner[letter] == j || random.uniform() < options.elsewhere;
            break;
        }
        const bool up = random.below(2) == 1;
        votes[j] = right ? letter : neighbour(letter, options.same_mistake ? shared_up : up);
      }
      batch.add_item(static_cast<uint32_t>(k), letter, votes);
    }
    batch.end_sequence();
  }
  return batch;
}

}  // namespace espalier::research

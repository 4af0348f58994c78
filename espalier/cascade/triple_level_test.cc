#include "espalier/cascade/triple_level.h"

#include <gtest/gtest.h>

#include "espalier/cascade/cascade_test_support.h"
#include "espalier/chain/lattice/lattice_viterbi.h"

namespace espalier::cascade {
namespace {

TEST(TripleLevel, FindsTheBestPathOfTheTrellisItStandsFor) {
  const Random root(41);
  size_t ties = 0, several = 0;
  TripleLevel triples;  // buffers are used again
  PairLevel pairs;
  KeptPairs kept;
  for (uint64_t i = 0; i < 400; ++i) {
    Random random = root.split(i);
    RandomLevel level = random_level(3, 1 + random.below(8), 2 + random.below(5), random);
    if (i % 4 == 0) {  // whole numbers tie often
      for (float& x : level.node) x = std::round(x);
      for (float& x : level.gram) x = std::round(x);
    }
    if (i % 5 == 0)  // grams that the level has no weight for
      level.gram.resize(level.grams.single() + random.below(level.gram.size() - level.grams.single() + 1));
    const PairWeights weights(level.grams, level.gram);
    const double alpha = i % 7 == 0 ? kKeepAll : 1.2 * random.uniform() - 0.3;
    pairs.filter(level.alive, level.alive_node(), weights, {}, alpha, kept);
    level.alive = kept.alive;
    level.trellis = grown(kept, level.grams);
    level.score();
    const chain::LatticePath expected = chain::viterbi(level.trellis.lattice);
    std::vector<data::Label> labels;
    const double score =
        triples.decode(kept, level.alive_node(), TripleWeights(level.grams, level.gram), labels);
    EXPECT_EQ(labels, chain::path_labels(level.trellis.lattice, expected.states)) << i;
    EXPECT_EQ(score, expected.score);
    several += level.trellis.states() > level.positions;
    if (i % 4 != 0) continue;
    size_t best = 0;
    for (const auto& y : level.labellings())
      best += !find_path(level.trellis, y).empty() && level.score_of(y) == score;
    ties += best > 1;
  }
  EXPECT_GT(several, 200u);
  EXPECT_GT(ties, 20u) << "ties should occur";
}

}  // namespace
}  // namespace espalier::cascade

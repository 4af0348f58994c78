#include "research/ensemble/artificial.h"

#include <gtest/gtest.h>

#include "espalier/ensemble/methods/espboost.h"
#include "espalier/ensemble/methods/fpl.h"
#include "espalier/ensemble/methods/online.h"
#include "espalier/ensemble/methods/selection.h"

namespace espalier::research {
namespace {

std::vector<uint32_t> fold_of_200(uint32_t fold) {
  std::vector<uint32_t> chosen(200);
  for (uint32_t i = 0; i < 200; ++i) chosen[i] = 200 * fold + i;
  return chosen;
}

/// The stated settings on one data set and four folds; the whole table is an experiment (ensemble-ads1 …).
struct AdsFigures {
  double mvote = 0, cv = 0, boost = 0, fpl = 0, random = 0, best = 0;
};
AdsFigures ads_figures(ArtificialSet set) {
  ArtificialOptions options = stated_options(set);
  options.sequences = 10'000;
  const ensemble::VoteBatch batch = make_artificial(options, 1);
  ensemble::BatchSource all(batch);
  AdsFigures mean;
  const uint32_t folds = 4;
  for (uint32_t f = 0; f < folds; ++f) {
    ensemble::BatchSource train(batch, fold_of_200(f));
    const auto online = ensemble::learn_online(train, {});
    const auto boost = ensemble::learn_espboost(train, {});
    const auto fpl = ensemble::learn_fpl(train, {.seed = f});
    mean.mvote += ensemble::evaluate(all, online->mvote)->mean() / folds;
    mean.cv += ensemble::evaluate(all, online->cv)->mean() / folds;
    mean.boost += ensemble::evaluate(all, boost->table)->mean() / folds;
    mean.fpl += ensemble::evaluate(all, fpl->fpl)->mean() / folds;
    mean.random += *ensemble::expected_random_loss(all, online->mvote) / folds;
    mean.best += ensemble::evaluate(all, ensemble::best_expert(train)->table)->mean() / folds;
  }
  return mean;
}

void expect_figures(ArtificialSet set, const AdsFigures& expected, const AdsFigures& tolerance) {
  const AdsFigures f = ads_figures(set);
  for (const auto figure : {&AdsFigures::mvote, &AdsFigures::cv, &AdsFigures::boost, &AdsFigures::fpl,
                            &AdsFigures::random, &AdsFigures::best})
    EXPECT_NEAR(f.*figure, expected.*figure, tolerance.*figure);
}

TEST(Artificial, EverySetGivesTheFiguresExpected) {
  expect_figures(ArtificialSet::kAds1, {0.0301, 0.0301, 0.0301, 0.0301, 0.0930, 0.4054},
                 {0.002, 0.002, 0.002, 0.002, 0.010, 0.003});
  expect_figures(ArtificialSet::kAds2, {0.2390, 0.2377, 0.2505, 0.2435, 0.4, 0.4},
                 {0.006, 0.006, 0.012, 0.012, 0.002, 1e-9});
  expect_figures(ArtificialSet::kAds3, {0.0584, 0.0580, 0.0588, 0.0625, 0.2398, 0.226},
                 {0.006, 0.006, 0.012, 0.012, 0.002, 0.012});
}

TEST(Artificial, SameSeedSameData) {
  ArtificialOptions options = stated_options(ArtificialSet::kAds3);
  options.sequences = 50;
  const ensemble::VoteBatch a = make_artificial(options, 3), b = make_artificial(options, 3),
                            c = make_artificial(options, 4);
  bool differs = false;
  for (size_t s = 0; s < 50; ++s)
    for (size_t i = 0; i < a[s].votes.size(); ++i) {
      EXPECT_EQ(a[s].votes[i], b[s].votes[i]);
      differs |= a[s].votes[i] != c[s].votes[i];
    }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace espalier::research

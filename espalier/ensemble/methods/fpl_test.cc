#include "espalier/ensemble/methods/fpl.h"

#include <gtest/gtest.h>

#include "espalier/ensemble/votes/random_votes.h"

namespace espalier::ensemble {
namespace {

TEST(Fpl, FollowsAnExpertThatIsAlwaysRight) {
  VoteBatch batch(3);
  for (int s = 0; s < 2000; ++s) {
    batch.add_item(0, 1, std::vector<Value>{0, 1, 0});
    batch.add_item(1, 2, std::vector<Value>{2, 0, 0});
    batch.end_sequence();
  }
  BatchSource source(batch);
  const auto result = learn_fpl(source, {});
  ASSERT_TRUE(result.ok());
  EXPECT_DOUBLE_EQ(result->epsilon, 0.5 / 6);
  EXPECT_EQ(evaluate(source, result->fpl)->mean(), 0);
  EXPECT_EQ(evaluate(source, result->fpl_cv)->mean(), 0);
  EXPECT_LT(result->mean_loss, 0.05);
}

TEST(Fpl, SameSeedSameHypothesis) {
  const VoteBatch batch = random_votes({.sequences = 50, .silence = 0.1}, 2);
  BatchSource source(batch);
  const auto a = learn_fpl(source, {.seed = 4}), b = learn_fpl(source, {.seed = 4}),
             c = learn_fpl(source, {.seed = 5});
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_EQ(a->fpl, b->fpl);
  EXPECT_EQ(a->fpl_cv, b->fpl_cv);
  EXPECT_NE(a->mean_loss, c->mean_loss);
}

TEST(Fpl, ItsPathTakesOneExpertInEverySlot) {
  const VoteBatch batch = random_votes({.sequences = 50}, 6);
  BatchSource source(batch);
  const auto result = learn_fpl(source, {});
  ASSERT_TRUE(result.ok());
  for (size_t k = 0; k < result->fpl_cv.slots(); ++k) {
    double sum = 0;
    for (const double w : result->fpl_cv.row(k)) {
      EXPECT_TRUE(w == 0 || w == 1);
      sum += w;
    }
    EXPECT_EQ(sum, 1);
  }
}

}  // namespace
}  // namespace espalier::ensemble

#include "espalier/base/exact_sum.h"

#include <gtest/gtest.h>

#include <vector>

#include "espalier/base/random.h"

namespace espalier {
namespace {

TEST(ExactSumTest, DoesNotDependOnTheOrder) {
  Random random(5);
  std::vector<double> terms;
  for (int i = 0; i < 2000; ++i)
    terms.push_back(std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(50))));
  ExactSum forwards, parts[3];
  for (size_t i = 0; i < terms.size(); ++i) {
    forwards.add(terms[i]);
    parts[i % 3].add(terms[terms.size() - 1 - i]);
  }
  ExactSum merged = parts[2];
  merged.add(parts[0]);
  merged.add(parts[1]);
  EXPECT_EQ(forwards.value(), merged.value());
  double plain = 0;
  for (const double x : terms) plain += x;
  EXPECT_NEAR(forwards.value(), plain, 1e-9 * std::abs(plain) + 1e-6);
}

TEST(ExactSumTest, IntegersOfSumsAddUp) {
  ExactSum a, b;
  a.add(-1.75);
  a.add(0.5);
  b.add(1e15);
  b.add(-0.25);
  int64_t one[ExactSum::kIntegers], two[ExactSum::kIntegers];
  a.to_integers(one);
  b.to_integers(two);
  for (size_t i = 0; i < ExactSum::kIntegers; ++i) one[i] += two[i];
  EXPECT_EQ(ExactSum::from_integers(one).value(), 1e15 - 1.5);
}

TEST(ExactSumTest, ATermWithoutAValueLeavesNone) {
  ExactSum sum;
  sum.add(std::nan(""));
  sum.add(1);
  EXPECT_FALSE(std::isfinite(sum.value()));
}

TEST(FixedPointTest, SumsUpToItsBoundAndKeepsSmallTerms) {
  for (const double bound : {0.001, 1.0, 30.0, 1e6, 1e12}) {
    const FixedPoint unit(bound);
    int64_t sum = 0;
    for (int i = 0; i < 1000; ++i) sum += unit.multiple(bound / 1000);
    EXPECT_NEAR(unit.value(sum), bound, 1e-12 * bound);
    EXPECT_NEAR(unit.value(unit.multiple(-bound * 1e-9)), -bound * 1e-9, 1e-8 * bound * 1e-9);
    EXPECT_EQ(unit.multiple(std::nan("")), 0);
  }
}

}  // namespace
}  // namespace espalier

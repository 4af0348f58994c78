#include "espalier/eval/power_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace espalier::eval {
namespace {

TEST(PowerLaw, FindsTheLawThatMadeThePoints) {
  const std::vector<double> sizes = {1000, 2000, 4000, 8000};
  std::vector<double> errors;
  for (const double n : sizes) errors.push_back(4 + 200 * std::pow(n, -0.5));
  const PowerLaw law = fit_power_law(sizes, errors);
  EXPECT_NEAR(law.floor, 4, 1e-6);
  EXPECT_NEAR(law.exponent, 0.5, 1e-9);
  EXPECT_NEAR(law.error(16000), 4 + 200 * std::pow(16000.0, -0.5), 1e-6);
  EXPECT_LT(law.worst_residual, 1e-6);
}

TEST(PowerLaw, IsNoWorseThanAnyOtherOfManyLaws) {
  const std::vector<double> sizes = {10, 20, 40, 80}, errors = {31, 24, 22, 17.5};
  const auto distance = [&](const PowerLaw& law) {
    double sum = 0;
    for (size_t i = 0; i < sizes.size(); ++i) sum += std::pow(errors[i] - law.error(sizes[i]), 2);
    return sum;
  };
  const double found = distance(fit_power_law(sizes, errors));
  for (double floor = 0; floor < 18; floor += 0.5)
    for (double scale = 1; scale < 200; scale += 1)
      for (double exponent = 0.01; exponent <= 2; exponent += 0.05)
        EXPECT_GE(distance({floor, scale, exponent, 0}), found - 1e-9);
}

TEST(PowerLaw, ErrorsThatDoNotFallGiveAFlatLaw) {
  const PowerLaw law = fit_power_law(std::vector<double>{1, 2, 4}, std::vector<double>{5, 5, 6});
  EXPECT_EQ(law.scale, 0);
  EXPECT_NEAR(law.error(8), 16.0 / 3, 1e-9);
}

TEST(PowerLaw, NeitherFloorNorErrorIsNegative) {
  const PowerLaw law = fit_power_law(std::vector<double>{1, 2, 4, 8}, std::vector<double>{40, 20, 10, 0.1});
  EXPECT_GE(law.floor, 0);
  EXPECT_GE(law.error(1e9), 0);
}

}  // namespace
}  // namespace espalier::eval

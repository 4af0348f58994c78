#include "research/searn/pair_machines.h"

#include <gtest/gtest.h>

namespace espalier::research {
namespace {

// Three labels along a line: a machine for the middle one against the rest would need two borders.
TEST(PairMachines, FindALabelBetweenTwoOthers) {
  linear::TokenRows tokens;
  for (int i = 0; i < 30; ++i) {
    const int label = i % 3;
    tokens.features.push(0);
    tokens.features.close();
    tokens.values.push_back(static_cast<float>(label - 1));
    tokens.gold.push_back(static_cast<data::Label>(label));
  }
  linear::LiblinearOptions options;
  options.solver = linear::LiblinearSolver::kHingeDual;
  options.C = 10;
  const auto machines = PairMachines::train(tokens, 1, 3, options);
  ASSERT_TRUE(machines.ok()) << machines.error().message;
  for (size_t t = 0; t < tokens.size(); ++t)
    EXPECT_EQ(machines->decide(tokens.features[t], tokens.values_of(t)), tokens.gold[t]);
  const auto alone = linear::train_liblinear(tokens, linear::full_rows(1, 3), options);
  ASSERT_TRUE(alone.ok());
  size_t right = 0;
  for (size_t t = 0; t < tokens.size(); ++t) {
    std::vector<float> score = alone->bias;
    for (size_t k = 0; k < 3; ++k) score[k] += tokens.values[t] * alone->weights[k];
    right +=
        static_cast<size_t>(std::max_element(score.begin(), score.end()) - score.begin()) == tokens.gold[t];
  }
  EXPECT_LT(right, tokens.size());
}

}  // namespace
}  // namespace espalier::research

// Binary variables under an explicit list of legal assignments: the synthetic problem on which learning only,
// learning with inference and inference-based training are told apart (Punyakanok, Roth, Yih and Zimak 2005,
// section 5.1).
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/base/result.h"

namespace espalier::tasks {

/// An assignment of up to 32 binary variables: bit i is y_i.
using Assignment = uint32_t;

/// A hidden hypothesis. Each variable has a point x_i ∈ R^d and f_i(x_i) = w_i·x_i + θ_i; the label is the
/// legal assignment with the largest Σ_i y_i f_i − (1 − y_i) f_i.
struct VariablesProblem {
  size_t variables = 0;           ///< c
  size_t dimensions = 0;          ///< d
  std::vector<float> w;           ///< c × (d+1), the last of each row θ
  std::vector<Assignment> legal;  ///< ascending
};

/// Weights and thresholds standard normal, a random half of the 2^c assignments legal. Precondition: c from 1
/// to 20.
VariablesProblem draw_problem(size_t variables, size_t dimensions, Random& random);

/// Examples; every row of x ends with a 1 for the threshold.
struct VariablesData {
  size_t variables = 0, width = 0;  ///< c, d + 1
  std::vector<float> x;             ///< n × c × width
  std::vector<Assignment> y;

  size_t size() const { return y.size(); }
  const float* row(size_t example, size_t variable) const {
    return x.data() + (example * variables + variable) * width;
  }
};

/// Standard normal points, drawn until the fraction κ of them (in expectation) has a label that the variables
/// by themselves would not give: their own signs form an assignment that is not legal. κ = 0 is separable
/// variable by variable, κ = 1 nowhere. Always separable as a whole.
VariablesData draw_examples(const VariablesProblem& problem, size_t n, double kappa, Random& random);

/// Trained weights, laid out as a problem's.
struct VariablesModel {
  std::vector<float> w;
  int cycles = 0;          ///< until training stopped
  bool separated = false;  ///< the last cycle made no mistake
};

enum class Regime {
  kLocal,   ///< Figure 1(a): each variable by itself
  kGlobal,  ///< Figure 1(b): what the best legal assignment gets wrong
};

/// The perceptron over the first n examples, in order, from 0, until a cycle makes no mistake or
/// `most_cycles`.
VariablesModel train_variables(const VariablesProblem& problem, const VariablesData& data, size_t n,
                               Regime regime, int most_cycles = 100);

/// The signs of the variables by themselves (learning only).
Assignment free_assignment(const VariablesData& data, size_t example, const std::vector<float>& w);
/// The best legal assignment (with inference).
Assignment best_assignment(const VariablesProblem& problem, const VariablesData& data, size_t example,
                           const std::vector<float>& w);

/// Share of variables assigned rightly.
double variables_accuracy(const VariablesProblem& problem, const VariablesData& data,
                          const std::vector<float>& w, bool inference);

}  // namespace espalier::tasks

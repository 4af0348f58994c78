// Binary variables under an explicit list of legal assignments: the synthetic problem that separates learning
// only, learning with inference and inference-based training (Punyakanok, Roth, Yih and Zimak 2005, section
// 5.1). draw_problem() and draw_examples() make data, train_variables() trains. Inference tries every legal
// assignment.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/base/result.h"

namespace espalier::tasks {

/// An assignment of up to 32 binary variables: bit i is y_i.
using Assignment = uint32_t;

/// A hidden hypothesis. Each variable has a point x_i ∈ R^d and f_i(x_i) = w_i·x_i + θ_i. The label is the
/// legal assignment with the largest Σ_i y_i f_i − (1 − y_i) f_i.
struct VariablesProblem {
  size_t variables = 0;           ///< c
  size_t dimensions = 0;          ///< d
  std::vector<float> w;           ///< c × (d+1); the last of each row is θ
  std::vector<Assignment> legal;  ///< ascending
};

/// Weights and thresholds are standard normal; a random half of the 2^c assignments is legal. Precondition: c
/// is from 1 to 20.
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

/// Standard normal points. In expectation the fraction κ of them has a label that the variables would not get
/// separately: their own signs form an illegal assignment. With κ = 0 the data are separable for each
/// variable, with κ = 1 they are not. They are always separable as a whole.
VariablesData draw_examples(const VariablesProblem& problem, size_t n, double kappa, Random& random);

/// Trained weights, in the layout of a problem's.
struct VariablesModel {
  std::vector<float> w;
  int cycles = 0;          ///< number of cycles until training stopped
  bool separated = false;  ///< the last cycle made no mistake
};

enum class Regime {
  kLocal,   ///< Figure 1(a): each variable by itself
  kGlobal,  ///< Figure 1(b): updates where the best legal assignment is wrong
};

/// The perceptron over the first n examples in order, starting from 0, until a cycle makes no mistake or
/// after `most_cycles`.
VariablesModel train_variables(const VariablesProblem& problem, const VariablesData& data, size_t n,
                               Regime regime, int most_cycles = 100);

/// The signs of the variables, each by itself (learning only).
Assignment free_assignment(const VariablesData& data, size_t example, const std::vector<float>& w);
/// The best legal assignment (with inference).
Assignment best_assignment(const VariablesProblem& problem, const VariablesData& data, size_t example,
                           const std::vector<float>& w);

/// The share of variables assigned correctly.
double variables_accuracy(const VariablesProblem& problem, const VariablesData& data,
                          const std::vector<float>& w, bool inference);

}  // namespace espalier::tasks

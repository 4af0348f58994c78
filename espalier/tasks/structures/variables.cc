#include "espalier/tasks/structures/variables.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace espalier::tasks {

namespace {

/// Eight partial sums, so that additions need not wait for each other; the order is fixed.
float dot(const float* a, const float* b, size_t n) {
  std::array<float, 8> sums{};
  size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (size_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
  float sum = 0;
  for (; i < n; ++i) sum += a[i] * b[i];
  for (const float s : sums) sum += s;
  return sum;
}

/// f_i of every variable.
void activations(const VariablesData& data, size_t example, const std::vector<float>& w, float* f) {
  for (size_t i = 0; i < data.variables; ++i)
    f[i] = dot(data.row(example, i), w.data() + i * data.width, data.width);
}

constexpr size_t kMostVariables = 20;

Assignment signs(const float* f, size_t variables) {
  Assignment y = 0;
  for (size_t i = 0; i < variables; ++i) y |= static_cast<Assignment>(f[i] > 0) << i;
  return y;
}

/// argmax Σ y_i f_i − (1 − y_i) f_i = argmax Σ_{y_i = 1} f_i; ties go to the lowest assignment.
Assignment best_legal(const VariablesProblem& problem, const float* f) {
  Assignment best = problem.legal.front();
  double top = -1e300;
  for (const Assignment y : problem.legal) {
    double sum = 0;
    for (Assignment bits = y; bits != 0; bits &= bits - 1)
      sum += static_cast<double>(f[static_cast<size_t>(std::countr_zero(bits))]);
    if (sum > top) {
      top = sum;
      best = y;
    }
  }
  return best;
}

}  // namespace

VariablesProblem draw_problem(size_t variables, size_t dimensions, Random& random) {
  ESPALIER_CHECK(variables >= 1 && variables <= kMostVariables);
  VariablesProblem problem;
  problem.variables = variables;
  problem.dimensions = dimensions;
  for (size_t i = 0; i < variables * (dimensions + 1); ++i)
    problem.w.push_back(static_cast<float>(random.gaussian()));
  std::vector<Assignment> all(size_t{1} << variables);
  std::iota(all.begin(), all.end(), Assignment{0});
  random.shuffle(std::span<Assignment>(all));
  all.resize(all.size() / 2);
  std::sort(all.begin(), all.end());
  problem.legal = std::move(all);
  return problem;
}

VariablesData draw_examples(const VariablesProblem& problem, size_t n, double kappa, Random& random) {
  VariablesData data;
  data.variables = problem.variables;
  data.width = problem.dimensions + 1;
  data.x.resize(n * data.variables * data.width);
  std::array<float, kMostVariables> f{};
  for (size_t e = 0; e < n; ++e) {
    const bool clash = random.uniform() < kappa;
    data.y.push_back(0);
    while (true) {
      float* x = data.x.data() + e * data.variables * data.width;
      for (size_t i = 0; i < data.variables; ++i) {
        for (size_t k = 0; k + 1 < data.width; ++k) *x++ = static_cast<float>(random.gaussian());
        *x++ = 1;
      }
      activations(data, e, problem.w, f.data());
      const Assignment own = signs(f.data(), data.variables);
      const bool legal = std::binary_search(problem.legal.begin(), problem.legal.end(), own);
      if (legal == clash) continue;
      data.y[e] = best_legal(problem, f.data());
      break;
    }
  }
  return data;
}

VariablesModel train_variables(const VariablesProblem& problem, const VariablesData& data, size_t n,
                               Regime regime, int most_cycles) {
  ESPALIER_CHECK(n <= data.size());
  VariablesModel model;
  model.w.assign(problem.w.size(), 0.0f);
  std::array<float, kMostVariables> f{};
  for (int cycle = 1; cycle <= most_cycles && !model.separated; ++cycle) {
    size_t mistakes = 0;
    for (size_t e = 0; e < n; ++e) {
      activations(data, e, model.w, f.data());
      const Assignment found =
          regime == Regime::kLocal ? signs(f.data(), data.variables) : best_legal(problem, f.data());
      for (Assignment wrong = found ^ data.y[e]; wrong != 0; wrong &= wrong - 1) {
        const size_t i = static_cast<size_t>(std::countr_zero(wrong));
        const float step = (data.y[e] >> i & 1) != 0 ? 1.0f : -1.0f;
        const float* x = data.row(e, i);
        float* w = model.w.data() + i * data.width;
        for (size_t k = 0; k < data.width; ++k) w[k] += step * x[k];
        ++mistakes;
      }
    }
    model.cycles = cycle;
    model.separated = mistakes == 0;
  }
  return model;
}

Assignment free_assignment(const VariablesData& data, size_t example, const std::vector<float>& w) {
  std::array<float, kMostVariables> f{};
  activations(data, example, w, f.data());
  return signs(f.data(), data.variables);
}

Assignment best_assignment(const VariablesProblem& problem, const VariablesData& data, size_t example,
                           const std::vector<float>& w) {
  std::array<float, kMostVariables> f{};
  activations(data, example, w, f.data());
  return best_legal(problem, f.data());
}

double variables_accuracy(const VariablesProblem& problem, const VariablesData& data,
                          const std::vector<float>& w, bool inference) {
  size_t right = 0;
  for (size_t e = 0; e < data.size(); ++e) {
    const Assignment found = inference ? best_assignment(problem, data, e, w) : free_assignment(data, e, w);
    right += data.variables - static_cast<size_t>(std::popcount(found ^ data.y[e]));
  }
  return static_cast<double>(right) / static_cast<double>(data.size() * data.variables);
}

}  // namespace espalier::tasks

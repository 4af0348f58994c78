#include "research/beam/theory_hardness.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "research/beam/theory_cells.h"

namespace espalier::research {

DisagreementProblem random_disagreement(Random random, size_t dimension, size_t positive, size_t negative,
                                        int largest, size_t allowed) {
  DisagreementProblem problem;
  problem.allowed = allowed;
  const uint64_t values = 2 * static_cast<uint64_t>(largest) + 1;
  const auto draw = [&](size_t n, std::vector<std::vector<double>>& examples) {
    for (size_t i = 0; i < n; ++i) {
      std::vector<double>& x = examples.emplace_back(dimension);
      for (double& value : x) value = static_cast<double>(random.below(values)) - largest;
    }
  };
  draw(positive, problem.positive);
  draw(negative, problem.negative);
  return problem;
}

Result<size_t> least_disagreement(const DisagreementProblem& problem) {
  std::vector<std::vector<double>> examples = problem.positive;
  examples.insert(examples.end(), problem.negative.begin(), problem.negative.end());
  if (examples.empty()) return size_t{0};
  ESPALIER_ASSIGN(const auto cells, weight_cells(examples[0].size(), examples));
  size_t least = examples.size();
  for (const std::vector<double>& w : cells) {
    size_t wrong = 0;
    for (size_t i = 0; i < examples.size(); ++i) {
      const bool says_positive = std::inner_product(w.begin(), w.end(), examples[i].begin(), 0.0) >= 0;
      if (says_positive != (i < problem.positive.size())) ++wrong;
    }
    least = std::min(least, wrong);
  }
  return least;
}

BeamProblem disagreement_as_beam_problem(const DisagreementProblem& problem, BeamMode mode) {
  ESPALIER_CHECK(!problem.positive.empty() || !problem.negative.empty());
  const size_t dimension = problem.positive.empty() ? problem.negative[0].size() : problem.positive[0].size();
  TreeSpace tree(dimension);
  // Nodes added earlier are preferred: negative examples, the target, positive examples.
  for (const std::vector<double>& x : problem.negative) tree.add(0, x, false, 1);
  tree.add(0, std::vector<double>(dimension, 0.0), true, 0);
  for (const std::vector<double>& x : problem.positive) {
    std::vector<double> f(x.size());
    std::transform(x.begin(), x.end(), f.begin(), [](double value) { return -value; });
    tree.add(0, std::move(f), false, 1);
  }
  BeamProblem out;
  out.instances.push_back(std::move(tree));
  out.width = problem.allowed + 1;
  out.mode = mode;
  return out;
}

SatProblem random_3sat(Random random, size_t variables, size_t clauses) {
  ESPALIER_CHECK(variables >= 3);
  SatProblem problem{variables, {}};
  std::vector<size_t> all(variables);
  std::iota(all.begin(), all.end(), size_t{0});
  for (size_t i = 0; i < clauses; ++i) {
    random.shuffle(std::span<size_t>(all));
    Clause& clause = problem.clauses.emplace_back();
    for (size_t j = 0; j < clause.size(); ++j) clause[j] = {all[j], random.below(2) == 0};
  }
  return problem;
}

bool satisfiable(const SatProblem& problem) {
  ESPALIER_CHECK(problem.variables <= 24);
  for (uint32_t assignment = 0; assignment < uint32_t{1} << problem.variables; ++assignment) {
    const auto is_true = [&](const Literal& literal) {
      return ((assignment >> literal.variable & 1) != 0) == literal.positive;
    };
    if (std::all_of(problem.clauses.begin(), problem.clauses.end(),
                    [&](const Clause& clause) { return std::any_of(clause.begin(), clause.end(), is_true); }))
      return true;
  }
  return false;
}

BeamProblem sat_as_beam_problem(const SatProblem& problem, BeamMode mode) {
  BeamProblem out;
  out.width = 1;
  out.mode = mode;
  for (const Clause& clause : problem.clauses) {
    TreeSpace tree(problem.variables);
    const auto node = [&](const Literal& literal, double size) {
      std::vector<double> f(problem.variables, 0.0);
      f[literal.variable] = literal.positive ? size : -size;
      return f;
    };
    // Nodes added earlier are preferred: those that are not targets.
    for (const Literal& literal : clause) tree.add(0, node(literal, -0.5), false, 1);
    for (const Literal& literal : clause) tree.add(0, node(literal, 1), true, 0);
    out.instances.push_back(std::move(tree));
  }
  return out;
}

BeamProblem stacked(const BeamProblem& problem) {
  TreeSpace tower(problem.dimension());
  std::vector<TreeState> above{0};
  for (const TreeSpace& tree : problem.instances) {
    std::vector<TreeState> level;
    for (TreeState v = 1; v < tree.size(); ++v) {
      ESPALIER_CHECK(tree.depth(v) == 1);
      const std::span<const double> f = tree.features_of(v);
      const TreeState copy =
          tower.add(above[0], {f.begin(), f.end()}, tree.is_target(v), tree.is_target(v) ? 0 : 1);
      tower.set_preference(copy, tree.preference(v));
      for (size_t k = 1; k < above.size(); ++k) tower.share(above[k], copy);
      level.push_back(copy);
    }
    above = std::move(level);
  }
  BeamProblem out;
  out.instances.push_back(std::move(tower));
  out.width = problem.width;
  out.mode = problem.mode;
  if (problem.mode == BeamMode::kBestFirst && problem.horizon != search::kNoHorizon)
    out.horizon = problem.horizon * problem.instances.size();
  return out;
}

}  // namespace espalier::research

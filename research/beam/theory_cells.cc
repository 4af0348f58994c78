#include "research/beam/theory_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>

namespace espalier::research {
namespace {

using Whole = std::array<int64_t, 3>;  // the third is 0 in two dimensions

constexpr double kLargestNormal = 1024;

Whole primitive(Whole v) {
  const int64_t divisor = std::gcd(std::gcd(v[0], v[1]), v[2]);
  if (divisor > 1)
    for (int64_t& x : v) x /= divisor;
  return v;
}

Whole negated(const Whole& v) { return {-v[0], -v[1], -v[2]}; }
Whole added(const Whole& a, const Whole& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Whole cross(const Whole& a, const Whole& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Order by angle in [0, 2π), exact.
bool earlier_angle(const Whole& a, const Whole& b) {
  const auto lower_half = [](const Whole& v) { return v[1] < 0 || (v[1] == 0 && v[0] < 0); };
  if (lower_half(a) != lower_half(b)) return lower_half(b);
  return a[0] * b[1] - a[1] * b[0] > 0;
}

void cells_of_plane(const std::set<Whole>& normals, std::vector<Whole>& cells) {
  std::vector<Whole> rays;
  for (const Whole& g : normals) {
    rays.push_back({-g[1], g[0], 0});
    rays.push_back({g[1], -g[0], 0});
  }
  std::sort(rays.begin(), rays.end(), earlier_angle);
  rays.erase(std::unique(rays.begin(), rays.end()), rays.end());
  for (size_t i = 0; i < rays.size(); ++i) {
    cells.push_back(rays[i]);
    cells.push_back(added(rays[i], rays[(i + 1) % rays.size()]));
  }
}

void cells_of_space(const std::set<Whole>& normals, std::vector<Whole>& cells) {
  std::set<Whole> unique;
  for (const Whole& a : normals)
    for (const Whole& b : normals) {
      const Whole ray = primitive(cross(a, b));
      if (ray != Whole{0, 0, 0}) unique.insert({ray, negated(ray)});
    }
  const std::vector<Whole> rays(unique.begin(), unique.end());
  for (size_t i = 0; i < rays.size(); ++i) {
    cells.push_back(rays[i]);
    for (size_t j = i + 1; j < rays.size(); ++j) {
      const Whole pair = added(rays[i], rays[j]);
      cells.push_back(primitive(pair));
      for (size_t k = j + 1; k < rays.size(); ++k) cells.push_back(primitive(added(pair, rays[k])));
    }
  }
}

}  // namespace

Result<std::vector<std::vector<double>>> weight_cells(size_t dimension,
                                                      std::span<const std::vector<double>> normals) {
  if (dimension < 1 || dimension > 3)
    return fail("cells of weight space are listed for 1, 2 or 3 features, not for {}", dimension);
  std::set<Whole> whole;
  for (size_t j = 0; j < dimension; ++j) {
    Whole axis{};
    axis[j] = 1;
    whole.insert(axis);
  }
  for (const std::vector<double>& g : normals) {
    ESPALIER_CHECK(g.size() == dimension);
    Whole normal{};
    for (size_t j = 0; j < dimension; ++j) {
      if (g[j] != std::round(g[j]) || std::abs(g[j]) > kLargestNormal)
        return fail("cells of weight space are listed for whole features up to {}, not for {}",
                    kLargestNormal, g[j]);
      normal[j] = static_cast<int64_t>(g[j]);
    }
    normal = primitive(normal);
    // g and −g are normals of the same hyperplane.
    if (normal != Whole{0, 0, 0}) whole.insert(std::max(normal, negated(normal)));
  }
  std::vector<Whole> cells{{0, 0, 0}};
  if (dimension == 1) {
    cells.push_back({1, 0, 0});
    cells.push_back({-1, 0, 0});
  } else {
    dimension == 2 ? cells_of_plane(whole, cells) : cells_of_space(whole, cells);
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  std::vector<std::vector<double>> out;
  for (const Whole& cell : cells) {
    std::vector<double>& w = out.emplace_back(dimension);
    for (size_t j = 0; j < dimension; ++j) w[j] = static_cast<double>(cell[j]);
  }
  return out;
}

Result<CellSweep> sweep_weight_space(const BeamProblem& problem) {
  ESPALIER_TRY(check_problem(problem));
  std::set<std::vector<double>> normals;
  for (const TreeSpace& tree : problem.instances)
    for (TreeState v = 1; v < tree.size(); ++v)
      for (TreeState u = 1; u < v; ++u) {
        std::vector<double> g(tree.features_of(v).begin(), tree.features_of(v).end());
        for (size_t j = 0; j < g.size(); ++j) g[j] -= tree.features_of(u)[j];
        normals.insert(std::move(g));
      }
  const std::vector<std::vector<double>> list(normals.begin(), normals.end());
  ESPALIER_ASSIGN(const auto cells, weight_cells(problem.dimension(), list));
  CellSweep sweep;
  for (const std::vector<double>& w : cells) {
    ++sweep.cells;
    if (!solves(problem, w)) continue;
    sweep.consistent = true;
    sweep.w = w;
    break;
  }
  return sweep;
}

}  // namespace espalier::research

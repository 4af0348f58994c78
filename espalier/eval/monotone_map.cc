#include "espalier/eval/monotone_map.h"

#include <algorithm>

namespace espalier::eval {

bool MonotoneMap::valid(const std::vector<Knot>& knots) {
  for (size_t i = 0; i < knots.size(); ++i) {
    if (!(knots[i].right >= 0 && knots[i].right <= 1) || !(knots[i].score >= 0 && knots[i].score <= 1))
      return false;
    if (i > 0 && !(knots[i].score > knots[i - 1].score && knots[i].right >= knots[i - 1].right)) return false;
  }
  return true;
}

MonotoneMap MonotoneMap::fit(std::vector<std::pair<float, bool>> observed, size_t least) {
  std::sort(observed.begin(), observed.end());
  struct Group {
    double score = 0, right = 0, count = 0;
    double mean() const { return right / count; }
    void add(const Group& other) {
      score += other.score;
      right += other.right;
      count += other.count;
    }
  };
  std::vector<Group> groups;
  for (size_t i = 0; i < observed.size();) {
    // Equal scores stay together.
    Group next;
    const float score = observed[i].first;
    for (; i < observed.size() && observed[i].first == score; ++i)
      next.add({double{score}, observed[i].second ? 1.0 : 0.0, 1});
    if (groups.empty() || groups.back().count >= static_cast<double>(least)) {
      groups.push_back(next);
    } else {
      groups.back().add(next);
    }
    while (groups.size() > 1 && groups.back().count >= static_cast<double>(least) &&
           groups.back().mean() <= groups[groups.size() - 2].mean()) {
      const Group last = groups.back();
      groups.pop_back();
      groups.back().add(last);
    }
  }
  // What is left over at the end, or is right less often than what is below it.
  while (groups.size() > 1 && (groups.back().count < static_cast<double>(least) ||
                               groups.back().mean() <= groups[groups.size() - 2].mean())) {
    const Group last = groups.back();
    groups.pop_back();
    groups.back().add(last);
  }
  if (groups.size() < 2) return {};
  MonotoneMap out;
  for (const Group& group : groups) out.knots_.push_back({group.score / group.count, group.mean()});
  return out;
}

double MonotoneMap::operator()(double score) const {
  if (knots_.empty()) return score;
  const auto above = std::lower_bound(knots_.begin(), knots_.end(), score,
                                      [](const Knot& knot, double x) { return knot.score < x; });
  if (above == knots_.begin()) return knots_.front().right;
  if (above == knots_.end()) return knots_.back().right;
  const Knot& below = *(above - 1);
  return below.right + (above->right - below.right) * (score - below.score) / (above->score - below.score);
}

}  // namespace espalier::eval

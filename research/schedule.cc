#include "research/schedule.h"

#include <algorithm>

namespace espalier::research {

Schedule schedule(std::span<const Experiment> experiments) {
  Schedule out;
  for (const Experiment& one : experiments) (one.alone ? out.alone : out.side_by_side).push_back(&one);
  std::stable_sort(out.side_by_side.begin(), out.side_by_side.end(),
                   [](const Experiment* a, const Experiment* b) { return a->minutes > b->minutes; });
  return out;
}

double minutes_to_go(std::span<const double> side_by_side, std::span<const double> alone, size_t at_a_time,
                     std::span<const double> running) {
  std::vector<double> busy(std::max<size_t>(1, at_a_time), 0);  // until when, by place
  const auto next = [&]() -> double& { return *std::min_element(busy.begin(), busy.end()); };
  for (const double minutes : running) next() += minutes;
  for (const double minutes : side_by_side) next() += minutes;
  double total = *std::max_element(busy.begin(), busy.end());
  for (const double minutes : alone) total += minutes;
  return total;
}

double seconds_left(double minutes, double done_minutes, double actual_seconds) {
  // The first minutes say little about the pace: one imagined experiment at the expected pace is added to
  // them.
  constexpr double kImaginedMinutes = 2;
  const double pace = (actual_seconds / 60 + kImaginedMinutes) / (done_minutes + kImaginedMinutes);
  return 60 * minutes * pace;
}

}  // namespace espalier::research

// In which order `reproduce --all` runs experiments, and how long that will take. Those that measure time run
// alone, at the end; the others run side by side on one thread each, which keeps every core busy whatever an
// experiment does, the longest first.
#pragma once

#include <span>
#include <vector>

#include "research/experiment.h"

namespace espalier::research {

struct Schedule {
  std::vector<const Experiment*> side_by_side;  ///< the longest first
  std::vector<const Experiment*> alone;
};
Schedule schedule(std::span<const Experiment> experiments);

/// Minutes until everything has been run by so many at a time, started in this order: `side_by_side` holds
/// the minutes of each. `running` has what is left of those that run now.
double minutes_to_go(std::span<const double> side_by_side, std::span<const double> alone, size_t at_a_time,
                     std::span<const double> running = {});

/// A guess at the real duration, in seconds: `minutes` by the table, at the pace of what is done, which was
/// expected to take `done_minutes` and took `actual_seconds`.
double seconds_left(double minutes, double done_minutes, double actual_seconds);

}  // namespace espalier::research

// Public: how long work tells its caller how far it has come.
#pragma once

#include <optional>
#include <string>

namespace espalier {

/// One report: `done` of `total` steps of the named phase; the other fields where they make sense.
struct Progress {
  std::string phase;  ///< for example "reading", "training"
  double done = 0;
  double total = 0;                 ///< 0 when unknown
  std::optional<int> round;         ///< pass or iteration, from 1
  std::optional<double> objective;  ///< the learner's own measure, per token where it is a sum
  std::optional<double> dev_score;  ///< in percent
  bool round_ended = false;         ///< the last report of its round: worth a line in a log

  /// Between 0 and 1; 0 while the total is not known.
  double fraction() const { return total > 0 ? done / total : 0; }
};

}  // namespace espalier

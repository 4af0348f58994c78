// Public: Progress, the report that training, tagging, scoring and other long operations pass to a callback.
//
// Callbacks are set in option structs (`on_progress`); returning false ends the operation early.
#pragma once

#include <optional>
#include <string>

namespace espalier {

/// One report: `done` of `total` steps of a phase. Optional fields are set only if the phase has them.
struct Progress {
  std::string phase;  ///< what is being done, for example "reading" or "training"
  double done = 0;
  double total = 0;                 ///< 0 if unknown
  std::optional<int> round;         ///< pass or iteration, from 1
  std::optional<double> objective;  ///< what the learner minimises, per token if it is a sum
  std::string objective_name = {};  ///< what it is, for example "loss per token"
  std::optional<double> dev_score;  ///< score on the development data, in percent
  std::string dev_measure = {};     ///< what that is: "F1" or "accuracy"
  std::string warning = {};  ///< something to tell the user at once; the other fields mean nothing then
  bool round_ended = false;  ///< this is the last report of its round

  /// Between 0 and 1; 0 if the total is unknown.
  double fraction() const { return total > 0 ? done / total : 0; }
};

}  // namespace espalier

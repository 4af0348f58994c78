// Levels as JSON: in the model file, in inspect, in what train prints.
#pragma once

#include <nlohmann/json.hpp>

#include "espalier/cascade/options.h"

namespace espalier::cascade {

/// `filters`: all but the last level do. Times are not here: the same data and seed are to give the same
/// file.
inline nlohmann::ordered_json report_json(const LevelReport& report, bool filters) {
  nlohmann::ordered_json out = {
      {"order", report.order}, {"states", report.states}, {"arcs", report.arcs}, {"passes", report.passes}};
  if (filters) {
    out["alpha"] = report.alpha;
    out["train_alpha"] = report.train_alpha;
    out["filter_loss"] = report.filter_loss;
    out["efficiency_loss"] = report.efficiency;
    out["alive"] = report.alive;
  }
  return out;
}

}  // namespace espalier::cascade

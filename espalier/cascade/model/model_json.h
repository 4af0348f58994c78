// The report of a level as JSON, for the model file, `inspect` and `train`.
#pragma once

#include <nlohmann/json.hpp>

#include "espalier/base/text/json.h"
#include "espalier/cascade/options.h"

namespace espalier::cascade {

/// `filters`: true for all levels but the last. Times are left out, so that the same data and seed give the
/// same file.
inline Json report_json(const LevelReport& report, bool filters) {
  Json out = {
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

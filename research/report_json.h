// A report as JSON, which `reproduce --json` prints and `reproduce --all` keeps for every finished
// experiment. Call report_json(). keep_result() and kept_result() write and read the files of a folder of
// results. Tested in page_test.cc.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "research/experiment.h"

namespace espalier::research {

using ReportJson = nlohmann::ordered_json;

/// Keys: name, settings, rows (row, column, kind, seed — the paper's figure —, measured, deviation,
/// elsewhere, source), claims, checks, departures, plots, notes, seconds.
ReportJson report_json(std::string_view name, const Report& report, double seconds);

/// What a kept result must agree in with a new run to stand in for it.
struct ResultKey {
  bool quick = false;
  uint64_t seed = 1;
  std::string version;  ///< of the library: kept, not compared
  std::string code;     ///< that the experiment runs (code.h)
};

/// Writes FOLDER/NAME.json with the key and the time, atomically.
Status keep_result(const std::string& folder, ReportJson result, const ResultKey& key);
/// The result of that name in the folder, if it was kept under the same key. A file that is damaged or was
/// kept under another key counts as none.
std::optional<ReportJson> kept_result(const std::string& folder, std::string_view name, const ResultKey& key);

}  // namespace espalier::research

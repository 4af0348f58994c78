// One HTML page with the results of many experiments: every table, plot and verdict, without references to
// other files. Call results_page() with results as report_json() makes them.
#pragma once

#include <span>
#include <string>

#include "research/report_json.h"

namespace espalier::research {

/// An experiment without a result, and why.
struct NotRun {
  std::string name, why;
};

/// The page. Plots are read from `folder` by their file names and become part of the page; one that is not
/// there is named instead. Begins with a table of verdicts: how many claims of the papers hold, and which
/// checks do not.
std::string results_page(std::span<const ReportJson> results, std::span<const NotRun> not_run,
                         const std::string& folder);

}  // namespace espalier::research

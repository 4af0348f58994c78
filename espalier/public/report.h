// Reports: one HTML file that shows what a model gets right and wrong, and how two models differ.
//
//   std::string page = es::report_html(es::Files{{"test.txt"}}, {{"a.model", tagger, ""}}).value();
//
// The page needs no network and runs no script. Text of the data is escaped. It takes as long as scoring the
// test data, and holds the data in memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "espalier/public/evaluate.h"

#pragma GCC visibility push(default)
namespace espalier {

/// A model in a report.
struct ReportModel {
  std::string name;  ///< what the page calls it; names are made different if they are equal
  Tagger tagger;
  std::string training_log = {};  ///< what `espalier train --json` printed; empty: no curve of the training
};

struct ReportOptions {
  std::string title = {};          ///< empty: the name of the test data
  std::optional<Data> train = {};  ///< tells how rare words are; not set: counted in the test data itself
  DecodeOptions decode = {};
  size_t errors_per_kind = 60;  ///< listed for each kind of error and model, the most confident first
  uint64_t seed = 1;            ///< of the bootstrap
  int threads = 0;              ///< 0: all cores
  std::function<bool(const Progress&)> on_progress = {};  ///< return false to stop, which is an error
  const std::atomic<bool>* stop = nullptr;                ///< set to true to stop, which is an error
};

/// The page, for one or two models of one task. Parsers have their trees drawn as arcs; summarisers show the
/// documents with the chosen words marked.
Result<std::string> report_html(const Data& test, const std::vector<ReportModel>& models,
                                const ReportOptions& options = {});

}  // namespace espalier
#pragma GCC visibility pop

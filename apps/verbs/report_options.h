// The options of `espalier report` and `espalier compare`, which two programs parse: the command, for its
// help and for errors on the command line, and then the program that does the work. Tested in report_test.sh
// and compare_test.sh.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/options.h"

namespace CLI {
class App;
}

namespace espalier::apps {

struct ModelReportFlags {
  std::vector<std::string> test, models, logs, train;
  std::string out, title, input_format, encoding, label_column, folds;
  size_t errors = 60;
  uint64_t seed = 1;
  int threads = 0;
  bool quiet = false;
};

struct CompareFlags {
  std::vector<std::string> train, dev, test, grid;
  std::string learners, budget, out, work, template_file, feature_columns;
  ReadingFlags reading;
  int folds = 5;
  bool learning_curve = false, list = false;
  uint64_t seed = 1;
  int threads = 0;
  OutputFlags output;

  /// The time budget in seconds; 0: none. An error for what is no time, such as "10 x".
  Result<double> seconds() const;
};

/// Add the verb with its options and help. Parsing the command line fills the flags in, so the caller keeps
/// them until then.
[[nodiscard]] std::shared_ptr<ModelReportFlags> add_report_options(CLI::App& app);
[[nodiscard]] std::shared_ptr<CompareFlags> add_compare_options(CLI::App& app);

}  // namespace espalier::apps

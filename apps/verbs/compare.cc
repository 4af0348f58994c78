// espalier compare and espalier report: pass their command line to the program that does the work
// (compare_main.cc). Tested in compare_test.sh and report_test.sh.
#include <CLI/CLI.hpp>
#include <memory>

#include "apps/command.h"
#include "apps/other_program.h"
#include "apps/verbs/report_options.h"

namespace espalier::apps {
namespace {

Outcome become_compare() { return become_program("espalier-compare", "comparisons are"); }

}  // namespace

// The options are only checked here, but parsing writes them: the flags live as long as the verb.
void add_compare(CLI::App& app, Action& action) {
  const std::shared_ptr<CompareFlags> flags = add_compare_options(app);
  app.get_subcommand("compare")->callback([&action, flags] { action = become_compare; });
}

void add_report(CLI::App& app, Action& action) {
  const std::shared_ptr<ModelReportFlags> flags = add_report_options(app);
  app.get_subcommand("report")->callback([&action, flags] { action = become_compare; });
}

}  // namespace espalier::apps

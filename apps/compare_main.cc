// The program behind `espalier compare` and `espalier report`, which start it with their own command line
// (compare.cc). It is a separate program so that the command is built sooner. It runs itself once per trial:
// `trial` reads one from standard input and prints its result. Tested in compare_test.sh and report_test.sh.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/free_memory.h"
#include "apps/interrupt.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "apps/verbs/compare_run.h"
#include "apps/verbs/report_options.h"

namespace espalier::apps {
namespace {

Outcome run_report(const ModelReportFlags& flags) {
  if (flags.models.size() > 2) return usage_error("--model: one model or two, not {}", flags.models.size());
  if (flags.logs.size() > flags.models.size()) return usage_error("--log: at most one per model");
  ESPALIER_TRY(check_page(flags.out, {flags.test, flags.models, flags.train, flags.logs}));
  std::vector<ReportModel> models;
  for (size_t m = 0; m < flags.models.size(); ++m) {
    ESPALIER_ASSIGN(Tagger tagger, Tagger::open(flags.models[m]));
    models.push_back({std::filesystem::path(flags.models[m]).filename().string(), std::move(tagger), ""});
    if (m < flags.logs.size()) {
      ESPALIER_ASSIGN(models.back().training_log, read_text(flags.logs[m]));
    }
  }
  ReadOptions reading;
  reading.format = flags.input_format;
  reading.folds = flags.folds;
  if (!flags.encoding.empty()) reading.encoding = flags.encoding;
  if (const Status status = check_options(reading); !status.ok()) return usage_error(status.error());
  ReportOptions options;
  options.title = flags.title;
  if (!flags.train.empty()) options.train = Files{flags.train, reading};
  options.errors_per_kind = flags.errors;
  options.seed = flags.seed;
  options.threads = flags.threads;
  ProgressDisplay display(flags.quiet ? ProgressDisplay::Mode::kQuiet : ProgressDisplay::Mode::kBarOnly);
  const InterruptGuard interrupt;
  options.on_progress = display.callback();
  options.stop = interrupt.flag();
  const auto page = report_html(Files{flags.test, reading}, models, options);
  display.clear();
  if (interrupt.signal() != 0) return {128 + interrupt.signal(), "interrupted; no page was written"};
  if (!page) return page.error();
  ESPALIER_TRY(write_text(flags.out, *page));
  if (!flags.quiet) say(fmt::format("{}: {}", flags.out, bytes_text(static_cast<double>(page->size()))));
  return {};
}

Outcome run_one_trial() {
  ESPALIER_ASSIGN(const std::string trial, read_text("-"));
  ESPALIER_ASSIGN(const std::string result,
                  run_trial(trial, peak_resident_bytes, nullptr, returning_free_memory()));
  ESPALIER_TRY(print(result));
  return {};
}

void add_report_here(CLI::App& app, Action& action) {
  const std::shared_ptr<ModelReportFlags> flags = add_report_options(app);
  app.get_subcommand("report")->callback(
      [&action, flags] { action = [flags] { return run_report(*flags); }; });
}

void add_trial(CLI::App& app, Action& action) {
  app.add_subcommand("trial", "Run one trial of a comparison, read from standard input")->callback([&action] {
    action = run_one_trial;
  });
}

}  // namespace
}  // namespace espalier::apps

int main(int argc, char** argv) {
  using namespace espalier::apps;
  static constexpr AddVerb kVerbs[] = {add_compare_run, add_report_here, add_trial};
  return run_command(argc, argv, kVerbs);
}

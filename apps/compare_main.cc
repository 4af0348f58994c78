// The program behind `espalier compare` and `espalier report`, which start it with their own command line
// (compare.cc). It is a separate program so that the command is built sooner. It runs itself once per trial:
// `trial` reads one from standard input and prints its result. Tested in compare_test.sh and report_test.sh.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/child_process.h"
#include "apps/command.h"
#include "apps/interrupt.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "apps/verbs/report_options.h"

namespace espalier::apps {
namespace {

/// An error if the page would overwrite one of its inputs, or cannot be written.
Status check_page(const std::string& page, const std::vector<std::vector<std::string>>& inputs) {
  if (page == "-") return fail("--output needs the name of a file");
  for (const auto& list : inputs) ESPALIER_TRY(check_no_input(page, list));
  return check_writable(page);
}

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

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> out;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find(',', from), text.size());
    if (end > from) out.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

/// On a terminal the usual bar, elsewhere a line per trial.
std::function<bool(const Progress&)> show_trials(ProgressDisplay& display, bool quiet) {
  if (quiet) return {};
  if (terminal_width() > 0) return display.callback();
  return [](const Progress& progress) {
    say(fmt::format("{:.0f} of {:.0f}: {}", progress.done + 1, progress.total, progress.phase));
    return true;
  };
}

Outcome run_compare(const CompareFlags& flags) {
  CompareOptions options;
  const auto seconds = flags.seconds();
  if (!seconds.ok()) return usage_error(seconds.error());
  options.time_budget = *seconds;
  const ReadOptions reading = flags.reading.resolve();
  if (const Status status = check_options(reading); !status.ok()) return usage_error(status.error());
  const Files train{flags.train, reading};
  ReadOptions other = reading;
  other.folds.clear();  // those of the training data
  if (!flags.dev.empty()) options.dev = Files{flags.dev, other};
  if (!flags.test.empty()) options.test = Files{flags.test, other};
  options.learners = split_at_commas(flags.learners);
  options.grid = flags.grid;
  options.folds = flags.folds;
  options.learning_curve = flags.learning_curve;
  options.seed = flags.seed;
  options.threads = flags.threads;
  options.work = flags.work;
  if (!flags.feature_columns.empty()) {
    const auto columns = parse_columns(flags.feature_columns);
    if (!columns.ok()) return usage_error(columns.error());
    options.feature_columns = *columns;
  }
  if (!flags.template_file.empty()) {
    ESPALIER_ASSIGN(options.feature_template, read_text(flags.template_file));
    options.template_name = flags.template_file;
  }
  if (!flags.out.empty()) ESPALIER_TRY(check_page(flags.out, {flags.train, flags.dev, flags.test}));
  const auto found = candidates(train, options);
  if (!found.ok()) return found.error();
  if (flags.list) {
    std::string text;
    for (const Candidate& candidate : *found) text += candidate.name() + "\n";
    ESPALIER_TRY(print(text));
    return {};
  }
  ProgressDisplay display(flags.output.quiet ? ProgressDisplay::Mode::kQuiet
                                             : ProgressDisplay::Mode::kBarOnly);
  const InterruptGuard interrupt;
  options.on_progress = show_trials(display, flags.output.quiet);
  options.stop = interrupt.flag();
  options.run_trial = [&](const std::string& trial, double limit) {
    return run_self({"trial"}, trial, limit, interrupt.flag());
  };
  const auto comparison = compare(train, options);
  display.clear();
  if (!comparison && interrupt.signal() != 0) return {128 + interrupt.signal(), comparison.error().message};
  if (!comparison) return comparison.error();
  ESPALIER_TRY(flags.output.json ? print_json(parse_json(comparison->json)) : print(comparison->text));
  if (!flags.out.empty()) ESPALIER_TRY(write_text(flags.out, comparison->html));
  if (comparison->interrupted)
    return {
        128 + interrupt.signal(),
        flags.work.empty() ? "" : fmt::format("stopped early; the same command goes on from {}", flags.work)};
  return {};
}

Outcome run_one_trial() {
  ESPALIER_ASSIGN(const std::string trial, read_text("-"));
  ESPALIER_ASSIGN(const std::string result, run_trial(trial, peak_resident_bytes));
  ESPALIER_TRY(print(result));
  return {};
}

void add_compare_here(CLI::App& app, Action& action) {
  const std::shared_ptr<CompareFlags> flags = add_compare_options(app);
  app.get_subcommand("compare")->callback(
      [&action, flags] { action = [flags] { return run_compare(*flags); }; });
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
  static constexpr AddVerb kVerbs[] = {add_compare_here, add_report_here, add_trial};
  return run_command(argc, argv, kVerbs);
}

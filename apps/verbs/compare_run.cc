// espalier compare, run: here or on all ranks. Tested in compare_test.sh and mpi_test.sh.
#include "apps/verbs/compare_run.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/crew.h"
#include "apps/interrupt.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "apps/verbs/report_options.h"

namespace espalier::apps {
namespace {

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
  if (!speaks_for_all()) {
    make_crew(1)->work();
    return {};
  }
  // Before the crew, whose threads must not get the signals.
  const InterruptGuard interrupt;
  const auto crew = make_crew(1);
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
  options.on_progress = show_trials(display, flags.output.quiet);
  options.stop = interrupt.flag();
  options.run_trial = [&](const std::string& trial, double limit) {
    return crew->run({"espalier-compare", {"trial"}, trial, limit}, interrupt.flag());
  };
  options.trials_at_once = crew->size();
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

}  // namespace

Status check_page(const std::string& page, const std::vector<std::vector<std::string>>& inputs) {
  if (page == "-") return fail("--output needs the name of a file");
  for (const auto& list : inputs) ESPALIER_TRY(check_no_input(page, list));
  return check_writable(page);
}

void add_compare_run(CLI::App& app, Action& action) {
  const std::shared_ptr<CompareFlags> flags = add_compare_options(app);
  app.get_subcommand("compare")->callback(
      [&action, flags] { action = [flags] { return run_compare(*flags); }; });
}

}  // namespace espalier::apps

// The program behind `espalier reproduce`, which starts it with its own command line (reproduce.cc): the
// experiments of the papers. It is a separate program so that the command can be built and installed without
// research/. Tested in reproduce_test.sh.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/command.h"
#include "apps/interrupt.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "apps/verbs/reproduce_options.h"
#include "research/experiment.h"
#include "research/page.h"
#include "research/report_json.h"

namespace espalier::apps {
namespace {

Outcome list_experiments(bool json) {
  if (json) {
    Json all = Json::array();
    for (const auto& experiment : research::experiments())
      all.push_back({{"name", experiment.name},
                     {"summary", experiment.summary},
                     {"corpora", experiment.corpora},
                     {"minutes", experiment.minutes}});
    ESPALIER_TRY(print_json({{"experiments", std::move(all)}}));
    return {};
  }
  size_t width = 0;
  for (const auto& experiment : research::experiments()) width = std::max(width, experiment.name.size());
  std::string out;
  for (const auto& experiment : research::experiments())
    out += fmt::format("{:<{}}  {}\n", experiment.name, width, experiment.summary);
  ESPALIER_TRY(print(out));
  return {};
}

std::string to_text(const research::Experiment& experiment, const research::Report& report, double seconds) {
  std::string out = fmt::format("{}: {}\n\n", experiment.name, experiment.summary);
  for (const auto& [name, value] : report.settings) append_format(out, "{}: {}\n", name, value);
  size_t row_width = 6, column_width = 7;
  std::vector<std::string> sources;
  for (const auto& row : report.rows) {
    row_width = std::max(row_width, display_width(row.row));
    column_width = std::max(column_width, display_width(row.column));
  }
  if (!report.rows.empty())
    append_format(out, "\n{}  {}  kind     {:>10}  {:>10}  {:>10}\n", pad_right("method", row_width),
                  pad_right("setting", column_width), "paper", "elsewhere", "measured");
  for (const auto& row : report.rows) {
    const auto figure = [](const std::optional<double>& x) { return x ? fmt::format("{:.6g}", *x) : ""; };
    append_format(out, "{}  {}  {:<7}  {:>10}  {:>10}  {:>10}", pad_right(row.row, row_width),
                  pad_right(row.column, column_width),
                  row.kind == research::Kind::kPrinted ? "printed" : "ours", figure(row.paper),
                  figure(row.elsewhere), figure(row.measured));
    if (!row.source.empty() && std::find(sources.begin(), sources.end(), row.source) == sources.end())
      sources.push_back(row.source);
    if (row.deviation) append_format(out, " ± {:.3g}", *row.deviation);
    out += "\n";
  }
  out += "\n";
  for (const auto& claim : report.claims)
    append_format(out, "{} {}: {}{}{}\n",
                  claim.holds ? "the paper's claim holds:" : "the paper's claim does NOT hold:", claim.name,
                  claim.figure, claim.cause.empty() ? "" : "; probably because ", claim.cause);
  for (const auto& check : report.checks)
    append_format(out, "{} {}{}{}\n", check.holds ? "holds: " : "BROKEN:", check.name,
                  check.detail.empty() ? "" : ": ", check.detail);
  for (const auto& source : sources) append_format(out, "elsewhere: {}\n", source);
  for (const auto& departure : report.departures) append_format(out, "departure: {}\n", departure);
  for (const auto& note : report.notes) append_format(out, "note: {}\n", note);
  for (const auto& plot : report.plots) append_format(out, "plot: {}\n", plot);
  append_format(out, "in {}\n", duration_text(seconds));
  return out;
}

/// Where the corpora are.
std::string corpora_folder(const std::string& given) {
  if (!given.empty()) return given;
  const char* const named = std::getenv("ESPALIER_DATA");
  return named != nullptr && *named != '\0' ? named : "../shared/data";
}

/// An experiment, run. `why_not` says which corpus is missing; then nothing was run.
struct Run {
  std::optional<research::Report> report;
  double seconds = 0;
  std::string why_not;
};

Result<Run> run_experiment(const research::Experiment& experiment, const ReproduceFlags& flags,
                           const InterruptGuard& interrupt) {
  Run result;
  research::Request request;
  request.data = corpora_folder(flags.data);
  request.out = flags.out;
  request.quick = flags.quick;
  request.seed = flags.seed;
  request.threads = flags.threads;
  for (const std::string_view corpus : experiment.corpora)
    if (!std::filesystem::exists(request.corpus(corpus))) {
      result.why_not =
          fmt::format("{}: needed by {}, and not there; --data or ESPALIER_DATA names the folder of corpora",
                      request.corpus(corpus), experiment.name);
      return result;
    }
  std::error_code code;
  std::filesystem::create_directories(request.out, code);
  if (code) return fail("{}: cannot make the folder for plots: {}", request.out, code.message());
  ProgressDisplay display(flags.output.quiet ? ProgressDisplay::Mode::kQuiet
                                             : ProgressDisplay::Mode::kBarOnly);
  request.monitor.on_progress = [&](const Progress& progress) { display.show(progress); };
  request.monitor.stop = interrupt.flag();
  const auto start = std::chrono::steady_clock::now();
  auto report = experiment.run(request);
  display.clear();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  // What was stopped halfway has no figures worth printing.
  if (interrupt.signal() != 0) return fail("interrupted before the experiment was done");
  if (!report.ok()) return std::move(report).error();
  result.report = std::move(*report);
  return result;
}

/// The first check of a result that does not hold; empty if all do.
std::string broken_check(const Json& result) {
  for (const Json& check : result["checks"])
    if (!check.value("holds", false)) return check.value("name", "");
  return {};
}

/// Every experiment in turn. Results are kept one by one, so that a run that was stopped goes on where it
/// was.
Outcome run_all(const ReproduceFlags& flags) {
  if (!flags.name.empty()) return usage_error("--all runs every experiment; it takes no name");
  if (flags.out.empty()) return usage_error("--all needs a folder for its results: -o DIR");
  const research::ResultKey key{flags.quick, flags.seed, version()};
  const InterruptGuard interrupt(InterruptGuard::Input::kLeave);
  std::vector<Json> results;
  std::vector<research::NotRun> not_run;
  std::string broken;
  const auto tell = [&](const std::string& line) {
    if (!flags.output.quiet) say(line);
  };
  const auto all = research::experiments();
  // Quick versions take seconds each, whatever their full ones take.
  constexpr double kQuickMinutes = 0.1;
  const auto minutes_of = [&](const research::Experiment& one) {
    return flags.quick ? kQuickMinutes : one.minutes;
  };
  double minutes_left = 0, minutes_done = 0, seconds_done = 0;
  for (const research::Experiment& one : all)
    if (!research::kept_result(flags.out, one.name, key)) minutes_left += minutes_of(one);
  const auto estimate = [&] {
    return duration_text(research::seconds_left(minutes_left, minutes_done, seconds_done));
  };
  tell(fmt::format("{}, about {} left; on two idle cores, roughly", counted(all.size(), "experiment"),
                   estimate()));
  for (size_t i = 0; i < all.size(); ++i) {
    const research::Experiment& experiment = all[i];
    const std::string place = fmt::format("{} of {}: {}", i + 1, all.size(), experiment.name);
    auto result = research::kept_result(flags.out, experiment.name, key);
    if (result) {
      tell(place + ", done before");
    } else {
      tell(place);
      minutes_left -= minutes_of(experiment);
      auto run = run_experiment(experiment, flags, interrupt);
      if (interrupt.signal() != 0)
        return {128 + interrupt.signal(), "interrupted; the same command goes on where this one stopped"};
      if (!run.ok() || !run->report) {
        not_run.push_back({std::string(experiment.name), run.ok() ? run->why_not : run.error().message});
        tell("  not run: " + not_run.back().why);
        continue;
      }
      result = research::report_json(experiment.name, *run->report, run->seconds);
      (*result)["summary"] = experiment.summary;
      ESPALIER_TRY(research::keep_result(flags.out, *result, key));
      result = research::kept_result(flags.out, experiment.name, key);  // with the time
      if (!result) return fail("{}: the result of {} cannot be read back", flags.out, experiment.name);
      minutes_done += minutes_of(experiment);
      seconds_done += run->seconds;
      tell(fmt::format("  in {}; about {} left", duration_text(run->seconds), estimate()));
    }
    if (broken.empty() && !broken_check(*result).empty())
      broken = fmt::format("{}: {}", experiment.name, broken_check(*result));
    results.push_back(std::move(*result));
  }
  const std::string page = flags.out + "/index.html";
  ESPALIER_TRY(write_text(page, research::results_page(results, not_run, flags.out)));
  if (flags.output.json) {
    Json missing = Json::array();
    for (const auto& one : not_run) missing.push_back({{"name", one.name}, {"why", one.why}});
    ESPALIER_TRY(print_json({{"page", page}, {"results", results}, {"not_run", std::move(missing)}}));
  } else {
    ESPALIER_TRY(print(page + "\n"));
  }
  if (!broken.empty()) return {kDataWrong, "a check does not hold: " + broken};
  if (!not_run.empty()) return {kDataWrong, fmt::format("{} not run", counted(not_run.size(), "experiment"))};
  return {};
}

Outcome run(const ReproduceFlags& given) {
  if (given.list) return list_experiments(given.output.json);
  if (given.all) return run_all(given);
  if (given.name.empty()) return usage_error("which experiment? reproduce --list shows them all");
  const auto found = research::find_experiment(given.name);
  if (!found.ok()) return usage_error(found.error());
  const research::Experiment& experiment = **found;
  ReproduceFlags flags = given;
  if (flags.out.empty()) flags.out = ".";

  const InterruptGuard interrupt(InterruptGuard::Input::kLeave);
  const auto result = run_experiment(experiment, flags, interrupt);
  if (interrupt.signal() != 0)
    return {128 + interrupt.signal(), "interrupted before the experiment was done"};
  if (!result.ok()) return result.error();
  if (!result->report) return fail("{}", result->why_not);
  const Json json = research::report_json(experiment.name, *result->report, result->seconds);
  ESPALIER_TRY(flags.output.json ? print_json(json)
                                 : print(to_text(experiment, *result->report, result->seconds)));
  if (const std::string broken = broken_check(json); !broken.empty())
    return {kDataWrong, "a check does not hold: " + broken};
  return {};
}

void add_experiments(CLI::App& app, Action& action) {
  const std::shared_ptr<ReproduceFlags> flags = add_reproduce_options(app);
  action = [flags] { return run(*flags); };
}

}  // namespace

}  // namespace espalier::apps

int main(int argc, char** argv) {
  static constexpr espalier::apps::AddVerb kVerbs[] = {espalier::apps::add_experiments};
  return espalier::apps::run_command(argc, argv, kVerbs);
}

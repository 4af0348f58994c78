// espalier reproduce, run: one experiment, or all of them, here or on all ranks. Tested in reproduce_test.sh
// and mpi_test.sh.
#include "apps/verbs/reproduce_run.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "apps/crew.h"
#include "apps/interrupt.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "apps/verbs/reproduce_options.h"
#include "research/code.h"
#include "research/experiment.h"
#include "research/page.h"
#include "research/report_json.h"
#include "research/schedule.h"

namespace espalier::apps {
namespace {

Outcome list_experiments(bool json) {
  if (json) {
    Json all = Json::array();
    for (const auto& experiment : research::experiments())
      all.push_back({{"name", experiment.name},
                     {"summary", experiment.summary},
                     {"corpora", experiment.corpora},
                     {"minutes", experiment.minutes},
                     {"alone", experiment.alone},
                     {"code", research::code_of(experiment.name)}});
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

research::ResultKey key_of(const research::Experiment& experiment, const ReproduceFlags& flags) {
  return {flags.quick, flags.seed, version(), research::code_of(experiment.name)};
}

/// Keeps a result for --all.
Status keep(const research::Experiment& experiment, Json result, const ReproduceFlags& flags) {
  result["summary"] = experiment.summary;
  return research::keep_result(flags.out, std::move(result), key_of(experiment, flags));
}

/// Every experiment, each in a process of its own, so that memory and crashes are its own, too. Results are
/// kept one by one, so that a run that was stopped goes on where it was.
class AllExperiments {
 public:
  explicit AllExperiments(const ReproduceFlags& flags)
      : flags_(flags),
        crew_(make_crew(static_cast<size_t>(Workers(flags.threads).threads()))),
        workers_(static_cast<int>(crew_->size())) {}

  Outcome run() {
    const research::Schedule order = research::schedule(research::experiments());
    for (const research::Experiment* const one : order.side_by_side)
      if (!kept(*one)) together_.push_back(one);
    for (const research::Experiment* const one : order.alone)
      if (!kept(*one)) alone_.push_back(one);
    tell(fmt::format("{}, {} done before; {} at a time, about {} left",
                     counted(research::experiments().size(), "experiment"),
                     research::experiments().size() - together_.size() - alone_.size(), workers_.threads(),
                     estimate()));
    // A thread for each place of the crew, which waits most of the time.
    workers_.for_each(together_.size(), [&](size_t i) { run_one(*together_[i], 1); });
    for (const research::Experiment* const one : alone_) run_one(*one, flags_.threads);
    if (interrupt_.signal() != 0)
      return {128 + interrupt_.signal(), "interrupted; the same command goes on where this one stopped"};
    return write_page();
  }

 private:
  std::optional<Json> kept(const research::Experiment& experiment) const {
    return research::kept_result(flags_.out, experiment.name, key_of(experiment, flags_));
  }

  double minutes_of(const research::Experiment& one) const {
    // Quick versions take seconds each, whatever their full ones take.
    constexpr double kQuickMinutes = 0.1;
    return flags_.quick ? kQuickMinutes : one.minutes;
  }

  void tell(const std::string& line) const {
    if (!flags_.output.quiet) say(line);
  }

  /// How long the rest will take; the caller holds the lock.
  std::string estimate() const {
    std::vector<double> together, alone, running;
    for (const research::Experiment* const one : together_) {
      if (done_.contains(one->name)) continue;
      (started_.contains(one->name) ? running : together).push_back(minutes_of(*one));
    }
    for (const research::Experiment* const one : alone_)
      if (!done_.contains(one->name)) alone.push_back(minutes_of(*one));
    const double minutes =
        research::minutes_to_go(together, alone, static_cast<size_t>(workers_.threads()), running);
    return duration_text(research::seconds_left(minutes, minutes_done_, seconds_done_));
  }

  void run_one(const research::Experiment& experiment, int threads) {
    {
      const std::lock_guard lock(mutex_);
      if (interrupt_.signal() != 0) return;
      started_.insert(experiment.name);
      tell(fmt::format("{} of {}: {}", started_.size(), together_.size() + alone_.size(), experiment.name));
    }
    std::vector<std::string> words = {"reproduce",
                                      std::string(experiment.name),
                                      "--keep",
                                      "--quiet",
                                      "--json",
                                      "--out",
                                      flags_.out,
                                      "--data",
                                      corpora_folder(flags_.data),
                                      "--seed",
                                      std::to_string(flags_.seed),
                                      "--threads",
                                      std::to_string(threads)};
    if (flags_.quick) words.emplace_back("--quick");
    const auto start = std::chrono::steady_clock::now();
    const auto printed = crew_->run({"espalier-reproduce", words, "", 0}, interrupt_.flag());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::lock_guard lock(mutex_);
    if (interrupt_.signal() != 0) return;
    done_.insert(experiment.name);
    // A check that does not hold makes the process fail, but its result is kept.
    if (kept(experiment)) {
      minutes_done_ += minutes_of(experiment);
      seconds_done_ += seconds;
      const bool more = done_.size() < together_.size() + alone_.size();
      tell(fmt::format("  {} in {}{}", experiment.name, duration_text(seconds),
                       more ? fmt::format("; about {} left", estimate()) : ""));
      return;
    }
    why_not_[experiment.name] = printed.ok() ? "it ended without a result" : printed.error().message;
    tell(fmt::format("  {} not run: {}", experiment.name, why_not_[experiment.name]));
  }

  /// The page, in the order of --list.
  Outcome write_page() const {
    std::vector<Json> results;
    std::vector<research::NotRun> not_run;
    std::string broken;
    for (const research::Experiment& experiment : research::experiments()) {
      auto result = kept(experiment);
      if (!result) {
        const auto why = why_not_.find(experiment.name);
        not_run.push_back({std::string(experiment.name),
                           why != why_not_.end() ? why->second : "its result cannot be read back"});
        continue;
      }
      if (broken.empty() && !broken_check(*result).empty())
        broken = fmt::format("{}: {}", experiment.name, broken_check(*result));
      results.push_back(std::move(*result));
    }
    const std::string page = flags_.out + "/index.html";
    ESPALIER_TRY(write_text(page, research::results_page(results, not_run, flags_.out)));
    if (flags_.output.json) {
      Json missing = Json::array();
      for (const auto& one : not_run) missing.push_back({{"name", one.name}, {"why", one.why}});
      ESPALIER_TRY(print_json({{"page", page}, {"results", results}, {"not_run", std::move(missing)}}));
    } else {
      ESPALIER_TRY(print(page + "\n"));
    }
    if (!broken.empty()) return {kDataWrong, "a check does not hold: " + broken};
    if (!not_run.empty())
      return {kDataWrong, fmt::format("{} not run", counted(not_run.size(), "experiment"))};
    return {};
  }

  const ReproduceFlags& flags_;
  const InterruptGuard interrupt_;
  const std::unique_ptr<Crew> crew_;  ///< after the guard: its threads must not get the signals
  const Workers workers_;
  std::vector<const research::Experiment*> together_, alone_;  ///< to be run
  std::mutex mutex_;                                           ///< of what follows
  std::set<std::string_view> started_, done_;
  std::map<std::string_view, std::string> why_not_;
  double minutes_done_ = 0, seconds_done_ = 0;
};

Outcome run(const ReproduceFlags& given) {
  if (given.list) return list_experiments(given.output.json);
  if (given.all) {
    if (!given.name.empty()) return usage_error("--all runs every experiment; it takes no name");
    if (given.out.empty()) return usage_error("--all needs a folder for its results: -o DIR");
    if (!speaks_for_all()) {
      make_crew(static_cast<size_t>(Workers(given.threads).threads()))->work();
      return {};
    }
    return AllExperiments(given).run();
  }
  if (ranks_of_this_process() != nullptr)
    return usage_error(
        "several ranks run all experiments side by side (--all), a single one runs on one machine");
  if (given.name.empty()) return usage_error("which experiment? reproduce --list shows them all");
  const auto found = research::find_experiment(given.name);
  if (!found.ok()) return usage_error(found.error());
  const research::Experiment& experiment = **found;
  ReproduceFlags flags = given;
  if (flags.out.empty()) flags.out = ".";

  const InterruptGuard interrupt;
  const auto result = run_experiment(experiment, flags, interrupt);
  if (interrupt.signal() != 0)
    return {128 + interrupt.signal(), "interrupted before the experiment was done"};
  if (!result.ok()) return result.error();
  if (!result->report) return fail("{}", result->why_not);
  const Json json = research::report_json(experiment.name, *result->report, result->seconds);
  if (flags.keep) ESPALIER_TRY(keep(experiment, json, flags));
  ESPALIER_TRY(flags.output.json ? print_json(json)
                                 : print(to_text(experiment, *result->report, result->seconds)));
  if (const std::string broken = broken_check(json); !broken.empty())
    return {kDataWrong, "a check does not hold: " + broken};
  return {};
}

}  // namespace

void add_reproduce_run(CLI::App& app, Action& action) {
  const std::shared_ptr<ReproduceFlags> flags = add_reproduce_options(app);
  app.get_subcommand("reproduce")->callback([&action, flags] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps

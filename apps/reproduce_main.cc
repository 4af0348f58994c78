// The program behind `espalier reproduce`, which starts it with its own command line (reproduce.cc): the
// experiments of the papers. It is a separate program so that the command can be built and installed without
// research/. Tested in reproduce_test.sh.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/interrupt.h"
#include "apps/progress_display.h"
#include "apps/reproduce_options.h"
#include "apps/terminal.h"
#include "research/experiment.h"

namespace espalier::apps {
namespace {

using Json = nlohmann::ordered_json;

Outcome list_experiments(bool json) {
  if (json) {
    Json all = Json::array();
    for (const auto& experiment : research::experiments())
      all.push_back(
          {{"name", experiment.name}, {"summary", experiment.summary}, {"corpora", experiment.corpora}});
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

Json to_json(const research::Experiment& experiment, const research::Report& report, double seconds) {
  const auto optional = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json settings = Json::object(), rows = Json::array(), claims = Json::array(), checks = Json::array();
  for (const auto& [name, value] : report.settings) settings[name] = value;
  for (const auto& row : report.rows)
    rows.push_back({{"row", row.row},
                    {"column", row.column},
                    {"seed", optional(row.paper)},
                    {"measured", row.measured},
                    {"deviation", optional(row.deviation)}});
  for (const auto& claim : report.claims)
    claims.push_back(
        {{"name", claim.name}, {"holds", claim.holds}, {"figure", claim.figure}, {"cause", claim.cause}});
  for (const auto& check : report.checks)
    checks.push_back({{"name", check.name}, {"holds", check.holds}, {"detail", check.detail}});
  return {{"name", experiment.name},     {"settings", std::move(settings)},
          {"rows", std::move(rows)},     {"claims", std::move(claims)},
          {"checks", std::move(checks)}, {"plots", report.plots},
          {"notes", report.notes},       {"seconds", seconds}};
}

std::string to_text(const research::Experiment& experiment, const research::Report& report, double seconds) {
  std::string out = fmt::format("{}: {}\n\n", experiment.name, experiment.summary);
  const auto to = std::back_inserter(out);
  for (const auto& [name, value] : report.settings) fmt::format_to(to, "{}: {}\n", name, value);
  size_t row_width = 6, column_width = 7;
  for (const auto& row : report.rows) {
    row_width = std::max(row_width, display_width(row.row));
    column_width = std::max(column_width, display_width(row.column));
  }
  if (!report.rows.empty())
    fmt::format_to(to, "\n{}  {}  {:>10}  {:>10}\n", pad_right("method", row_width),
                   pad_right("setting", column_width), "paper", "measured");
  for (const auto& row : report.rows) {
    fmt::format_to(to, "{}  {}  {:>10}  {:>10}", pad_right(row.row, row_width),
                   pad_right(row.column, column_width), row.paper ? fmt::format("{:.6g}", *row.paper) : "",
                   fmt::format("{:.6g}", row.measured));
    if (row.deviation) fmt::format_to(to, " ± {:.3g}", *row.deviation);
    out += "\n";
  }
  out += "\n";
  for (const auto& claim : report.claims)
    fmt::format_to(to, "{} {}: {}{}{}\n",
                   claim.holds ? "the paper's claim holds:" : "the paper's claim does NOT hold:", claim.name,
                   claim.figure, claim.cause.empty() ? "" : "; probably because ", claim.cause);
  for (const auto& check : report.checks)
    fmt::format_to(to, "{} {}{}{}\n", check.holds ? "holds: " : "BROKEN:", check.name,
                   check.detail.empty() ? "" : ": ", check.detail);
  for (const auto& note : report.notes) fmt::format_to(to, "note: {}\n", note);
  for (const auto& plot : report.plots) fmt::format_to(to, "plot: {}\n", plot);
  fmt::format_to(to, "in {}\n", duration_text(seconds));
  return out;
}

/// Where the corpora are.
std::string corpora_folder(const std::string& given) {
  if (!given.empty()) return given;
  const char* const named = std::getenv("ESPALIER_DATA");
  return named != nullptr && *named != '\0' ? named : "../shared/data";
}

Outcome run(const ReproduceFlags& flags) {
  if (flags.list) return list_experiments(flags.output.json);
  if (flags.name.empty()) return usage_error("which experiment? reproduce --list shows them all");
  const auto found = research::find_experiment(flags.name);
  if (!found.ok()) return usage_error(found.error());
  const research::Experiment& experiment = **found;

  research::Request request;
  request.data = corpora_folder(flags.data);
  request.out = flags.out;
  request.quick = flags.quick;
  request.seed = flags.seed;
  request.threads = flags.threads;
  for (const std::string_view corpus : experiment.corpora)
    if (!std::filesystem::exists(request.corpus(corpus)))
      return fail("{}: needed by {}, and not there; --data or ESPALIER_DATA names the folder of corpora",
                  request.corpus(corpus), experiment.name);
  std::error_code code;
  std::filesystem::create_directories(request.out, code);
  if (code) return fail("{}: cannot make the folder for plots: {}", request.out, code.message());

  ProgressDisplay display(flags.output.quiet ? ProgressDisplay::Mode::kQuiet
                                             : ProgressDisplay::Mode::kBarOnly);
  const InterruptGuard interrupt(InterruptGuard::Input::kLeave);
  request.monitor.on_progress = [&](const Progress& progress) { display.show(progress); };
  request.monitor.stop = interrupt.flag();
  const auto start = std::chrono::steady_clock::now();
  const auto report = experiment.run(request);
  display.clear();
  // What was stopped halfway has no figures worth printing.
  if (interrupt.signal() != 0)
    return {128 + interrupt.signal(), "interrupted before the experiment was done"};
  if (!report.ok()) return report.error();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ESPALIER_TRY(flags.output.json ? print_json(to_json(experiment, *report, seconds))
                                 : print(to_text(experiment, *report, seconds)));
  for (const auto& check : report->checks)
    if (!check.holds) return {kDataWrong, fmt::format("a check does not hold: {}", check.name)};
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

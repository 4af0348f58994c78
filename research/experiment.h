// What `espalier reproduce` runs: the tables and figures of the papers that Espalier is based on, measured
// again. An Experiment takes a Request and returns a Report: rows (measured figures next to printed ones,
// each marked as the paper's own method or as ours), the paper's claims, checks that must hold whatever the
// data, and plots. The functions are declared in experiments.h. Experiments take from seconds to hours; with
// `quick`, seconds. report_json.h turns a report into JSON, page.h many of them into one HTML page.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/result.h"

namespace espalier::research {

/// How to run an experiment.
struct Request {
  std::string data;    ///< the folder of corpora
  std::string out;     ///< an existing folder for plots
  bool quick = false;  ///< run a small version that ends in seconds: for tests, its figures mean nothing
  uint64_t seed = 1;
  int threads = 0;  ///< 0: all cores
  Monitor monitor;

  /// The path of a corpus file.
  std::string corpus(std::string_view file) const { return data + "/" + std::string(file); }
};

/// What a row is: the paper's own algorithm, features, loss and settings, or what Espalier does best.
enum class Kind { kPrinted, kOurs };

/// One measured figure, and the paper's.
struct Row {
  std::string row;     ///< the method, spelled as its option
  std::string column;  ///< the setting
  Kind kind = Kind::kOurs;
  std::optional<double> paper;  ///< the figure, if it stands in the paper's own text
  double measured = 0;
  std::optional<double> deviation;  ///< of the sample, if there were several runs
  std::optional<double> elsewhere;  ///< a figure to compare with that is not in the paper's text
  std::string source;               ///< where that figure is from

  /// Marks the row as the paper's own method and settings. What still differs is a departure of the report.
  Row& printed(bool is_so = true) {
    kind = is_so ? Kind::kPrinted : Kind::kOurs;
    return *this;
  }
  /// A figure that the paper's text does not hold, with its source.
  Row& beside(std::optional<double> figure, std::string_view from) {
    elsewhere = figure;
    source = figure ? from : std::string_view();
    return *this;
  }
};

/// A statement of the paper, and whether it holds on our data. Never decides the exit status: a claim that
/// does not hold is a finding.
struct Claim {
  std::string name;
  bool holds = false;
  std::string figure;  ///< what was measured
  std::string cause;   ///< if it does not hold: the probable reason
};

/// A property that must hold whatever the data.
struct Check {
  std::string name;
  bool holds = false;
  std::string detail;  ///< the figures behind it
};

struct Report {
  std::vector<std::pair<std::string, std::string>> settings;  ///< the settings of the run
  std::vector<Row> rows;
  std::vector<Claim> claims;
  std::vector<Check> checks;
  std::vector<std::string> departures;  ///< where rows as printed differ from what the paper did
  std::vector<std::string> plots;       ///< files written
  std::vector<std::string> notes;       ///< what a reader should know about the figures

  void set(std::string name, std::string value) { settings.emplace_back(std::move(name), std::move(value)); }
  /// Adds a row, ours unless marked otherwise: report.add(…).printed(). `paper` is for figures that stand in
  /// the paper's text; others go into Row::beside. The reference is valid until the next row is added.
  Row& add(std::string row, std::string column, std::optional<double> paper, double measured,
           std::optional<double> deviation = std::nullopt) {
    rows.push_back({std::move(row), std::move(column), Kind::kOurs, paper, measured, deviation, {}, {}});
    return rows.back();
  }
  void depart(std::string what) { departures.push_back(std::move(what)); }
  void claim(std::string name, bool holds, std::string figure, std::string cause = {}) {
    claims.push_back({std::move(name), holds, std::move(figure), holds ? std::string() : std::move(cause)});
  }
  void check(std::string name, bool holds, std::string detail) {
    checks.push_back({std::move(name), holds, std::move(detail)});
  }
};

struct Experiment {
  std::string_view name;                  ///< for example searn-handwriting
  std::string_view summary;               ///< one line for --list
  std::vector<std::string_view> corpora;  ///< files in the folder of corpora that it needs
  Result<Report> (*run)(const Request& request);
  double minutes = 1;  ///< of a full run on one core, roughly
  bool alone = false;  ///< measures time: nothing else runs next to it
};

/// All experiments, in the order of --list.
std::span<const Experiment> experiments();
/// The experiment of that name, or an error that names the nearest one.
Result<const Experiment*> find_experiment(std::string_view name);

}  // namespace espalier::research

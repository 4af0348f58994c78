// What `espalier reproduce` runs: the tables and figures of the papers that Espalier is based on, measured
// again. An Experiment takes a Request and returns a Report with rows (measured and printed figures), checks
// that must hold, and plots. The functions are declared in experiments.h. Experiments take from seconds to
// hours; with `quick`, seconds.
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

/// One measured figure and the paper's.
struct Row {
  std::string row;              ///< the method, spelled as its option
  std::string column;           ///< the setting
  std::optional<double> paper;  ///< the figure printed in the paper
  double measured = 0;
  std::optional<double> deviation;  ///< of the sample, if there were several runs
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
  std::vector<std::string> plots;  ///< files written
  std::vector<std::string> notes;  ///< what a reader should know about the figures

  void set(std::string name, std::string value) { settings.emplace_back(std::move(name), std::move(value)); }
  void add(std::string row, std::string column, std::optional<double> seed, double measured,
           std::optional<double> deviation = std::nullopt) {
    rows.push_back({std::move(row), std::move(column), seed, measured, deviation});
  }
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
};

/// All experiments, in the order of --list.
std::span<const Experiment> experiments();
/// The experiment of that name, or an error that names the nearest one.
Result<const Experiment*> find_experiment(std::string_view name);

}  // namespace espalier::research

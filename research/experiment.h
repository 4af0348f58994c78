// What `espalier reproduce` runs: the tables and figures of the papers that Espalier comes from, measured
// again.
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

/// How an experiment is to run.
struct Request {
  std::string data;    ///< the folder of corpora
  std::string out;     ///< the folder plots go to; it exists
  bool quick = false;  ///< a small version that ends in seconds: for tests, not for figures
  uint64_t seed = 1;
  int threads = 0;  ///< 0: every core
  Monitor monitor;

  /// A corpus file's path.
  std::string corpus(std::string_view file) const { return data + "/" + std::string(file); }
};

/// One measured figure, with that of the paper.
struct Row {
  std::string row;             ///< the method, as the option spells it
  std::string column;          ///< the setting
  std::optional<double> seed;  ///< what the paper printed
  double measured = 0;
  std::optional<double> deviation;  ///< of the sample, where there were several runs
};

/// A property that must hold.
struct Check {
  std::string name;
  bool holds = false;
  std::string detail;  ///< the figures behind it
};

struct Report {
  std::vector<std::pair<std::string, std::string>> settings;  ///< what the run was made with
  std::vector<Row> rows;
  std::vector<Check> checks;
  std::vector<std::string> plots;  ///< files written
  std::vector<std::string> notes;  ///< what a reader should know about the figures

  void set(std::string name, std::string value) { settings.emplace_back(std::move(name), std::move(value)); }
  void add(std::string row, std::string column, std::optional<double> seed, double measured,
           std::optional<double> deviation = std::nullopt) {
    rows.push_back({std::move(row), std::move(column), seed, measured, deviation});
  }
  void check(std::string name, bool holds, std::string detail) {
    checks.push_back({std::move(name), holds, std::move(detail)});
  }
};

struct Experiment {
  std::string_view name;                  ///< for example searn-handwriting
  std::string_view summary;               ///< one line for --list
  std::vector<std::string_view> corpora;  ///< files below the folder of corpora, without which it cannot run
  Result<Report> (*run)(const Request& request);
};

/// All of them, in the order --list shows them.
std::span<const Experiment> experiments();
/// The experiment of that name, or an error that names the nearest.
Result<const Experiment*> find_experiment(std::string_view name);

}  // namespace espalier::research
